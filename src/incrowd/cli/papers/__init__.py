"""incrowd papers: all of them, or one by its key; a file for each paper that has options of its own."""

import typer

from incrowd.cli.papers import gramaglia2015, mohammed2009, reproducing, tan2017
from incrowd.papers import PAPERS

app = typer.Typer(name="papers")
app.callback(invoke_without_command=True)(reproducing.papers)
own = {
    "tan2017": tan2017.tan2017,
    "mohammed2009": mohammed2009.mohammed2009,
    "gramaglia2015": gramaglia2015.gramaglia2015,
}
for key in PAPERS:
    if key not in own:
        app.command(key)(reproducing.one_paper(PAPERS[key]))
for command in own.values():
    app.command()(command)
