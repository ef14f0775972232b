"""Which device runs, and what the host adds to a GPU's work; no GPU is needed."""

import itertools
import shutil
import sys
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from boxes import prints
from incrowd.anonymize.glove import Glove
from incrowd.anonymize.glove.gpu import in_order
from incrowd.cli.anonymize.commands import command_of
from incrowd.cli.measure.accuracy import accuracy as measure_accuracy
from incrowd.cli.measure.kgap import kgap as measure_kgap
from incrowd.cli.measure.tails import tails as measure_tails
from incrowd.errors import IncrowdWarning, MissingExtra, ParameterError
from incrowd.kernels.gpu import device, source
from incrowd.kernels.gpu.glove import prints as card
from incrowd.kernels.types import CELLS, METRES
from incrowd.measure.glove import kgap, tail_weight, tails
from incrowd.measure.glove.gpu import QUANTILES, ranks_between, tail_weights
from incrowd.measure.glove.stretch import WORTH_GPU, on_device

PAIR = "0,0,0 | 0,0,40"


@pytest.fixture
def gpu(monkeypatch):
    """As if there were one; nothing here lets it run."""
    monkeypatch.setattr(device, "missing", lambda: "")


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(device, "missing", lambda: "device 'gpu' needs CuPy; run: pip install 'incrowd[gpu]'.")


def test_auto_takes_a_gpu_for_many_users(gpu):
    assert on_device("auto", WORTH_GPU) == "gpu"
    assert on_device("auto", WORTH_GPU - 1) == on_device("auto") == "cpu"
    assert on_device("gpu", 2) == "gpu"
    assert on_device("cpu", 10**6) == "cpu"


def test_without_a_gpu_auto_is_the_cpu_and_gpu_is_refused(no_gpu):
    assert on_device("auto", 10**6) == "cpu"
    with pytest.raises(MissingExtra, match=r"incrowd\[gpu\]"):
        on_device("gpu", 10**6)


def test_the_command_line_says_where_it_runs(no_gpu, tmp_path):
    app = typer.Typer()
    for command in (command_of("glove", Glove), measure_kgap, measure_tails, measure_accuracy):
        app.command()(command)
    pair = str(prints(PAIR).save(tmp_path / "pair.parquet"))
    ran = CliRunner().invoke(app, ["kgap", pair], catch_exceptions=False)
    assert "on the CPU" in ran.stdout
    ran = CliRunner().invoke(app, ["glove", pair, "-o", str(tmp_path / "release")], catch_exceptions=False)
    assert " on the CPU\n" in ran.stderr
    for name in ("kgap", "tails", "accuracy"):
        with pytest.raises(MissingExtra):
            CliRunner().invoke(app, [name, pair, "--device", "gpu"], catch_exceptions=False)


@pytest.fixture
def small_card(gpu, monkeypatch):
    """A card of 1 GiB that whatever asks for its memory finds full; what CuPy raises then."""
    cupy = ModuleType("cupy")
    cupy.cuda = SimpleNamespace(memory=SimpleNamespace(OutOfMemoryError=type("OutOfMemoryError", (MemoryError,), {})))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(device, "free_bytes", lambda: 1 << 30)
    return cupy.cuda.memory.OutOfMemoryError


def test_a_card_too_small_names_the_way_out(small_card):
    device.check_room(1 << 30, 5)
    with (
        pytest.raises(device.NoRoom, match=r"1\.0 GiB free, and these 82,000 .* 2\.0 GiB; pass nothing\.$"),
        device.within_memory(82_000, "pass nothing"),
    ):
        device.check_room(2 << 30, 82_000)
    with (
        pytest.raises(device.NoRoom, match=r"1\.0 GiB free, and these 82,000 fingerprints need more; pass nothing\.$"),
        device.within_memory(82_000, "pass nothing"),
    ):
        raise small_card


def test_where_the_card_is_too_small_auto_takes_the_cpu_and_says_so(small_card, monkeypatch):
    def full(*_args, **_options):
        raise small_card

    monkeypatch.setattr(card, "prints_of", full)
    monkeypatch.setattr(import_module("incrowd.measure.glove.stretch"), "WORTH_GPU", 2)
    pair = prints(PAIR)
    expected = Glove(device="cpu")(pair).merges
    with pytest.warns(IncrowdWarning, match=r"2 fingerprints need more; it runs on the CPU\.$"):
        release = Glove()(pair)
    assert release.params["device"] == "cpu" and release.merges == expected
    for measured in (kgap, tails):
        with pytest.warns(RuntimeWarning, match="runs on the CPU"):
            assert measured(pair).device == "cpu"
        with pytest.raises(ParameterError, match=r"need more; pass device='cpu'\.$"):
            measured(pair, device="gpu")
    with pytest.raises(ParameterError, match="pass shard_users to divide them, or device='cpu'"):
        Glove(device="gpu")(pair)


@pytest.fixture
def no_compiler(small_card, monkeypatch):
    """A card and its driver alone; what CuPy says then, by version."""

    def compiled(*_args, **_options):
        raise next(said)

    said = itertools.cycle(
        [
            RuntimeError("CuPy failed to load libnvrtc.so.13: OSError: libnvrtc.so.13: cannot open shared object file"),
            type("DynamicLibNotFoundError", (RuntimeError,), {})('Failure finding "libnvrtc.so.13": No such file'),
        ]
    )
    monkeypatch.setattr(card, "prints_of", compiled)
    monkeypatch.setattr(import_module("incrowd.measure.glove.stretch"), "WORTH_GPU", 2)


