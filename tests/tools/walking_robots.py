"""Robots that walk: wrenches on feet, an IMU or poses of the base, mass and center of mass of the whole robot."""

import csv
import json
import math
import sys
import unittest.mock

from heft_program import SOURCE, HeftTestCase, run_heft
from schema_walk import wrong_places

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import biped_log  # noqa: E402

FORCES = ("fx", "fy", "fz", "nx", "ny", "nz")
WRENCH = """\
  - name: {side}
    frame: {side}_foot
    columns: [{columns}]
    bias: true
"""
CONFIG = """\
robot: {floating_base: true}
base: {source: imu, frame: imu, gyro: [imu_wx, imu_wy, imu_wz], accel: [imu_ax, imu_ay, imu_az]}
conditioning: {lowpass_hz: 40, torque_lowpass_hz: 10, filter_rows: true, keep_every: 5}
estimation: {bootstrap: 60, seek_faults: false}
wrenches:
""" + "".join(WRENCH.format(side=side, columns=", ".join(f"{side}_{x}" for x in FORCES)) for side in ("left", "right"))

BASE_RULES = {"contact-delay", "quaternion-order", "wrench-reversed", "wrench-axes", "wrench-delay", "wrench-missing", "imu-rotated", "contacts-unmeasured", "contact-state"}


def true_com():
    """Of the demo's robot with all joints at zero, in the axes of the trunk."""
    parts = [(biped_log.TRUNK[3], biped_log.TRUNK[4])]
    for side in (1, -1):
        place = [0, 0, 0]
        for link in biped_log.leg_links(side):
            place = biped_log.add(place, link[2])
            parts.append((link[3], biped_log.add(place, link[4])))
    return [sum(mass * com[k] for mass, com in parts) / biped_log.total_mass() for k in range(3)]


class WalkingRobot(HeftTestCase):
    robot = logs = None

    def setUp(self):
        super().setUp()
        self.robot = self.write("biped.urdf", biped_log.urdf())
        if WalkingRobot.logs is None:
            WalkingRobot.logs = [biped_log.log(1), biped_log.log(2)]
        self.train, self.held_out = (self.write(name, text) for name, text in zip(("train.csv", "held_out.csv"), self.logs))

    def command(self, config, *more):
        return ["identify", "--robot", self.robot, "--config", self.write("biped.yaml", config), "--log", self.train,
                "--out", self.scratch / "result", *map(str, more)]

    def walk(self, config, *more):
        done = run_heft(*self.command(config, "--validate", self.held_out, *more))
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return done.stdout, json.loads((self.scratch / "result" / "result.json").read_text())

    def found(self, config, robot=None, log=None):
        """The findings of BASE_RULES by name."""
        out = self.scratch / "check.json"
        run_heft("check", "--robot", robot or self.robot, "--log", log or self.train, "--config", self.write("biped.yaml", config),
                 "--json", out)
        findings = json.loads(out.read_text())["findings"]
        return {finding["name"]: finding for finding in findings if finding["name"] in BASE_RULES}


