"""Files and frames -> Traces; the synthetic city."""
