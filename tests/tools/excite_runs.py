"""heft excite: slow first runs, durations that are chosen, comparison with another motion, the way from a pose and back, joints that
stand still, and robots whose links are built near each other."""

import csv
import json
import math
import pathlib
import re
import unittest

from heft_program import ARM, JOINTS, HeftTestCase, run_heft

LIMITS = """
limits:
  acceleration: {values: [6, 6, 6, 6, 8, 8, 8]}
  jerk: {values: [80, 80, 80, 80, 100, 100, 100]}
  torque: {deviations: 1}
"""


class ExciteCase(HeftTestCase):
    def excite(self, *arguments, robot=ARM, limits=LIMITS, out="design", code=0):
        words = ["--config", self.write("limits.yaml", limits)] if limits else []
        given = [word for word in arguments if isinstance(word, str)]
        for flag, value in (("--duration", 4), ("--starts", 1), ("--threads", 1), ("--rate", 100)):
            if flag not in given:
                words += [flag, value]
        done = run_heft("excite", "--robot", robot, *words, *arguments, "--quiet", "--out", self.scratch / out)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        path = self.scratch / out / "design.json"
        return json.loads(path.read_text()) if path.exists() else None, done

    def table(self, name):
        with (self.scratch / name).open() as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


class ExciteRuns(ExciteCase):
    def test_a_slow_run_goes_the_same_way(self):
        design, _ = self.excite("--speed", 0.2)
        slow = design["slow"]
        self.assertEqual(slow["speed"], 0.2)
        self.assertEqual(slow["status"], "feasible")
        self.assertLess(slow["log_det"], design["log_det"])
        fast, gentle = self.table("design/trajectory.csv"), self.table("design/slow.csv")
        self.assertAlmostEqual(gentle[-1]["t"], 20)
        self.assertTrue((self.scratch / "design" / "slow.ros2.yaml").exists())
        for i, row in enumerate(fast):
            for joint in JOINTS:
                self.assertAlmostEqual(gentle[5 * i]["q_" + joint], row["q_" + joint], delta=1e-9)
                self.assertAlmostEqual(gentle[5 * i]["qd_" + joint], 0.2 * row["qd_" + joint], delta=1e-9)
        for use, of_slow in zip(design["limits"], slow["limits"]):
            if use["name"] == "velocity":
                self.assertAlmostEqual(of_slow["worst_ratio"], 0.2 * use["worst_ratio"], delta=1e-6)
        # without it the files of an earlier run do not stay
        self.excite()
        self.assertFalse((self.scratch / "design" / "slow.csv").exists())

    def test_slow_runs_judged_alone_agree(self):
        design, _ = self.excite("--speed", 0.25)
        judged, _ = self.excite("--judge", self.scratch / "design" / "slow.csv", out="judged")
        self.assertAlmostEqual(judged["log_det"], design["slow"]["log_det"], delta=1e-6)

    def test_another_motion_is_compared(self):
        poor, _ = self.excite("--motion", "poses", "--intervals", 6, out="poor")
        design, done = self.excite("--against", self.scratch / "poor" / "trajectory.csv")
        judged, _ = self.excite("--judge", self.scratch / "poor" / "trajectory.csv", out="judged")
        efficiency = math.exp((design["log_det"] - judged["log_det"]) / design["base_parameters"])
        self.assertAlmostEqual(design["d_efficiency_vs_judged"] / efficiency, 1, delta=1e-9)
        self.assertGreater(efficiency, 1.2)
        self.assertIn("D-efficiency", done.stdout)
        self.assertIsNone(judged["d_efficiency_vs_judged"])

    def test_a_motion_lasts_until_masses_are_known(self):
        design, _ = self.excite("--until-mass", 0.3, "--duration", 2, "--ignore-collisions")
        self.assertGreater(design["motion"]["duration_s"], 2)
        self.assertLessEqual(design["motion"]["duration_s"], 120)
        unknown = [re.match(r"the mass of (\S+) cannot", note).group(1) for note in design["assumed"] if note.startswith("the mass of")]
        self.assertLess(len(unknown), 7)
        enough = not any(note.startswith("masses would be known") for note in design["assumed"])
        known = [parameter["sd_after"] <= 0.3 * parameter["believed"] * 1.001 for parameter in design["parameters"]
                 if parameter["name"].endswith(".m") and parameter["name"][:-2] not in unknown]
        self.assertEqual(all(known), enough)

    def test_from_a_pose_and_back(self):
        start = {joint: 0.1 * (k + 1) for k, joint in enumerate(JOINTS)} | {"joint_4": -1.5, "joint_6": 0.9}
        design, _ = self.excite("--start", self.write("q.json", json.dumps(start)), "--ignore-collisions")
        rows = self.table("design/trajectory.csv")
        for row in (rows[0], rows[-1]):
            for joint, value in start.items():
                self.assertAlmostEqual(row["q_" + joint], value, delta=1e-9)
                self.assertAlmostEqual(row["qd_" + joint], 0, delta=1e-9)

    def test_a_joint_that_is_locked_stands_still(self):
        self.excite(limits="limits: {position: {values: {joint_3: [0.4, 0.4]}}}")
        self.assertTrue(all(abs(row["q_joint_3"] - 0.4) < 1e-12 for row in self.table("design/trajectory.csv")))

    def test_what_is_wrong_is_named(self):
        for flags, words in ((("--speed", 2), "--speed"), (("--speed", -1), "--speed"), (("--until-mass", 5), "--until-mass"),
                             (("--against", self.write("m.csv", "t,q1\n0,1\n1,2\n")), "q_joint_1")):
            _, done = self.excite(*flags, out="refused", code=1)
            self.assertIn(words, done.stderr)
            self.assertFalse((self.scratch / "refused").exists())


