"""heft excite with coupled joints: limits of a drive that moves two of them, and columns of the model."""

import json
import math
import pathlib
import subprocess
import unittest

from excite_runs import LIMITS, ExciteCase
from heft_program import ARM, JOINTS, PEER_INTERPRETER, run_heft


class CoupledLimits(ExciteCase):
    """Sums of joints with their own limits."""

    FACTORS = {"joint_5": 1, "joint_6": -0.8}

    def limits(self, coupling):
        return LIMITS + f"  couplings:\n    - {coupling}\n"

    def sums(self, stem, name="design/trajectory.csv"):
        return [sum(factor * row[stem + joint] for joint, factor in self.FACTORS.items()) for row in self.table(name)]

    def test_a_motor_that_drives_two_joints_keeps_its_limits(self):
        """Sums computed here from the table; without the limits they are exceeded, which --judge also reports."""
        limits = self.limits("{name: motor, of: {joint_5: 1, joint_6: -0.8}, position: [-1, 1.4], velocity: 1.1, acceleration: 3, jerk: 40}")
        design, _ = self.excite(limits=limits)
        self.assertEqual(design["status"], "feasible")
        uses = {use["name"]: use for use in design["limits"] if use["joint"] == "motor"}
        self.assertEqual(set(uses), {"position", "velocity", "acceleration", "jerk"})
        for stem, name, lower, upper in (("q_", "position", -1, 1.4), ("qd_", "velocity", -1.1, 1.1), ("qdd_", "acceleration", -3, 3)):
            sums = self.sums(stem)
            self.assertGreaterEqual(min(sums), lower)
            self.assertLessEqual(max(sums), upper)
            middle, half = (lower + upper) / 2, (upper - lower) / 2
            reached = max(abs(value - middle) for value in sums) / half
            self.assertTrue(uses[name]["proved"])
            self.assertLessEqual(reached, uses[name]["worst_ratio"])
            self.assertGreater(reached, 0.95 * uses[name]["worst_ratio"])
        jerks = [abs(after - before) / 0.01 for before, after in zip(self.sums("qdd_"), self.sums("qdd_")[1:])]
        self.assertLessEqual(max(jerks), 40 * (1 + 1e-9))
        free, _ = self.excite(out="free")
        self.assertGreater(free["log_det"], design["log_det"])
        judged, _ = self.excite("--judge", self.scratch / "free" / "trajectory.csv", limits=limits, out="judged", code=1)
        self.assertIn("of motor", judged["infeasible_because"])

    def test_begins_where_couplings_allow_it(self):
        """A range of the sum that excludes the middle of all joints."""
        design, _ = self.excite(limits=self.limits("{name: bars, of: {joint_5: 1, joint_6: -0.8}, position: [0.5, 1.2]}"))
        self.assertEqual(design["status"], "feasible")
        sums = self.sums("q_")
        self.assertGreaterEqual(min(sums), 0.5)
        self.assertLessEqual(max(sums), 1.2)
        self.assertGreater(max(sums) - min(sums), 0.35)  # half of the range; rounding decides between optima

    def test_what_is_wrong_with_one_is_named(self):
        for coupling, words in (("{name: m, of: {joint_9: 1}, velocity: 1}", r"couplings: m: .*no movable joint 'joint_9'"),
                                ("{name: m, of: {joint_5: 0}, velocity: 1}", r"couplings: m: has no joint with a nonzero factor"),
                                ("{name: m, of: {joint_5: 1}}", r"couplings: m: has no limits"),
                                ("{of: {joint_5: 1}, velocity: 1}", r"has no name"),
                                ("{name: m, of: {joint_5: 1, joint_6: 1}, velocity: 0}", r"couplings: m: velocity must be positive and finite, not 0"),
                                ("{name: m, of: {joint_5: 1, joint_6: 1}, position: [2, 1]}", r"couplings: m: position limits must be finite and in ascending order"),
                                ("{name: m, of: {joint_5: 1, joint_6: 1}, position: [1, 1]}", r"couplings: m: fixes the sum of its joints[\s\S]*<mimic>"),
                                ("{name: m, of: {joint_5: 1, joint_6: 1}, position: [40, 41]}", r"couplings: m: no posture satisfies"),
                                ("{name: m, velocity: 1}", r"limits.yaml:\d+.*a coupling has no joints"),
                                ("{name: m, of: {joint_5: 1}, speed: 1}", r"limits.yaml:\d+.*speed")):
            _, done = self.excite(limits=self.limits(coupling), out="refused", code=1)
            self.assertRegex(done.stderr, words)
            self.assertFalse((self.scratch / "refused").exists())


