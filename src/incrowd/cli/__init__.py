"""One command per verb; no logic."""
