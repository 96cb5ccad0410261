"""`heft identify --columns auto` on the robots of oracle.py, whose effects are known.

An effect is found if the chosen model has an option of its group (oracle.GROUPS): options of a group predict the same. An option of any
other group is false. Prior weight, filters and rows of momentum are settings, not effects.
"""

import collections
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import oracle

SETTINGS = ("prior weight", "motion low-pass", "row filter", "rows of momentum")
# groups of options that no simulated robot needs
NEVER = {"inertia": ("reflected_inertia", "neighbor inertia"), "weights": ("huber weights", "covariance of channels")}
# options besides those that are simulated: two of the menu, and delays of single joints
ALSO = {"coulomb": "speed", "sine": "position", "delay": "delay"}
GROUP_OF = {family: group for group, families in {**oracle.GROUPS, **NEVER}.items() for family in families} | ALSO
REMOVED, EXCHANGED = "without ", " instead of "  # in the option of a step that removes an addition
SAME = 1.001  # of the held-out error of the configured model


def identify(heft, simulation, out, *flags):
    """Returns result.json and processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [heft, "identify", "--quiet", "--threads", 1, "--robot", simulation.urdf, "--config", simulation.configuration, "--out", out,
             "--validate", simulation.held_out, "--columns", "auto", *flags]
    for log in simulation.logs:
        words += ["--log", log]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3, 4):
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return json.loads((out / "result.json").read_text()), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def families_of(steps):
    """Families of the chosen model, in the order in which they were added."""
    families = {}  # by option
    for step in steps[1:]:
        option, _, replaced = step["option"].partition(EXCHANGED)
        if option.startswith(REMOVED):
            option, replaced = None, option.removeprefix(REMOVED)
        families.pop(replaced, None)
        if option and not option.startswith(SETTINGS):
            families = {other: family for other, family in families.items() if family != step["family"]}
            families[option] = step["family"]
    return list(families.values())


class Robot:
    """Result of one robot."""

    def __init__(self, seed, simulation, result, seconds):
        self.seed, self.seconds, self.size, self.offers_gain = seed, seconds, simulation.robot.size, simulation.has_load
        self.effects = simulation.effects
        self.steps, self.refused = result["selection"]["steps"], result["selection"]["refused"]
        self.families = families_of(self.steps)
        self.groups = {GROUP_OF[family] for family in self.families}
        self.present = {GROUP_OF[effect] for effect in self.effects}
        self.before, self.after = self.steps[0]["held_out_error"], result["validation"]["overall_relative"]
        self.status = result["status"]
        self.has_gains = bool(result.get("gains"))
        self.gains, self.in_interval = [], []
        for k, gain in enumerate(result.get("gains") or []):
            if gain["identifiable"]:
                truth = simulation.gains[k]
                self.gains.append(abs((1 + gain["value"]) / (1 + truth) - 1))
        for parameter in result["uncertainty"]["parameters"]:
            if parameter["interval"] and parameter["name"] in simulation.masses:
                low, high = parameter["interval"]
                self.in_interval.append(low <= simulation.masses[parameter["name"]] <= high)

    def line(self):
        effects = ", ".join(f"{effect} {100 * share:.1f} %" for effect, share in sorted(self.effects.items()))
        missed, false = self.present - self.groups, self.groups - self.present
        return (f"  robot {self.seed:>4}, {self.size} joints: {effects:<62} chose {', '.join(s['option'] for s in self.steps[1:])}; "
                f"held out {100 * self.before:.2f} -> {100 * self.after:.2f} %, masses {sum(self.in_interval)}/{len(self.in_interval)}, "
                f"gains {', '.join(f'{100 * g:.1f}' for g in self.gains)}, {self.seconds:.1f} s"
                + (f"; MISSED {', '.join(sorted(missed))}" if missed else "") + (f"; FALSE {', '.join(sorted(false))}" if false else ""))


def is_offered(group, robot):
    return group != oracle.GAIN or robot.offers_gain


def ratio(flags):
    return sum(flags) / len(flags) if flags else float("nan")


def figures(robots, report):
    """Adds the figures of all robots to the report."""
    chances = sum(is_offered(group, robot) and group not in robot.present for robot in robots for group in {**oracle.GROUPS, **NEVER})
    present = sum(len(robot.present) for robot in robots)
    false = sum(len(robot.groups - robot.present) for robot in robots)
    of_options = [effect in robot.families for robot in robots for effect in robot.effects]
    name = f"{len(robots)} simulated robots: "
    report.add(name + "effects found", sum(len(robot.groups & robot.present) for robot in robots) / present, "share", must=0.9)
    report.add(name + "effects found by the option of the same name", ratio(of_options), "share")
    report.add(name + "false groups", false / chances, "share", must=0.05, smaller_is_better=True)
    gains = [error for robot in robots for error in robot.gains]
    if gains:
        report.add(name + "identifiable gains within 3 %", ratio([error <= 0.03 for error in gains]), "share", must=0.9)
    report.add(name + "masses in their intervals", ratio([held for robot in robots for held in robot.in_interval]), "share", must=0.9)
    report.add(name + "held-out error no worse", ratio([robot.after <= SAME * robot.before for robot in robots]), "share", must=0.95)
    report.add(name + "longest search", max(robot.seconds for robot in robots), "s", must=15, smaller_is_better=True)
    report.add(name + "certified", ratio([robot.status == "certified" for robot in robots]), "share", must=1)


def run(heft, seeds, report, flags=(), raw=None):
    """Every robot, printed; `raw`: a file for all that the runs gave."""
    robots, everything = [], []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            simulation = oracle.Simulation(seed, folder)
            result, seconds = identify(heft, simulation, folder / "result", *flags)
            robots.append(Robot(seed, simulation, result, seconds))
        print(robots[-1].line(), flush=True)
        if raw:
            everything.append({key: sorted(value) if isinstance(value, set) else value for key, value in vars(robots[-1]).items()})
            for step in everything[-1]["steps"]:
                step.pop("options", None)
            raw.write_text(json.dumps(everything, default=float))
    figures(robots, report)
    return robots


def steps_of(robot):
    """Family of every step that adds one, and the factor on the held-out error."""
    for before, after in zip(robot.steps, robot.steps[1:]):
        if not after["option"].startswith((REMOVED, *SETTINGS)):
            yield after["family"], after["held_out_error"] / before["held_out_error"]


def factor(factors):
    return f"{statistics.median(factors):.2f}" if factors else "-"


def table(robots):
    """Benefit and cost of every kind of option, as lines of Markdown."""
    own, false, count = collections.defaultdict(list), collections.defaultdict(list), collections.Counter()
    present, by_name, by_group = collections.Counter(), collections.Counter(), collections.Counter()
    for robot in robots:
        for effect in robot.effects:
            present[effect] += 1
            by_name[effect] += effect in robot.families
            by_group[effect] += GROUP_OF[effect] in robot.groups
        for family, change in steps_of(robot):
            (own if GROUP_OF[family] in robot.present else false)[family].append(change)
        count.update(family for family in robot.families if GROUP_OF[family] not in robot.present)
    lines = ["| option | robots with the effect | found, by its group | by the option itself | factor on held-out error | false | factor on held-out error |",
             "|---|---|---|---|---|---|---|"]
    families = [family for group in {**oracle.GROUPS, **NEVER}.values() for family in group] + list(ALSO)
    for family in families:
        n = present[family]
        found = (by_group[family], by_name[family]) if n else ("-", "-")
        without = sum(is_offered(GROUP_OF[family], robot) and GROUP_OF[family] not in robot.present for robot in robots)
        cells = (family, n, *found, factor(own[family]), f"{count[family]} of {without}", factor(false[family]))
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines
