"""Attack your own data or release."""

from incrowd.cli.app import in_files, verb

COMMANDS = "lookup link relink membership recover home-work"
app = verb("attack", __doc__, in_files(__name__, COMMANDS), no_args_is_help=True)
