"""heft excite: its files and output, a check by other readers that the files keep the limits, and its errors."""

import csv
import json
import math
import pathlib
import re
import subprocess
import unittest

from heft_program import ARM, JOINTS, PEER_INTERPRETER, HeftTestCase, demo_log, run_heft

FILES = {"design.json", "report.html", "trajectory.csv", "trajectory.ros2.yaml", "trajectory.json"}
LIMITS = """
limits:
  position: {scale: 0.9}
  velocity: {scale: 0.8}
  acceleration: {values: [6, 6, 6, 6, 8, 8, 8]}
  jerk: {values: [80, 80, 80, 80, 100, 100, 100]}
  torque: {deviations: 1}
"""


class Excite(HeftTestCase):
    def design(self, *arguments, limits=LIMITS, out="design", code=0):
        config = self.write("limits.yaml", limits)
        flags = {"--duration": 4, "--starts": 2, "--threads": 1, "--rate": 200} | dict(zip(arguments[::2], arguments[1::2]))
        done = run_heft("excite", "--robot", ARM, "--config", config, *(word for flag in flags.items() for word in flag),
                        "--out", self.scratch / out)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return json.loads((self.scratch / out / "design.json").read_text()), done.stdout

    def table(self, name="design/trajectory.csv"):
        with (self.scratch / name).open() as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def test_files_keep_the_limits_when_read_again(self):
        """Positions, velocities and accelerations of the table against the limits in the robot file, which a pattern here reads;
        velocities, accelerations and jerks also as differences of the positions."""
        design, printed = self.design()
        self.assertEqual(design["status"], "feasible")
        self.assertEqual({path.name for path in (self.scratch / "design").iterdir()}, FILES)
        rows = self.table()
        step = rows[1]["t"] - rows[0]["t"]
        self.assertAlmostEqual(step, 1 / 200)
        self.assertAlmostEqual(rows[-1]["t"], 4)
        text = pathlib.Path(ARM).read_text()
        for k, joint in enumerate(JOINTS):
            block = re.search(rf'<joint name="{joint}".*?</joint>', text, re.S).group(0)
            lower, upper, velocity = (float(re.search(rf'{name}="([^"]+)"', block).group(1)) for name in ("lower", "upper", "velocity"))
            middle, half = (lower + upper) / 2, 0.9 * (upper - lower) / 2
            most = {"q_": half, "qd_": 0.8 * velocity, "qdd_": [6, 6, 6, 6, 8, 8, 8][k]}
            for stem, limit in most.items():
                for row in rows:
                    self.assertLessEqual(abs(row[stem + joint] - (middle if stem == "q_" else 0)), limit)
            for stem, lower_stem in (("qd_", "q_"), ("qdd_", "qd_")):
                for before, at, after in zip(rows, rows[1:], rows[2:]):
                    difference = (after[lower_stem + joint] - before[lower_stem + joint]) / (2 * step)
                    self.assertAlmostEqual(at[stem + joint], difference, delta=step * step * 3000)
            jerk = [80, 80, 80, 80, 100, 100, 100][k]
            for before, after in zip(rows, rows[1:]):  # the mean over a step is no more than the largest
                self.assertLessEqual(abs(after["qdd_" + joint] - before["qdd_" + joint]) / step, jerk * (1 + 1e-9))
            for row in (rows[0], rows[-1]):  # at rest at both ends
                self.assertAlmostEqual(row["qd_" + joint], 0, delta=1e-9)
                self.assertAlmostEqual(row["qdd_" + joint], 0, delta=1e-9)

    def test_limits_are_used_and_proved(self):
        design, printed = self.design()
        uses = {}
        for use in design["limits"]:
            self.assertLessEqual(use["worst_ratio"], 1)
            self.assertTrue(use["proved"], use)
            uses[use["name"]] = max(uses.get(use["name"], 0), use["worst_ratio"])
        self.assertGreater(max(uses.values()), 0.97)  # what tells most is at some limit
        self.assertGreater(design["log_det"], design["log_det_prior"] + 100)
        for parameter in design["parameters"]:
            self.assertLessEqual(parameter["sd_after"], parameter["sd_before"] * (1 + 1e-9))
        self.assertIn("feasible", printed)
        self.assertIn("verified for all times", printed)

    def test_pinocchio_finds_the_same(self):
        """log det, standard deviations and robust torques from Pinocchio's regressors and numpy."""
        design, _ = self.design()
        script = pathlib.Path(__file__).with_name("excite_peer.py")
        done = subprocess.run([PEER_INTERPRETER, str(script), ARM, str(self.scratch / "design")], capture_output=True, text=True)
        if done.returncode == 77:
            raise unittest.SkipTest(f"{PEER_INTERPRETER} has no pinocchio: set HEFT_PYTHON_PEERS to an interpreter that does")
        self.assertEqual(done.returncode, 0, done.stderr)
        peer = json.loads(done.stdout)
        self.assertAlmostEqual(design["log_det_prior"], peer["log_det_prior"], delta=1e-6)
        self.assertAlmostEqual(design["log_det"], peer["log_det"], delta=1e-5)
        for parameter, after in zip(design["parameters"], peer["sd_after"]):
            self.assertAlmostEqual(parameter["sd_after"] / after, 1, delta=1e-5, msg=parameter["name"])
        for k, joint in enumerate(JOINTS):
            ratio = max((abs(tau[k]) + 1 * spread[k]) / peer["efforts"][k] for tau, spread in zip(peer["torques"], peer["deviations"]))
            use = next(use for use in design["limits"] if use["name"] == "torque" and use["joint"] == joint)
            self.assertLessEqual(ratio, use["worst_ratio"])
            self.assertGreater(ratio, 0.98 * use["worst_ratio"])

    def test_the_same_seed_finds_the_same(self):
        first, _ = self.design("--seed", 5, out="first")
        second, _ = self.design("--seed", 5, "--threads", 2, out="second")
        self.assertEqual(first["log_det"], second["log_det"])
        self.assertEqual((self.scratch / "first" / "trajectory.csv").read_text(), (self.scratch / "second" / "trajectory.csv").read_text())
        other, _ = self.design("--seed", 6, out="other")
        self.assertNotEqual(first["log_det"], other["log_det"])

    def test_judged_again_it_is_worth_the_same(self):
        design, _ = self.design()
        done = run_heft("excite", "--robot", ARM, "--config", self.scratch / "limits.yaml", "--judge", self.scratch / "design" / "trajectory.csv",
                        "--out", self.scratch / "judged")
        self.assertEqual(done.returncode, 0, done.stderr)
        judged = json.loads((self.scratch / "judged" / "design.json").read_text())
        self.assertTrue(judged["judged"])
        self.assertAlmostEqual(judged["log_det"], design["log_det"], delta=1e-6)
        self.assertEqual({path.name for path in (self.scratch / "judged").iterdir()}, {"design.json", "report.html"})

    def test_a_motion_that_breaks_a_limit_is_judged_so(self):
        self.design()
        rows = self.table()
        lines = [",".join(rows[0])]
        for row in rows:
            lines.append(",".join(repr(value if key == "t" else 1.4 * value) for key, value in row.items()))
        done = run_heft("excite", "--robot", ARM, "--config", self.scratch / "limits.yaml", "--judge", self.write("wild.csv", "\n".join(lines) + "\n"),
                        "--out", self.scratch / "judged")
        self.assertEqual(done.returncode, 1)
        judged = json.loads((self.scratch / "judged" / "design.json").read_text())
        self.assertEqual(judged["status"], "infeasible")
        self.assertRegex(judged["infeasible_because"], "of joint_[1-7]: 1\\.[345]")

    def test_every_motion_and_objective(self):
        log_dets = {}
        for motion in ("fourier", "fourier_rest", "poses"):
            design, _ = self.design("--motion", motion, out=motion)
            self.assertEqual(design["status"], "feasible", motion)
            log_dets[motion] = design["log_det"]
        self.assertGreater(log_dets["fourier"], log_dets["poses"])  # what moves tells more than what rests
        best, _ = self.design()
        for objective in ("i", "a", "e", "condition"):
            design, _ = self.design("--objective", objective, out=objective)
            self.assertEqual(design["status"], "feasible", objective)
            self.assertLessEqual(design["log_det"], best["log_det"] + 8, objective)  # two starts find a local optimum

    def test_begins_and_ends_where_it_is_told(self):
        start = {joint: 0.1 * (k + 1) for k, joint in enumerate(JOINTS)}
        start["joint_4"] = -1.5
        self.design("--start", self.write("q.json", json.dumps(start)), "--srdf", self.srdf())
        rows = self.table()
        for joint, value in start.items():
            for row in (rows[0], rows[-1]):
                self.assertAlmostEqual(row["q_" + joint], value, delta=1e-9)

    def srdf(self, robot="heft_demo_arm", link="flange"):
        """A file that allows two links to collide."""
        return self.write(f"{robot}_{link}.srdf", f"""<?xml version="1.0"?>
<robot name="{robot}">
  <disable_collisions link1="forearm" link2="{link}" reason="Default"/>
</robot>
""")

    def refused(self, *arguments):
        done = run_heft("excite", "--robot", ARM, "--starts", 1, *arguments, "--out", self.scratch / "refused")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertFalse((self.scratch / "refused").exists())
        return done.stderr

    def test_what_is_in_the_way_is_named(self):
        start = self.write("bent.json", json.dumps({joint: -1.5 if joint == "joint_4" else 0.6 for joint in JOINTS}))
        self.assertIn("in collision: forearm and flange overlap", self.refused("--start", start))
        self.assertRegex(self.refused("--srdf", self.srdf(robot="other")), r"other_flange.srdf:2: .*robot 'other', not 'heft_demo_arm'")
        self.assertRegex(self.refused("--srdf", self.srdf(link="flnge")), r"(?s)flnge.srdf:3: .*'flnge'.*did you mean 'flange'")
        wall = self.write("wall.yaml", "obstacles:\n  - {name: wall, box: [0.5, 0.5, 3]}\n")
        self.assertRegex(self.refused("--obstacles", wall), r"wall and the link .* collide in .* random postures")
        for line in ("{name: wall, box: [1, 1, 0]}", "{box: [1, 1, 1]}", "{name: wall}", "{name: wall, sphere: {radius: -1}}",
                     "{name: wall, sphere: {radius: 1}, position: [1, .nan, 0]}"):
            self.assertIn("wall.yaml:2", self.refused("--obstacles", self.write("wall.yaml", f"obstacles:\n  - {line}\n")))

    def test_coal_finds_the_same_clearance(self):
        """Every 5 ms, by Pinocchio and coal: no less than the verified bound, and hardly more."""
        design, printed = self.design("--floor", 0.0, "--srdf", self.srdf())
        least = design["min_clearance"]
        self.assertTrue(least["proved"])
        self.assertGreaterEqual(least["value"], 0.01)
        self.assertIn("clearance", printed)
        script = pathlib.Path(__file__).with_name("clearance_peer.py")
        done = subprocess.run([PEER_INTERPRETER, str(script), ARM, str(self.scratch / "design" / "trajectory.csv"), "--floor", "0",
                               "--ignore", "forearm,flange"], capture_output=True, text=True)
        if done.returncode == 77:
            raise unittest.SkipTest(f"{PEER_INTERPRETER} has no coal: set HEFT_PYTHON_PEERS to an interpreter that does")
        self.assertEqual(done.returncode, 0, done.stderr)
        peer = json.loads(done.stdout)
        self.assertEqual(sorted(peer["pair"]), sorted(least["pair"]))
        self.assertLessEqual(least["value"], peer["value"] + 1e-6)
        # cylinders count as prisms around them, 0.9 % larger across
        self.assertGreater(least["value"], peer["value"] - 2e-3)

    def test_what_is_known_is_not_asked_again(self):
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--moments", self.scratch / "known.heft", "--out", self.scratch / "known")
        self.assertEqual(done.returncode, 0, done.stderr)
        design, _ = self.design("--known", self.scratch / "known.heft")
        fresh, _ = self.design(out="fresh")
        spread = {p["name"]: p["sd_before"] for p in design["parameters"]}
        before = {p["name"]: p["sd_before"] for p in fresh["parameters"]}
        self.assertTrue(all(spread[name] <= before[name] * (1 + 1e-6) for name in spread if not name.startswith(("viscous", "coulomb", "offset"))))
        self.assertLess(spread["flange.mcx"], 0.3 * before["flange.mcx"])

    def test_a_budget_ends_with_an_answer(self):
        design, _ = self.design("--time-budget", 0.5, "--starts", 1000)
        self.assertEqual(design["status"], "feasible")
        self.assertLess(design["search"]["starts"], 1000)

    def test_a_budget_that_ends_before_any_answer(self):
        """If no motion is feasible when the time is over: exit code 5, and no trajectory."""
        design, printed = self.design("--time-budget", 0.05, "--starts", 1000, code=5,
                                      limits="limits: {torque: {values: [80, 1, 80, 80, 12, 12, 12]}}")
        self.assertEqual(design["status"], "budget")
        self.assertLess(design["search"]["starts"], 1000)
        self.assertIn("torque of joint_2", design["infeasible_because"])
        self.assertEqual({path.name for path in (self.scratch / "design").iterdir()}, {"design.json", "report.html"})

    def test_nothing_is_feasible(self):
        design, printed = self.design(limits="limits: {torque: {values: [80, 1, 80, 80, 12, 12, 12]}}", code=1)
        self.assertEqual(design["status"], "infeasible")
        self.assertRegex(design["infeasible_because"], "torque of joint_2.*, with 2 standard deviations.*limits.torque.deviations")
        self.assertEqual({path.name for path in (self.scratch / "design").iterdir()}, {"design.json", "report.html"})

    def test_page_is_whole(self):
        self.design()
        page = (self.scratch / "design" / "report.html").read_text()
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
        self.assertEqual(data["design"]["schema"], "heft-design-1")
        self.assertEqual(len(data["position"]), 7)
        self.assertNotIn("{{", page)

    def test_ros_file_says_what_the_table_says(self):
        self.design()
        rows = self.table()
        text = (self.scratch / "design" / "trajectory.ros2.yaml").read_text()
        stamps = re.findall(r"time_from_start: \{sec: (\d+), nanosec: (\d+)\}", text)
        positions = [json.loads(line) for line in re.findall(r"positions: (\[.*\])", text)]
        self.assertEqual(len(stamps), len(rows))
        for row, (seconds, nanoseconds), q in zip(rows, stamps, positions):
            self.assertAlmostEqual(row["t"], int(seconds) + 1e-9 * int(nanoseconds), delta=1e-9)
            self.assertEqual(q, [row["q_" + joint] for joint in JOINTS])


