#!/usr/bin/env python3
"""Gains of drives of simulated arms, with and without a weighed load (docs/columns.md).

Usage: bench/drives/run.py [--heft build/heft] [--robots 20] [--json FILE]

Every arm differs from its CAD file by up to 20 % in the mass and the tensor of every body. `heft simulate`, which knows no gain, makes
12 s logs of the arm and of the arm with a weighed load; here their torques are multiplied by 1 + g, g normal with 15 %. The
held-out error is compared with an identification of the same logs without gains. Exit codes: 0 all musts reached, 1 one missed,
77 nothing to run on.
"""

import argparse
import csv
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(ROOT / "tools" / "demo")]
import heft_bench  # noqa: E402
import loaded_arm  # noqa: E402

ARM = ROOT / "tools" / "demo" / "arm.urdf"
SPREAD, SD = 0.2, 0.15


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")


def cad_of(text, chance):
    """The URDF with every body up to SPREAD heavier or lighter."""
    def scaled(match):
        factor = 1 + chance.uniform(-SPREAD, SPREAD)
        return re.sub(r'(value|ixx|iyy|izz)="([^"]+)"', lambda m: f'{m[1]}="{float(m[2]) * factor:.9g}"', match[0])
    return re.sub(r"<mass .*?/>\s*<inertia .*?/>", scaled, text, flags=re.S)


def with_gains(source, target, gains):
    with source.open() as file, target.open("w") as out:
        reader, writer = csv.reader(file), csv.writer(out)
        header = next(reader)
        writer.writerow(header)
        factors = [1 + gains[name.removeprefix("tau_")] if name.startswith("tau_") else None for name in header]
        for row in reader:
            writer.writerow([x if f is None else repr(f * float(x)) for x, f in zip(row, factors)])


def simulate(heft, seed, folder):
    """Logs of one arm by their names, its CAD file, and the gains."""
    chance = random.Random(seed)
    gains = {f"joint_{k}": max(-0.5, chance.gauss(0, SD)) for k in range(1, 8)}
    (folder / "cad.urdf").write_text(cad_of(ARM.read_text(), chance))
    (folder / "loaded.urdf").write_text(loaded_arm.loaded_arm())
    for robot, name, motion in ((ARM, "empty", 2 * seed), (folder / "loaded.urdf", "loaded", 2 * seed + 1)):
        run(heft, "simulate", "--robot", robot, "--perturbation", 0, "--seed", seed, "--trajectory-seed", motion, "--duration", 12,
            "--held-out", 6, "--out", folder / name)
        for log in ("train", "held_out"):
            with_gains(folder / name / f"{log}.csv", folder / f"{name}_{log}.csv", gains)
    return gains


def identify(heft, folder, columns, payload):
    config = folder / "drives.yaml"
    config.write_text((ROOT / "tools" / "demo" / "arm.yaml").read_text() + columns + payload)
    logs = ["--log", folder / "empty_train.csv"] + (["--log", folder / "loaded_train.csv"] if payload else [])
    run(heft, "identify", "--quiet", "--threads", 1, "--robot", folder / "cad.urdf", *logs, "--validate", folder / "empty_held_out.csv",
        "--config", config, "--out", folder / "out")
    return json.loads((folder / "out" / "result.json").read_text())


def payload_text():
    x, y, z = (loaded_arm.MASS / 12 * side**2 for side in loaded_arm.SIZE)
    return (f"payloads:\n  - {{logs: [loaded_train.csv], link: gripper, mass: {loaded_arm.MASS}, com: {list(loaded_arm.COM)}, "
            f"inertia: [{y + z}, 0, {x + z}, 0, 0, {x + y}]}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heft", default=ROOT / "build" / "heft")
    parser.add_argument("--robots", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true", help="show every gain")
    arguments = parser.parse_args()
    heft_bench.require(files=[arguments.heft], remedy="build it, or name it with --heft")
    errors, inside, better, ratios, wrong_claims, count = [], [], 0, [], 0, 0
    for seed in range(1, arguments.robots + 1):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            true = simulate(arguments.heft, seed, folder)
            result = identify(arguments.heft, folder, "  - gain: {sd: 0.2}\n", payload_text())
            plain = identify(arguments.heft, folder, "", payload_text())
            alone = identify(arguments.heft, folder, "  - gain: {sd: 0.2}\n", "")
        for gain in result["gains"]:
            if not gain["identifiable"]:
                continue
            errors.append(abs((1 + gain["value"]) / (1 + true[gain["joint"]]) - 1))
            if gain["interval"]:
                inside.append(gain["interval"][0] <= true[gain["joint"]] <= gain["interval"][1])
        with_error, without = (r["validation"]["overall_relative"] for r in (result, plain))
        better += with_error <= without
        first = alone["gains"][0]
        for gain in alone["gains"][1:]:
            ratios.append(abs((1 + gain["value"]) / (1 + first["value"]) * (1 + true[first["joint"]]) / (1 + true[gain["joint"]]) - 1))
        wrong_claims += sum(gain["identifiable"] for gain in alone["gains"])
        count += 1
        if arguments.verbose:
            for gain in result["gains"]:
                print("   ", gain["joint"], true[gain["joint"]], gain)
        print(f"  arm {seed}: worst gain {100 * max(errors[-7:], default=0):.2f} %, held out {100 * without:.2f} -> "
              f"{100 * with_error:.2f} %", flush=True)
    share = lambda flags: sum(flags) / len(flags) if flags else float("nan")  # noqa: E731
    report = heft_bench.Report(arguments.json)
    report.add("gains identifiable with a load", len(errors) / (7 * count), "share", must=0.9)
    report.add("gains within 3 %", share([error <= 0.03 for error in errors]), "share", must=0.9)
    report.add("gains inside their intervals", share(inside), "share", must=0.9)
    report.add("held-out error no worse than without gains", better / count, "share", must=0.95)
    report.add("ratios within 3 % without a load", share([error <= 0.03 for error in ratios]), "share", must=0.9)
    report.add("gains called identifiable without a load", wrong_claims / (7 * count), "share", must=0, smaller_is_better=True)
    return report.finish(arguments.json)


if __name__ == "__main__":
    sys.exit(main())
