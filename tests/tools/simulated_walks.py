"""Logs of `heft simulate` for floating bases: columns, drive effects, errors, and what identification finds in them."""

import csv
import json
import math
import sys
from random import Random
from xml.etree import ElementTree

from heft_program import SOURCE, HeftTestCase, demo_log, run_heft

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import biped_log  # noqa: E402

SIDES = ("left", "right")
FORCES = ("fx", "fy", "fz", "nx", "ny", "nz")
BASE = """\
robot: {floating_base: true}
base: {source: imu, frame: imu, gyro: [imu_wx, imu_wy, imu_wz], accel: [imu_ax, imu_ay, imu_az], bias: true}
conditioning: {lowpass_hz: 40, torque_lowpass_hz: 10, filter_rows: true, keep_every: 5}
estimation: {bootstrap: 60, seek_faults: false}
"""
WRENCHES = "wrenches:\n" + "".join(
    f"  - {{name: {side}, frame: {side}_foot, columns: [{', '.join(f'{side}_{x}' for x in FORCES)}], bias: true}}\n" for side in SIDES)
CONTACTS = "contacts:\n" + "".join(f"  - {{frame: {side}_foot, type: plane, state: {side}_on}}\n" for side in SIDES)


class SimulatedWalk(HeftTestCase):
    def setUp(self):
        super().setUp()
        self.robot = self.write("biped.urdf", biped_log.urdf())

    def simulate_command(self, config, *flags):
        return ["simulate", "--robot", self.robot, "--config", self.write("biped.yaml", config), "--rate", 200,
                *([] if "--duration" in flags else ["--duration", 10]), "--held-out", 5,
                *([] if "--perturbation" in flags else ["--perturbation", 0.1]), "--friction", 0.01, "--out", self.scratch / "walk", *flags]

    def simulate(self, config, *flags):
        done = run_heft(*self.simulate_command(config, *flags))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.scratch / "walk"

    def columns(self, config, *flags):
        """Columns of a training log."""
        rows = list(csv.DictReader((self.simulate(config, *flags) / "train.csv").read_text().splitlines()))
        return {name: [float(row[name]) for row in rows] for name in rows[0]}

    def identified(self, config, *flags):
        folder = self.scratch / "walk"
        done = run_heft("identify", "--robot", self.robot, "--config", self.write("read.yaml", config), "--log", folder / "train.csv",
                        "--validate", folder / "held_out.csv", "--out", self.scratch / "result", *flags)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return json.loads((self.scratch / "result" / "result.json").read_text())

    def assert_whole(self, result, mass=0.01, com=0.004):
        truth = json.loads((self.scratch / "walk" / "truth.json").read_text())["whole"]
        found = result["whole"]
        self.assertEqual(found["frame"], truth["frame"])
        self.assertAlmostEqual(found["mass"] / truth["mass"], 1, delta=mass)
        for value, expected in zip(found["com"], truth["com"]):
            self.assertAlmostEqual(value, expected, delta=com)
        return truth, found


