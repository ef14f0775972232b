"""How far people are from hiding in a crowd of k, why, and what hiding them costs."""
