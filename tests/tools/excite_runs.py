"""heft excite: slow first runs, automatic durations, comparison with another motion, motions from a pose and back, joints at rest, and
robots with adjacent links close together."""

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

    def test_slow_runs_can_be_simulated(self):
        """A gentle first motion and the robot's log of it, one row each."""
        self.excite("--speed", 0.5)
        done = run_heft("simulate", "--robot", ARM, "--motion", self.scratch / "design" / "slow.csv", "--encoder-counts", 0, "--held-out", 1,
                        "--out", self.scratch / "log")
        self.assertEqual(done.returncode, 0, done.stderr)
        motion, log = self.table("design/slow.csv"), self.table("log/train.csv")
        self.assertEqual(len(motion), len(log))
        for row, logged in zip(motion, log):
            for joint in JOINTS:
                self.assertAlmostEqual(row["q_" + joint], logged["q_" + joint], delta=1e-8)
        self.assertGreater(max(abs(row["tau_joint_2"]) for row in log), 5)

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
        enough = not any(note.startswith("masses would be determined") for note in design["assumed"])
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

    def test_fourier_from_a_pose_and_back(self):
        start = {joint: 0.1 * (k + 1) for k, joint in enumerate(JOINTS)} | {"joint_4": -1.5, "joint_6": 0.9}
        design, _ = self.excite("--start", self.write("q.json", json.dumps(start)), "--ignore-collisions", "--motion", "fourier_rest")
        rows = self.table("design/trajectory.csv")
        self.assertGreater(design["log_det"], design["log_det_prior"] + 20)
        for row in (rows[0], rows[-1]):
            for joint, value in start.items():
                self.assertAlmostEqual(row["q_" + joint], value, delta=1e-9)
                self.assertAlmostEqual(row["qd_" + joint], 0, delta=1e-9)
                self.assertAlmostEqual(row["qdd_" + joint], 0, delta=1e-9)
        _, done = self.excite("--start", self.scratch / "q.json", "--motion", "fourier", out="refused", code=1)
        self.assertIn("fourier_rest", done.stderr)

    def test_a_joint_that_is_locked_stands_still(self):
        design, _ = self.excite(limits="limits: {position: {values: {joint_3: [0.4, 0.4]}}}")
        self.assertTrue(all(abs(row["q_joint_3"] - 0.4) < 1e-12 for row in self.table("design/trajectory.csv")))
        self.assertIn("joint_3: stays at 0.4, because its limits are equal", design["assumed"])
        # that a joint is locked tells nothing of its friction
        spread = {parameter["name"]: parameter for parameter in design["parameters"]}
        self.assertAlmostEqual(spread["coulomb joint_3"]["sd_after"], spread["coulomb joint_3"]["sd_before"])
        self.assertLess(spread["coulomb joint_2"]["sd_after"], 0.5 * spread["coulomb joint_2"]["sd_before"])

    def test_from_a_design(self):
        """From a good design the search ends no worse, with less work; also in other basis functions."""
        good, _ = self.excite("--seed", 4, out="good")
        trajectory = self.scratch / "good" / "trajectory.json"
        again, _ = self.excite("--from", trajectory, "--seed", 99, out="again")
        self.assertGreaterEqual(again["log_det"], good["log_det"] - 0.01)
        self.assertEqual(again["motion"]["intervals"], good["motion"]["intervals"])
        longer, _ = self.excite("--from", trajectory, "--duration", 6, "--intervals", 18, out="longer")
        self.assertEqual(longer["motion"]["duration_s"], 6)
        self.assertGreater(longer["log_det"], good["log_det"])
        other = pathlib.Path(ARM).read_text().replace("joint_7", "wrist")
        _, done = self.excite("--from", trajectory, robot=self.write("other.urdf", other), limits=None, out="refused", code=1)
        self.assertIn("another robot: its joint 7 is 'joint_7', not 'wrist'", done.stderr)
        for text, words in (("{}", "heft-trajectory-1"), ('{"schema": 3}', "heft-trajectory-1"),
                            (trajectory.read_text().replace('"spline"', '"splin"'), "unknown kind"),
                            (trajectory.read_text().replace('"coefficients":[[', '"coefficients":[[0,'), "rows of 7 numbers")):
            _, done = self.excite("--from", self.write("broken.json", text), out="refused", code=1)
            self.assertIn(words, done.stderr)

    def test_designs_are_judged_with_proofs(self):
        """trajectory.json by its coefficients, like the design itself; trajectory.csv at its samples, with a note."""
        design, _ = self.excite()
        proved, done = self.excite("--judge", self.scratch / "design" / "trajectory.json", out="proved")
        self.assertAlmostEqual(proved["log_det"], design["log_det"], delta=1e-6)
        self.assertEqual(proved["limits"], design["limits"])
        self.assertEqual(proved["min_clearance"], design["min_clearance"])
        self.assertTrue(all(use["proved"] for use in proved["limits"]))
        self.assertIn("verified for all times", done.stdout)
        self.assertEqual({path.name for path in (self.scratch / "proved").iterdir()}, {"design.json", "report.html"})
        sampled, done = self.excite("--judge", self.scratch / "design" / "trajectory.csv", out="sampled")
        for use, bound in zip(sampled["limits"], proved["limits"]):
            self.assertFalse(use["proved"])
            self.assertAlmostEqual(use["step_s"], 0.01)
            self.assertLessEqual(use["worst_ratio"], bound["worst_ratio"] + (0.05 if use["name"] == "jerk" else 1e-9))
        self.assertIn("at samples 10 ms apart", done.stdout)

    def task(self, name, scale, with_time=False):
        """States around a pose, slow or fast."""
        header = (["t"] if with_time else []) + [stem + joint for stem in ("q_", "qd_", "qdd_") for joint in JOINTS]
        lines = [",".join(header)]
        for i in range(200):
            angle = 0.05 * i
            q = [0.2 * math.sin(angle + k) - (1 if k == 3 else 0) for k in range(7)]
            qd = [scale * 0.2 * math.cos(angle + k) for k in range(7)]
            qdd = [-scale * scale * 0.2 * math.sin(angle + k) for k in range(7)]
            lines.append(",".join(map(str, ([angle / scale] if with_time else []) + q + qd + qdd)))
        return self.write(name, "\n".join(lines) + "\n")

    def test_a_task_of_its_own(self):
        """The design for a task has a smaller expected error there than one for all states, which --judge assesses with the task."""
        task = self.task("slow.csv", 0.5)
        for_task, _ = self.excite("--objective", "i", "--task", task, out="for_task")
        for_all, _ = self.excite("--objective", "i", out="for_all")
        self.assertEqual(for_task["task"]["states"], 200)
        self.assertIsNone(for_all["task"]["states"])
        judged, _ = self.excite("--judge", self.scratch / "for_all" / "trajectory.json", "--task", task, out="judged")

        def error(design):
            return math.sqrt(sum((each["sd_after"] / effort)**2 for each, effort in zip(design["torque_errors"], (120, 120, 80, 80, 40, 40, 20))))
        self.assertLess(error(for_task), error(judged))
        # a log of the same motion, with its time and without derivatives, is the same task
        log = self.task("log.csv", 0.5, with_time=True)
        whole, _ = self.excite("--judge", self.scratch / "for_all" / "trajectory.json", "--task", log, out="log")
        self.assertAlmostEqual(error(whole) / error(judged), 1, delta=1e-9)
        columns = [line.split(",")[:8] for line in log.read_text().splitlines()]
        bare = self.write("bare.csv", "\n".join(",".join(line) for line in columns) + "\n")
        rough, _ = self.excite("--judge", self.scratch / "for_all" / "trajectory.json", "--task", bare, out="rough")
        self.assertAlmostEqual(error(rough) / error(judged), 1, delta=0.03)
        _, done = self.excite("--task", self.write("t.csv", "q_joint_1\n1\n"), out="refused", code=1)
        self.assertIn("q_joint_2", done.stderr)

    def test_what_is_wrong_is_named(self):
        for flags, words in ((("--speed", 2), "--speed"), (("--speed", -1), "--speed"), (("--until-mass", 5), "--until-mass"),
                             (("--against", self.write("m.csv", "t,q1\n0,1\n1,2\n")), "q_joint_1"),
                             (("--judge", self.write("m.csv", "t,q1\n0,1\n1,2\n"), "--backend", "cuda"), "--backend: applies to a search")):
            _, done = self.excite(*flags, out="refused", code=1)
            self.assertIn(words, done.stderr)
            self.assertFalse((self.scratch / "refused").exists())


