"""incrowd anonymize: one file per command, listed here in the order of the help."""

import typer

from incrowd.cli.anonymize import counts, cut, generalize, glove, lkc, w4m

app = typer.Typer(name="anonymize", help="Make a release, with the guarantee it states.", no_args_is_help=True)
for command in (cut.cut, generalize.generalize, lkc.lkc, glove.glove, w4m.w4m, counts.counts):
    app.command()(command)
