"""Cases of public reports that Heft already gets right, so that they stay so (bench/reports has all of them, with other programs' numbers).

Others are in: test_check_log (velocities in deg/s, angles within a turn), log_forms (unwrap), payload_bad_input (a flange of 45
degrees), oracle/random_robot_test (mimic joints with multiplier and offset), model/urdf_errors_test (numbers that are not finite).
"""

import functools
import json
import math
import pathlib
import random
import re
import sys
import tempfile

from heft_program import ARM, JOINTS, SOURCE, HeftTestCase, demo_log, run_heft
from log_forms import Table, difference

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import payload_log  # noqa: E402

ARM_TEXT = pathlib.Path(ARM).read_text()
QUICK = ("--conditioning.lowpass_hz", 12, "--conditioning.trim", 50)


def scaled_robot(factor):
    """The demo arm scaled by `factor`, of the same density, with efforts that move it alike."""
    def times(power):
        return lambda match: match.group(1) + " ".join(f"{float(x) * factor**power:.12g}" for x in match.group(2).split()) + '"'
    text = ARM_TEXT
    for pattern, power in ((r'(xyz=")([^"]*)"', 1), (r'(radius=")([^"]*)"', 1), (r'(length=")([^"]*)"', 1), (r'(<mass value=")([^"]*)"', 3),
                           (r'(i[xyz][xyz]=")([^"]*)"', 5), (r'(effort=")([^"]*)"', 4)):
        text = re.sub(pattern, times(power), text)
    return re.sub(r'<axis xyz="[^"]*"', '<axis xyz="0 0 1"', text)


