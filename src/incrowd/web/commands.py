"""The command lines of every step, as the page shows them and as jobs run them: paths are below the folder."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from incrowd.data.release_folder import ATTESTED
from incrowd.web.folder import HOME
from incrowd.web.store import StoredData

BUDGETS = ("2m", "10m", "1h")
# Options whose value is a file to be written.
WRITING = ("-o", "--map", "--keep-link", "--bad-rows", "--attest-file", "--evidence")
OWN = re.compile(rf"{HOME}/(data|run)s?/(\d+)/")
Words = list[str]


def clean_file(dataset: StoredData) -> str:
    """Where the cleaned data of a dataset are."""
    return f"{HOME}/data/{dataset.id}/clean.parquet"


def city(dataset: StoredData) -> Words:
    """Write the synthetic city."""
    size = [word for name in ("users", "days") for word in (f"--{name}", str(dataset.options[name]))]
    return ["synthetic-city", "-o", f"{HOME}/data/{dataset.id}/city.parquet", *size, "--dirt", "0.01", "--force"]


def cleaning(dataset: StoredData) -> list[Words]:
    """Read, clean and describe the data."""
    options = dataset.options
    source = dataset.source or f"{HOME}/data/{dataset.id}/city.parquet"
    source = f"./{source}" if source.startswith("-") else source
    words = ["clean", source, "-o", clean_file(dataset), "--force"]
    words += [word for role, name in options.get("columns", {}).items() for word in ("--column", f"{role}={name}")]
    words += [word for name in options.get("attributes", ()) for word in ("--attribute", name)]
    for name in ("time-zone", "time-format", "table", "query"):
        words += [f"--{name}", str(options[name])] if options.get(name) else []
    if options.get("set-aside"):
        words += ["--bad-rows", f"{HOME}/data/{dataset.id}/bad-rows.csv"]
    first = [] if dataset.source else [city(dataset)]
    return [*first, words, ["inspect", clean_file(dataset), *_zone(dataset)]]


def assessing(dataset: StoredData, cell_m: int, slot_min: int, budget: str) -> Words:
    """Run every test on the data as they are, and look for a release that passes."""
    page = f"{HOME}/data/{dataset.id}/assessment.html"
    grain = ["--cell-m", str(cell_m), "--slot-min", str(slot_min)]
    return ["assess", clean_file(dataset), *grain, *_columns(dataset), "--budget", budget, "-o", page, "--force"]


def forecasting(dataset: StoredData, people: int) -> Words:
    """Try every method on a few people, to say what each will lose."""
    return ["compare", clean_file(dataset), "--people", str(people)]


def estimating(dataset: StoredData, method: str, options: Mapping[str, Any]) -> Words:
    """Say what a run of all people will take."""
    return ["anonymize", method, clean_file(dataset), *_given(options), "--estimate"]


def anonymizing(dataset: StoredData, method: str, options: Mapping[str, Any]) -> Words:
    """Make a release; {job} becomes the number of the run."""
    words = ["anonymize", method, clean_file(dataset), "-o", f"{HOME}/runs/{{job}}/release", *_given(options)]
    if method == "lkc" and dataset.options.get("sensitive"):
        words += ["--sensitive", dataset.options["sensitive"]]
    return words if method == "counts" else [*words, "--keep-link", f"{HOME}/runs/{{job}}/link.csv"]


def judging(dataset: StoredData, method: str, *, budget: str, run: str = "{job}", signed: bool = False) -> Words:
    """Attack a release as the data were attacked; if it is to be signed, also write attestation and evidence."""
    here = f"{HOME}/runs/{run}"
    words = ["assess", clean_file(dataset), "--release", f"{here}/release"]
    words += [] if method == "counts" else ["--link", f"{here}/link.csv"]
    words += [*_columns(dataset), "--budget", budget, "-o", f"{here}/assessment.html", "--no-advise", "--force"]
    signing = ["--attest-file", f"{here}/release{ATTESTED}", "--evidence", f"{here}/evidence.md"]
    return [*words, "--fail-above", *signing] if signed else words


def auditing(dataset: StoredData, method: str, run: str = "{job}") -> Words:
    """Check what a release states."""
    here = f"{HOME}/runs/{run}"
    link = [] if method == "counts" else ["--link", f"{here}/link.csv"]
    return ["audit", f"{here}/release", "--original", clean_file(dataset), *link]


def measuring(dataset: StoredData, cell_m: int, slot_min: int) -> list[Words]:
    """What the controls of the risk page compute."""
    grain = ["--cell-m", str(cell_m), "--slot-min", str(slot_min), *_zone(dataset)]
    file, drawn = clean_file(dataset), ["--map", f"{HOME}/data/{dataset.id}/map.svg", "--force"]
    return [["measure", "uniqueness", file, "--points", "1-5", *grain], ["measure", "exposure", file, *grain, *drawn]]


def _given(options: Mapping[str, Any]) -> Words:
    return [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]


def _zone(dataset: StoredData) -> Words:
    return ["--time-zone", str(dataset.options["time-zone"])] if dataset.options.get("time-zone") else []


def _columns(dataset: StoredData) -> Words:
    options = dataset.options
    sensitive = ["--sensitive", options["sensitive"]] if options.get("sensitive") else []
    harmless = [word for name in options.get("harmless", ()) for word in ("--harmless", name)]
    return [*sensitive, *harmless, *_zone(dataset)]


def beside(lines: Sequence[Sequence[str]]) -> list[Words]:
    """The command lines of a step for a terminal: they write files beside the data, never over those of the studio.

    Args:
        lines: As the job runs them.

    >>> beside([["clean", "a.csv", "-o", f"{HOME}/data/1/a.parquet"], ["inspect", f"{HOME}/data/1/a.parquet"]])
    [['clean', 'a.csv', '-o', 'data-1-a.parquet'], ['inspect', 'data-1-a.parquet']]
    """
    written = {words[place + 1] for words in lines for place, word in enumerate(words) if word in WRITING}
    own = {path: OWN.sub(r"\1-\2-", path) for path in written}
    return [[own.get(word, word) for word in words] for words in lines]


def shown(words: Iterable[str]) -> list[str]:
    """A command line in pieces that do not break: an option stays with its value.

    >>> shown(["clean", "a b.csv", "-o", "clean.parquet", "--force"])
    ['incrowd clean', "'a b.csv'", '-o clean.parquet', '--force']
    """
    pieces: list[str] = []
    for word in words:
        if pieces and pieces[-1].startswith("-") and " " not in pieces[-1] and not word.startswith("--"):
            pieces[-1] += f" {shlex.quote(word)}"
        else:
            pieces.append(shlex.quote(word))
    return [f"incrowd {pieces[0]}", *pieces[1:]]