class Columns(SimulatedWalk):
    def test_are_those_of_the_configuration(self):
        columns = self.columns(BASE + WRENCHES + CONTACTS)
        self.assertEqual(list(columns), ["t", *(f"q_{joint}" for joint in biped_log.JOINTS), *(f"tau_{joint}" for joint in biped_log.JOINTS),
                                         *(f"imu_w{x}" for x in "xyz"), *(f"imu_a{x}" for x in "xyz"),
                                         *(f"{side}_{x}" for side in SIDES for x in FORCES), "left_on", "right_on"])

    def test_feet_carry_the_robot(self):
        columns = self.columns(BASE + WRENCHES + CONTACTS, "--wrench-noise", 0, "--wrench-bias", 0, "--gait", "step")
        weight = 9.81 * json.loads((self.scratch / "walk" / "truth.json").read_text())["whole"]["mass"]
        sizes = [[math.hypot(*(columns[f"{side}_{x}"][k] for x in FORCES[:3])) for k in range(len(columns["t"]))] for side in SIDES]
        self.assertAlmostEqual(sum(map(sum, sizes)) / len(columns["t"]) / weight, 1, delta=0.3)
        for side, of_side in zip(SIDES, sizes):
            flags = columns[f"{side}_on"]
            self.assertTrue(0.5 < sum(flags) / len(flags) < 0.9)
            self.assertTrue(all((size > 0) == (flag == 1) for size, flag in zip(of_side, flags)))

    def test_late_flags(self):
        on_time = self.columns(BASE + CONTACTS, "--gait", "step")["left_on"]
        late = self.columns(BASE + CONTACTS, "--gait", "step", "--contact-delay", 0.04)["left_on"]
        self.assertEqual(late[8:], on_time[:-8])
        self.assertNotEqual(late, on_time)

    def test_forces_of_a_threshold(self):
        config = BASE + ("contacts:\n  - {frame: left_foot, state: {force: [left_cell], threshold: 20}}\n"
                         "  - {frame: right_foot, state: {force: [ax, ay, az], threshold: 20}}\n  - {frame: right_shank, state: auto}\n")
        columns = self.columns(config)
        self.assertEqual(list(columns)[-4:], ["left_cell", "ax", "ay", "az"])
        self.assertTrue(all(force > 0 for force in columns["left_cell"]))

    def test_two_forces_of_a_threshold_have_the_size_of_the_force(self):
        columns = self.columns(BASE + WRENCHES + "contacts:\n  - {frame: left_foot, state: {force: [along, across], threshold: 20}}\n",
                               "--wrench-noise", 0, "--wrench-bias", 0)
        for along, across, *force in zip(*(columns[name] for name in ("along", "across", "left_fx", "left_fy", "left_fz"))):
            self.assertAlmostEqual(math.hypot(along, across), math.hypot(*force), delta=1e-5)

    def test_wrenches_in_the_world(self):
        pose = BASE.replace("bias: true}", "bias: true, pose: [x, y, z, qw, qx, qy, qz], quaternion: wxyz}")
        turned = pose + WRENCHES.replace("bias: true", "expressed_in: world, sign: -1")
        columns = self.columns(turned, "--wrench-noise", 0, "--wrench-bias", 0, "--tilt", 0.3)
        weight = 9.81 * json.loads((self.scratch / "walk" / "truth.json").read_text())["whole"]["mass"]
        for name, share in (("fx", 0), ("fy", 0), ("fz", -1)):
            mean = sum(sum(columns[f"{side}_{name}"]) for side in SIDES) / len(columns["t"])
            self.assertAlmostEqual(mean / weight, share, delta=0.1)
        for row in zip(*(columns[f"q{x}"] for x in "wxyz")):
            self.assertAlmostEqual(sum(x * x for x in row), 1, places=7)
        self.assert_whole(self.identified(turned))

    def test_same_seed_same_biases(self):
        """The error of the mean accelerometer is the same in both logs of a robot that stands still."""
        flags = ["--sway", 0, "--tilt", 0, "--accel-noise", 0, "--gyro-noise", 0, "--gyro-bias", 0.1, "--speed", 1e-3]
        folder = self.simulate(BASE + CONTACTS, *flags)
        means = []
        for name in ("train.csv", "held_out.csv"):
            rows = list(csv.DictReader((folder / name).read_text().splitlines()))
            means.append([sum(float(row[f"imu_w{x}"]) for row in rows) / len(rows) for x in "xyz"])
        for first, second in zip(*means):
            self.assertAlmostEqual(first, second, delta=2e-3)
        self.assertGreater(max(map(abs, means[0])), 0.02)

    def test_a_rope_and_a_sensor_at_the_base(self):
        hung = self.columns(BASE, "--gait", "hung")
        self.assertTrue(all(math.isnan(x) for x in hung["tau_base_fz"]))
        mounted = self.columns(BASE, "--gait", "mounted")
        self.assertFalse(any(math.isnan(x) for x in mounted["tau_base_fz"]))

    def test_drive_effects(self):
        plain, slow = (self.columns(BASE + WRENCHES, "--torque-noise", 0, "--encoder-counts", 0, *flags)
                       for flags in ((), ("--torque-lowpass", 5)))
        share = 1 - math.exp(-2 * math.pi * 5 / 200)
        for joint in biped_log.JOINTS:
            at = plain[f"tau_{joint}"][0]
            for torque, logged in zip(plain[f"tau_{joint}"], slow[f"tau_{joint}"]):
                at += share * (torque - at)
                self.assertAlmostEqual(logged, at, delta=2e-6 * max(map(abs, plain[f"tau_{joint}"])))
        loose = self.columns(BASE + WRENCHES, "--torque-noise", 0, "--encoder-counts", 0, "--backlash", 0.02)
        coarse = self.columns(BASE + WRENCHES, "--torque-noise", 0, "--encoder-counts", 100)
        drifted = self.columns(BASE + WRENCHES, "--torque-noise", 0, "--encoder-counts", 0, "--friction-drift", 0.5)
        for joint in biped_log.JOINTS:
            self.assertNotEqual(drifted[f"tau_{joint}"], plain[f"tau_{joint}"])
            for q, ahead, step, torque in zip(*(log[f"q_{joint}"] for log in (plain, loose, coarse)), plain[f"tau_{joint}"]):
                self.assertAlmostEqual(ahead, q + math.copysign(0.01, torque), delta=1e-7)
                self.assertAlmostEqual(step, 2 * math.pi / 100 * round(q * 100 / (2 * math.pi)), delta=1e-7)
        for name in ("imu_wx", "imu_az", "left_fz"):
            self.assertEqual(plain[name], slow[name])


