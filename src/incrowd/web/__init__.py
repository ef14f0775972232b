"""The studio: a page on this machine to look at data, decide and release; it runs what the command line runs."""
