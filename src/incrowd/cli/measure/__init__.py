"""Measure risk and utility."""

from incrowd.cli.app import in_files, verb

COMMANDS = "uniqueness exposure cut-risk utility sequences sweep kgap tails accuracy"
app = verb("measure", __doc__, in_files(__name__, COMMANDS), no_args_is_help=True)