class RoundTrip(SimulatedWalk):
    def test_measured_wrenches(self):
        for gait in ("stance", "step", "flight"):
            with self.subTest(gait):
                self.simulate(BASE + WRENCHES, "--gait", gait, "--duration", 20)
                truth, found = self.assert_whole(self.identified(BASE + WRENCHES))
                self.assertTrue(found["mass_interval"][0] <= truth["mass"] <= found["mass_interval"][1], (truth, found))

    def test_feet_without_sensors(self):
        self.simulate(BASE + CONTACTS, "--gait", "step", "--duration", 20)
        self.assert_whole(self.identified(BASE + CONTACTS), 0.02, 0.006)

    def test_poses(self):
        config = BASE.replace("base: {source: imu, frame: imu, gyro: [imu_wx, imu_wy, imu_wz], accel: [imu_ax, imu_ay, imu_az], bias: true}",
                              "base: {source: pose, frame: imu, pose: [x, y, z, qx, qy, qz, qw], quaternion: xyzw}") + WRENCHES
        self.simulate(config, "--duration", 20)
        self.assert_whole(self.identified(config))

    def test_mounted_on_a_sensor(self):
        config = BASE.replace(", bias: true", "")
        self.simulate(config, "--gait", "mounted", "--accel-bias", 0, "--gyro-bias", 0)
        self.assert_whole(self.identified(config))

    def test_an_imu_that_is_rotated(self):
        self.simulate(BASE + WRENCHES, "--gait", "step", "--imu-rotation", 4, "--duration", 20)
        config = BASE.replace("bias: true", "bias: true, rotation: true") + WRENCHES
        result = self.identified(config)
        self.assert_whole(result, 0.015, 0.006)
        values = {column["name"]: column["value"] for column in result["columns"]}
        angle = math.degrees(math.hypot(*(values[f"base rotation {x}"] for x in "xyz")))
        self.assertAlmostEqual(angle, 4, delta=1)


class NoiseOfTheImu(SimulatedWalk):
    """Noise of the IMU makes accelerations look larger and masses smaller (errors in variables)."""

    def mass(self, *noise):
        """Error of the mass of a robot that stands, and half the width of its interval, relative to the mass."""
        config = BASE.replace("bootstrap: 60", "bootstrap: 0") + WRENCHES
        truth = json.loads((self.simulate(config, "--duration", 8, *noise) / "truth.json").read_text())["whole"]
        found = self.identified(config)["whole"]
        lower, upper = found["mass_interval"]
        return found["mass"] / truth["mass"] - 1, 0.5 * (upper - lower) / truth["mass"]

    def test_intervals_of_the_whole_robot_include_its_bias(self):
        """Without it, half-widths are 0.6 times the errors."""
        for noise in (("--accel-noise", 0.5), ("--gyro-noise", 0.1)):
            with self.subTest(noise):
                error, half_width = self.mass(*noise)
                self.assertLess(error, -0.025)
                self.assertTrue(1 < half_width / -error < 3, (error, half_width))

    def test_it_is_small_with_little_noise(self):
        error, half_width = self.mass()
        self.assertTrue(abs(error) < half_width < 0.01, (error, half_width))

    def test_a_fixed_base_has_none(self):
        """Although the log has noisy columns with the names of an IMU."""
        header, *rows = demo_log("train.csv").read_text().splitlines()
        names = [f"base_{kind}{x}" for kind in "wf" for x in "xyz"]
        random = Random(3)
        noisy = [",".join([row, *(f"{random.gauss(0, 1):.5f}" for _ in names)]) for row in rows]
        log = self.write("with_imu.csv", "\n".join([",".join([header, *names]), *noisy]) + "\n")
        plain, with_imu = (self.identify("--validate", demo_log("held_out.csv"), log=path, out=out)
                           for path, out in ((None, "plain"), (log, "with_imu")))
        self.assertNotIn("whole", plain)
        self.assertEqual(*({name: part for name, part in result.items() if name not in ("logs", "timings", "provenance", "reading")}
                           for result in (plain, with_imu)))


