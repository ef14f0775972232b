"""What killed runs of a gate left: hidden folders, and the link file of a release that never appeared."""

import shutil
from collections.abc import Sequence

from incrowd.assess.earlier_releases import links_in
from incrowd.data.files import left_by_killed_runs
from incrowd.data.release_folder import id_in
from incrowd.gate.outputs import Outputs
from incrowd.gate.records import RunRecord

RUN, PRIVATE = "run", "link"  # what the hidden folders of a run are called
RELEASE = "release"


def clear(outputs: Outputs, runs: Sequence[RunRecord]) -> None:
    """Remove it. A release that is still in the hidden folder of its run was not published, so its link goes with it.

    Args:
        outputs: Where the gate writes.
        runs: The history.
    """
    published = {run.release_id for run in runs}
    links = links_in(outputs.links) if outputs.links is not None and outputs.links.is_dir() else {}
    for left in left_by_killed_runs(outputs.folder / RUN, "part"):
        ident = id_in(left / RELEASE)
        if ident is not None and ident in links and ident not in published:
            links[ident].unlink()
        shutil.rmtree(left, ignore_errors=True)
    for left in left_by_killed_runs(outputs.private / PRIVATE, "part"):
        shutil.rmtree(left, ignore_errors=True)
