"""Results as documents and plots: pure, values in and text out."""