class CoupledColumns(ExciteCase):
    """Couplings in the model: columns by expressions in the motion of several joints."""

    COLUMNS = """columns:
  - viscous
  - coulomb: {tanh_width: 0.05}
  - offset
  - expression: {name: wrist, unit: N m s/rad, rows: {joint_5: qd6, joint_6: qd5}}
"""

    def test_pinocchio_finds_the_same(self):
        """log det, standard deviations and robust torques by Pinocchio's regressors and numpy, with the column."""
        limits = LIMITS.replace("{deviations: 1}", "{scale: 1, deviations: 1}") + self.COLUMNS
        design, _ = self.excite("--rate", 200, "--ignore-collisions", limits=limits)
        self.assertEqual(design["status"], "feasible")
        proved = {use["joint"]: use["proved"] for use in design["limits"] if use["name"] == "torque"}
        self.assertEqual([joint for joint in JOINTS if not proved[joint]], ["joint_5", "joint_6"])
        script = pathlib.Path(__file__).with_name("excite_peer.py")
        done = subprocess.run([PEER_INTERPRETER, str(script), ARM, str(self.scratch / "design"), "wrist:joint_5,joint_6"], capture_output=True, text=True)
        if done.returncode == 77:
            raise unittest.SkipTest(f"{PEER_INTERPRETER} has no pinocchio: set HEFT_PYTHON_PEERS to an interpreter that does")
        self.assertEqual(done.returncode, 0, done.stderr)
        peer = json.loads(done.stdout)
        self.assertAlmostEqual(design["log_det"], peer["log_det"], delta=1e-5)
        for parameter, after in zip(design["parameters"], peer["sd_after"]):
            self.assertAlmostEqual(parameter["sd_after"] / after, 1, delta=1e-5, msg=parameter["name"])
        wrist = next(parameter for parameter in design["parameters"] if parameter["name"] == "wrist")
        self.assertLess(wrist["sd_after"], 0.3 * wrist["sd_before"])
        for k, joint in enumerate(JOINTS):
            ratio = max((abs(tau[k]) + spread[k]) / peer["efforts"][k] for tau, spread in zip(peer["torques"], peer["deviations"]))
            use = next(use for use in design["limits"] if use["name"] == "torque" and use["joint"] == joint)
            self.assertLessEqual(ratio, use["worst_ratio"] + 1e-9)
            self.assertGreater(ratio, 0.98 * use["worst_ratio"])

    def log(self):
        lines = [",".join(["t", "temperature"] + [stem + joint for stem in ("q_", "tau_") for joint in JOINTS])]
        for i in range(2000):
            t = 0.005 * i
            q = [math.sin((2 + 0.2 * k) * t + k) - (k == 3) for k in range(7)]
            lines.append(",".join(map(str, [t, 30 + t, *q, *(5 * math.cos(t + k) for k in range(7))])))
        return self.write("log.csv", "\n".join(lines) + "\n")

    def known(self, columns):
        done = run_heft("identify", "--robot", ARM, "--log", self.log(), "--config", self.write("model.yaml", columns),
                        "--moments", self.scratch / "known.heft", "--out", self.scratch / "known")
        self.assertTrue((self.scratch / "known.heft").exists(), done.stderr)
        return self.scratch / "known.heft"

    def test_moments_with_couplings_are_designed_for(self):
        known = self.known(self.COLUMNS)
        design, _ = self.excite("--ignore-collisions", "--known", known)
        self.assertEqual(design["status"], "feasible")
        wrist = next(parameter for parameter in design["parameters"] if parameter["name"] == "wrist")
        self.assertLess(wrist["sd_after"], wrist["sd_before"])

    def test_columns_of_what_no_motion_has_are_refused_by_name(self):
        known = self.known("columns:\n  - viscous\n  - expression: {name: heat, unit: N m s/rad, rows: {joint_5: qd5*temperature}}\n")
        _, done = self.excite("--ignore-collisions", "--known", known, out="refused", code=1)
        self.assertRegex(done.stderr, r"columns: heat: .*'temperature'.*no signals other than the motion[\s\S]*q, qd and qdd of joints")


if __name__ == "__main__":
    unittest.main()
