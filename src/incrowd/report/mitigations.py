"""Section about publishing counts: what an attacker recovers after each mitigation, and what it costs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from incrowd.assess._mitigations import Mitigations, Outcome
from incrowd.plain import fraction
from incrowd.report.section import Drawing, Grid, Section, section
from incrowd.report.style import COLOURS, MUTED, canvas, key, svg, tags

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {
    "noise": "noise",
    "suppress": "small counts suppressed",
    "round": "rounding",
    "move": "points moved",
    "space": "square regions",
    "regions": "given regions",
    "time": "longer slots",
}
TICKS = (0, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
LOSS = (
    "Loss is sum |published - P| / sum P over cells and slots: 0 for exact counts, 1 where nothing is published. The "
    "people of a region are spread evenly over its cells, those of a long slot are counted in each slot inside it."
)
ACCURACY = (
    "Accuracy is the share of all people and slots whose cell is recovered, after recovered and original trajectories "
    "are paired; of regions and longer slots it is about these, so that being right says less [xu2017, Sec. 5]."
)
GUESSES = (
    "Guesses leave everyone where the first slot counts them, or hand out the records of each slot at random; they are "
    "made from the same counts, repaired and scored like the attack, so that a row can be judged by itself. The lines "
    "of the figure are guesses from the counts as they are."
)
ATTACKER = (
    "The attacker knows the counts, where cells are and how many people there are; counts that do not add up are "
    "repaired first. One who models the noise may do better: these are measurements, no guarantees. Noise is per "
    "count, and a person is in as many counts as there are slots."
)


@section.register
def _mitigations(result: Mitigations) -> Section:
    plain = result.outcomes[0]
    return Section(
        question="What stops the recovery of people from published counts?",
        answer=_sentence(result),
        number="-" if result.cheapest is None else f"{result.cheapest.loss:.2f}",
        number_of=f"least loss that brings accuracy under {result.target:.0%}",
        drawings=[_figure(result)],
        tables=[_table(result)],
        method=[
            LOSS,
            ACCURACY,
            GUESSES,
            ATTACKER,
            f"Method '{result.method}', pairing '{result.pairing}', one run, seed {result.seed}.",
        ],
        data={"mitigations": result, "as_they_are": plain},
    )


def _sentence(result: Mitigations) -> str:
    guesses = ", ".join(f"{name} {share:.1%}" for name, share in result.chance.items())
    first = (
        f"From the counts as they are {result.outcomes[0].accuracy:.1%} of all points of {result.users:,} people are "
        f"recovered (guessing: {guesses}). "
    )
    if result.caution:
        first += f"{result.caution} "
    best = result.cheapest
    if best is None:
        return first + f"Nothing that was tried brings it under {result.target:.0%}."
    if best.mitigation == "none":
        return first + f"That is under {result.target:.0%} already."
    cheapest = f"{best}, at a loss of {best.loss:.2f} ({best.accuracy:.1%} recovered)"
    return first + f"The cheapest way under {result.target:.0%}: {cheapest}."


def _figure(result: Mitigations) -> Drawing:
    with canvas(height_in=4.2) as (figure, axes):
        for colour, (kind, name) in zip(COLOURS, NAMES.items(), strict=False):
            _draw(axes, [result.outcomes[0], *result.of(kind)], name, colour)
        _lines(axes, result)
        most = 1.2 * max(o.loss for o in result.outcomes) + 0.01
        axes.set_xscale("symlog", linthresh=0.1, linscale=0.6)
        axes.set_xlim(0, most)
        axes.set_xticks([x for x in TICKS if x <= most], [f"{x:g}" for x in TICKS if x <= most], minor=False)
        axes.minorticks_off()
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("loss of the counts")
        axes.set_ylabel("share of points recovered")
        tags(axes, _strengths(result))
        key(axes)
        drawing = svg(figure)
    caption = (
        f"Accuracy of the attack against the loss, by mitigation and strength (n = {result.users:,} people, "
        f"{result.cells:,} cells, {result.slots:,} slots of {result.slot_min} min; one run each)."
    )
    points = "; ".join(f"{o}: loss {o.loss:.2f}, accuracy {o.accuracy:.2f}" for o in result.outcomes)
    return Drawing(drawing, caption, f"Accuracy against loss: {points}.")


def _draw(axes: "Axes", outcomes: list[Outcome], name: str, colour: str) -> None:
    known = _known(outcomes)
    if len(known) < 2:
        return
    axes.plot([o.loss for o in known], [o.accuracy for o in known], marker="o", markersize=4, color=colour, label=name)


def _strengths(result: Mitigations) -> list[tuple[float, float, str, str]]:
    """Where each strength stands; those at the ends of the lines first."""
    named = zip(COLOURS, NAMES, strict=False)
    points = [(o, colour, place) for colour, kind in named for place, o in enumerate(reversed(_known(result.of(kind))))]
    return [(o.loss, o.accuracy, f"{o.strength:g}", colour) for o, colour, _ in sorted(points, key=lambda one: one[2])]


def _known(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if o.accuracy == o.accuracy]


def _lines(axes: "Axes", result: Mitigations) -> None:
    """The target and the trivial guesses, named at the left."""
    axes.axhline(result.target, color=MUTED, linewidth=1, linestyle="--", label=f"target {result.target:g}")
    for style, (name, share) in zip((":", "-."), result.chance.items(), strict=False):
        axes.axhline(share, color=MUTED, linewidth=1, linestyle=style, label=f"{name} {share:.2f}")


def _table(result: Mitigations) -> Grid:
    rows = [
        (
            str(o),
            f"{o.loss:.3f}",
            *map(fraction, (o.night, o.day, o.accuracy)),
            *(fraction(o.chance.get(guess)) for guess in result.chance),
            fraction(o.far),
            " ".join(f"{share:.2f}" for share in o.unique.values()) or "-",
        )
        for o in result.outcomes
    ]
    tops = "/".join(map(str, result.outcomes[0].unique))
    head = ("published", "loss", "nights", "days", "whole", *result.chance, "> 1 km off", f"top {tops} unique")
    caption = (
        "Accuracy by stage and of guesses from the same counts, share of points far off, uniqueness of the recovered."
    )
    return Grid(head, rows, caption)
