"""Commands about hiding among k, run without the program around them."""

import typer
from typer.testing import CliRunner

from incrowd.anonymize import Glove
from incrowd.cli.anonymize.commands import command_of
from incrowd.cli.measure.accuracy import accuracy
from incrowd.cli.measure.kgap import kgap
from incrowd.cli.measure.tails import tails
from incrowd.cli.papers.gramaglia2015 import gramaglia2015

FELL_BACK = "incrowd: the GPU has 0.1 GiB free, and these 4 need 3.0 GiB; it runs on the CPU."

app = typer.Typer()
for command in (command_of("glove", Glove), kgap, tails, accuracy, gramaglia2015):
    app.command()(command)


def run(*words):
    """(exit code, stdout, stderr); an error we raise on purpose is raised."""
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr
