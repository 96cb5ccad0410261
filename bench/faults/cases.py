"""One robot with its logs: identified clean, with faults in all or some of them, and with the correction that Heft proposes."""

import csv
import json
import re
import subprocess
import sys
import zlib

import numpy

import arms
import faults

FAULTY_LOGS = ("all logs", "training only", "held out only", "one of two training logs")


def read_table(path):
    with open(path, newline="") as file:
        header = next(csv.reader(file))
    try:
        return header, numpy.loadtxt(path, delimiter=",", skiprows=1)
    except ValueError:  # fields without a number
        return header, numpy.genfromtxt(path, delimiter=",", skip_header=1)


def columns_of(header):
    """Indices of time, positions and torques, joints in the order of the file."""
    named = lambda *starts: [k for k, name in enumerate(header) if any(
        name.startswith(s) and (name[len(s):].isdigit() or name[len(s) - 1:len(s)] == "_") for s in starts)]
    return header.index("t"), named("q", "q_"), named("tau", "tau_")


def write_table(path, header, numbers):
    numpy.savetxt(path, numbers, delimiter=",", header=",".join(header), comments="", fmt="%.9g")


def halves(table):
    """Two logs made from one; the second keeps its stamps."""
    header, numbers = table
    middle = len(numbers) // 2
    return (header, numbers[:middle]), (header, numbers[middle:])


def open_doubts(result):
    return [d["id"] for d in result.get("doubts", []) if d["severity"] == "serious" and not d["accepted"]]


def entries_of(yaml):
    """("log.torque_scale", "{..}") of every option in "log: {torque_scale: {..}, position: [..]}"; none of sections without flags."""
    section, body = re.fullmatch(r"(\w+): \{(.*)\}\s*", yaml, re.S).groups()
    if section == "priors":
        return {}
    parts, depth, quoted = [""], 0, False
    for c in body:
        quoted ^= c == '"'
        depth += 0 if quoted else (c in "{[") - (c in "}]")
        if c == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += c
    return {f"{section}.{key.strip()}": value.strip() for key, value in (part.split(":", 1) for part in parts)}


