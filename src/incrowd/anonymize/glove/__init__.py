"""GLOVE: fingerprints merged until everybody hides in a crowd of k."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from incrowd.anonymize.base import Anonymizer, Strength, Wanted, guarantee, parameters
from incrowd.anonymize.glove.estimate import GloveEstimate, glove_estimate
from incrowd.anonymize.glove.herd import Herd, Saved, hide, no_checkpoint
from incrowd.anonymize.glove.release import Hidden, joined, release_of, shards
from incrowd.data import Fingerprints, Release
from incrowd.data.files import check_folder
from incrowd.errors import ParameterError, check_choice, check_positive, check_whole, public
from incrowd.kernels.types import UNLIMITED
from incrowd.measure.glove.accuracy import accuracy
from incrowd.measure.glove.stretch import CornerTable, Extent, check_k, extent_of, on_device, where_it_fits
from incrowd.plain import to_json

EVERY_S = 60.0  # between two checkpoints
EXTENT_M, EXTENT_MIN = 15_000, 360  # suppression of [gramaglia2015, Table 2]
FORMAT = 2  # of a checkpoint; another one is refused


@public
@dataclass(frozen=True)
class Glove(Anonymizer):
    """Merge whole fingerprints until everybody hides among at least k people.

    The two closest fingerprints are merged again and again [gramaglia2015, Alg. 1 and Sec. 7.1].

    Args:
        k: People who must share every published fingerprint.
        max_extent_m: Drop boxes that became wider than this; 15,000 m in the paper. [default: no limit]
        max_extent_min: Drop boxes that became longer than this; 360 min in the paper. [default: no limit]
        reshape: What becomes of boxes that overlap in time: unite them, or split them; pieces of a split may hold no
            sample of a member, which an audit calls untrue. [default: they stay]
        leftover: What becomes of a last group of too few people: merge it with another one, or suppress it.
        shard_users: Divide the people into shards of at most so many, which is faster. [default: one shard]
        device: Where the work runs; auto takes a GPU for many people if there is one.
        ties: Among equally close samples take the first, or the closest if distances have no cap.
        suppress: When to drop boxes that became too wide or long: from the final groups, or after each merge.

    Guarantee: k-anonymity of whole fingerprints: every published fingerprint is shared by at least k people of the
    data, and each of its boxes holds a sample of every one of them; with reshape="split" its pieces cover all their
    samples, but a single piece may hold none.

    Example:
        incrowd anonymize glove trips.csv --k 2 --estimate
        incrowd anonymize glove trips.csv -o release --max-extent-m 15000 --max-extent-min 360 --checkpoint run.npz

    >>> crowd = Fingerprints.from_arrays([1, 2, 3, 4], x=[0, 0, 1000, 0], y=[0, 0, 0, 0], t=[0, 40, 20, 400])
    >>> [(lo, hi, new) for lo, hi, new, _ in Glove(k=2)(crowd).merges]
    [(0, 1, 4), (2, 3, 5)]
    """

    PUBLISHES = Fingerprints

    k: int = 2
    max_extent_m: int | None = None
    max_extent_min: int | None = None
    reshape: Literal["union", "split"] | None = None
    leftover: Literal["merge", "suppress"] = "merge"
    shard_users: int | None = None
    device: Literal["auto", "cpu", "gpu"] = "auto"
    ties: Literal["first", "uncapped"] = "first"
    suppress: Literal["final", "each"] = "final"

    def __post_init__(self) -> None:
        check_k(self.k)
        for name in ("max_extent_m", "max_extent_min"):
            value = getattr(self, name)
            if isinstance(value, bool):
                raise ParameterError(f"{name} must be a number above 0, got {value}.")
            if value is not None:
                check_positive(**{name: value})
        if self.reshape is not None:
            check_choice("reshape", self.reshape, ("union", "split"))
        check_choice("leftover", self.leftover, ("merge", "suppress"))
        check_choice("ties", self.ties, ("first", "uncapped"))
        check_choice("suppress", self.suppress, ("final", "each"))
        on_device(self.device)
        if self.shard_users is not None:
            check_whole(shard_users=self.shard_users)
            if self.shard_users < 2 * self.k:
                raise ParameterError(f"shard_users must be at least 2 k ({2 * self.k}), got {self.shard_users}.")

    @staticmethod
    def strengths(wanted: Wanted) -> Iterator[Strength]:
        """Whole at k, and with suppression at k and 2 k."""
        yield Strength(f"k={wanted.k}", Glove(k=wanted.k), "prints")
        for k in (wanted.k, 2 * wanted.k):
            run = Glove(k=k, max_extent_m=EXTENT_M, max_extent_min=EXTENT_MIN)
            yield Strength(f"k={k}, 15 km, 6 h", run, "prints")

    @public
    def __call__(
        self,
        data: Fingerprints,
        *,
        seed: int | None = 0,
        pseudonym_seed: int | None = None,
        checkpoint: str | Path | None = None,
        checkpoint_s: float = EVERY_S,
    ) -> Release:
        """The groups as a release; a checkpoint stays until `clean_up`, in case the release cannot be written.

        Args:
            data: Fingerprints of people.
            seed: Changes nothing, because only the pseudonyms are random.
            pseudonym_seed: Seed of the pseudonyms, for tests; an audit fails a release that was made with one.
            checkpoint: Keep the work in this file; a run that was killed goes on from it.
            checkpoint_s: Seconds between two writes of that file.
        """
        path = checkpoint_file(checkpoint, checkpoint_s)
        extent = extent_of(data)
        parts = shards(data, extent, self.shard_users)
        files = shard_files(path, len(parts))

        def run(device: str) -> Hidden:
            hidden = []
            for users, file in zip(parts, files, strict=True):
                laid = extent.table(data, users)  # one shard after the other, so that one layout is in memory
                hidden.append((self.hide(laid, file, checkpoint_s, device=device), users))
            return joined(hidden, data.offsets)

        whole, device = where_it_fits(run, self.device, on_device(self.device, len(data)))
        params = {**parameters(self), "device": device, "shards": len(parts)}
        promise: dict[str, Any] = {"guarantee": guarantee(type(self)), "claims": {"k": self.k}}
        return release_of(
            data, extent, whole, self.limits(extent), self.reshape, params, pseudonym_seed=pseudonym_seed, **promise
        )

    def check(self, *, checkpoint: Path | None = None, checkpoint_s: float = EVERY_S) -> None:  # type: ignore[override]
        """Refuse a checkpoint that cannot be written."""
        checkpoint_file(checkpoint, checkpoint_s)

    def estimate(self, data: Fingerprints, **_: Any) -> GloveEstimate:
        """About how long a run takes, and how much memory; times are those of a CPU."""
        estimate = glove_estimate(data, k=self.k, shard_users=self.shard_users)
        return replace(estimate, device=on_device(self.device, len(data)))

    def losses(self, release: Release, data: Fingerprints) -> list[str]:
        """How coarse the boxes are, and what an audit will say of the pieces of a split."""
        mean = accuracy(release, data).mean
        widths = f"{mean['pos_extent']:,.0f} m and {mean['time_extent']:,.0f} min wide on average."
        split = "A piece of a split may hold no sample of a member; an audit then fails truthfulness."
        return [
            *([f"A published sample is {widths}"] if release.data.records else []),
            *([split] if self.reshape == "split" else []),
        ]

    def clean_up(self, release: Release, *, checkpoint: Path | None = None, **_: Any) -> None:
        """Remove the checkpoint, which holds who was merged with whom."""
        forget(checkpoint, shards=release.params["shards"])

    def hide(
        self, laid: CornerTable, checkpoint: Path | None = None, every_s: float = EVERY_S, *, device: str = "cpu"
    ) -> Hidden:
        """The groups of the people of one shard."""
        settings: dict[str, Any] = {"k": self.k, "ties": self.ties, "leftover": self.leftover}
        limits = self.limits(laid) if self.suppress == "each" else None
        key = content_key(laid, {**settings, "limits": limits}) if checkpoint else ""
        saved = Saved(checkpoint, key, every_s)
        changes: dict[str, Any] = {"uncapped": self.ties == "uncapped", "limits": limits}
        if device == "gpu":
            from incrowd.anonymize.glove.gpu import hide_on_card

            return hide_on_card(laid, self.k, self.leftover, saved, **changes)
        herd = Herd(laid, self.k, **changes)
        return Hidden.of(herd, hide(herd, self.leftover, saved))

    def limits(self, laid: CornerTable | Extent) -> tuple[int, int]:
        """The widest and longest box that may stay, in the units of the layout."""
        space, time = self.max_extent_m, self.max_extent_min
        most = (np.inf if space is None else space // laid.unit_m, np.inf if time is None else time)
        return int(min(most[0], UNLIMITED)), int(min(most[1], UNLIMITED))


def checkpoint_file(checkpoint: str | Path | None, every_s: float) -> Path | None:
    """The file to keep a run in, once it can be written and the seconds between two writes make sense."""
    if every_s != 0:  # 0 writes whenever there is something new
        check_positive(checkpoint_s=every_s)
    if checkpoint is None:
        return None
    if not isinstance(checkpoint, (str, Path)) or not Path(checkpoint).name:
        raise ParameterError(f"checkpoint must be the name of a file, got {checkpoint!r}.")
    path = Path(checkpoint)
    check_folder(path)
    if path.is_dir():
        raise no_checkpoint(path)
    if not os.access(path.parent, os.W_OK):
        raise ParameterError(f"no checkpoint can be written to {path}; name a file in a folder you may write to.")
    return path


def content_key(laid: CornerTable, parameters: Mapping[str, Any]) -> str:
    """What a checkpoint belongs to: a hash of the data and of all that changes the result."""
    # Equal numbers in other units are other data.
    unit = {"format": FORMAT, "scale": list(laid.scale), "unit_m": laid.unit_m}
    digest = hashlib.sha256(to_json({**parameters, **unit}).encode())
    for array in (laid.corners, laid.offsets, laid.people):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def shard_files(path: Path | None, shards: int) -> list[Path | None]:
    """The file of each shard; the first has the name that was given."""
    return [path and path.with_name(f"{path.name}.{n}" if n else path.name) for n in range(shards)]


def forget(checkpoint: str | Path | None, *, shards: int = 1) -> None:
    """Remove the files of a run whose release is safe on disk; they hold who was merged with whom."""
    for file in shard_files(None if checkpoint is None else Path(checkpoint), shards):
        if file is not None:
            file.unlink(missing_ok=True)
