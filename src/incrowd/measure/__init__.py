"""Risk and utility as small frozen records."""