class HardRobots(ExciteCase):
    """Limits that are missing or zero, joints without limits, links that are close by design."""

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

    def test_limits_of_position_that_are_missing(self):
        """A <limit> without lower and upper is a range from zero to zero: the message names the joints at rest, and says if all are."""
        bare = '<limit effort="40" velocity="2"/>'
        _, done = self.excite("--ignore-collisions", robot=self.robot(bare), limits=None, out="refused", code=1)
        self.assertRegex(done.stderr, r"no joint can move[\s\S]*limits.position.values")
        limits = "limits: {position: {values: {j1: 1, j3: [-0.5, 2]}}}"
        design, _ = self.excite("--ignore-collisions", robot=self.robot(bare), limits=limits)
        self.assertEqual(design["status"], "feasible")
        self.assertEqual([note for note in design["assumed"] if "stays" in note],
                         ["j2: stays at 0, because its limits are equal or missing in the robot file; limits.position.values free it"])
        self.assertEqual({row["q_j2"] for row in self.table("design/trajectory.csv")}, {0})

    def test_joints_without_end(self):
        design, _ = self.excite("--ignore-collisions", robot=self.robot('<limit effort="40" velocity="2"/>', "continuous"), limits=None)
        self.assertTrue(any("position limit is missing" in note for note in design["assumed"]))

    def test_joints_that_follow_move_with_their_leader(self):
        """j3 follows j1: two coordinates, and j1 determines j3's mass."""
        text = pathlib.Path(self.robot()).read_text()
        follows = self.write("follows.urdf", re.sub(r'(<joint name="j3".*?)</joint>', r'\1<mimic joint="j1" multiplier="-0.7"/></joint>', text))
        design, _ = self.excite("--ignore-collisions", robot=follows, limits=None)
        self.assertEqual(design["status"], "feasible")
        rows = self.table("design/trajectory.csv")
        self.assertEqual([name for name in rows[0] if name.startswith("q_")], ["q_j1", "q_j2"])
        spread = {parameter["name"]: parameter for parameter in design["parameters"]}
        self.assertLess(spread["c.mcz"]["sd_after"], 0.5 * spread["c.mcz"]["sd_before"])
        self.assertNotIn("coulomb j3", spread)

    def walker(self, kind):
        text = pathlib.Path(self.robot()).read_text().replace(
            '<link name="base"/>', '<link name="world"/><link name="base"><inertial><mass value="3"/>'
            '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>'
            '<collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>'
            f'<joint name="root" type="{kind}"><parent link="world"/><child link="base"/><origin xyz="0 0 0.5"/></joint>')
        return self.write(f"{kind}.urdf", text)

    def test_bases_that_move_freely_are_held_where_that_is_asked(self):
        robot = self.walker("floating")
        _, done = self.excite(robot=robot, limits=None, out="refused", code=1)
        self.assertRegex(done.stderr, r"floating joint 'root'[\s\S]*--base hung")
        hung, _ = self.excite("--base", "hung", robot=robot, limits=None, out="hung")
        self.assertEqual(hung["status"], "feasible")
        fixed, _ = self.excite(robot=self.walker("fixed"), limits=None, out="fixed")
        self.assertEqual((self.scratch / "hung" / "trajectory.csv").read_text(), (self.scratch / "fixed" / "trajectory.csv").read_text())
        # on a table that is as high as the base's lowest shape: 0.45 m
        table, _ = self.excite("--base", "table", robot=robot, limits=None, out="table")
        floor, _ = self.excite("--floor", 0.45, robot=self.walker("fixed"), limits=None, out="floor")
        self.assertAlmostEqual(table["min_clearance"]["value"], floor["min_clearance"]["value"], delta=1e-9)
        _, done = self.excite("--base", "hanging", robot=robot, limits=None, out="refused", code=105)
        self.assertIn("hung", done.stderr)

    def test_an_obstacle_around_the_base_is_named(self):
        robot = self.walker("fixed")
        around = self.write("around.yaml", "obstacles:\n  - {name: crate, box: [0.3, 0.3, 0.3], position: [0, 0, 0.4]}\n")
        _, done = self.excite("--obstacles", around, robot=robot, limits=None, out="refused", code=1)
        self.assertRegex(done.stderr, r"obstacle 'crate'.*overlaps the link base, which is fixed to the base[\s\S]*move the obstacle")
        # what it stands on is none
        under = self.write("under.yaml", "obstacles:\n  - {name: table, box: [0.3, 0.3, 0.1], position: [0, 0, 0.4]}\n")
        design, _ = self.excite("--obstacles", under, robot=robot, limits=None)
        self.assertEqual(design["status"], "feasible")

    def test_no_shapes_are_said(self):
        text = pathlib.Path(self.robot()).read_text()
        bare = self.write("bare.urdf", re.sub(r"<collision>.*?</collision>", "", text))
        design, _ = self.excite(robot=bare, limits=None)
        self.assertIsNone(design["min_clearance"])
        self.assertTrue(any("no collision shapes" in note for note in design["assumed"]))
        _, done = self.excite("--floor", 0, robot=bare, limits=None, out="refused", code=1)
        self.assertIn("no collision shapes", done.stderr)

    def test_links_that_are_built_near_each_other(self):
        """a and c, on both sides of b, are within 2 cm of each other at any j2 and j3: they must not collide, but need not keep a
        centimeter."""
        text = pathlib.Path(self.robot('<limit lower="-0.5" upper="0.5" effort="40" velocity="2"/>')).read_text()
        ball = '<geometry><sphere radius="0.03"/></geometry>'
        text = re.sub(r'<link name="b">(.*?)<geometry>.*?</geometry>', rf'<link name="b">\1{ball}', text)
        text = re.sub(r'<link name="c">(.*?)<collision>.*?</collision>',
                      rf'<link name="c">\1<collision><origin xyz="0 0 0.025"/>{ball}</collision>', text)
        # c turns about a point 1 cm above b's frame, whose box below ends 1 cm under it
        near = self.write("near.urdf", text.replace('<child link="c"/><origin xyz="0 0 0.3"/>', '<child link="c"/><origin xyz="0 0 0.01"/>'))
        design, _ = self.excite(robot=near, limits=None)
        self.assertTrue(any(note.startswith("a and c are closer than 0.02 m") for note in design["assumed"]), design["assumed"])
        self.assertEqual(design["status"], "feasible")

    def test_a_budget_ends_feasible_where_torques_are_scarce(self):
        """Motors that hold the links upright but not horizontal: the result moves as far as they allow, even if the time ends before any
        descent, and also if they cannot hold the middle of the limits."""
        for name, lower, upper in (("middle", -1.5, 1.5), ("aside", 0.1, 2.9)):
            robot = self.robot(f'<limit lower="{lower}" upper="{upper}" effort="20" velocity="2"/>')
            design, _ = self.excite("--ignore-collisions", "--time-budget", 0.001, robot=robot, limits=None, out=name)
            self.assertEqual(design["status"], "feasible", name)
            self.assertGreater(design["log_det"], design["log_det_prior"] + 3)
        # and given time it tells more
        longer, _ = self.excite("--ignore-collisions", robot=robot, limits=None, out="longer")
        self.assertGreater(longer["log_det"], design["log_det"] + 3)

    def test_where_descents_fail_joints_move_less(self):
        """Wide bars that can hardly move without collision: the motion is small, and feasible."""
        design, _ = self.excite(robot=self.robot(shape="0.26 0.26 0.24"), limits=None)
        self.assertEqual(design["status"], "feasible")
        self.assertGreaterEqual(design["min_clearance"]["value"], 5e-4)


if __name__ == "__main__":
    unittest.main()
