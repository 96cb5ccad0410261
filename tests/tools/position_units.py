"""Positions in units other than radians and meters: `heft check --log` names the unit of all joints that share it, in one finding, with the
options that read the log; with these options it finds nothing. `heft identify` rejects or doubts the log with the same options."""

import functools
import json
import math
import pathlib
import re
import tempfile

from heft_program import ARM, JOINTS, run_heft
from test_check_log import POSITIONS, LogCase, Table, simulated

TURN = 2 * math.pi
CONFIGURATION = pathlib.Path(ARM).with_name("arm.yaml")


def link(name, mass, size):
    moment = mass * size**2 / 6
    return (f'<link name="{name}"><inertial><origin xyz="0.02 0.01 -0.05"/><mass value="{mass}"/><inertia ixx="{moment}" ixy="0" '
            f'ixz="0" iyy="{moment}" iyz="0" izz="{moment}"/></inertial></link>')


def joint(name, kind, parent, child, axis, lower, upper, effort, velocity):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 0.1"/>'
            f'<axis xyz="{axis}"/><limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/></joint>')


GANTRY = "\n".join((
    '<robot name="gantry"><link name="base"/>',
    joint("x", "prismatic", "base", "bridge", "1 0 0", 0, 2.5, 400, 1.5), link("bridge", 30, 0.6),
    joint("z", "prismatic", "bridge", "ram", "0 0 1", -0.5, 0.5, 400, 1), link("ram", 9, 0.3),
    joint("swing", "revolute", "ram", "tool", "0 1 0", -2, 2, 40, 4), link("tool", 2.5, 0.15), "</robot>"))


@functools.lru_cache(maxsize=None)
def simulated_gantry():
    with tempfile.TemporaryDirectory(prefix="heft-gantry-") as folder:
        robot = pathlib.Path(folder) / "gantry.urdf"
        robot.write_text(GANTRY)
        done = run_heft("simulate", "--robot", robot, "--duration", 12, "--held-out", 1, "--rate", 250, "--out", folder)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return (pathlib.Path(folder) / "train.csv").read_text()


