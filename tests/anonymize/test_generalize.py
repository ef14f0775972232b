import numpy as np

import incrowd as ic
from incrowd.anonymize import Generalize


def test_cells_and_slots_are_coarse_and_true():
    rng = np.random.default_rng(1)
    traces = ic.Traces.from_arrays(
        rng.integers(0, 20, 400), rng.integers(0, 86_400, 400), x=rng.uniform(0, 9000, 400), y=rng.uniform(0, 9000, 400)
    )
    release = Generalize(cell_m=2000, slot_min=120)(traces)
    assert len(release.data) == 20
    centres = release.data.xy
    assert ((centres - 1000) % 2000 == 0).all()
    for row, (member,) in enumerate(release.members):
        a, b = release.data.offsets[row : row + 2]
        c, d = traces.offsets[member : member + 2]
        x, y = traces.coordinates
        truth = set(zip(x[c:d] // 2000, y[c:d] // 2000, traces.t[c:d] // 7200, strict=True))
        square = (centres[release.data.cell[a:b]] - 1000) / 2000
        assert {(*s, t) for s, t in zip(map(tuple, square), release.data.slot[a:b], strict=True)} == truth
