"""Counts and Releases -> what an attacker gets out of them; one file per attack."""
