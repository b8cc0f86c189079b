"""USE CASE review: reviewers see flagged cases and vote; statistics, thresholds and exports."""
