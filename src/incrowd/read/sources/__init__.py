"""Where records come from: files, folders and data frames, each read as a scan."""
