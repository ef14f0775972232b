"""The checks of an audit, one file for each subject."""
