"""incrowd attack: one file per command, listed here in the order of the help."""

import typer

from incrowd.cli.attack import ash, home_work, link, relink

app = typer.Typer(name="attack", help="Attack your own data or release.", no_args_is_help=True)
for command in (ash.ash, relink.relink, link.link, home_work.home_work):
    app.command()(command)
