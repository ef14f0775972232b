"""incrowd attack …: run an attack on your own data before somebody else does."""

import typer

app = typer.Typer(name="attack", help="Attack your own data or release.", no_args_is_help=True)