class BadSimulations(SimulatedWalk):
    def refused(self, config, flags, where, says, remedy=""):
        self.assert_refused(self.simulate_command(config, *flags), where, says, remedy)

    def test_feet_are_missing(self):
        self.refused(BASE, (), "--gait", "stance needs at least 1 foot, not 0", "name the feet")
        self.refused(BASE + WRENCHES[:WRENCHES.index("  - {name: right")], ("--gait", "step"), "--gait", "step needs at least 2 feet, not 1")

    def test_feet_without_soles(self):
        points = CONTACTS.replace("type: plane", "type: point")
        self.refused(BASE + points, ("--gait", "step", "--speed", 0.3), "--gait", "the robot falls at", "type: plane")
        self.simulate(BASE + CONTACTS, "--gait", "step", "--speed", 0.3)

    def test_too_few_rows_of_a_motion(self):
        for gait in ("hung", "mounted"):
            self.refused(BASE, ("--gait", gait, "--motion", self.motion(2)), "motion", "has too few rows", "at least 20 rows per second")
            self.simulate(BASE, "--gait", gait, "--motion", self.motion(20))

    def motion(self, rate_hz):
        """A motion of all joints for 20 s."""
        joints = [joint.get("name") for joint in ElementTree.parse(self.robot).iter("joint") if joint.get("type") == "revolute"]
        rows = [[row / rate_hz, *(0.1 * math.sin(0.3 * row / rate_hz + k) for k in range(len(joints)))] for row in range(20 * rate_hz)]
        lines = [",".join(["t", *(f"q_{joint}" for joint in joints)]), *(",".join(f"{x:.9g}" for x in row) for row in rows)]
        return self.write(f"motion_{rate_hz}.csv", "\n".join(lines) + "\n")

    def test_unknown_frame(self):
        self.refused(BASE + WRENCHES.replace("frame: left_foot", "frame: left_fot"), (), "wrenches: left: frame 'left_fot'",
                     "is not a link that the robot moves", "did you mean 'left_foot'?")

    def test_unknown_gait(self):
        self.refused(BASE + WRENCHES, ("--gait", "walk"), "--gait", "unknown choice 'walk'", "stance, step, trot")

    def test_fixed_base(self):
        fixed = "robot: {floating_base: false}\n"
        self.refused(fixed, ("--gait", "hung"), "--gait", "only robots with a floating base", "floating_base: true")

    def test_columns_with_two_meanings(self):
        self.refused(BASE + WRENCHES.replace("right_fz", "left_fz"), (), "column 'left_fz'", "is named for two quantities")
        self.refused(BASE + WRENCHES.replace("right_fz", "tau_left_hip"), (), "column 'tau_left_hip'", "is named for two quantities")

    def test_bad_numbers(self):
        for flag, value in (("--tilt", "-1"), ("--gyro-noise", "nan"), ("--contact-delay", "2"), ("--imu-rotation", "inf")):
            self.refused(BASE + WRENCHES, (flag, value), flag, "is out of range")

    def test_latency(self):
        self.refused(BASE + WRENCHES, ("--latency", "0.001"), "--latency", "is not supported with a floating base")

    def test_pose_without_an_order(self):
        self.refused(BASE.replace("bias: true}", "pose: [x, y, z, a, b, c, d]}") + WRENCHES, (), "base.quaternion", "is not stated")


