"""Build wheel and sdist, look into both, and try the wheel in an environment of its own.

python scripts/dist.py [FOLDER]    the folder is dist by default
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "incrowd"
UNWANTED = ("tests/", "scripts/", "docs/", "__pycache__", ".nbi", ".nbc", ".venv")
IN_SDIST = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "uv.lock",
    "Makefile",
    "Dockerfile",
)


def main(folder: Path) -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wheel, sdist = build(folder, stated["version"])
    print(f"{wheel.name}: {check_wheel(wheel, stated)} files as in src/incrowd")
    print(f"{sdist.name}: {check_sdist(sdist)} files")
    print(try_out(wheel, stated["version"]))


def build(folder: Path, version: str) -> tuple[Path, Path]:
    """Both files, made by uv from what is in the repository."""
    shutil.rmtree(folder, ignore_errors=True)
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    run([uv, "build", "--quiet", "--python", sys.executable, "--out-dir", folder, ROOT])
    wheel, sdist = folder / f"incrowd-{version}-py3-none-any.whl", folder / f"incrowd-{version}.tar.gz"
    made = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    require(made == {wheel.name, sdist.name}, f"built {sorted(made)}")
    return wheel, sdist


def check_wheel(wheel: Path, stated: dict) -> int:
    """How many files of the package are in the wheel; all must be, and nothing else."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = next(name for name in names if name.endswith(".dist-info/METADATA"))
        said = Parser().parsestr(archive.read(about).decode())
    kept = {
        f"incrowd/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and not any(mark in path.as_posix() for mark in UNWANTED)
    }
    inside = {name for name in names if ".dist-info/" not in name}
    require(inside == kept, f"the wheel lacks {sorted(kept - inside)[:5]} and has {sorted(inside - kept)[:5]} besides")
    require({"incrowd/py.typed", "incrowd/report/templates/report.html"} <= inside, "py.typed or a template is missing")
    require((said["Name"], said["Version"]) == (stated["name"], stated["version"]), "name or version differ")
    require(said["License-Expression"] == stated["license"], "the licence differs")
    require(len(said.get_all("Requires-Dist")) >= len(stated["dependencies"]), "dependencies are missing")
    return len(inside)


def check_sdist(sdist: Path) -> int:
    """How many files are in the sdist; what is needed to build and test must be."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = [name for name in IN_SDIST if name not in names]
    require(not missing, f"the sdist lacks {missing}")
    require(any(name.startswith("tests/") for name in names), "the sdist has no tests")
    private = [name for name in names if name.split("/")[0] in (".venv", ".tools", ".git", "dist", "demo")]
    require(not private, f"the sdist has {private[:5]}")
    return len(names)


def try_out(wheel: Path, version: str) -> str:
    """What `incrowd --version` says in a new environment in which a small demo ran too."""
    with tempfile.TemporaryDirectory() as folder:
        env = Path(folder) / "env"
        venv.create(env, with_pip=True)
        run([env / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", wheel])
        said = run([env / "bin" / "incrowd", "--version"], folder).strip()
        require(version in said, f"incrowd --version says {said}")
        run(
            [env / "bin" / "incrowd", "demo", "--users", "40", "--towers", "12", "--days", "3", "--output", "demo"],
            folder,
        )
        require((Path(folder) / "demo" / "report.html").is_file(), "the demo wrote no report")
    return f"installed in a new environment: {said}, and the demo ran"


def run(words: list, folder: Path | str = ROOT) -> str:
    """What a command prints; the environment of this process does not reach it."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([*map(str, words)], cwd=folder, env=clean, text=True, capture_output=True, check=False)  # noqa: S603
    require(
        done.returncode == 0,
        f"{Path(str(words[0])).name} {words[1]} ended with {done.returncode}: {done.stderr[-500:]}",
    )
    return done.stdout


def require(fine: bool, words: str) -> None:
    if not fine:
        sys.exit(f"make dist: {words}.")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").resolve())
