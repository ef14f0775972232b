"""incrowd demo."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.options import Force, Json, Seed
from incrowd.cli.screen import answer, note, progress_bar


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the report.")] = Path("demo"),
    users: Annotated[int, typer.Option(help="People in the city.")] = 1000,
    towers: Annotated[int, typer.Option(help="Towers in the city.")] = 200,
    days: Annotated[int, typer.Option(help="Days they are followed.")] = 7,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Build a synthetic city, run the whole chain on it and write a report.

    incrowd demo

    incrowd demo --users 5000 --days 14 -o my-demo
    """
    from incrowd import clean, discretize, measure, read, report
    from incrowd.data.files import refuse_existing

    page = output / "report.html"
    output.mkdir(parents=True, exist_ok=True)
    refuse_existing(page, force=force)
    with progress_bar():
        note(f"building a city of {users:,} people, {towers:,} towers, {days} days")
        city = read.synthetic_city(users=users, towers=towers, days=days, seed=seed, dirt=0.01)
        note("cleaning its log")
        traces = clean.still_users(clean.order(clean.duplicates(city.traces)))
        note("discretizing to towers and half hours")
        visits = discretize.towers(traces, city.towers, slot_min=30)
        note("measuring and drawing")
        found = measure.summary(traces)
        report.write(page, found, visits.ledger, title="A synthetic city", force=force)
    text = f"{found.users:,} people, {found.records:,} records, {found.days} days\n\n{visits.ledger}\n\nreport: {page}"
    answer(text, {"summary": found, "ledger": visits.ledger, "report": str(page)}, as_json=as_json)