class LateFlags(SimulatedWalk):
    """The rule contact-delay of heft check, on a robot that steps."""

    def findings(self, late_s, gait="step"):
        self.simulate(BASE + CONTACTS, "--gait", gait, "--duration", 20, "--contact-delay", late_s)
        return self.contact_findings()

    def contact_findings(self):
        out = self.scratch / "check.json"
        run_heft("check", "--robot", self.robot, "--log", self.scratch / "walk" / "train.csv", "--config",
                 self.write("read.yaml", BASE + CONTACTS), "--json", out)
        return [finding for finding in json.loads(out.read_text())["findings"] if finding["name"].startswith("contact")]

    def change_flags(self, change, columns=("left_on", "right_on")):
        """Replaces flags of the simulated log by `change` of them, a list of numbers."""
        log = self.scratch / "walk" / "train.csv"
        header, *rows = [line.split(",") for line in log.read_text().splitlines()]
        for k in map(header.index, columns):
            for row, flag in zip(rows, change([float(row[k]) for row in rows])):
                row[k] = f"{flag:g}"
        log.write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n")

    def assert_delay(self, findings, late_s):
        (finding,) = findings
        self.assertEqual(finding["name"], "contact-delay")
        self.assertAlmostEqual(finding["measure"], late_s, delta=0.006)

    def test_flags_in_time_have_no_finding(self):
        for gait in ("stance", "step", "flight"):
            self.assertEqual(self.findings(0, gait), [], gait)

    def test_the_delay_is_estimated(self):
        for late_s, severity in ((0.02, "warning"), (0.04, "error"), (0.06, "error")):
            with self.subTest(late_s):
                (finding,) = self.findings(late_s)
                self.assertEqual((finding["name"], finding["severity"]), ("contact-delay", severity))
                self.assertAlmostEqual(finding["measure"], late_s, delta=0.012)

    def test_long_delays_are_not_underestimated(self):
        for late_s in (0.1, 0.14):
            with self.subTest(late_s):
                self.assert_delay(self.findings(late_s), late_s)

    def test_delays_beyond_those_estimated_have_no_wrong_estimate(self):
        for late_s in (0.2, 0.3, 0.45):
            self.assertNotIn("contact-delay", [finding["name"] for finding in self.findings(late_s)], late_s)

    def test_plane_feet_show_the_delay_or_nothing(self):
        """Forces at the origins of plane feet explain the joint torques badly."""
        for late_s in (0, 0.02, 0.06):
            for finding in self.findings(late_s, "trot"):
                if finding["name"] == "contact-delay":
                    self.assertAlmostEqual(finding["measure"], late_s, delta=0.006)
                    self.assertNotEqual(late_s, 0)

    def test_short_flights(self):
        """The delay is as long as most of a flight."""
        for late_s in (0.02, 0.06, 0.1):
            with self.subTest(late_s):
                self.assert_delay(self.findings(late_s, "flight"), late_s)

    def test_early_flags(self):
        self.findings(0)
        self.change_flags(lambda flags: flags[4:] + flags[-1:] * 4)
        self.assert_delay(self.contact_findings(), -0.02)

    def test_flags_that_chatter_at_touchdown(self):
        def chattering(flags):
            touchdowns = [i for i in range(1, len(flags) - 4) if flags[i] and not flags[i - 1]]
            gaps = {i + k for i in touchdowns for k in (2, 3)}
            return [0 if i in gaps else flag for i, flag in enumerate(flags)]

        self.findings(0)
        self.change_flags(chattering)
        self.assertEqual(self.contact_findings(), [])
        self.findings(0.04)
        self.change_flags(chattering)
        self.assert_delay(self.contact_findings(), 0.04)

    def test_a_foot_that_always_touches(self):
        """The other foot shows the delay."""
        self.findings(0.06, "flight")
        self.change_flags(lambda flags: [1] * len(flags), ["right_on"])
        self.assert_delay(self.contact_findings(), 0.06)

    def test_inverted_flags_are_not_late(self):
        for columns in (("left_on",), ("left_on", "right_on")):
            self.findings(0)
            self.change_flags(lambda flags: [1 - flag for flag in flags], columns)
            self.assertEqual([finding["name"] for finding in self.contact_findings()], ["contact-state"] * len(columns))

    def test_the_remedy_works(self):
        self.simulate(BASE + CONTACTS, "--gait", "step", "--duration", 20)
        in_time = self.identified(BASE + CONTACTS)["validation"]["overall_relative"]
        (finding,) = self.findings(0.06)
        late = self.identified(BASE + CONTACTS)["validation"]["overall_relative"]
        widened = finding["remedy"].split("set ")[1].split(" in contacts")[0]
        remedied = self.identified(BASE + CONTACTS.replace("_on}", f"_on, {widened}}}"))
        self.assertGreater(late, 3 * in_time)
        self.assertLess(remedied["validation"]["overall_relative"], 1.15 * in_time)
        self.assert_whole(remedied, 0.02, 0.006)


