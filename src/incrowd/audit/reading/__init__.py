"""How the auditor reads a release, its original and its link: its own readers, trusting nothing."""
