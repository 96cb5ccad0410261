#!/usr/bin/env python3
"""Charts and rows of mechanics: speed, agreement with golden answers and with Pinocchio, the figure of docs/charts.md.

    bench/charts/run.py [--build build] [--python PYTHON] [--data DIR] [--robots 1000] [--json FILE] [--docs]

Sixty problems of robots and those of the golden payloads (tools need $HEFT_DATA) on every chart, beside the certified optimum.
Speed is that of one core. PYTHON (default: $HEFT_PYTHON_PEERS) has Pinocchio, beside which the rows of random robots stand; without
it, and without the golden answers ($HEFT_GOLDEN), those figures are left out aloud. --docs rewrites the table in docs/charts.md
between its markers and draws docs/figures/ellipsoid.svg. Exit codes: 0 all musts reached, 1 one missed, 77 nothing to run.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"
SOLVED_BEGIN, SOLVED_END = "<!-- solved: begin -->", "<!-- solved: end -->"
WORDS = {"parameters": "map", "points": "inverse", "gradients": "J'g in registers", "jacobians": "Jacobian written out"}
# million a second and core: (chart, what) -> must
MUSTS = {("log_cholesky", "jacobians"): 10, ("log_cholesky", "gradients"): 50}


def ask(program, *arguments):
    return json.loads(subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout)


def add_speed(report, rows):
    for row in rows:
        if row["bodies"] == 256:
            report.add(f"{row['chart']}, {WORDS[row['what']]}", 1e-6 * row["per_second"], "million a second",
                       must=MUSTS.get((row["chart"], row["what"])))


def speed_table(rows):
    lines = ["| chart | " + " | ".join(WORDS.values()) + " |", "|---|" + "---|" * len(WORDS)]
    for chart in dict.fromkeys(row["chart"] for row in rows):
        cells = []
        for what in WORDS:
            near, far = (next(row["per_second"] for row in rows
                              if (row["chart"], row["what"], row["bodies"]) == (chart, what, bodies)) for bodies in (256, 65536))
            cells.append(f"{1e-6 * near:.3g} ({1e-6 * far:.3g})")
        lines.append(f"| {chart} | " + " | ".join(cells) + " |")
    return lines


def relative(ours, theirs):
    size = max(abs(x) for x in theirs)
    return max(abs(a - b) for a, b in zip(ours, theirs)) / size


def add_golden(report, heft, golden, folder):
    file = json.loads((golden / "payload" / "charts.json").read_text())
    source, out = folder / "in.json", folder / "out.json"
    for chart, point, image in (("log_cholesky", "phi", "pi_of_phi"), ("exponential", "gamma", "pi_of_gamma")):
        source.write_text(json.dumps({"bodies": [body[chart][point] for body in file["bodies"]]}))
        subprocess.run([heft, "convert", "--from", chart, "--to", "heft", source, "--out", out, "--jacobian"], check=True,
                       capture_output=True)
        answer = json.loads(out.read_text())
        report.add(f"{chart}, worst of 50 golden bodies", max(relative(ours, body[chart][image]) for ours, body in
                   zip(answer["bodies"], file["bodies"])), "of the largest entry", must=1e-12, smaller_is_better=True)
        report.add(f"{chart}, worst Jacobian", max(relative(a, b) for ours, body in zip(answer["jacobians"], file["bodies"])
                   for a, b in zip(zip(*ours), zip(*body[chart]["jacobian"]))), "of its column",
                   must=1e-12 if chart == "log_cholesky" else 1e-10, smaller_is_better=True)


def add_solved(report, rows, label):
    """Optima with consistent bodies must be found; on the boundary the coordinates of all charts but the manifold diverge, and the report
    says how far above the optimum they end."""
    for chart in dict.fromkeys(row["chart"] for row in rows):
        mine = [row for row in rows if row["chart"] == chart and row["certified"]]
        inside = [row for row in mine if row["least_margin"] > 1e-3]
        boundary = [row for row in mine if row["least_margin"] < 2e-6]
        if inside:
            report.add(f"{label}, {chart}, {len(inside)} optima inside: largest difference", max(abs(row["above"]) for row in inside),
                       "of the objective", must=1e-8, smaller_is_better=True)
        if boundary:
            report.add(f"{label}, {chart}, {len(boundary)} optima on the boundary: largest excess",
                       max(row["above"] for row in boundary), "of the objective")
        report.add(f"{label}, {chart}, iterations", sorted(row["iterations"] for row in mine)[len(mine) // 2], "in the middle")
        report.add(f"{label}, {chart}, time", 1e-3 * sum(row["us"] for row in mine) / len(mine), "ms per problem")
    convex = [row["convex_us"] for row in rows if row["chart"] == rows[0]["chart"]]
    report.add(f"{label}, the certified answer, time", 1e-3 * sum(convex) / len(convex), "ms per problem")


def solved_table(sets):
    """Table of named sets of rows, one line per chart."""
    lines = ["| | optima inside: largest difference | on the boundary: largest excess | steps, median | ms per problem |",
             "|---|---|---|---|---|"]
    for label, rows in sets.items():
        for chart in dict.fromkeys(row["chart"] for row in rows):
            mine = [row for row in rows if row["chart"] == chart and row["certified"]]
            inside = [abs(row["above"]) for row in mine if row["least_margin"] > 1e-3]
            boundary = [row["above"] for row in mine if row["least_margin"] < 2e-6]
            lines.append(f"| {label}, {chart} | {len(inside)}: {max(inside, default=0):.1e} | {len(boundary)}: "
                         f"{100 * max(boundary, default=0):.3g} % | {sorted(row['iterations'] for row in mine)[len(mine) // 2]} | "
                         f"{1e-3 * sum(row['us'] for row in mine) / len(mine):.3g} |")
    return lines


def payload_problems(program, python, golden, data, folder):
    """None if PYTHON has no NumPy."""
    done = subprocess.run([python, HERE / "payloads.py", golden, data], capture_output=True, text=True)
    if done.returncode == heft_bench.NOTHING_TO_RUN_ON:
        return None
    if done.returncode != 0:
        sys.exit(done.stderr)
    (folder / "payloads.json").write_text(done.stdout)
    return ask(program, "payloads", folder / "payloads.json")


def add_robots(report, heft, python, count):
    done = subprocess.run([python, HERE / "robots.py", heft, str(count)], capture_output=True, text=True)
    if done.returncode == heft_bench.NOTHING_TO_RUN_ON:
        print(f"left out: {python} has no Pinocchio")
        return
    if done.returncode != 0:
        sys.exit(done.stderr)
    for name, (worst, must) in json.loads(done.stdout).items():
        report.add(f"{count} random robots, {name}", worst, "of the largest entry", must=must, smaller_is_better=True)


def picture(answer):
    """The ellipsoid, the covariance ellipsoids of three bodies, and masses that make them, seen along y: an SVG."""
    scale, width, height = 60, 340, 230
    a, _, c = answer["semi_axes"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {3 * width} {height}" font-family="sans-serif" font-size="13">',
             f'<rect width="{3 * width}" height="{height}" fill="white"/>']
    for i, (body, axis) in enumerate(zip(answer["bodies"], "xyz")):
        x0, y0 = width * i + width / 2, 105
        covariance = body["covariance"]
        fits = body["margin"] >= 0
        parts += [f'<ellipse cx="{x0}" cy="{y0}" rx="{scale * a:.1f}" ry="{scale * c:.1f}" fill="#eef2f8" stroke="#35506b"/>',
                  f'<ellipse cx="{x0}" cy="{y0}" rx="{scale * covariance[0] ** 0.5:.1f}" ry="{scale * covariance[2] ** 0.5:.1f}" '
                  f'fill="{"#bcd5b0" if fits else "#e8b7ae"}" stroke="{"#3d6b2a" if fits else "#93301d"}"/>']
        for mass in body["masses"]:
            x, _, z = mass["place"]
            parts.append(f'<circle cx="{x0 + scale * x:.1f}" cy="{y0 - scale * z:.1f}" r="{10 * mass["mass"] ** (1 / 3):.1f}" '
                         'fill="#1d1d1d" fill-opacity="0.75"/>')
        words = "four masses make it" if fits else "no mass inside makes it"
        parts += [f'<text x="{x0}" y="195" text-anchor="middle">long axis along {axis}: margin {body["margin"]:.2f}</text>',
                  f'<text x="{x0}" y="214" text-anchor="middle">{words}</text>']
    return "\n".join(parts + ["</svg>\n"])


def write_docs(rows, answer, solved):
    page = ROOT / "docs" / "charts.md"
    if solved:
        heft_bench.write_between(page, SOLVED_BEGIN, SOLVED_END, solved_table(solved))
    processor = heft_bench.machine().split(",")[0]
    lines = speed_table(rows) + [
        "", f"Million bodies a second on one core of {processor}, 256 at a time; in brackets 65 536 at a time."]
    heft_bench.write_between(page, BEGIN, END, lines)
    (ROOT / "docs" / "figures" / "ellipsoid.svg").write_text(picture(answer))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--python", default=os.environ.get("HEFT_PYTHON_PEERS", sys.executable))
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("HEFT_DATA", ROOT.parent / "shared" / "data")))
    parser.add_argument("--robots", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each figure of speed")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    program, heft = options.build / "bench" / "charts" / "bench_charts", options.build / "heft"
    if not program.exists() or not heft.exists():
        print(f"nothing to run: build {program} and {heft}")
        return heft_bench.NOTHING_TO_RUN_ON
    report = heft_bench.Report()
    rows = ask(program, "speed", options.seconds)
    add_speed(report, rows)
    answer = ask(program, "ellipsoid")
    for body, expected in zip(answer["bodies"], (0.52, 0.31, -0.04)):
        report.add(f"margin of the ellipsoid's figure, {expected}", abs(body["margin"] - expected), "difference", must=1e-12,
                   smaller_is_better=True)
    solved = {}
    golden = pathlib.Path(os.environ.get("HEFT_GOLDEN", ROOT.parent / "shared" / "golden"))
    with tempfile.TemporaryDirectory() as scratch:
        if (golden / "payload" / "charts.json").exists():
            add_golden(report, heft, golden, pathlib.Path(scratch))
            solved["robots"] = ask(program, "solve", golden)
            payloads = payload_problems(program, options.python, golden, options.data, pathlib.Path(scratch))
            if payloads:
                solved["payloads"] = payloads
                report.add(f"{len(payloads) // 4} golden payload optima: ours above", max((row["objective"] - row["golden"]) /
                           row["golden"] for row in payloads), "of the objective", must=1e-8, smaller_is_better=True)
            else:
                print(f"left out: {options.python} has no NumPy")
            for label, of in solved.items():
                add_solved(report, of, label)
        else:
            print(f"left out: {golden} has no golden answers")
    if options.robots > 0:
        add_robots(report, heft, options.python, options.robots)
    if options.docs:
        write_docs(rows, answer, solved)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