class BadLogs(SimulatedWalk):
    """Mistakes in simulated logs that heft check names."""

    def findings(self, config):
        out = self.scratch / "check.json"
        run_heft("check", "--robot", self.robot, "--log", self.scratch / "walk" / "train.csv", "--config", self.write("read.yaml", config),
                 "--json", out)
        return {finding["name"]: finding for finding in json.loads(out.read_text())["findings"] if finding["name"] != "base-moves"}

    def test_quaternions_in_another_order(self):
        imu = BASE.replace("bias: true}", "pose: [x, y, z, qx, qy, qz, qw], quaternion: xyzw}")
        poses = "base: {source: pose, frame: imu, pose: [x, y, z, qx, qy, qz, qw], quaternion: xyzw}"
        for base, feet in ((imu, WRENCHES.replace("bias: true", "expressed_in: world")),
                           (imu.replace(imu.splitlines()[1], poses), WRENCHES)):
            with self.subTest(base):
                self.simulate(base + feet)
                self.assertEqual(self.findings(base + feet), {})
                findings = self.findings(base.replace("xyzw", "wxyz") + feet)
                self.assertEqual(set(findings), {"quaternion-order"})
                self.assertEqual(findings["quaternion-order"]["remedy"], "set base.quaternion: xyzw")


class Payload(SimulatedWalk):
    """heft payload --model with the model of a robot that steps: 0.8 kg at (20, 10, 50) mm of a link."""

    LOAD = ('<link name="load"><inertial><origin xyz="0.02 0.01 0.05"/><mass value="0.8"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" '
            'iyz="0" izz="0.001"/></inertial></link><joint name="load_joint" type="fixed"><parent link="{}"/><child link="load"/></joint></robot>')

    def test_on_measured_and_unmeasured_feet(self):
        flags = ["--gait", "step", "--perturbation", 0, "--accel-bias", 0, "--gyro-bias", 0, "--wrench-bias", 0, "--wrench-noise", 0.005,
                 "--duration", 20]
        for feet in (WRENCHES.replace(", bias: true", ""), CONTACTS):
            config = BASE.replace(", bias: true", "") + feet
            self.robot.write_text(biped_log.urdf())
            self.simulate(config, *flags)
            self.identified(config)
            for link in ("right_shank", "trunk"):
                with self.subTest((link, feet)):
                    self.robot.write_text(biped_log.urdf().replace("</robot>", self.LOAD.format(link)))
                    self.simulate(config, *flags, "--trajectory-seed", 5)
                    done = run_heft("payload", "--model", self.scratch / "result", "--link", link, "--log", self.scratch / "walk" / "train.csv",
                                    "--out", self.scratch / "payload")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    payload = json.loads((self.scratch / "payload" / "result.json").read_text())["payload"]
                    self.assertAlmostEqual(payload["mass"], 0.8, delta=0.03)
                    for value, expected in zip(payload["com"], (0.02, 0.01, 0.05)):
                        self.assertAlmostEqual(value, expected, delta=0.012)


class ImuNoise(SimulatedWalk):
    """Noise of the IMU in the intervals of the whole robot."""

    FLAGS = ("--gait", "step", "--seed", 1)

    def half_width(self, options, *logs, base=BASE, kinds=""):
        config = base.replace("bootstrap: 60", f"bootstrap: 0, {options}") + WRENCHES + kinds
        done = run_heft("identify", "--robot", self.robot, "--config", self.write("read.yaml", config),
                        *(word for log in logs for word in ("--log", log)), "--out", self.scratch / "result")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        result = json.loads((self.scratch / "result" / "result.json").read_text())
        self.assertIn("errors of time and IMU", result["timings"])
        low, high = result["whole"]["mass_interval"]
        return (high - low) / 2

    def test_a_log_without_weight_does_not_count(self):
        log, noisy = self.simulate(BASE + WRENCHES, *self.FLAGS) / "train.csv", self.scratch / "noisy.csv"
        log = log.rename(self.scratch / "log.csv")
        self.simulate(BASE + WRENCHES, *self.FLAGS, "--accel-noise", 3, "--gyro-noise", 0.3)
        (self.scratch / "walk" / "train.csv").rename(noisy)
        alone = self.half_width("log_weights: equal", log)
        with_noisy = self.half_width("log_weights: equal", log, noisy,
                                     kinds="log_kinds: [{kind: noisy, logs: [noisy.csv], weight: 1.0e-6}]\n")
        self.assertAlmostEqual(with_noisy / alone, 1, delta=0.3)

    def test_whitened_rows_have_no_effects_of_rows_that_are_not(self):
        log = self.simulate(BASE + WRENCHES, *self.FLAGS) / "train.csv"
        plain_filter = BASE.replace("filter_rows: true, ", "")
        self.assertLess(self.half_width("channel_covariance: full", log, base=plain_filter),
                        2 * self.half_width("channel_covariance: diagonal", log))
