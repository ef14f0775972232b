"""The checks of an audit, one file each."""
