"""`heft check --robot --log`: torques that are reversed, permuted, late, of another size or of other joints are named."""

import json
import math
import pathlib

from heft_program import ARM, JOINTS, run_heft
from test_check_log import POSITIONS, TORQUES, LogCase, Table, joined, simulated


class BrokenTorques(LogCase):
    def test_signs_and_order(self):
        def swap_all(table):
            table.swap("q_joint_2", "q_joint_4")
            table.swap("tau_joint_2", "tau_joint_4")

        self.assert_named([
            (lambda t: t.scale(-1, "tau_joint_2"), {("torque-reversed", "tau_joint_2")}),
            (lambda t: t.scale(-1, "tau_joint_1"), {("torque-reversed", "tau_joint_1")}),
            (lambda t: t.scale(-1, *(f"tau_{joint}" for joint in JOINTS)), {("torque-reversed", "all torques")}),
            (lambda t: t.scale(-1, *POSITIONS), {("position-reversed", "all positions")}),
            (lambda t: t.scale(-1, *POSITIONS, *TORQUES), {("joint-reversed", "all joints")}),
            (lambda t: t.scale(-1, "q_joint_4"), {("position-reversed", "q_joint_4")}),
            (lambda t: t.scale(-1, "q_joint_2", "tau_joint_2"), {("joint-reversed", "q_joint_2")}),
            (lambda t: t.swap("tau_joint_2", "tau_joint_4"), {("torques-swapped", joined("tau", 2, 4))}),
            (lambda t: t.swap("q_joint_2", "q_joint_4"), {("positions-swapped", joined("q", 2, 4))}),
            (swap_all, {("joints-swapped", joined("q", 2, 4))}),
            (lambda t: (t.scale(-1, "tau_joint_1"), t.scale(-1, "tau_joint_4")),
             {("torque-reversed", "tau_joint_1"), ("torque-reversed", "tau_joint_4")}),
        ])

    def test_weight_tells_which_column_of_a_vertical_slide_is_reversed(self):
        robot = self.write("slide.urdf", """<robot name="slide"><link name="base"/>
  <link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="4"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.08" iyz="0" izz="0.08"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="3" effort="80"/></joint>
  <link name="quill"><inertial><origin xyz="0 0 -0.1"/><mass value="2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.002"/></inertial></link>
  <joint name="lift" type="prismatic"><parent link="arm"/><child link="quill"/><origin xyz="0.4 0 0"/><axis xyz="0 0 -1"/>
    <limit lower="-0.2" upper="0.2" velocity="1" effort="100"/></joint>
</robot>""")
        logs = self.scratch / "slide"
        self.assertEqual(run_heft("simulate", "--robot", robot, "--duration", 16, "--rate", 250, "--out", logs).returncode, 0)
        for column, name in (("q_lift", "position-reversed"), ("tau_lift", "torque-reversed")):
            table = Table((logs / "train.csv").read_text())
            table.scale(-1, column)
            findings = self.check(table.write(self.scratch / "reversed.csv"), robot=robot)
            self.assertEqual([(f["name"], f["subject"]) for f in findings if f["severity"] == "error"], [(name, column)])

    def test_friction_contradicts_a_torque_that_only_seems_reversed(self):
        """A wrong center of mass in the robot's file reverses the sign of the last joint's weight, but not of its friction."""
        text = pathlib.Path(ARM).read_text()
        robot = self.write("other_gripper.urdf", text.replace('xyz="0.01 0 0.05"', 'xyz="-0.01 0 -0.05"'))
        self.assertNotEqual(pathlib.Path(robot).read_text(), text)
        table = Table(simulated("--seed", 3))
        names = {f["name"] for f in self.check(table.write(self.scratch / "sound.csv"), robot=robot)}
        self.assertNotIn("torque-reversed", names)
        table.scale(-1, "tau_joint_7")
        found = {(f["name"], f["subject"]) for f in self.check(table.write(self.scratch / "reversed.csv"))}
        self.assertIn(("torque-reversed", "tau_joint_7"), found)

    def test_single_torques_far_off_and_a_ripple(self):
        torque = Table(simulated())["tau_joint_2"]
        rms = math.sqrt(sum(v * v for v in torque) / len(torque))
        spikes = Table(simulated())
        spikes["tau_joint_2"] = [v + (3 * rms if k % 50 == 7 else 0) for k, v in enumerate(torque)]
        ripples = []
        for period in (3, 8):
            ripples.append(Table(simulated()))
            ripples[-1]["tau_joint_2"] = [v + (3 * rms * math.cos(2 * math.pi * k / period) if 500 <= k < 900 else 0)
                                          for k, v in enumerate(torque)]
        for table, is_named in ((spikes, True), *((ripple, False) for ripple in ripples)):
            names = {f["name"] for f in self.check(table.write(self.scratch / "log.csv"))}
            self.assertEqual("torque-jumps" in names, is_named)

    def test_sizes(self):
        self.assert_named([
            (lambda t: t.scale(1 / 101, "tau_joint_2"), {("torque-motor-side", "tau_joint_2")}),
            (lambda t: t.scale(1 / 50, *TORQUES[:4]), {("torque-motor-side", tau) for tau in TORQUES[:4]}),
            (lambda t: t.scale(1000, "tau_joint_2"), {("torque-unit", "tau_joint_2")}),
            (lambda t: t.__setitem__("tau_joint_4", [v + 30 for v in t["tau_joint_4"]]),
             {("torque-offset", "tau_joint_4")}),
        ])

    def test_delays_are_measured_between_samples(self):
        for seconds in (0.007, 0.0026, -0.0051, 0.0433, -0.12):
            with self.subTest(delay=seconds):
                table = Table(simulated())
                table.delay(seconds, *TORQUES)
                findings = [f for f in self.check(table.write(self.scratch / "late.csv")) if f["severity"] == "error"]
                self.assertEqual([f["name"] for f in findings], ["torque-delay"])
                # 16 s of noise of 1 %: a twentieth of the period of 4 ms
                self.assertAlmostEqual(findings[0]["measure"], seconds, delta=2e-4)

    def test_beside_columns_that_hold_the_load(self):
        configuration = self.write("load.yaml", "columns: [viscous, expression: {name: l, each_joint: abs(load)*qd}]\n")
        table = Table(simulated())
        table.scale(-1, "tau_joint_2")
        findings = self.check(table.write(self.scratch / "broken.csv"), "--config", configuration)
        self.assertIn(("torque-reversed", "tau_joint_2"), {(f["name"], f["subject"]) for f in findings})

    def test_exchanged_torques_come_with_the_list_of_columns(self):
        table = Table(simulated())
        table.swap("tau_joint_2", "tau_joint_4")
        path = table.write(self.scratch / "swapped.csv")
        found = next(f for f in self.check(path) if f["severity"] == "error")
        columns = [f"tau_joint_{k}" for k in (1, 4, 3, 2, 5, 6, 7)]
        self.assertEqual((found["name"], found["yaml"]), ("torques-swapped", "log: {torque: " + json.dumps(columns) + "}\n"))
        corrected = self.write("corrected.yaml", found["yaml"])
        self.assertEqual([f["name"] for f in self.check(path, "--config", corrected) if f["severity"] != "note"], [])

    def test_poor_motion(self):
        self.assert_named([(lambda t: None, {("not-excited", "motion")})], flags=("--speed", 0.05))
        found = self.check(Table(simulated("--speed", 0.05)).write(self.scratch / "slow.csv"))
        what = next(f["what"] for f in found if f["name"] == "not-excited")
        named = what.split(": ", 1)[1].removesuffix(", ..").split(", ")
        self.assertEqual((len(named), what.endswith(", ..")), (3, True), what)

    def test_positions_that_are_not_the_joints(self):
        """Angles of a motor, and angles within one turn: named, with the option that corrects them."""
        table = Table(simulated())
        table.scale(80, "q_joint_2")
        path = table.write(self.scratch / "motor.csv")
        found = next(f for f in self.check(path) if f["severity"] == "error")
        self.assertEqual((found["name"], found["subject"]), ("position-motor-side", "q_joint_2"))
        self.assertAlmostEqual(found["measure"], 80, delta=8)
        self.assertRegex(found["yaml"], r'^log: \{position_scale: \{"joint_2": 0\.01\d*\}\}\n$')
        corrected = self.check(path, "--log.position_scale", '{"joint_2": 0.0125}')
        self.assertEqual([f["name"] for f in corrected if f["severity"] != "note"], [])
        wrapped = Table(simulated())
        wrapped["q_joint_1"] = [q % (2 * math.pi) for q in wrapped["q_joint_1"]]
        path = wrapped.write(self.scratch / "wrapped.csv")
        found = [f for f in self.check(path) if f["severity"] != "note"]
        self.assertEqual([(f["name"], f["yaml"]) for f in found], [("position-wrapped", 'log: {unwrap: ["joint_1"]}\n')])
        self.assertEqual([f for f in self.check(path, "--log.unwrap", "[joint_1]") if f["severity"] != "note"], [])

    def test_a_robot_that_stands_otherwise(self):
        path = Table(simulated()).write(self.scratch / "log.csv")
        for said, corrected in (("[0, 0, 9.81]", "[0, 0, -9.81]"), ("[9.81, 0, 0]", "[0, 0, -9.81]")):
            found = [f for f in self.check(path, "--robot.gravity", said) if f["severity"] == "error"]
            self.assertEqual([(f["name"], f["yaml"]) for f in found], [("gravity-direction", f"robot: {{gravity: {corrected}}}\n")])