class HardRobots(ExciteCase):
    """Limits that are missing or zero, joints without end, links that are built near each other."""

    def robot(self, limit='<limit lower="-2" upper="2" effort="40" velocity="2"/>', kind="revolute", shape="0.1 0.1 0.28"):
        def link(name):
            return (f'<link name="{name}"><inertial><origin xyz="0 0 0.15"/><mass value="1.5"/>'
                    '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>'
                    f'<collision><origin xyz="0 0 0.15"/><geometry><box size="{shape}"/></geometry></collision></link>')

        def joint(name, parent, child, axis):
            return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 0.3"/>'
                    f'<axis xyz="{axis}"/>{limit}</joint>')
        text = ('<robot name="tower"><link name="base"/>' + link("a") + link("b") + link("c") + joint("j1", "base", "a", "1 0 0")
                + joint("j2", "a", "b", "0 1 0") + joint("j3", "b", "c", "1 0 0") + "</robot>")
        return self.write("tower.urdf", text)

    def test_limits_that_are_missing_are_assumed_and_named(self):
        for limit in ('<limit lower="-2" upper="2" effort="0" velocity="0"/>', '<limit lower="-2" upper="2" effort="40" velocity="0"/>'):
            design, _ = self.excite("--ignore-collisions", robot=self.robot(limit), limits=None)
            self.assertEqual(design["status"], "feasible")
            self.assertTrue(any(note.startswith("j1") and "velocity" in note for note in design["assumed"]), design["assumed"])

    def test_joints_without_end(self):
        design, _ = self.excite("--ignore-collisions", robot=self.robot('<limit effort="40" velocity="2"/>', "continuous"), limits=None)
        self.assertTrue(any("since it has no end" in note for note in design["assumed"]))

    def test_no_shapes_are_said(self):
        text = pathlib.Path(self.robot()).read_text()
        bare = self.write("bare.urdf", re.sub(r"<collision>.*?</collision>", "", text))
        design, _ = self.excite(robot=bare, limits=None)
        self.assertIsNone(design["min_clearance"])
        self.assertTrue(any("no collision shapes" in note for note in design["assumed"]))
        _, done = self.excite("--floor", 0, robot=bare, limits=None, out="refused", code=1)
        self.assertIn("no collision shapes", done.stderr)

    def test_links_that_are_built_near_each_other(self):
        """a and c are 2 cm and less from each other beside b, whatever j2 and j3 do: they must not meet, and need not keep a centimetre."""
        text = pathlib.Path(self.robot('<limit lower="-0.5" upper="0.5" effort="40" velocity="2"/>')).read_text()
        ball = '<geometry><sphere radius="0.03"/></geometry>'
        text = re.sub(r'<link name="b">(.*?)<geometry>.*?</geometry>', rf'<link name="b">\1{ball}', text)
        text = re.sub(r'<link name="c">(.*?)<collision>.*?</collision>',
                      rf'<link name="c">\1<collision><origin xyz="0 0 0.025"/>{ball}</collision>', text)
        # c turns about a point 1 cm above b's frame, whose box below ends 1 cm under it
        near = self.write("near.urdf", text.replace('<child link="c"/><origin xyz="0 0 0.3"/>', '<child link="c"/><origin xyz="0 0 0.01"/>'))
        design, _ = self.excite(robot=near, limits=None)
        self.assertTrue(any(note.startswith("a and c are nearer than 0.02 m") for note in design["assumed"]), design["assumed"])
        self.assertEqual(design["status"], "feasible")

    def test_where_descents_fail_joints_move_less(self):
        """Wide bars that can hardly move without meeting: the answer is small, and feasible."""
        design, _ = self.excite(robot=self.robot(shape="0.26 0.26 0.24"), limits=None)
        self.assertEqual(design["status"], "feasible")
        self.assertGreaterEqual(design["min_clearance"]["value"], 5e-4)


if __name__ == "__main__":
    unittest.main()
