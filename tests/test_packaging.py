"""What packagers are told is what pyproject.toml says, and the steps of the Dockerfile work."""

import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = (ROOT / "recipe" / "meta.yaml").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
CALLED = {"duckdb": "python-duckdb", "matplotlib": "matplotlib-base"}  # by conda


def requirements(lines) -> dict[str, str]:
    """Name -> least version."""
    split = [re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", line) for line in lines]
    return {CALLED.get(one[1], one[1]): one[2] for one in split}


def listed(section: str) -> dict[str, str]:
    """What a section of the recipe requires, name -> least version."""
    lines = re.search(rf"^  {section}:\n((?:    - .*\n)+)", RECIPE, re.MULTILINE)[1]
    return dict(re.findall(r"- ([\w-]+) >=([\d.]+)$", lines, re.MULTILINE))


def test_the_recipe_requires_what_the_package_requires():
    everywhere = [line for line in PROJECT["dependencies"] if ";" not in line]
    assert listed("run") == {"python": PROJECT["requires-python"].removeprefix(">="), **requirements(everywhere)}
    extras = PROJECT["optional-dependencies"]
    chosen = [line for name in ("geo", "dp", "sql", "excel") for line in extras[name]]
    assert listed("run_constrained") == requirements(chosen)
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert listed("host")["hatchling"] == requirements(built)["hatchling"]


def test_the_recipe_describes_the_package():
    assert f'{{% set version = "{PROJECT["version"]}" %}}' in RECIPE
    assert f"- incrowd = {PROJECT['scripts']['incrowd']}\n" in RECIPE
    assert f"summary: {PROJECT['description']}\n" in RECIPE and f"license: {PROJECT['license']}\n" in RECIPE


def steps(word: str) -> list[str]:
    return re.findall(rf"^{word} (.*)$", DOCKERFILE, re.MULTILINE)


def test_a_container_has_no_rights_and_writes_to_tmp_alone():
    (user,), (environment,) = steps("USER"), steps("ENV")
    assert user.partition(":")[0].isdecimal() and int(user.partition(":")[0]) > 0
    folders = dict(word.split("=") for word in environment.split())
    assert {folders[name] for name in ("HOME", "NUMBA_CACHE_DIR", "MPLCONFIGDIR")} <= {
        "/tmp",
        "/tmp/kernels",
        "/tmp/drawing",
    }
    assert DOCKERFILE.index("USER") > DOCKERFILE.rindex("RUN")
    extras = re.search(r"/src\[([\w,]+)\]", DOCKERFILE)[1].split(",")
    assert set(extras) == set(PROJECT["optional-dependencies"]) - {"gpu", "spark", "web"}


def test_everything_that_is_copied_is_let_through():
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {name for step in steps("COPY") for name in step.split()[:-1]}
    assert copied == allowed and all((ROOT / name).exists() for name in copied)


def python_of_everybody() -> str:
    """A Python that people without rights may run; one below a private folder, such as root's home, they may not."""
    for python in (sys._base_executable, "/usr/bin/python3"):
        if all(folder.stat().st_mode & stat.S_IXOTH for folder in Path(python).resolve().parents):
            return python
    pytest.skip("every Python here is in a private folder")


@pytest.fixture
def image():
    """What the steps of the Dockerfile make, in a folder that others can read, since there may be no engine here."""
    python = python_of_everybody()
    folder = Path(tempfile.mkdtemp(prefix="image-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        for step in steps("COPY"):
            *names, target = step.split()
            for name in names:
                there = folder / target.lstrip("/")
                there = there / Path(name).name if target.endswith("/") else there
                there.parent.mkdir(parents=True, exist_ok=True)
                ignored = shutil.ignore_patterns("__pycache__")
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                copy(ROOT / name, there, **({"ignore": ignored} if (ROOT / name).is_dir() else {}))
        for step in steps("RUN"):
            command = re.sub(r"(?<![\w.])/(?=opt/|src)", f"{folder}/", step).replace(
                "python -m venv", "$PYTHON -m venv"
            )
            subprocess.run(["sh", "-euc", command], check=True, env={**clean(), "PYTHON": python})
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clean() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}


@pytest.mark.slow
def test_the_image_runs_without_rights_without_network_and_without_a_place_to_write_but_tmp(image):
    """As the container does: nobody's rights, no network if this machine lets us cut it, one folder to write."""
    if os.getuid() != 0:
        pytest.skip("only root can give up rights and the network")
    tmp, data = image / "tmp", image / "data"
    for folder in (tmp, data):
        folder.mkdir()
        folder.chmod(0o777)
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp)}
    for word in steps("ENV")[0].split():
        name, _, value = word.partition("=")
        environment[name] = value.replace("/tmp", str(tmp))
    cut = (
        ["unshare", "--net"]
        if subprocess.run(["unshare", "--net", "true"], check=False, capture_output=True).returncode == 0
        else []
    )
    entry = str(image / "opt" / "incrowd" / "container")
    before = {path for path in image.rglob("*") if not path.is_relative_to(tmp) and not path.is_relative_to(data)}

    def run(words: str) -> str:
        whole = [*cut, "setpriv", "--reuid=10001", "--regid=10001", "--clear-groups", entry, *shlex.split(words)]
        return subprocess.run(whole, cwd=data, env=environment, check=True, text=True, capture_output=True).stdout

    assert PROJECT["version"] in run("--version")
    demo = run("demo --users 40 --towers 12 --days 3 --output demo")
    assert demo and "compiled anew" not in demo and (data / "demo" / "report.html").is_file()
    assert any((tmp / "kernels").rglob("*.nbi"))
    after = {path for path in image.rglob("*") if not path.is_relative_to(tmp) and not path.is_relative_to(data)}
    assert after == before


@pytest.mark.slow
def test_wheel_and_sdist_are_whole_and_the_wheel_installs(tmp_path):
    words = [sys.executable, ROOT / "scripts" / "dist.py", tmp_path / "dist"]
    done = subprocess.run(words, check=False, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert f"incrowd-{PROJECT['version']}-py3-none-any.whl" in done.stdout and "the demo ran" in done.stdout