def test_without_a_compiler_auto_takes_the_cpu_and_says_so(no_compiler):
    pair = prints(PAIR)
    with pytest.warns(IncrowdWarning, match=r"^the GPU needs CUDA's compiler, .*; it runs on the CPU\.$"):
        release = Glove()(pair)
    assert release.params["device"] == "cpu" and release.merges == Glove(device="cpu")(pair).merges
    for measured in (kgap, tails):
        with pytest.warns(IncrowdWarning, match="compiler"):
            assert measured(pair).device == "cpu"


def test_without_a_compiler_gpu_is_refused_in_one_sentence(no_compiler):
    pair = prints(PAIR)
    for run in (
        Glove(device="gpu"),
        partial(kgap, device="gpu"),
        partial(tails, device="gpu", gap=kgap(pair, device="cpu")),
    ):
        for _ in range(2):
            with pytest.raises(MissingExtra, match=r"^the GPU needs CUDA's compiler, .*; run: .*\[gpu\]'\.$"):
                run(pair)


def test_what_else_goes_wrong_there_is_not_hidden(small_card, monkeypatch):
    def broken(*_args, **_options):
        raise type("CUDARuntimeError", (RuntimeError,), {})("cudaErrorIllegalAddress: an illegal memory access")

    monkeypatch.setattr(card, "prints_of", broken)
    monkeypatch.setattr(import_module("incrowd.measure.glove.stretch"), "WORTH_GPU", 2)
    with pytest.raises(RuntimeError, match="illegal memory access"):
        Glove()(prints(PAIR))


def test_sketches_get_coarser_where_memory_is_short(monkeypatch):
    monkeypatch.setattr(card, "free_bytes", lambda: 1 << 40)
    assert card._plan(1000, 10**5, 2 * 10**5, 20_000)[0] == card.FINEST_SHIFT
    monkeypatch.setattr(card, "free_bytes", lambda: 1 << 20)
    shift, needed = card._plan(1000, 10**5, 2 * 10**5, 20_000)
    assert shift > card.FINEST_SHIFT and needed > 2 * 10**5 * card.SAMPLE_BYTES


def test_320_000_users_need_no_matrix(monkeypatch):
    monkeypatch.setattr(card, "free_bytes", lambda: 16 << 30)
    _, needed = card._plan(320_000, 320_000 * 92, 2 * 320_000 * 92, 20_160)
    assert needed < 8 << 30


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(1, 60))
def test_chunks_cover_all_and_fit(sizes, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(card, "CHUNK", most)
        patch.setattr(card, "free_bytes", lambda: 1 << 30)
        runs = card.chunks(np.array(sizes))
    assert [begin for begin, _ in runs] == [0, *(end for _, end in runs[:-1])] and runs[-1][1] == len(sizes)
    assert all(sum(sizes[a:b]) <= most or b == a + 1 for a, b in runs)


def test_wide_numbers_where_narrow_ones_would_overflow():
    country = (20_160, 6000, 4000)
    assert not card._is_wide(country, CELLS, 36)
    assert card._is_wide(country, CELLS, 10**5)
    assert card._is_wide((20_160, 1 << 30, 1 << 30), CELLS, 2)
    assert not card._is_wide((20_160, 600_000, 400_000), METRES, 36)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9), st.integers(0, 5)), min_size=1),
    st.sampled_from([1, 1 << 30]),
)
def test_pairs_are_ordered_as_fractions(rows, scale):
    stretches = np.array([(over * scale, under * scale) for over, under, _ in rows])
    pairs = np.array([(lo, lo + 1 + n) for n, (_, _, lo) in enumerate(rows)])
    keys = [(Fraction(int(a), int(b)), *pair) for (a, b), pair in zip(stretches, pairs.tolist(), strict=True)]
    assert [keys[i] for i in in_order(pairs, stretches, 4800)] == sorted(keys)


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=30), min_size=1, max_size=8))
def test_tail_weights_are_those_of_numpy(users):
    samples = np.array(list(map(len, users)))
    ranks = ranks_between(samples)
    rows = np.array([[sorted(user)[rank] for user, rank in zip(users, row, strict=True)] for row in ranks.tolist()])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        np.testing.assert_array_equal(tail_weights(rows, samples), [tail_weight(user) for user in users])
    assert len(rows) == 2 * len(QUANTILES)


def test_the_digest_sees_an_edit_of_every_file(monkeypatch, tmp_path):
    before, copies = source.digest(), []
    for number, path in enumerate(source.sources()):
        (tmp_path / str(number)).mkdir()
        copies.append(Path(shutil.copy(path, tmp_path / str(number))))
    monkeypatch.setattr(source, "sources", lambda: copies)
    assert source.digest() == before
    seen = {before}
    for copy in copies:
        whole = copy.read_bytes()
        for edited in (whole + b"\n", whole[:-1], bytes([whole[0] ^ 1]) + whole[1:]):
            copy.write_bytes(edited)
            seen.add(source.digest())
        copy.write_bytes(whole)
    assert len(seen) == 1 + 3 * len(copies) and source.digest() == before
    monkeypatch.setattr(source, "sources", lambda: copies[1:])
    assert source.digest() != before


def test_the_digest_is_of_all_kernels_and_what_drives_them():
    package = source.HERE.parents[1]
    names = [path.relative_to(package).as_posix() for path in source.sources()]
    assert len(names) == len(set(names)) and set(source.HOST) < set(names)
    there = {path.relative_to(package).as_posix() for path in source.HERE.rglob("*") if path.suffix in (".py", ".cuh")}
    assert set(names) == there | set(source.HOST)