@functools.lru_cache(maxsize=None)
def simulated(text, *flags):
    """Folder with the robot and its logs, kept until the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="heft-reported-")
    robot = pathlib.Path(folder.name) / "robot.urdf"
    robot.write_text(text)
    done = run_heft("simulate", "--robot", robot, "--duration", 8, "--held-out", 4, "--rate", 250, "--out", folder.name, *flags)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return folder


class ReportedLogs(HeftTestCase):
    def need_small_error(self, text, largest, *flags, ids=(), **how):
        folder = pathlib.Path(simulated(text, *flags).name)
        result = self.identify(*QUICK, "--validate", folder / "held_out.csv", robot=folder / "robot.urdf", log=folder / "train.csv", **how)
        self.assertLess(result["validation"]["overall_relative"], largest)
        self.assertLessEqual({d["id"] for d in result["doubts"] if d["severity"] == "serious"}, set(ids))
        return result

    def test_columns_of_plotjuggler(self):
        """/joint_states/<joint>/position with joints in alphabetical order and stamps since 1970: the suggestion uses names."""
        table, order = Table(), sorted(range(7), key=lambda k: (-k) % 7)
        kinds = {"q": "position", "qd": "velocity", "tau": "effort"}
        names = [n for j in order for n in (f"{kind}_{JOINTS[j]}" for kind in kinds) if n in table.names]
        header = ["__time"] + [f"/joint_states/{n.split('_', 1)[1]}/{kinds[n.split('_', 1)[0]]}" for n in names]
        rows = zip([f"{1.7e9 + x:.6f}" for x in table.column("t")], *([f"{x:.17g}" for x in table.column(n)] for n in names))
        log = self.write("juggler.csv", "\n".join([",".join(header), *(",".join(row) for row in rows)]) + "\n")
        done = run_heft("check", "--robot", ARM, "--log", log, "--suggest", self.scratch / "s.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = self.identify("--config", self.scratch / "s.yaml", log=log, out="found")
        self.assertLess(difference(found, self.identify(out="plain")), 1e-4)

    def test_base_that_leans_by_three_degrees(self):
        leaning = ARM_TEXT.replace('<origin xyz="0 0 0.31" rpy="0 0 0"/>', f'<origin xyz="0 0 0.31" rpy="{math.radians(3)} 0 0"/>')
        folder = pathlib.Path(simulated(leaning, "--perturbation", 0).name)
        result = self.identify(*QUICK, "--validate", folder / "held_out.csv", log=folder / "train.csv", exit_code=4)
        doubt = next(d for d in result["doubts"] if d["id"] == "gravity-direction")
        yaml = re.search(r"robot: \{gravity: \[[^\]]*\]\}", doubt["words"] + doubt["remedy"]).group(0)
        fixed = self.identify(*QUICK, "--validate", folder / "held_out.csv", "--config", self.write("fixed.yaml", yaml + "\n"), log=folder / "train.csv", out="fixed")
        self.assertNotIn("gravity-direction", {d["id"] for d in fixed["doubts"]})
        x, y, z = json.loads(yaml.split("gravity: ")[1].rstrip("}"))
        self.assertAlmostEqual(math.degrees(math.atan2(math.hypot(x, y), -z)), 3, delta=0.3)

    def test_unusual_names_of_joints(self):
        plain = self.identify(out="plain")
        for names in (["vx/%d" % k for k in range(7)], ["left-%d" % k for k in range(7)], ["Revolute %d" % k for k in range(7)],
                      ["底座", "肩", "肘一", "肘二", "腕1", "腕2", "腕3"], [str(k) for k in range(1, 8)], ["t", "time", "q1", "tau_j", "qd", "q", "tau"]):
            with self.subTest(names[0]):
                text, header = ARM_TEXT, Table().names
                for old, new in zip(JOINTS, names):
                    text = text.replace(f'"{old}"', f'"{new}"')
                lines = demo_log("train.csv").read_text().splitlines()
                header = [re.sub(r"joint_(\d)$", lambda match: names[int(match.group(1)) - 1], name) for name in header]
                log = self.write("log.csv", "\n".join([",".join(header), *lines[1:]]) + "\n")
                result = self.identify(robot=self.write("robot.urdf", text), log=log, out="named")
                self.assertEqual([b["parameters"] for b in result["bodies"]], [b["parameters"] for b in plain["bodies"]])

    def test_an_arm_of_two_grams_as_a_large_one(self):
        self.need_small_error(scaled_robot(0.05), 0.03)

    def test_an_arm_of_seven_tonnes_as_a_small_one(self):
        folder = simulated(scaled_robot(8), "--speed", 0.4)
        self.need_small_error(scaled_robot(8), 0.03, "--speed", 0.4)
        done = run_heft("check", pathlib.Path(folder.name) / "robot.urdf")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_one_joint_alone(self):
        """Two of its parameters are identifiable; its mass is not, and is reported as undetermined."""
        robot = ('<robot name="pendulum"><link name="base"/><joint name="pivot" type="revolute"><parent link="base"/><child link="bob"/>'
                 '<origin xyz="0 0 0.5" rpy="1.5707963 0 0"/><axis xyz="0 0 1"/><limit lower="-2.9" upper="2.9" effort="40" velocity="6"/></joint>'
                 '<link name="bob"><inertial><origin xyz="0.2 0.01 0"/><mass value="2.4"/><inertia ixx="0.00144" ixy="0" ixz="0" '
                 'iyy="0.0507" iyz="0" izz="0.0507"/></inertial></link></robot>\n')
        result = self.need_small_error(robot, 0.03, ids={"total-scale"})
        self.assertEqual(len(result["bodies"]), 1)


class ReportedRobots(HeftTestCase):
    def checked(self, text):
        done = run_heft("check", self.write("robot.urdf", text), "--json", self.scratch / "found.json")
        return done, {f["name"] for f in json.loads((self.scratch / "found.json").read_text())["findings"]}

    def test_axes_that_are_no_unit_vectors(self):
        axis = re.search(r'<axis xyz="[^"]*"/>', ARM_TEXT).group(0)
        done, names = self.checked(ARM_TEXT.replace(axis, '<axis xyz="0 0 0.01"/>', 1))
        self.assertEqual((done.returncode, names), (0, {"axis-not-unit"}), done.stdout)
        done, names = self.checked(ARM_TEXT.replace(axis, '<axis xyz="0 0 -1"/>', 1))
        self.assertEqual((done.returncode, names), (0, set()), done.stdout)
        log = demo_log("train.csv")
        short = self.identify(robot=self.write("short.urdf", ARM_TEXT.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0.01"/>', 1)), log=log, out="short")
        self.assertLess(difference(short, self.identify(out="plain")), 1e-9)

    def test_infinite_limits_are_refused_by_place(self):
        for old, new, word in (('lower="-2.8"', 'lower="-Inf"', "lower"), ('effort="120"', 'effort="inf"', "effort")):
            robot = self.write("robot.urdf", ARM_TEXT.replace(old, new, 1))
            self.assert_refused(["observe", robot], f"{robot}:10", word)

    def test_encodings_that_are_not_utf_8(self):
        text = ARM_TEXT.replace("shoulder", "手臂")
        declared = text.replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="gb2312"?>')
        for content in (text.encode("gbk"), declared.encode("gb2312"), text.encode("utf-16")):
            done = run_heft("observe", self.write("robot.urdf", content))
            self.assertTrue(done.returncode == 0 or "UTF-8" in done.stderr, done.stderr)
            self.assert_no_crash(done.stderr)

    def test_a_robot_without_any_mass(self):
        robot = self.write("robot.urdf", re.sub(r"<inertial>.*?</inertial>", "", ARM_TEXT, flags=re.S))
        done = run_heft("identify", "--robot", robot, "--log", demo_log("train.csv"), "--out", self.scratch / "out")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "mass|inertia")
        self.assertFalse((self.scratch / "out").exists())


class ReportedPayloads(HeftTestCase):
    def poses(self, angle, count, header, row):
        """Averaged readings of the hammer within `angle` of upright; `row` makes the orientation columns."""
        noise, truth = random.Random(7), payload_log
        rows = []
        for _ in range(count):
            turn = truth.rotation(*(noise.uniform(-angle, angle) for _ in range(3)))
            g = truth.times(truth.transposed(turn), [0, 0, -truth.GRAVITY])
            felt = truth.wrench([0] * 3, [0] * 3, [-x for x in g])
            felt = [x + b + noise.gauss(0, sd) for x, b, sd in zip(felt, truth.BIAS, [0.02] * 3 + [0.002] * 3)]
            rows.append(row(turn) + felt)
        path = self.scratch / "poses.csv"
        truth.write(path, header + "fx fy fz nx ny nz".split(), rows)
        return path

    def weigh(self, log):
        done = run_heft("payload", "--log", log, "--out", self.scratch / "out")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return json.loads((self.scratch / "out" / "result.json").read_text())["payload"]

    def test_poses_close_to_each_other_have_wide_intervals(self):
        mass = payload_log.moments()[0]
        names = [f"r{i}{j}" for i in "123" for j in "123"]
        wide = self.weigh(self.poses(0.1, 12, names, lambda turn: sum(turn, [])))["intervals"]["mass"]
        narrow = self.weigh(self.poses(2.5, 12, names, lambda turn: sum(turn, [])))["intervals"]["mass"]
        for low, high in (wide, narrow):
            self.assertTrue(low <= mass <= high, (low, mass, high))
        self.assertGreater(wide[1] - wide[0], 5 * (narrow[1] - narrow[0]))

    def test_poses_with_quaternions(self):
        def quaternion(turn):
            w = math.sqrt(max(0.0, 1 + turn[0][0] + turn[1][1] + turn[2][2])) / 2
            return [(turn[2][1] - turn[1][2]) / (4 * w), (turn[0][2] - turn[2][0]) / (4 * w), (turn[1][0] - turn[0][1]) / (4 * w), w]
        found = self.weigh(self.poses(1.4, 20, "qx qy qz qw".split(), quaternion))
        self.assertAlmostEqual(found["mass"] / payload_log.moments()[0], 1, delta=0.03)
