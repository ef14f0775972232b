"""Every block of code in the documentation runs, and prints what the page shows."""

import shutil

import pytest

from pages import ROOT, SILENT, agrees, blocks, make_trips, pages, run, tidy

PAGES = [page for page in pages() if any(block.runs for block in blocks(page))]
SLOW = [page for page in PAGES if any(block.slow for block in blocks(page))]
MARKS = ("", "slow", "exits 1")

pytestmark = pytest.mark.filterwarnings("default::incrowd.errors.IncrowdWarning")  # commands show them as lines

# Set-up, servers and other tools are not run here; make sources runs what needs a server or another tool.
NOT_RUN = {
    "README.md": 1,
    "docs/gate.md": 3,
    "docs/howto/databases.md": 2,
    "docs/howto/object-stores.md": 2,
    "docs/howto/spark.md": 6,
    "docs/papers/xu2017.md": 1,
    "docs/studio.md": 1,
    **dict.fromkeys((f"docs/howto/{name}.md" for name in ("geoparquet", "movingpandas", "trackintel")), 1),
}


def name(page):
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="session")
def trips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trips")
    make_trips(folder)
    return folder


@pytest.fixture
def here(trips, tmp_path, monkeypatch):
    """A folder with the files of the tutorial, and nothing else."""
    for file in trips.iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(page, *, slow):
    found = blocks(page)
    for block, said in zip(found, run(found, slow=slow), strict=True):
        if block.runs and (slow or not block.slow):
            assert agrees(block, said), f"{block} prints otherwise:\n{tidy(said)}\nrun: make docs"


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "tutorial.md"], ids=name)
def test_a_page_runs(page, here):
    check(page, slow=False)


def test_the_tutorial_runs_from_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check(ROOT / "docs" / "tutorial.md", slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW, ids=name)
def test_a_page_runs_with_its_slow_blocks(page, here):
    check(page, slow=True)


def test_few_blocks_are_not_run():
    left = [block for page in pages() for block in blocks(page) if block.language not in SILENT and not block.runs]
    assert all(len(block.mark) > len("not run: ") for block in left)
    assert {page: sum(block.page == page for block in left) for page in {block.page for block in left}} == NOT_RUN


def test_every_mark_is_known():
    marks = {block.mark for page in pages() for block in blocks(page) if block.runs}
    assert marks <= set(MARKS)


def test_no_block_hides_its_language():
    # Every fence is seen by the runner: what it does not find, it cannot run.
    for page in pages():
        text = page.read_text(encoding="utf-8")
        fences = sum(line.lstrip().startswith("```") for line in text.splitlines())
        found = blocks(page)
        assert fences == 2 * (len(found) + sum(block.output is not None for block in found)), name(page)
        assert {block.language for block in found} <= {"python", "sh", "yaml", *SILENT}, name(page)


def test_a_wrong_page_is_noticed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pages.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```sh\nincrowd nonsense\n```\n")
    first, second = blocks(page)
    assert not agrees(first, run([first])[0])
    with pytest.raises(AssertionError, match="ends with 2"):
        run([second])
