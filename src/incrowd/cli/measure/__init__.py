"""incrowd measure: one file per command, listed here in the order of the help."""

import typer

from incrowd.cli.measure import accuracy, cut_risk, exposure, kgap, sequences, sweep, tails, uniqueness, utility

app = typer.Typer(name="measure", help="Measure risk and utility.", no_args_is_help=True)
for command in (uniqueness.uniqueness, exposure.exposure, cut_risk.cut_risk, utility.utility, sequences.sequences):
    app.command()(command)
for command in (sweep.sweep, kgap.kgap, tails.tails, accuracy.accuracy):
    app.command()(command)
