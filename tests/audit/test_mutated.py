"""Every broken release is caught by whoever can know it, and no honest one is failed."""

import collections
from itertools import product
from pathlib import Path

import pytest

from audit.honest import BASES, MADE, copied, make, modes
from audit.mutations import MODES, MUTATIONS, NEVER, table
from incrowd.audit import check
from incrowd.errors import DataError

DOCS = Path(__file__).resolve().parents[2] / "docs" / "audit.md"
ODD_NAMES = ("k=5", "cell=7", "st*r", "g[1]", "x=1")


@pytest.fixture(scope="session")
def honest(tmp_path_factory):
    """Each honest release, made when it is first needed."""
    made = {}
    root = tmp_path_factory.mktemp("honest")

    def get(base):
        if base not in made:
            made[base] = make(base, root / base)
        return made[base]

    return get


def passes(case, mode, **asked) -> bool:
    try:
        return check(case.folder, **modes(case)[mode], **asked).passed
    except DataError:
        return False


@pytest.mark.parametrize("base", BASES)
def test_an_honest_release_passes_in_every_mode(honest, base):
    for mode, given in modes(honest(base)).items():
        verdict = check(honest(base).folder, **given)
        assert verdict.passed, (mode, verdict.failed)


@pytest.mark.parametrize(("name", "base"), list(product(ODD_NAMES, ("cut", "glove-csv", "counts-csv"))))
def test_paths_are_literal(honest, tmp_path, name, base):
    case = copied(honest(base), tmp_path / name / "dx=1")
    assert all(passes(case, mode) for mode in MODES)


@pytest.mark.parametrize("base", ["cut", "cut-csv"])
def test_a_broken_folder_is_not_taken_for_an_honest_one_that_its_name_would_match(honest, tmp_path, base):
    assert passes(copied(honest(base), tmp_path / "g1"), "alone")
    broken = copied(honest(base), tmp_path / "g[1]")
    broken.change("cell", 0, 99_999)
    assert not passes(broken, "original")
    (tmp_path / "links").mkdir()
    link = broken.link.rename(tmp_path / "links" / "l[1].csv")
    (tmp_path / "links" / "l1.csv").write_text("pseudonym,user\n")
    assert not check(broken.folder, original=broken.original, link=link).passed


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[m.what.replace(" ", "_") for m in MUTATIONS])
def test_a_broken_release_is_caught(honest, tmp_path, mutation):
    for number, base in enumerate(mutation.bases):
        case = copied(honest(base), tmp_path / str(number))
        mutation.apply(case)
        for mode in {mutation.least, "link"}:
            assert not passes(case, mode, **mutation.asked), (base, mode)


def random_honest(tmp_path, kinds):
    """Audit a release of each kind and seed with all there is; the evidence of those that fail."""
    wrong = {}
    for base, seed in kinds:
        case = make(base, tmp_path / f"{base}-{seed}", seed)
        verdict = check(case.folder, **modes(case)["link"])
        if not verdict.passed:
            wrong[base, seed] = verdict.failed
    return wrong


def test_60_random_honest_releases_pass(tmp_path):
    assert random_honest(tmp_path, product(MADE, range(1, 6))) == {}


@pytest.mark.slow
def test_200_random_honest_releases_pass(tmp_path):
    assert random_honest(tmp_path, product(BASES, range(100, 112))) == {}


def test_there_are_enough_mutations_over_all_kinds():
    assert len(MUTATIONS) >= 150
    tried = collections.Counter(base for mutation in MUTATIONS for base in mutation.bases)
    assert set(tried) == set(BASES) and min(tried.values()) >= 10


def test_the_page_shows_every_mutation():
    page = DOCS.read_text()
    assert table() in page, "paste audit.mutations.table() into docs/audit.md"
    assert all(f"| {what} | {why} |" in page for what, why in NEVER.items())
