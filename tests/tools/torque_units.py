"""Torques in units other than N m: `heft check --log` names the unit of all joints that share it in one finding. The options of several
findings are in one block; with it nothing is found."""

import json
import pathlib

from heft_program import ARM, JOINTS, run_heft
from test_check_log import TORQUES, LogCase, Table, simulated

EFFORTS = (120, 120, 80, 80, 40, 40, 20)  # of the demo arm's file
CONSTANTS = (11.2, 13.5, 9.1, 16.4, 24.4, 13.1, 12.2)  # N m per A at the joint


class UnitsOfTorques(LogCase):
    def report(self, table, *flags, robot=ARM):
        out = self.scratch / "report.json"
        done = run_heft("check", "--robot", robot, "--log", table.write(self.scratch / "log.csv"), "--json", out, *flags)
        self.assert_no_crash(done.stderr + done.stdout)
        return json.loads(out.read_text()), done.stdout

    def assert_read(self, factors, errors, yaml, robot=ARM):
        """`factors` of the torques; `errors`: (name, subject), ..; `yaml`: one block that corrects all of them."""
        table = Table(simulated())
        for name, factor in factors.items():
            table.scale(factor, name)
        report, printed = self.report(table, robot=robot)
        found = [f for f in report["findings"] if f["severity"] == "error"]
        self.assertEqual([(f["name"], f["subject"]) for f in found], errors, found)
        self.assertEqual(report["yaml"], yaml or report["yaml"])
        self.assertTrue(report["yaml"])
        if len(found) > 1:
            self.assertIn(report["yaml"], printed)
        left, _ = self.report(table, "--config", self.write("options.yaml", report["yaml"]), robot=robot)
        self.assertEqual([f["name"] for f in left["findings"] if f["severity"] != "note"], [])
        return report

    def test_newton_millimeters_of_all_joints(self):
        self.assert_read(dict.fromkeys(TORQUES, 1000), [("torque-unit", "all torques")], "log: {torque_scale: 0.001}\n")

    def test_newton_millimeters_of_two_joints(self):
        self.assert_read({"tau_joint_4": 1000, "tau_joint_6": 1000}, [("torque-unit", "tau_joint_4, tau_joint_6")],
                         'log: {torque_scale: {"joint_4": 0.001, "joint_6": 0.001}}\n')

    def test_newton_centimeters(self):
        self.assert_read(dict.fromkeys(TORQUES, 100), [("torque-unit", "all torques")], "log: {torque_scale: 0.01}\n")

    def test_per_mille_and_percent_of_the_effort_limit(self):
        text = pathlib.Path(ARM).read_text()
        for effort in sorted(set(EFFORTS)):
            text = text.replace(f'effort="{effort}"', f'effort="{effort / 20:g}"')
        weak = self.write("weak.urdf", text)
        for parts, words, robot, weaker in ((1000, "per mille", ARM, 1), (100, "percent", weak, 20)):
            sizes = [effort / weaker / parts for effort in EFFORTS]
            report = self.assert_read({tau: 1 / size for tau, size in zip(TORQUES, sizes)}, [("torque-unit", "all torques")],
                                      "log: {torque_scale: {%s}}\n" % ", ".join(f'"{joint}": {size:g}' for joint, size in zip(JOINTS, sizes)),
                                      robot)
            self.assertIn(words, report["findings"][0]["what"])

    def test_reversed_and_in_newton_millimeters(self):
        self.assert_read({"tau_joint_3": -1000}, [("torque-reversed", "tau_joint_3"), ("torque-unit", "tau_joint_3")],
                         'log: {torque_scale: {"joint_3": -0.001}}\n')

    def test_three_joints_reversed(self):
        self.assert_read(dict.fromkeys(("tau_joint_1", "tau_joint_3", "tau_joint_5"), -1),
                         [("torque-reversed", f"tau_joint_{k}") for k in (1, 3, 5)],
                         'log: {torque_scale: {"joint_1": -1, "joint_3": -1, "joint_5": -1}}\n')

    def test_currents(self):
        table = Table(simulated())
        for tau, constant in zip(TORQUES, CONSTANTS):
            table.scale(1 / constant, tau)
        report, _ = self.report(table)
        found = [f for f in report["findings"] if f["severity"] == "error"]
        self.assertEqual([(f["name"], f["subject"]) for f in found], [("torque-motor-side", tau) for tau in TORQUES[:6]])
        self.assertTrue(all("torque constant" in f["remedy"] and f["yaml"].strip() in f["remedy"] for f in found))
        left, _ = self.report(table, "--config", self.write("options.yaml", report["yaml"]))
        self.assertEqual([f["name"] for f in left["findings"] if f["severity"] == "error"], [])

    def test_heavier_than_the_file_in_newton_meters(self):
        table = Table(simulated())
        table.scale(1.3, *TORQUES)
        report, _ = self.report(table)
        self.assertEqual([f["name"] for f in report["findings"] if f["severity"] == "error"], [])
        self.assertEqual(report["yaml"], "")
