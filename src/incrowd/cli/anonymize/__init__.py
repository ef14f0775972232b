"""Make a release, with the guarantee it states."""

from functools import partial

from incrowd.anonymize import METHODS
from incrowd.cli.anonymize.commands import maker
from incrowd.cli.app import in_files, verb

MAKERS = {name: partial(maker, name) for name in METHODS}
app = verb("anonymize", __doc__, {**MAKERS, **in_files(__name__, "counts")}, no_args_is_help=True)
