"""Logs with one fault each: for how many of thirteen objects the fault is named with its remedy.

The table-driven test (tests/tools/payload_bad_input.py) asks for the words, of one log; this walks through objects that differ in weight and
shape. Logs are 6 s of simulator.py with noise (a); every fault is put into its log, and the same log without it has to raise no serious doubt.
"""
import collections
import json
import shutil
import subprocess

import numpy as np

import simulator

W, WD, A, G, F, N = (slice(1 + 3 * k, 4 + 3 * k) for k in range(6))  # columns of a log
MUST = 95  # of a hundred
SAMPLES, SPEED = 600, 1.5

Fault = collections.namedtuple("Fault", "words change named config", defaults=("",))


def scaled(columns, factor):
    def change(rows, truth):
        rows[:, columns] *= factor
    return change


def swapped(rows, truth):
    rows[:, F], rows[:, N] = rows[:, N].copy(), rows[:, F].copy()


def about_another_point(rows, truth):
    """100 mm along x from the sensor's origin."""
    rows[:, N] -= np.cross([0.1, 0, 0], rows[:, F])


def turned(rows, truth):
    """The sensor is turned by 45 degrees about z in the frame whose motion is logged."""
    c = np.sqrt(0.5)
    for x in (13, 16):
        rows[:, x], rows[:, x + 1] = c * (rows[:, x] + rows[:, x + 1]), c * (rows[:, x + 1] - rows[:, x])


def saturated(rows, truth):
    """The axis of the largest force, at 70 % of the way from its least to its greatest."""
    column = 13 + np.argmax(np.ptp(rows[:, F], axis=0))
    rows[:, column] = np.minimum(rows[:, column], np.quantile(rows[:, column], [0, 1]) @ [0.3, 0.7])


def dead(rows, truth):
    rows[:, 17] = 0.25


def still(rows, truth):
    rows[:, 1:10] = 0
    rows[:, G] = rows[0, G]
    rows[:, 13:] = rows[0, 13:] + (rows[:, 13:] - rows[:, 13:].mean(axis=0)) * 1e-3


def missing(rows, truth):
    rows[200:300, 13] = np.nan


def regrasped(rows, truth):
    """From half of the log on there are 0.4 kg more, 0.2 m along z."""
    w, wd, a, g = rows[:, W], rows[:, WD], rows[:, A], rows[:, G]
    force, torque = simulator.wrench(simulator.point_moments([0.4], [[0, 0, 0.2]]), w, wd, a, g)
    rows[300:, F] += force[300:]
    rows[300:, N] += torque[300:]


def late(rows, truth):
    rows[5:, 13:] = rows[:-5, 13:].copy()


def upwards(rows, truth):
    rows[:, G] *= -1


def mixed_gravity(rows, truth):
    rows[:, [10, 12]] = rows[:, [12, 10]]


FAULTS = [
    Fault("force and torque swapped", swapped, "swap fx,fy,fz"),
    Fault("torque about a point 100 mm away", about_another_point, "the point that the torque refers to|a point other than"),
    Fault("a flange of 45 degrees", turned, "sensor-turned"),
    Fault("forces in kilograms, mass known", scaled(F, 1 / 9.80665), "force-unit", "known_mass: {mass}"),
    Fault("forces in pounds, mass known", scaled(F, 1 / 4.4482), "force-unit", "known_mass: {mass}"),
    Fault("torques in N mm", scaled(N, 1000), "torque-unit"),
    Fault("a sensor that reports the reaction", scaled(slice(13, 19), -1), "payload.sign"),
    Fault("gravity upwards", upwards, "gravity points up"),
    Fault("gravity's axes mixed up", mixed_gravity, "gravity-axis|as gx, gy, gz"),
    Fault("a force that saturates", saturated, "channel-clipped"),
    Fault("a dead channel", dead, "channel-dead"),
    Fault("no motion", still, "turn the sensor"),
    Fault("a second without numbers", missing, "rows-missing"),
    Fault("two grasps", regrasped, "payload-changes"),
    Fault("a wrench 50 ms late", late, "wrench-delayed"),
    Fault("angular velocity in degrees", scaled(W, 180 / np.pi), "angular-velocity"),
    Fault("gravity in g", scaled(G, 1 / 9.81), "gravity-size"),
]


def said(runner, name, rows, mesh, config):
    """(ids and words of all doubts or of the refusal, whether it is served without a serious doubt)."""
    folder = runner.scratch / name
    folder.mkdir()
    simulator.write_log(folder / "log.csv", rows)
    (folder / "payload.yaml").write_text("payload: {%s}\n" % config)
    command = [runner.heft, "payload", "--log", folder / "log.csv", "--config", folder / "payload.yaml", "--shape", mesh, "--out", folder]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    text = done.stderr
    if done.returncode in (0, 3, 4):
        text = "\n".join(" ".join((d["id"], d["words"], d["remedy"])) for d in json.loads((folder / "result.json").read_text())["doubts"])
    shutil.rmtree(folder)
    return text, done.returncode == 0


def measure(runner, pool, objects, report, lines):
    lines += ["", "| a log of 6 s with | objects whose doubts name it | otherwise |", "|---|---|---|"]
    meshes, logs = [], []
    for number, (truth, _, boxes) in enumerate(objects.values()):
        meshes.append(runner.scratch / f"named{number}.stl")
        meshes[-1].write_text(simulator.stl_of_boxes(boxes))
        logs.append(simulator.log(truth, SPEED, "a", np.random.default_rng([number, 11]), samples=SAMPLES))
    tasks = {}
    for fault in [Fault("nothing wrong", lambda rows, truth: None, ""), *FAULTS]:
        for number, (truth, *_) in enumerate(objects.values()):
            rows = logs[number].copy()
            fault.change(rows, truth)
            tasks[fault, number] = pool.submit(said, runner, f"{fault.words}-{number}".replace(" ", "_"), rows, meshes[number],
                                               fault.config.format(mass=f"{truth[0]:.6g}"))
    total = 0
    for fault in dict.fromkeys(fault for fault, _ in tasks):
        answers = [tasks[fault, number].result() for number in range(len(objects))]
        if not fault.named:
            clean = sum(is_clean for _, is_clean in answers)
            report.add("clean logs of 6 s without a serious doubt", 100 * clean / len(objects), "%", must=MUST)
            lines.append(f"| {fault.words} | {clean} of {len(objects)} without a serious doubt | |")
            continue
        named = [any(word in text for word in fault.named.split("|")) for text, _ in answers]
        total += sum(named)
        other = collections.Counter((text.split() or ["nothing"])[0] for (text, _), is_named in zip(answers, named) if not is_named)
        lines.append(f"| {fault.words} | {sum(named)} of {len(objects)} | {', '.join(f'{w} {n}' for w, n in other.most_common())} |")
    report.add("faults that are named", 100 * total / (len(FAULTS) * len(objects)), "%", must=MUST)