class Case:
    """One robot, its logs and its configuration, in its own folder."""

    def __init__(self, heft, folder, name, urdf, configuration, train, held_out):
        self.heft, self.folder, self.name, self.urdf, self.configuration = heft, folder, name, urdf, configuration
        self.train, self.held_out = train, held_out
        torques = columns_of(train[0])[2]
        self.num_joints = len(torques)
        self.has_legs = bool(faults.legs_of([train[0][k].split("_", 1)[-1] for k in torques]))
        write_table(folder / "clean_held_out.csv", *held_out)
        self.clean = self.identify([train], held_out, "clean")
        self.clean_prediction = None  # once it was asked for

    def identify(self, train, held_out, name, urdf=None, flags=None):
        """result.json as a dictionary, or the error and the findings of `heft check` on that log."""
        out = self.folder / name
        logs = [self.folder / f"train_{k}.csv" for k in range(len(train))]
        for path, table in zip([*logs, self.folder / "held_out.csv"], [*train, held_out]):
            write_table(path, *table)
        common = ["--robot", urdf or self.urdf, "--config", self.configuration]
        common += [word for key, value in (flags or {}).items() for word in (f"--{key}", value)]
        done = subprocess.run([self.heft, "identify", "--quiet", *common, *[w for log in logs for w in ("--log", log)],
                               "--validate", self.folder / "held_out.csv", "--out", out], capture_output=True, text=True)
        if done.returncode in (0, 3, 4):
            return json.loads((out / "result.json").read_text())
        if done.returncode != 1:
            sys.exit(f"{self.name}, {name}: exit code {done.returncode}: {done.stderr}")
        findings = self.folder / "findings.json"
        findings.unlink(missing_ok=True)
        refused = next((log for log in [*logs, self.folder / "held_out.csv"] if str(log) in done.stderr), logs[0])
        subprocess.run([self.heft, "check", *common, "--log", refused, "--json", findings], capture_output=True)
        errors = [f for f in json.loads(findings.read_text())["findings"] if f["severity"] == "error"] if findings.exists() else []
        return {"refused": done.stderr, "findings": errors}

    def predicted(self, name):
        """Torques that a result predicts for the clean held-out log, and its error on it."""
        out = self.folder / "predicted.csv"
        done = subprocess.run([self.heft, "predict", "--model", self.folder / name, "--log", self.folder / "clean_held_out.csv",
                               "--out", out], capture_output=True, text=True)
        if done.returncode not in (0, 3, 4):
            sys.exit(f"{self.name}, {name}: {done.stderr}")
        header, numbers = read_table(out)
        pick = lambda start: numbers[:, [k for k, h in enumerate(header) if h.startswith(start)]]
        used = pick("used_") == 1
        measured, predicted = numpy.where(used, pick("measured_"), 0), numpy.where(used, pick("predicted_"), 0)
        return predicted, float(numpy.sqrt(((measured - predicted)**2).sum() / (measured**2).sum()))

    def with_fault(self, table, fault, joint, strength, random):
        header, numbers = table
        changed = faults.Table(header, numbers, columns_of(header), strength, arms.Kinematics(self.urdf, self.num_joints))
        fault.apply(changed, joint, random)
        return header, changed.numbers

    def other_robot(self, fault, joint):
        """A joint farther along the chain that the fault changes, and the changed file."""
        names = [name.split("_", 1)[1] for name in self.train[0] if name.startswith("tau_")]
        text = self.urdf.read_text()
        for k in range(len(names)):
            candidate = (joint + k) % len(names)
            if candidate == 0:
                continue  # where the first joint stands is a matter of the base
            changed = fault.of_robot(text, names[candidate])
            if changed != text:
                path = self.folder / "other.urdf"
                path.write_text(changed)
                return candidate, path
        return joint, None

    def sliding_joint(self, joint):
        """The next one from `joint` on; none if the robot has none."""
        names = [name.split("_", 1)[1] for name in self.train[0] if name.startswith("tau_")]
        slides = set(re.findall(r'<joint[^>]*name="([^"]*)"[^>]*type="prismatic"', self.urdf.read_text()))
        return next((k % len(names) for k in range(joint, joint + len(names)) if names[k % len(names)] in slides), None)

    def logs_with(self, fault, joint, strength, faulty_logs, random):
        """Training logs and the held-out one."""
        faulty = lambda table: self.with_fault(table, fault, joint, strength, random)
        if faulty_logs == "one of two training logs":
            first, second = halves(self.train)
            return [first, faulty(second)], self.held_out
        return ([self.train if faulty_logs == "held out only" else faulty(self.train)],
                self.held_out if faulty_logs == "training only" else faulty(self.held_out))

    def corrected_error(self, result, train, held_out, urdf, flags):
        """The held-out error with the YAML of the first hypothesis in the configuration, or with that of the first error found by a rule if
        the log is rejected."""
        offers = [h["yaml"] for h in result.get("hypotheses", [])[:1] + result.get("findings", []) if h["yaml"]][:1]
        if not offers:
            return None
        corrected = self.identify(train, held_out, "corrected", urdf, {**flags, **entries_of(offers[0])})
        return corrected["validation"]["overall_relative"] if "validation" in corrected else None

    def run_fault(self, fault, seed, faulty_logs="all logs"):
        random = numpy.random.default_rng([seed, zlib.crc32(f"{self.name} {fault.name}".encode())])
        joint = int(random.integers(self.num_joints))
        if fault.of_slides and (joint := self.sliding_joint(joint)) is None:
            return None
        strength = 1.0 if seed == 0 else float(random.uniform(.8, 1.25))
        train, held_out = self.logs_with(fault, joint, strength, faulty_logs, random)
        urdf, flags = self.urdf, {}
        if fault.of_robot:
            joint, urdf = self.other_robot(fault, joint)
            if urdf is None:
                return None  # that joint has nothing to change
        if fault.of_gravity:
            flags = {"robot.gravity": str(list(fault.of_gravity))}
        result = self.identify(train, held_out, "faulty", urdf, flags)
        row = {"robot": self.name, "fault": fault.name, "faulty_logs": faulty_logs, "seed": seed, "joint": joint, "strength": strength,
               "counts": fault.counts, "remedy": fault.remedy and faulty_logs == "all logs", "clean_error": None, "error": None}
        if "refused" in result:
            ids = [f["name"] for f in result["findings"]] or ["refused"]
            clean_error = self.clean["validation"]["overall_relative"]
            return {**row, "found": True, "named": ids[0] in fault.ids, "material": True, "ids": ids, "clean_error": clean_error,
                    "hypotheses": [],
                    "corrected_error": self.corrected_error(result, train, held_out, urdf, flags) if row["remedy"] else None}
        ids = open_doubts(result)
        self.clean_prediction = self.clean_prediction or self.predicted("clean")
        clean, clean_error = self.clean_prediction
        predicted, error = self.predicted("faulty")
        if faulty_logs == "held out only":  # the answer is sound: wrong is what is said of it
            error, change = result["validation"]["overall_relative"], 0.0
        else:
            change = float(numpy.sqrt(((predicted - clean)**2).sum() / (clean**2).sum()))
        corrected = self.corrected_error(result, train, held_out, urdf, flags) if row["remedy"] and ids else None
        return {**row, "found": bool(ids), "named": bool(ids) and ids[0] in fault.ids, "ids": ids, "clean_error": clean_error,
                "error": error, "corrected_error": corrected, "hypothesis": next((h["id"] for h in result["hypotheses"]), None),
                "hypotheses": hypotheses_of(result), "evidence_s": seconds_of(result, "evidence"),
                "material": change > .03 or error > 1.25 * clean_error + .003}


def hypotheses_of(result):
    """Those of a result, for bench/faults/bounds.py, without their remedies."""
    return [{key: value for key, value in h.items() if key != "yaml"} for h in result["hypotheses"]]


def seconds_of(result, stage=None):
    """Wall-clock time of a stage of an identification, or of all."""
    timings = result["timings"]
    number = lambda timing: timing["value"] if isinstance(timing, dict) else timing
    return sum(number(t) for name, t in timings.items() if stage is None or name == stage)
