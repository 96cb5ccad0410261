#!/usr/bin/env python3
"""Payloads on a force-torque sensor: errors of every method on simulated objects and on the workshop tools (docs/payload.md).

Usage: bench/payload/run.py [--heft build/heft] [--golden DIR] [--data DIR] [--tool-shapes DIR] [--seeds 20] [--json F] [--docs]
                            [--only PART]

DIR (default: $HEFT_GOLDEN, $HEFT_DATA) hold pmd_objects.json, payload/payload_real.json and workshop_tools_ft; --tool-shapes
(default: $HEFT_TOOL_SHAPES) is the repository that has the tools' meshes, named in tools.py. Objects are moved
and weighed by simulator.py beside this file, which shares no line with Heft; what an arm carries, by by_torques.py. --docs rewrites the
tables of docs/payload.md between their markers. Needs numpy.
Exit codes: 0 all figures reached, 1 one missed, 77 nothing to run on (CTest shows it as skipped).
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ModuleNotFoundError:
    print("skipped: numpy is missing")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import bad_input  # noqa: E402
import bounds  # noqa: E402
import by_torques  # noqa: E402
import false_alarms  # noqa: E402
import heft_bench  # noqa: E402
import offsets  # noqa: E402
import plots  # noqa: E402
import point_masses  # noqa: E402
import published  # noqa: E402
import simulator  # noqa: E402
import tools  # noqa: E402
import torque_gains  # noqa: E402

DOCS = heft_bench.ROOT / "docs" / "payload.md"
SPEEDS, CONDITIONS = (1.0, 1.5, 2.0), ("a", "b")
EIGHT = "eight objects"
METHODS = ("auto", "ols", "wls", "tls", "geo", "pullback", "pmd", "pmd_weighted", "cone", "metric")
FROM_FILE = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # m, mc, xx, xy, xz, yy, yz, zz of the files into Heft's order


class Report(heft_bench.Report):
    """Converts numpy's numbers to Python's."""

    def add(self, name, value, unit, must=None, **more):
        super().add(name, float(value), unit, None if must is None else float(must), **more)


class Runner:
    """heft payload on logs in a scratch folder."""

    def __init__(self, heft, scratch):
        self.heft, self.scratch = heft, pathlib.Path(scratch)

    def weigh(self, name, rows, shape=(), config="", methods=("auto",)):
        """result.json of a log; `config`: the section payload as YAML in one line."""
        folder = self.scratch / name
        folder.mkdir(parents=True)
        simulator.write_log(folder / "log.csv", rows)
        (folder / "payload.yaml").write_text("payload: {%s}\n" % config)
        command = [self.heft, "payload", "--log", folder / "log.csv", "--config", folder / "payload.yaml", "--out", folder, *shape]
        for method in methods:
            command += ["--method", method]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode not in (0, 3, 4):
            sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
        result = json.loads((folder / "result.json").read_text())
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        return result


def paper_objects(golden):
    """{name: (truth, box of the errors)} of the eight objects, four bolts, half cylinders as they should be."""
    objects = json.loads((golden / "pmd_objects.json").read_text())["objects"]
    truth = lambda o: np.array(o["bolts_7_8_0_14"]["half_cylinder_corrected"]["phi_about_reference"])[FROM_FILE]
    return {name: (truth(o), (0.2, 0.315, 0.05)) for name, o in objects.items()}


PAPER_SHAPE = [((0.05, 0.2, 0.05), (0, 0.025, 0.025)), ((0.2, 0.05, 0.05), (0, 0.15, 0.025)),
               ((0.2, 0.05, 0.05), (0, -0.1, 0.025))]  # in the sensor's frame


def new_objects():
    """{name: (truth, box, boxes of the shape)} of five objects that were not used to choose a method. Densities in kg/m^3."""
    def made_of(parts, box):
        moments = sum(simulator.box_moments(density * np.prod(size), size, centre) for density, size, centre in parts)
        return moments, box, [(size, centre) for _, size, centre in parts]
    return {
        "plate": made_of([(2700, (0.25, 0.18, 0.006), (0.02, 0.03, 0.04))], (0.25, 0.18, 0.006)),
        "rod": made_of([(7800, (0.02, 0.4, 0.02), (0, 0.08, 0.03))], (0.02, 0.4, 0.02)),
        "hammer 5:1": made_of([(800, (0.03, 0.25, 0.03), (0, 0.1, 0.03)), (4000, (0.1, 0.04, 0.04), (0, 0.245, 0.03))],
                              (0.1, 0.29, 0.04)),
        "block 5:1": made_of([(1000, (0.1, 0.1, 0.06), (0, 0.05, 0.04)), (5000, (0.1, 0.03, 0.06), (0, -0.015, 0.04))],
                             (0.1, 0.13, 0.06)),
        "off axis": made_of([(1200, (0.1, 0.08, 0.12), (0.15, 0, 0.06))], (0.1, 0.08, 0.12)),
    }


def parameters_of(result):
    return {m["name"]: np.array(m["parameters"]) for m in result["methods"] if "parameters" in m}


def errors_of_objects(runner, pool, objects, seeds, config):
    """{(condition, speed): {method: errors, objects x seeds x 3}} and the number of certified results."""
    tasks = {}
    for number, (name, (truth, box, boxes)) in enumerate(objects.items()):
        mesh = runner.scratch / f"shape{number}.stl"
        mesh.write_text(simulator.stl_of_boxes(boxes))
        for condition in CONDITIONS:
            for speed in SPEEDS:
                for seed in range(seeds):
                    rng = np.random.default_rng([seed, number, int(10 * speed), ord(condition)])
                    rows = simulator.log(truth, speed, condition, rng)
                    key = (condition, speed, number, seed)
                    tasks[key] = pool.submit(runner.weigh, "-".join(map(str, key)), rows, ("--shape", mesh), config, METHODS)
    table = {(c, s): {m: np.zeros((len(objects), seeds, 3)) for m in METHODS} for c in CONDITIONS for s in SPEEDS}
    certified = 0
    all_objects = list(objects.values())
    for (condition, speed, number, seed), task in tasks.items():
        result = task.result()
        certified += bool(result["methods"][0]["certified"])
        truth, box, _ = all_objects[number]
        for method, x in parameters_of(result).items():
            table[condition, speed][method][number, seed] = simulator.errors(x, truth, box)
    return table, certified / len(tasks)


def print_table(lines, title, table):
    lines += ["", title, "", "| mean %, 1.0 / 1.5 / 2.0 rad/s | " +
              " | ".join(f"({c}) {what}" for c in CONDITIONS for what in ("mass", "CoM", "inertia")) + " |", "|---" * 7 + "|"]
    for method in METHODS:
        cells = []
        for condition in CONDITIONS:
            for k in range(3):
                cells.append(" / ".join(f"{table[condition, s][method][..., k].mean():.3g}" for s in SPEEDS))
        lines.append(f"| {method} | " + " | ".join(cells) + " |")


def coverage(runner, pool, words, objects, seeds, report, lines, bias):
    """Intervals of mass and center of mass if the shape is missing or wrong. `words` describe the objects."""
    lines += ["", f"Intervals of the {words}, bias {bias}:", "",
              "| shape | intervals that contain the truth | in the worst case of noise and speed | half width of mass, median | of CoM, median |",
              "|---|---|---|---|---|"]
    meshes = {}
    for number, (_, _, boxes) in enumerate(objects.values()):
        for name, factor in (("right", 1), ("twice", 2)):
            meshes[name, number] = runner.scratch / f"{name}{number}.stl"
            meshes[name, number].write_text(simulator.stl_of_boxes([(factor * np.array(s), factor * np.array(c)) for s, c in boxes]))
    off = ("--pose", f"0.01,0,0,0,0,{np.radians(5)}")
    shapes = {"as it is": lambda n: ("--shape", meshes["right", n]), "none": lambda n: (),
              "twice the size": lambda n: ("--shape", meshes["twice", n]),
              "pose off by 10 mm and 5 degrees": lambda n: ("--shape", meshes["right", n], *off)}
    for kind, shape in shapes.items():
        tasks = []
        for number, (truth, *_) in enumerate(objects.values()):
            for condition in CONDITIONS:
                for speed in SPEEDS:
                    for seed in range(seeds):
                        rng = np.random.default_rng([seed, number, int(10 * speed), ord(condition), 1])
                        rows = simulator.log(truth, speed, condition, rng)
                        name = "-".join(map(str, (number, condition, speed, seed)))
                        tasks.append((truth, (condition, speed), pool.submit(runner.weigh, name, rows, shape(number), f"bias: {bias}")))
        held, cases, wide_mass, wide_com = [], [], [], []
        for truth, case, task in tasks:
            intervals = task.result()["payload"]["intervals"]
            sides = [intervals["mass"], *intervals["com"]]
            held += [low is not None and high is not None and low <= x <= high
                     for (low, high), x in zip(sides, [truth[0], *(truth[1:4] / truth[0])])]
            cases += [case] * len(sides)
            half = [np.inf if None in side else (side[1] - side[0]) / 2 for side in sides]
            wide_mass.append(100 * half[0] / truth[0])
            wide_com.append(1e3 * max(half[1:]))
        share, mass, com = 100 * np.mean(held), np.median(wide_mass), np.median(wide_com)
        by_case = {case: 100 * np.mean([h for h, of in zip(held, cases) if of == case]) for case in set(cases)}
        (noise, at), worst = min(by_case.items(), key=lambda entry: entry[1])
        what = f"{words}, shape {kind}, bias {bias}"
        report.add(f"intervals hold the truth, {what}", share, "%", must=90)
        report.add(f"in the worst case of noise and speed, {what}", worst, "%", must=90)
        widths_must = words == EIGHT
        report.add(f"half width of mass, median, {what}", mass, "%", must=2 if widths_must else None, smaller_is_better=True)
        report.add(f"half width of CoM, median of the widest axis, {what}", com, "mm", must=5 if widths_must else None,
                   smaller_is_better=True)
        lines.append(f"| {kind} | {share:.1f} % | {worst:.1f} %: ({noise}), {at:g} rad/s | {mass:.2f} % | {com:.2f} mm |")
    least = np.array([bounds.half_widths(truth, speed, condition, bias, np.random.default_rng([seed, number, int(10 * speed)]))
                      for number, (truth, *_) in enumerate(objects.values()) for condition in CONDITIONS for speed in SPEEDS
                      for seed in range(min(seeds, 5))])
    lines += ["", f"The Cramer-Rao bound for unbiased estimates without a shape ([bounds.py](../bench/payload/bounds.py)) is "
              f"{np.median(least[:, 0]):.2f} % and {1e3 * np.median(least[:, 1]):.2f} mm (medians of half widths)."]


def speed(heft, objects, report, lines):
    """Payloads from arrays, and updates of a stream: CPU time of a thread, so that other load counts little."""
    many = heft.parent / "bench" / "payload" / "bench_payload"
    if many.exists():
        words = subprocess.run([many, "10000"], capture_output=True, text=True, check=True).stdout.split()
        seconds, certified = float(words[5]), int(words[-2])
        report.add("10 000 objects x 150 samples, auto, one thread", seconds, "s", must=1, smaller_is_better=True)
        report.add("of them certified", certified / 100, "%", must=100)
    truth, _, boxes = next(iter(objects.values()))
    rows = simulator.log(truth, 1.5, "a", np.random.default_rng(1), samples=12000)
    text = simulator.HEADER + "\n" + "\n".join(",".join("%.10g" % x for x in row) for row in rows) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        mesh = pathlib.Path(folder) / "shape.stl"
        mesh.write_text(simulator.stl_of_boxes(boxes))
        done = subprocess.run([heft, "payload", "--follow", "--every", "0.01", "--shape", mesh], input=text, capture_output=True,
                              text=True, check=True)
    updates = [json.loads(line) for line in done.stdout.splitlines()]
    took = np.array([update["us"] for update in updates])
    held = np.mean([update["interval"]["mass"][0] <= truth[0] <= update["interval"]["mass"][1] for update in updates[100:]])
    report.add("an online update, certificate included, median", np.median(took), "us", must=50, smaller_is_better=True)
    report.add("an online update, 99.9 %", np.quantile(took, 0.999), "us", must=200, smaller_is_better=True)
    report.add("online updates that are certified", 100 * np.mean([update["certified"] for update in updates]), "%", must=100)
    report.add("online intervals of the mass that hold the truth", 100 * held, "%")
    lines += ["", f"A stream of {len(updates)} updates, 100 Hz, noise (a): {np.median(took):.0f} us of CPU time each (median), "
              f"{np.quantile(took, 0.999):.0f} us at 99.9 %."]


def by_sensor(options, runner, pool, paper, report, tables):
    """Objects on a sensor: errors of every method next to the published ones."""
    lines, beside = tables.setdefault("payload", []), tables.setdefault("published", [])
    for bias in ("none", "constant"):
        table, certified = errors_of_objects(runner, pool, paper, options.seeds, f"bias: {bias}")
        if bias == "none":
            published.table_three(options.golden, table, beside)
        print_table(lines, f"Eight objects, {options.seeds} seeds, bias {bias}:", table)
        mean = np.mean([table[key]["auto"].mean(axis=(0, 1)) for key in table], axis=0)
        report.add(f"certified, bias {bias}", 100 * certified, "%", must=100)
        for k, (what, must) in enumerate((("mass", 0.15), ("CoM", 0.3), ("inertia", 6.0))):
            report.add(f"8 objects, bias {bias}, mean error of {what}", mean[k], "%", must=must if bias == "none" else None,
                       smaller_is_better=True)
    published.table_four(options.golden, runner, pool, paper, runner.scratch / "shape0.stl", options.seeds, beside)
    new = new_objects()
    table, _ = errors_of_objects(runner, pool, new, options.seeds, "bias: none")
    print_table(lines, f"Five new objects, {options.seeds} seeds, bias none:", table)
    lines += ["", "| object, mean % of mass / CoM / inertia | auto | geo | pmd |", "|---|---|---|---|"]
    for number, name in enumerate(new):
        mean = {m: np.mean([table[key][m][number].mean(axis=0) for key in table], axis=0) for m in ("auto", "geo", "pmd")}
        lines.append(f"| {name} | " + " | ".join(" / ".join(f"{v:.3g}" for v in of) for of in mean.values()) + " |")
        for k, what in enumerate(("mass", "CoM", "inertia")):
            report.add(f"{name}: error of {what}, auto", mean["auto"][k], "%", must=min(mean["geo"][k], mean["pmd"][k]),
                       smaller_is_better=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default=heft_bench.ROOT / "build" / "heft", type=pathlib.Path)
    parser.add_argument("--golden", default=os.environ.get("HEFT_GOLDEN"), type=pathlib.Path)
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA"), type=pathlib.Path)
    parser.add_argument("--tool-shapes", default=os.environ.get("HEFT_TOOL_SHAPES"), type=pathlib.Path)
    parser.add_argument("--seeds", default=20, type=int)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--only", choices=("sensor", "intervals", "tools", "doubts", "offsets", "speed", "torques", "gains", "pmd"))
    options = parser.parse_args()
    if options.golden is None or not (options.golden / "pmd_objects.json").exists():
        print("skipped: no golden answers, set HEFT_GOLDEN")
        return heft_bench.NOTHING_TO_RUN_ON
    report, tables = Report(options.json), {}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runner = Runner(options.heft, scratch)
        paper = {name: (*o, PAPER_SHAPE) for name, o in paper_objects(options.golden).items()}
        if options.only in (None, "sensor"):
            by_sensor(options, runner, pool, paper, report, tables)
        if options.only in (None, "intervals"):
            for bias in ("none", "constant"):
                for words, objects, seeds in ((EIGHT, paper, options.seeds), ("five new objects", new_objects(), max(1, options.seeds // 2))):
                    coverage(runner, pool, words, objects, seeds, report, tables.setdefault("intervals", []), bias)
        if options.only in (None, "tools") and options.data is not None and (options.data / "workshop_tools_ft").is_dir():
            tools.measure(runner, pool, options.golden, options.data, options.tool_shapes, options.seeds, report, tables.setdefault("tools", []))
        if options.only in (None, "doubts"):
            known = []
            if options.data is not None and (options.data / "workshop_tools_ft").is_dir():
                known = tools.read_tools(options.golden, options.data, options.tool_shapes)
            false_alarms.measure(runner, pool, known, tools.NOISE, tools.NOISY, {EIGHT: paper, "five new objects": new_objects()},
                                 max(1, options.seeds // 4), report, tables.setdefault("doubts", []))
            bad_input.measure(runner, pool, {**paper, **new_objects()}, report, tables.setdefault("faults", []))
        if options.only in (None, "offsets"):
            offsets.measure(runner, pool, report, tables.setdefault("offsets", []))
        if options.only in (None, "speed"):
            speed(options.heft.resolve(), paper, report, tables.setdefault("speed", []))
        if options.only in (None, "torques"):
            by_torques.measure(options.heft, pool, pathlib.Path(scratch), options.seeds, report, tables.setdefault("torques", []))
        if options.only in (None, "gains"):
            torque_gains.measure(options.heft, pool, pathlib.Path(scratch), report, tables.setdefault("gains", []))
    if options.only in (None, "pmd"):
        point_masses.measure(options.heft.resolve(), options.golden, report, tables.setdefault("pmd", []))
    for lines in tables.values():
        print("\n".join(lines), end="\n\n")
    if options.docs:
        text = DOCS.read_text()
        for name, lines in tables.items():
            begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
            text = text.split(begin)[0] + begin + "\n" + "\n".join(lines).strip() + "\n" + end + text.split(end)[1]
        DOCS.write_text(text)
        try:
            plots.draw()
        except ModuleNotFoundError:
            print("docs/figures are as they were: matplotlib is missing")
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
