"""An installation that nobody may write to, and a home folder neither: kernels compile in a temporary folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import incrowd
from incrowd.kernels import COMPILE_S

# Root writes everywhere, unless it gives up the right to.
PLAIN = [] if os.geteuid() else ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
HEADS = "from incrowd.kernels.cpu.glove.merge import heads"
KERNEL = f"import numpy as np; {HEADS}; heads(np.zeros(1, int), np.zeros(2, int), np.array([[1]]))"
PLACE = "import os; from numba import config as c; print(os.stat(c.CACHE_DIR).st_mode & 0o777, os.listdir(c.CACHE_DIR))"


@pytest.fixture
def installed(tmp_path):
    """Run Python on a copy of the package that cannot be written to, with NUMBA_CACHE_DIR or without."""
    if PLAIN and (shutil.which("setpriv") is None or subprocess.call([*PLAIN, "true"])):
        pytest.skip("root writes everywhere here, and setpriv cannot take that right away")
    package, home, temporary = tmp_path / "package", tmp_path / "home", tmp_path / "temporary"
    shutil.copytree(
        Path(incrowd.__file__).parent, package / "incrowd", ignore=shutil.ignore_patterns("__pycache__", "*.nbi")
    )
    home.mkdir()
    temporary.mkdir()
    locked = [home, package, *(path for path in package.rglob("*") if path.is_dir())]
    for folder in locked:
        folder.chmod(0o555)
    kept = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    environment = {**kept, "HOME": str(home), "TMPDIR": str(temporary), "PYTHONPATH": str(package)}

    def run(*arguments, **more):
        command = [*PLAIN, sys.executable, *arguments]
        return subprocess.run(
            command, check=False, env=environment | more, cwd=tmp_path, capture_output=True, text=True
        )

    yield run
    for folder in locked:
        folder.chmod(0o755)


def test_kernels_compile_in_a_private_folder_that_is_removed(installed, tmp_path):
    done = installed("-c", f"{KERNEL}; {PLACE}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("448 ['glove_")  # 0o700
    assert done.stderr.count("IncrowdWarning") == 1 and "NUMBA_CACHE_DIR" in done.stderr
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_command_prints_one_notice_of_it_and_that_it_compiles(installed, tmp_path):
    (tmp_path / "trips.csv").write_text("user,t,lon,lat\na,0,5,52\na,60,5,52.001\n")
    done = installed("-m", "incrowd", "clean", "trips.csv", "-o", "clean.csv", "--steps", "displaced")
    assert done.returncode == 0, done.stderr
    first, second = done.stderr.strip().splitlines()
    assert first.startswith("incrowd: compiled code cannot be kept")
    assert second == "incrowd: compiling kernels, once: about 1 s (cleaning); later runs start at once"


def test_a_folder_of_ones_own_is_used_without_a_notice(installed, tmp_path):
    own = tmp_path / "own"
    done = installed("-c", KERNEL, NUMBA_CACHE_DIR=str(own))
    assert done.returncode == 0 and done.stderr == ""
    assert list(own.rglob("*.nbc"))


@pytest.fixture
def copied(tmp_path):
    """Run Python on a copy of the package, whose files may change, with a cache that stays."""
    package = tmp_path / "incrowd"
    shutil.copytree(Path(incrowd.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))

    def run(code, place=tmp_path):
        environment = os.environ | {"PYTHONPATH": str(place), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-c", code]
        return subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout

    return package, run


def test_a_kernel_is_compiled_anew_once_a_helper_in_another_file_changed(copied):
    package, run = copied
    load = "import numpy as np; from incrowd.kernels.cpu.glove.merge import pick; rows = np.arange(2)"
    ids, over, under = "rows[::-1].reshape(2, 1).copy()", "np.ones((2, 1), int)", "rows.reshape(2, 1) + 1"
    pick = f"{load}; print(pick(rows, rows, {ids}, {over}, {under}, rows > 1, 0))"
    assert run(pick) == "(1, 0)\n"  # a half is nearer than a whole
    helper = package / "kernels" / "cpu" / "glove" / "nearest.py"
    text = helper.read_text()
    helper.write_text(text.replace("return 1 if left > right else -1", "return 1"))
    assert run(pick) == "(0, 1)\n"
    helper.write_text(text)
    assert run(pick) == "(1, 0)\n"


KEPT = f"{KERNEL}; print(sum(heads.stats.cache_hits.values()))"
FORECAST = "from incrowd.kernels import compile_s; print(compile_s('glove'))"


def test_a_kernel_is_compiled_anew_once_a_constant_of_the_reference_changed(copied):
    package, run = copied
    assert (run(KEPT), run(KEPT)) == ("0\n", "1\n")
    constants = package / "kernels" / "reference" / "matching.py"
    constants.write_text(constants.read_text().replace("NOBODY = -1", "NOBODY = -2"))
    assert run(KEPT) == "0\n"


def test_what_was_compiled_from_other_sources_counts_as_not_compiled_in_a_forecast(copied):
    package, run = copied
    assert run(FORECAST) == f"{float(COMPILE_S['glove'])}\n"
    run(KERNEL)
    assert run(FORECAST) == "None\n"
    helper = package / "kernels" / "cpu" / "glove" / "nearest.py"
    helper.write_text(f"{helper.read_text()}\n")
    assert run(FORECAST) == f"{float(COMPILE_S['glove'])}\n"


def test_a_copy_whose_files_are_older_is_not_compiled_again(copied):
    package, run = copied
    run(KERNEL)
    for file in package.rglob("*.py"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
    assert run(KEPT) == "1\n"


def test_a_package_in_a_zip_file_keeps_what_it_compiles(copied, tmp_path):
    package, run = copied
    archive = shutil.make_archive(str(tmp_path / "zipped"), "zip", tmp_path, package.name)
    assert (run(KEPT, archive), run(KEPT, archive)) == ("0\n", "1\n")
