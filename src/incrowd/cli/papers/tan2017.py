"""incrowd papers tan2017."""

from incrowd.cli.options import Boxing, Force, Json, ReadingOptions, Seed, boxes, reads
from incrowd.cli.papers.reproducing import Data, Folder, Quick, check_folder, reproduced, save, statement_table
from incrowd.cli.screen import answer
from incrowd.papers import PAPERS


@reads
@boxes
def tan2017(
    reading: ReadingOptions,
    boxing: Boxing,
    data: Data = [],  # noqa: B006
    quick: Quick = False,
    output: Folder = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Re-identification of vehicles: resolutions of space and time; --data takes trajectories.

    incrowd papers tan2017 --quick -o tan2017

    incrowd papers tan2017 --data trips.parquet -o tan2017
    """
    options = boxing.arguments()
    check_folder(output, force=force)
    reproduction = reproduced(PAPERS["tan2017"], data, reading, quick=quick, seed=seed, **options)
    save(reproduction, output)
    answer(statement_table(reproduction), reproduction, as_json=as_json)
