"""One module per paper: its tables and figures, theirs beside ours, on any dataset."""