class ExciteRefusals(HeftTestCase):
    def refused(self, *arguments, config=None, code=1):
        extra = ["--config", self.write("limits.yaml", config)] if config is not None else []
        starts = [] if "--starts" in arguments else ["--starts", 1]
        done = run_heft("excite", "--robot", ARM, *starts, "--out", self.scratch / "out", *extra, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertFalse((self.scratch / "out").exists())
        return done.stderr

    def test_numbers_that_make_no_motion(self):
        self.assertIn("--duration", self.refused("--duration", 0))
        self.assertIn("--duration", self.refused("--duration", "nan"))
        self.assertIn("--rate", self.refused("--rate", 0))
        self.assertIn("--intervals", self.refused("--intervals", 3))
        self.assertIn("--intervals", self.refused("--motion", "poses", "--intervals", 7))
        self.assertIn("--starts", self.refused("--starts", 0))
        self.assertIn("--time-budget", self.refused("--time-budget", -1))

    def test_limits_that_are_none(self):
        self.assertIn("limits.yaml:1", self.refused(config="limits: {velocty: {scale: 1}}"))
        self.assertIn("did you mean 'joint_2'", self.refused(config="limits: {velocity: {values: {joint_22: 1}}}"))
        self.assertIn("7 joints", self.refused(config="limits: {velocity: {values: [1, 2]}}"))
        self.assertIn("positive", self.refused(config="limits: {velocity: {values: {joint_2: -1}}}"))
        self.assertIn("scale", self.refused(config="limits: {torque: {scale: 0}}"))
        self.assertIn("ascending order", self.refused(config="limits: {position: {values: {joint_2: [1, -1]}}}"))

    def test_start_outside_of_its_limits(self):
        q = {joint: 0 for joint in JOINTS} | {"joint_2": 9}
        self.assertIn("joint_2 at 9", self.refused("--start", self.write("q.json", json.dumps(q))))
        self.assertIn("joint_1", self.refused("--start", self.write("q.json", json.dumps({"joint_2": 0}))))
        self.assertIn("q.json", self.refused("--start", self.write("q.json", "[1]")))

    def test_motions_that_cannot_be_judged(self):
        self.assertIn("q_joint_1", self.refused("--judge", self.write("m.csv", "t,q1\n0,1\n1,2\n")))
        header = "t," + ",".join("q_" + joint for joint in JOINTS)
        rows = [f"{i}," + ",".join("0" * 7) for i in (0, 1, 1, 2)]
        self.assertIn("m.csv:4", self.refused("--judge", self.write("m.csv", "\n".join([header, *rows]) + "\n")))

    def test_known_moments_of_another_robot(self):
        other = pathlib.Path(ARM).read_text().replace("joint_7", "wrist")
        robot = self.write("other.urdf", other)
        lines = demo_log("train.csv").read_text().replace("joint_7", "wrist")
        done = run_heft("identify", "--robot", robot, "--log", self.write("log.csv", lines), "--moments", self.scratch / "other.heft", "--out", self.scratch / "other")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("another robot", self.refused("--known", self.scratch / "other.heft"))


if __name__ == "__main__":
    unittest.main()
