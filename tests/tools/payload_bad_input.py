"""heft payload on inputs that are wrong in one way each: each is named, with its remedy."""

import csv
import json
import math
import subprocess
import sys
from typing import NamedTuple

from heft_program import SOURCE, HeftTestCase, run_heft

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import payload_log  # noqa: E402

FORCE, TORQUE = ["fx", "fy", "fz"], ["nx", "ny", "nz"]
HEAVIER = 0.4  # kg at (0, 0, 0.3) m: another thing in the hand


def scaled(names, factor):
    return lambda t, row: row.update({name: row[name] * factor for name in names})


def in_base(t, row):
    """Turned into the axes of the world, whose orientation the log has."""
    R = payload_log.orientation(t)
    for names in (FORCE, TORQUE):
        row.update(zip(names, payload_log.times(R, [row[name] for name in names])))


def by_orientation(t, row):
    for name in ("gx", "gy", "gz"):
        del row[name]
    row.update({f"r{i + 1}{j + 1}": value for i, line in enumerate(payload_log.orientation(t)) for j, value in enumerate(line)})


def y_up(t, row):
    """The orientation in a world whose y axis points up: its x and z are level."""
    by_orientation(t, row)
    level, other, up = ([row[f"r{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3))
    for i, line in enumerate((other, up, level)):
        row.update({f"r{i + 1}{j + 1}": x for j, x in enumerate(line)})


def turned(t, row):
    """Of a sensor that is turned by 45 degrees about z in the frame whose motion is logged."""
    c = math.sqrt(0.5)
    for x, y in (("fx", "fy"), ("nx", "ny")):
        row[x], row[y] = c * row[x] + c * row[y], -c * row[x] + c * row[y]


def swapped(t, row):
    for f, n in zip(FORCE, TORQUE):
        row[f], row[n] = row[n], row[f]


def about_another_point(t, row):
    """About a point 0.1 m along x: n' = n - p x f."""
    f = [row[name] for name in FORCE]
    row["ny"] += 0.1 * f[2]
    row["nz"] -= 0.1 * f[1]


def saturated(t, row):
    row["fz"] = min(row["fz"], 12.0)


def still(t, row):
    row.update({stem + axis: 0.0 for stem in ("w", "al", "a") for axis in "xyz"}, gx=0.0, gy=0.0, gz=-9.81)


def missing(t, row):
    if 2 < t < 3:
        row["fx"] = float("nan")


def regrasped(t, row):
    """From half of the log on there is more in the hand."""
    if t < 3:
        return
    u = [row["a" + axis] - row["g" + axis] for axis in "xyz"]
    w, wd = ([row[stem + axis] for axis in "xyz"] for stem in ("w", "al"))
    p = [0, 0, 0.3]
    cross = payload_log.cross
    pull = [HEAVIER * sum(parts) for parts in zip(u, cross(wd, p), cross(w, cross(w, p)))]
    row.update({name: row[name] + value for name, value in zip(FORCE + TORQUE, pull + cross(p, pull))})


class Case(NamedTuple):
    name: str
    change: object          # of a row of shaken.csv
    says: str               # in the refusal or in what is doubted
    remedy: str
    id: str = ""            # of the doubt; none: it is refused
    serious: bool = True
    config: str = ""
    shape: bool = False


CASES = [
    Case("wrench in the base's axes", lambda t, row: (by_orientation(t, row), in_base(t, row)), "axes of the base",
         "payload.wrench_frame: base"),
    Case("wrench in the base's axes, reversed", lambda t, row: (by_orientation(t, row), in_base(t, row), scaled(FORCE + TORQUE, -1)(t, row)),
         "axes of the base", "payload.sign: -1", "wrench-frame"),
    Case("wrench in the sensor's axes, said to be in the base's", by_orientation, "sensor's axes", "payload.wrench_frame: sensor",
         "wrench-frame", config="payload: {wrench_frame: base}"),
    Case("torque about another point", about_another_point, "of the torque", "the point that the torque refers to", "unexplained-torque"),
    Case("a flange of 45 degrees", turned, "rotated by 45", "0.78", "sensor-turned"),
    Case("force and torque swapped", swapped, "follow gravity as a force does", "swap fx,fy,fz and nx,ny,nz"),
    Case("kilograms-force", scaled(FORCE, 1 / 9.80665), "kilograms-force", "multiply fx,fy,fz by 9.80", "force-unit",
         config="payload: {known_mass: 0.7893}"),
    Case("pounds-force", scaled(FORCE, 1 / 4.4482), "pounds-force", "multiply fx,fy,fz by 4.448", "force-unit",
         config="payload: {known_mass: 0.7893}"),
    Case("newton millimeters", scaled(TORQUE, 1000), "N mm", "divide nx,ny,nz by 1000", "torque-unit"),
    Case("kilograms, by what no matter weighs", scaled(FORCE + TORQUE, 1e-3), "no material", "newtons, not kilograms", "density", shape=True),
    Case("reversed sensor", scaled(FORCE + TORQUE, -1), "opposite signs", "payload.sign: -1"),
    Case("gravity upwards", scaled(["gx", "gy", "gz"], -1), "opposite signs", "gravity points up"),
    Case("gravity along another axis", lambda t, row: row.update(gx=row["gz"], gz=row["gx"]), "swapped or reversed",
         "write gz, gy, gx as gx, gy, gz", "gravity-axis"),
    Case("gravity along another axis, with a sign", lambda t, row: row.update(gx=row["gy"], gy=-row["gx"]), "swapped or reversed",
         "write -gy, gx, gz as gx, gy, gz"),
    Case("a world whose y points up", y_up, "the y axis of the world", "payload.down: [0, -1, 0]", "gravity-axis"),
    Case("saturation", saturated, "stays at 12", "larger range", "channel-clipped"),
    Case("a dead channel", lambda t, row: row.update(ny=0.25), "never changes", "which column", "channel-dead"),
    Case("no motion", still, "neither the motion nor the direction of gravity", "turn the sensor"),
    Case("a stretch without numbers", missing, "of 600 rows lack a number", "driver lost them", "rows-missing", serious=False),
    Case("two grasps", regrasped, "the body on the sensor changes at 3", "--changes auto", "payload-changes"),
    Case("an offset that is left out", lambda t, row: None, "has an offset", "payload.bias: constant", "offset",
         config="payload: {bias: none}"),
]


class PayloadBadInput(HeftTestCase):
    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, str(SOURCE / "tools" / "demo" / "payload_log.py"), str(self.scratch)], check=True)

    def changed(self, change):
        with (self.scratch / "shaken.csv").open() as file:
            rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
        for row in rows:
            change(row["t"], row)
        path = self.scratch / "wrong.csv"
        with path.open("w") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        return path

    def test_each_is_named_with_its_remedy(self):
        for case in CASES:
            with self.subTest(case.name):
                command = ["payload", "--log", self.changed(case.change), "--out", self.scratch / "out"]
                if case.config:
                    command += ["--config", self.write("wrong.yaml", case.config)]
                if case.shape:
                    command += ["--shape", self.scratch / "hammer.stl"]
                if not case.id:
                    self.assert_refused(command, "payload", case.says, case.remedy)
                    continue
                done = run_heft(*command)
                self.assertEqual(done.returncode, 4 if case.serious else 0, done.stdout + done.stderr)
                doubts = {doubt["id"]: doubt for doubt in json.loads((self.scratch / "out" / "result.json").read_text())["doubts"]}
                self.assertIn(case.id, doubts)
                self.assertIn(case.says, doubts[case.id]["words"])
                self.assertIn(case.remedy, doubts[case.id]["remedy"])
                self.assertEqual(doubts[case.id]["severity"], "serious" if case.serious else "minor")
                for path in (self.scratch / "out").iterdir():
                    path.unlink()
                (self.scratch / "out").rmdir()

    def test_stamps_in_milliseconds(self):
        self.assert_refused(["payload", "--log", self.changed(lambda t, row: row.update(t=1000 * t)), "--out", self.scratch / "out"],
                            "payload.lowpass_hz", "the log's rate of 0.1 Hz", "stamps are in ms, divide them by 1000")

    def test_a_world_whose_y_points_up_is_told(self):
        done = run_heft("payload", "--log", self.changed(y_up), "--out", self.scratch / "out", "--config",
                        self.write("down.yaml", "payload: {down: [0, -1, 0]}"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertAlmostEqual(json.loads((self.scratch / "out" / "result.json").read_text())["payload"]["mass"], 0.7893, delta=3e-3)

    def test_poses_of_one_orientation(self):
        header, first, *_ = (self.scratch / "poses.csv").read_text().splitlines()
        same = self.write("same.csv", "\n".join([header, *[first] * 6]) + "\n")
        self.assert_refused(["payload", "--log", same, "--out", self.scratch / "out"], "payload", "the same direction of gravity", "turn the sensor")

    def test_meshes(self):
        stl = (self.scratch / "hammer.stl").read_text()

        def with_vertices(change):
            return "\n".join("vertex " + " ".join(f"{change(float(x)):.9g}" for x in line.split()[1:]) if line.startswith("vertex") else line
                             for line in stl.splitlines())

        facets = stl.split("facet normal")
        flipped = "\n".join(stl.splitlines())
        for block in facets[1:]:
            vertices = [line for line in block.splitlines() if line.startswith("vertex")]
            flipped = flipped.replace("\n".join(vertices), "\n".join(reversed(vertices)))
        log, out = self.scratch / "shaken.csv", self.scratch / "out"
        for name, text, says, remedy in (("millimeters", with_vertices(lambda x: 1000 * x), "m long", "meters"),
                                         ("open", "facet normal".join([*facets[:1], *facets[3:]]), "is open", "close its holes")):
            with self.subTest(name):
                mesh = self.write("wrong.stl", text + "\n")
                self.assert_refused(["payload", "--log", log, "--shape", mesh, "--out", out], mesh, says, remedy)
        # one part of two inside out is ambiguous; all of it is not
        mesh = self.write("wrong.stl", "facet normal".join([*flipped.split("facet normal")[:13], *facets[13:]]) + "\n")
        self.assert_refused(["payload", "--log", log, "--shape", mesh, "--out", out], mesh, "inside out", "flip the normals")
        mesh = self.write("wrong.stl", flipped + "\n")
        done = run_heft("payload", "--log", log, "--shape", mesh, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("mesh-inside-out", done.stdout)
        self.assertIn("negative volume", done.stdout)

    def test_a_wrench_that_is_late(self):
        with (self.scratch / "shaken.csv").open() as file:
            header, *rows = csv.reader(file)
        at = header.index("fx")
        late = [row[:at] + rows[max(k - 5, 0)][at:] for k, row in enumerate(rows)]
        log = self.write("late.csv", "\n".join(",".join(row) for row in [header, *late]) + "\n")
        done = run_heft("payload", "--log", log, "--out", self.scratch / "late")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("later than the corresponding motion", done.stdout)
        self.assertRegex(done.stdout, r"payload.wrench_delay_s: 0\.0(49|5)")
        for delay in ("0.05", "auto"):
            done = run_heft("payload", "--log", log, "--out", self.scratch / "corrected", "--config",
                            self.write("delay.yaml", f"payload: {{wrench_delay_s: {delay}}}"))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            result = json.loads((self.scratch / "corrected" / "result.json").read_text())
            self.assertAlmostEqual(result["logs"][0]["wrench_delay_s"], 0.05, delta=0.002)