class UnitsOfPositions(LogCase):
    def test_joints_without_limits_are_in_the_degrees_of_the_others(self):
        """A log has one unit of angles; with it, the finding is gone."""
        text = pathlib.Path(ARM).read_text()
        robot = self.write("turning.urdf", re.sub(r'(<joint name="joint_[17]" type=")revolute', r"\1continuous", text))
        table = Table(simulated())
        table.scale(180 / math.pi, *POSITIONS)
        self.assert_read(table, "position-in-degrees", POSITIONS, "log: {angle_unit: deg}\n", robot=robot)
        table.scale(180 / math.pi, *POSITIONS)
        log = table.write(self.scratch / "twice.csv")
        names = {f["name"] for f in self.check(log, "--log.angle_unit", "deg", robot=robot)}
        self.assertNotIn("position-in-degrees", names)

    def assert_read(self, table, rule, columns, yaml, robot=ARM):
        """One error, which the options fix; no other finding."""
        log = table.write(self.scratch / "log.csv")
        errors = [f for f in self.check(log, robot=robot) if f["severity"] == "error"]
        self.assertEqual({f["name"] for f in errors}, {rule}, errors)
        self.assertEqual(sorted(name for f in errors for name in f["subject"].split(", ")), sorted(columns), errors)
        yaml = yaml or errors[0]["yaml"]
        self.assertEqual(errors[0]["yaml"], yaml)
        self.assertIn(yaml.strip(), errors[0]["remedy"])
        options = self.write("options.yaml", yaml)
        left = [f["name"] for f in self.check(log, "--config", options, robot=robot) if f["severity"] != "note"]
        self.assertEqual([name for name in left if name != "position-quantized"], [])
        return log

    def converted(self, scale, zero=0.0, joints=JOINTS, whole=False):
        table = Table(simulated())
        for name in joints:
            table[f"q_{name}"] = [round(q / scale + zero) if whole else q / scale + zero for q in table[f"q_{name}"]]
        return table

    def test_turns_of_all_joints(self):
        log = self.assert_read(self.converted(TURN), "position-turns", POSITIONS, "log: {position_scale: 6.28319}\n")
        result = self.identify(log=log, exit_code=4)
        self.assertEqual([d["id"] for d in result["doubts"] if d["severity"] == "serious"], ["position-turns"])

    def test_turns_of_one_joint(self):
        self.assert_read(self.converted(TURN, joints=["joint_2"]), "position-turns", ["q_joint_2"],
                         'log: {position_scale: {"joint_2": 6.28319}}\n')

    def test_ticks_with_their_zero_in_the_middle(self):
        log = self.assert_read(self.converted(TURN / 4096, 2048, joints=JOINTS[:6], whole=True), "position-ticks", POSITIONS[:6], None)
        self.assert_refused(["identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out"], log,
                            "encoder ticks, 4096 per turn with zero at 2048", "position_offset: ")

    def test_ticks_of_two_joints_from_zero(self):
        self.assert_read(self.converted(TURN / 65536, joints=["joint_2", "joint_4"], whole=True), "position-ticks",
                         ["q_joint_2", "q_joint_4"], 'log: {position_scale: {"joint_2": 9.58738e-05, "joint_4": 9.58738e-05}}\n')

    def test_percent_of_the_range(self):
        table = Table(simulated())
        limits = {"joint_1": (-2.8, 2.8), "joint_2": (-1.9, 1.9), "joint_3": (-2.8, 2.8), "joint_4": (-2.4, 1.2),
                  "joint_5": (-2.8, 2.8), "joint_6": (-1.8, 2.2), "joint_7": (-2.9, 2.9)}
        for name, (low, high) in limits.items():
            table[f"q_{name}"] = [200 * (q - low) / (high - low) - 100 for q in table[f"q_{name}"]]
        log = table.write(self.scratch / "percent.csv")
        errors = [f for f in self.check(log) if f["severity"] == "error"]
        self.assertEqual([(f["name"], f["subject"]) for f in errors], [("position-percent", ", ".join(POSITIONS))])
        options = self.write("options.yaml", errors[0]["yaml"])
        self.assertEqual([f["name"] for f in self.check(log, "--config", options) if f["severity"] != "note"], [])
        self.assert_refused(["identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out"], log, "percent of the joint's range",
                            errors[0]["yaml"].strip())

    def test_travels(self):
        for rule, unit in (("position-millimeters", 1e-3),):
            table = Table(simulated_gantry())
            table.scale(1 / unit, "q_x", "q_z")
            robot = self.write("gantry.urdf", GANTRY)
            log = self.assert_read(table, rule, ["q_x", "q_z"], f'log: {{position_scale: {{"x": {unit:g}, "z": {unit:g}}}}}\n', robot=robot)
            self.assert_refused(["identify", "--robot", robot, "--log", log, "--out", self.scratch / "out"], log, rule,
                                f'"x": {unit:g}')

    def test_travels_of_a_slide_whose_weight_hides_its_inertia(self):
        """The constant weight fits in every unit; only the size of the changing torque tells centimeters from millimeters and from a gear."""
        for scale, rule in ((1e-2, "position-centimeters"), (1e-3, "position-millimeters"), (0.0254, "position-inches")):
            table = Table(simulated_gantry())
            table.scale(1 / scale, "q_z")
            self.assert_read(table, rule, ["q_z"], f'log: {{position_scale: {{"z": {scale:g}}}}}\n', robot=self.write("gantry.urdf", GANTRY))

    def test_travels_beside_degrees(self):
        table = Table(simulated_gantry())
        table.scale(1000, "q_x", "q_z")
        table.scale(180 / math.pi, "q_swing")
        robot = self.write("gantry.urdf", GANTRY)
        log = table.write(self.scratch / "log.csv")
        errors = [f for f in self.check(log, robot=robot) if f["severity"] == "error"]
        self.assertEqual([(f["name"], f["yaml"]) for f in errors],
                         [("position-millimeters", 'log: {position_scale: {"x": 0.001, "z": 0.001}}\n'),
                          ("position-in-degrees", 'log: {angle_unit: {"swing": deg}}\n')])
        yaml = 'log: {position_scale: {"x": 0.001, "z": 0.001}, angle_unit: {"swing": deg}}\n'
        self.assertEqual(json.loads((self.scratch / "findings.json").read_text())["yaml"], yaml)
        options = self.write("options.yaml", yaml)
        self.assertEqual([f for f in self.check(log, "--config", options, robot=robot) if f["severity"] == "error"], [])

    def test_logs_in_radians_and_meters(self):
        robot = self.write("gantry.urdf", GANTRY)
        self.assertEqual([f["name"] for f in self.check(Table(simulated_gantry()).write(self.scratch / "si.csv"), robot=robot)
                          if f["severity"] == "error"], [])
        table = Table(simulated())
        table.scale(6.28, *(f"tau_{name}" for name in JOINTS))  # a torque in another unit is no turn
        found = {f["name"] for f in self.check(table.write(self.scratch / "torque.csv")) if f["severity"] == "error"}
        self.assertEqual({name for name in found if name.startswith("position")}, set())
