"""Traces -> Traces, with a ledger that says what left."""
