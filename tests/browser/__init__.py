"""Tests of the review page with a browser: a package, so that its tests share one browser."""
