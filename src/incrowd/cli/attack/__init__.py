"""incrowd attack: one file per command, listed here in the order of the help."""

import typer

from incrowd.cli.attack import home_work, link, lookup, membership, recover, relink

app = typer.Typer(name="attack", help="Attack your own data or release.", no_args_is_help=True)
COMMANDS = (lookup.lookup, link.link, relink.relink, membership.membership, recover.recover, home_work.home_work)
for command in COMMANDS:
    app.command()(command)
