"""Traces -> Visits or Fingerprints; Visits -> Counts or windows."""
