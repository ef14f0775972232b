"""incrowd papers tan2017."""

from incrowd.cli.papers.reproducing import PaperRun, runs
from incrowd.cli.reading import Boxing, ReadingOptions, boxes, reads
from incrowd.papers import PAPERS


@reads
@boxes
@runs
def tan2017(reading: ReadingOptions, boxing: Boxing, run: PaperRun) -> None:
    """Re-identification of vehicles: resolutions of space and time; --data takes trajectories.

    incrowd papers tan2017 --quick -o tan2017

    incrowd papers tan2017 --data trips.parquet -o tan2017
    """
    options = boxing.arguments()
    run.check()
    run.show(run.reproduced(PAPERS["tan2017"], reading, **options))