class Wrenches(WalkingRobot):
    def test_reveal_the_whole_robot(self):
        words, result = self.walk(CONFIG)
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "result.schema.json"), [])
        self.assertLess(result["validation"]["overall_relative"], 0.04)
        whole, mass = result["whole"], biped_log.total_mass()
        self.assertAlmostEqual(whole["mass"] / mass, 1, delta=0.01)
        self.assertTrue(whole["mass_interval"][0] <= mass <= whole["mass_interval"][1], whole)
        for value, truth in zip(whole["com"], true_com()):
            self.assertAlmostEqual(value, truth, delta=0.004)
        self.assertEqual(whole["frame"], "trunk")
        self.assertIn("whole robot: ", words)
        columns = {column["name"]: column["value"] for column in result["columns"]}
        # a constant force that is too large carries weight, which only one of the feet's biases cannot do
        for k, component in enumerate(FORCES[3:], 3):
            self.assertAlmostEqual(columns[f"bias left {component}"], biped_log.FOOT_BIAS[0][k], delta=0.15)
        self.assertEqual(result["provenance"]["options"]["wrenches"][0]["columns"][0], "left_fx")
        self.assertEqual(result["provenance"]["options"]["base"]["frame"], "imu")

    def test_flipped_sign_does_not_fit(self):
        _, good = self.walk(CONFIG)
        _, flipped = self.walk(CONFIG.replace("bias: true", "bias: true\n    sign: -1"))
        self.assertGreater(flipped["validation"]["overall_relative"], 5 * good["validation"]["overall_relative"])

    def test_foot_forces_fix_the_scale_of_gains(self):
        """Forces are known, so that gains of the joints are, too, without a weighed load."""
        gains = {f"{side}_{joint}": gain for side, of_side in (("left", (0.2, -0.15, 0.1)), ("right", (-0.1, 0.15, 0.05)))
                 for joint, gain in zip(("hip", "thigh", "shank"), of_side)}
        for path in (self.train, self.held_out):
            header, *rows = csv.reader(path.read_text().splitlines())
            factors = [1 + gains.get(name.removeprefix("tau_"), 0) for name in header]
            path.write_text("\n".join([",".join(header), *(",".join(repr(f * float(x)) for f, x in zip(factors, row)) for row in rows)]) + "\n")
        words, result = self.walk(CONFIG + "columns: [default, gain: {sd: 0.2}]\n")
        self.assertNotIn("known load", words)
        self.assertEqual({gain["joint"] for gain in result["gains"]}, set(gains))
        for gain in result["gains"]:
            self.assertTrue(gain["identifiable"], gain)
            self.assertAlmostEqual((1 + gain["value"]) / (1 + gains[gain["joint"]]), 1, delta=0.03)
        self.assertAlmostEqual(result["whole"]["mass"] / biped_log.total_mass(), 1, delta=0.01)
        # friction is drawn although the biases of the wrenches are unknowns, too
        self.assertEqual({curve["joint"] for curve in result["friction_curves"]}, set(gains))

    def test_a_fleet_finds_the_same(self):
        """An IMU's errors need the answer's inertias, also in a fleet."""
        config = CONFIG.replace("source: imu", "source: imu, rotation: true, bias: true")
        _, expected = self.walk(config)
        row = f"biped,{self.robot},{{}},,{self.scratch / 'biped.yaml'},{{}}\n"
        manifest = self.write("fleet.csv", "robot_id,robot,log,format,config,role\n" + row.format(self.train, "train") +
                              row.format(self.held_out, "validate"))
        done = run_heft("fleet", "run", manifest, "--store", self.scratch / "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((self.scratch / "store" / "results" / "biped" / "result.json").read_text())
        self.assertEqual(result["bodies"], expected["bodies"])

    def test_imu_that_is_turned(self):
        """Five degrees about the IMU's x axis, as an unknown."""
        angle = math.radians(5)
        for path in (self.train, self.held_out):
            rows = list(csv.DictReader(path.read_text().splitlines()))
            for row in rows:
                for kind in "wa":
                    y, z = (float(row[f"imu_{kind}{axis}"]) for axis in "yz")
                    row[f"imu_{kind}y"] = math.cos(angle) * y - math.sin(angle) * z
                    row[f"imu_{kind}z"] = math.sin(angle) * y + math.cos(angle) * z
            path.write_text(",".join(rows[0]) + "\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows))
        _, result = self.walk(CONFIG.replace("source: imu", "source: imu, rotation: true, bias: true"))
        columns = {column["name"]: column["value"] for column in result["columns"]}
        self.assertAlmostEqual(columns["base rotation x"], -angle, delta=math.radians(1))
        self.assertAlmostEqual(result["whole"]["mass"] / biped_log.total_mass(), 1, delta=0.015)
        self.assertLess(result["validation"]["overall_relative"], 0.05)


class BadWrenches(WalkingRobot):
    def refused(self, config, where, says, remedy=""):
        self.assert_refused(self.command(config), where, says, remedy)

    def test_unknown_frame(self):
        self.refused(CONFIG.replace("frame: left_foot", "frame: left_fot"), "wrenches: left: frame 'left_fot'",
                     "is not a link that the robot moves", "did you mean 'left_foot'?")

    def test_unknown_frame_of_the_base(self):
        self.refused(CONFIG.replace("frame: imu", "frame: left_foot"), "base.frame: 'left_foot'", "moves relative to the root link 'trunk'")

    def test_base_of_a_robot_that_stands_fixed(self):
        self.refused(CONFIG.replace("floating_base: true", "floating_base: false"), "base", "the robot has a fixed base",
                     "floating_base: true")

    def test_unknown_column(self):
        self.refused(CONFIG.replace("columns: [left_fx", "columns: [left_fxx"), "wrenches: left", "the log has no column 'left_fxx'",
                     "did you mean 'left_fx'?")

    def test_wrong_number_of_columns(self):
        self.refused(CONFIG.replace("columns: [left_fx, ", "columns: ["), f"{self.scratch / 'biped.yaml'}:8",
                     "columns must name 3 or 6 columns, not 5")

    def test_no_frame(self):
        self.refused(CONFIG.replace("    frame: left_foot\n", ""), f"{self.scratch / 'biped.yaml'}:6", "a wrench has no frame")

    def test_world_needs_the_orientation(self):
        self.refused(CONFIG.replace("bias: true", "bias: true\n    expressed_in: world"), "wrenches: left",
                     "expressed_in: world needs the orientation of the base", "base.pose")

    def test_order_of_the_quaternion(self):
        base = "base: {source: pose, pose: [imu_wx, imu_wy, imu_wz, imu_ax, imu_ay, imu_az, t]%s}"
        lines = CONFIG.splitlines()
        self.refused("\n".join([lines[0], base % "", *lines[2:]]), "base.quaternion", "is not stated", "xyzw")
        self.refused("\n".join([lines[0], base % ", quaternion: xyzw", *lines[2:]]), f"{self.train}:2",
                     "the quaternion of the base has norm", "check the columns of base.pose")

    def test_a_stretch_without_numbers(self):
        lines = self.train.read_text().splitlines()
        place = lines[0].split(",").index("left_fz")
        for k in range(2000, 2200):
            fields = lines[k].split(",")
            fields[place] = "nan"
            lines[k] = ",".join(fields)
        self.train.write_text("\n".join(lines) + "\n")
        _, result = self.walk(CONFIG)
        self.assertEqual(result["logs"]["training"][0]["segments"], 2)
        self.assertAlmostEqual(result["whole"]["mass"] / biped_log.total_mass(), 1, delta=0.01)


class Doubts(WalkingRobot):
    """Mistakes that the six equations of the base tell, each with a remedy that works."""

    def rewritten(self, change):
        """The training log with `change(row)` on every row, a dictionary of numbers."""
        rows = [{name: float(x) for name, x in row.items()} for row in csv.DictReader(self.train.read_text().splitlines())]
        for row in rows:
            change(row)
        return self.write("changed.csv", ",".join(rows[0]) + "\n" +
                          "".join(",".join(f"{x:.7g}" for x in row.values()) + "\n" for row in rows))

    def only(self, findings, name):
        self.assertEqual(set(findings), {name}, findings)
        return findings[name]

    def test_a_sound_log_has_none(self):
        self.assertEqual(self.found(CONFIG), {})

    def test_one_foot_reversed(self):
        right = CONFIG.rindex("bias: true")
        finding = self.only(self.found(CONFIG[:right] + "sign: -1\n    " + CONFIG[right:]), "wrench-reversed")
        self.assertIn("'right'", finding["subject"])
        self.assertNotIn("'left'", finding["subject"])
        self.assertIn("change sign of 'right'", finding["remedy"])

    def test_all_feet_reversed(self):
        finding = self.only(self.found(CONFIG.replace("bias: true", "sign: -1")), "wrench-reversed")
        self.assertIn("'left', 'right'", finding["subject"])

    def test_forces_in_the_axes_of_the_body(self):
        def turn(row):
            for side in ("left", "right"):
                R = biped_log.turn((1, 0, 0), row[f"q_{side}_hip"])
                for joint in ("thigh", "shank"):
                    R = biped_log.product(R, biped_log.turn((0, 1, 0), row[f"q_{side}_{joint}"]))
                for kind in "fn":
                    names = [f"{side}_{kind}{x}" for x in "xyz"]
                    row.update(zip(names, biped_log.times(R, [row[name] for name in names])))
        log = self.rewritten(turn)
        finding = self.only(self.found(CONFIG, log=log), "wrench-axes")
        self.assertIn("of the root link", finding["what"])
        self.assertIn("'left', 'right'", finding["remedy"])

    def test_imu_upside_down(self):
        """Its axes are turned by 180 degrees about x in the URDF, which a log of an IMU with the trunk's axes contradicts."""
        def turn(row):
            for name in ("imu_wy", "imu_wz", "imu_ay", "imu_az"):
                row[name] *= -1
        log = self.rewritten(turn)
        finding = self.only(self.found(CONFIG, log=log), "imu-rotated")
        self.assertEqual(finding["measure"], 180)
        self.assertIn("rpy 0 0 0 degrees", finding["remedy"])
        mounted = self.write("mounted.urdf", biped_log.urdf().replace("3.14159265358979 0 0", "0 0 0"))
        self.assertEqual(self.found(CONFIG, robot=mounted, log=log), {})

    def test_a_foot_that_is_not_listed(self):
        finding = self.only(self.found(CONFIG[:CONFIG.index("  - name: right")]), "wrench-missing")
        self.assertIn("add the wrench at right_foot to wrenches, list it under contacts", finding["remedy"])

    def test_forces_with_a_late_clock(self):
        """The trunk turns twice as fast, so that 120 ms matter."""
        class Quick(biped_log.Walk):
            def __init__(self, seed, still):
                super().__init__(seed, still)
                for wave in self.angles:
                    wave.parts = [(size, 2 * w, phase) for size, w, phase in wave.parts]

        with unittest.mock.patch.object(biped_log, "Walk", Quick):
            rows = [row.split(",") for row in biped_log.log(1).splitlines()]
        first = rows[0].index("left_fx")
        for late, expected in ((0, None), (24, 0.12)):
            shifted = [rows[0]] + [rows[k][:first] + rows[max(1, k - late)][first:] for k in range(1, len(rows))]
            found = self.found(CONFIG, log=self.write("late.csv", "\n".join(",".join(row) for row in shifted) + "\n"))
            if expected is None:
                self.assertEqual(found, {})
            else:
                self.assertAlmostEqual(self.only(found, "wrench-delay")["measure"], expected, delta=0.011)

    def test_a_robot_that_stands_without_wrenches(self):
        config = CONFIG[:CONFIG.index("wrenches:")]
        finding = self.only(self.found(config), "contacts-unmeasured")
        self.assertIn("left_foot", finding["what"])
        words, _ = self.walk(config.replace("seek_faults: false", "seek_faults: true"))
        self.assertRegex(words, "doubt:  .*the robot stands: forces at left_foot, right_foot")
