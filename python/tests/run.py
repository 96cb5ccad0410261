#!/usr/bin/env python3
"""Builds the wheel as users do, and runs the tests of the module against it, with the Python that runs this.

Usage: PYTHON python/tests/run.py FOLDER [--environment-only | --build-only | --built | --wheel FILE] [pytest's words ..]

FOLDER keeps an environment and wheels between runs. --environment-only installs what tests need, --build-only makes the wheel and runs
no tests, --built tests the wheel that it made. --wheel tests another: from Python 3.12 on one wheel is for all versions. Exit codes:
0 passed, 77 packages of requirements.txt cannot be installed (CTest shows it as skipped), else something failed.
"""
import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def pip(python, *words):
    return subprocess.run([python, "-m", "pip", "-q", "--disable-pip-version-check", *map(str, words)], cwd=ROOT).returncode


def environment(folder):
    """Returns an interpreter with everything that building and testing need; exits with 77 if no package index can be reached."""
    python = folder / "env" / "bin" / "python"
    complete = folder / "env" / "complete"
    requirements = pathlib.Path(__file__).with_name("requirements.txt")
    if not complete.exists() or complete.read_text() != requirements.read_text():
        venv.create(folder / "env", with_pip=True, clear=True)
        if pip(python, "install", "-r", requirements) != 0:
            print("Skipped: the packages of python/tests/requirements.txt cannot be installed")
            sys.exit(SKIPPED)
        complete.write_text(requirements.read_text())
    return python


def wheel(python, folder):
    """Returns the self-contained wheel."""
    if subprocess.run([python, ROOT / "python" / "wheel.py", folder]).returncode != 0:
        sys.exit("the wheel cannot be built")
    return next(folder.glob("*.whl"))


def built_wheel(folder):
    """Returns the wheel that --build-only made."""
    found = next(folder.glob("*.whl"), None)
    return found or sys.exit(f"{folder} holds no wheel: run this with --build-only first")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, words = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    python = environment(folder)
    if words[:1] == ["--environment-only"]:
        return
    option = words.pop(0) if words[:1] in (["--build-only"], ["--built"], ["--wheel"]) else ""
    if option == "--wheel":
        built = pathlib.Path(words.pop(0)).resolve()
    elif option == "--built":
        built = built_wheel(folder / "wheels")
    else:
        built = wheel(python, folder / "wheels")
    if option == "--build-only":
        return
    if pip(python, "install", "--no-deps", "--force-reinstall", built) != 0:
        sys.exit("the wheel cannot be installed")
    words = words or [str(ROOT / "python" / "tests")]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    sys.exit(subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words], cwd=folder, env=variables).returncode)


if __name__ == "__main__":
    main()
