"""incrowd anonymize: a command for every method of METHODS, and counts."""

import typer

from incrowd.anonymize import METHODS
from incrowd.cli.anonymize import counts
from incrowd.cli.anonymize.commands import command_of
from incrowd.cli.anonymize.plan import plans

HOOKS = {"cut": plans}  # options beyond those that the class has

app = typer.Typer(name="anonymize", help="Make a release, with the guarantee it states.", no_args_is_help=True)
for name, method in METHODS.items():
    app.command(name)(command_of(name, method, HOOKS.get(name)))
app.command()(counts.counts)
