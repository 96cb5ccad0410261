"""heft check --suggest: the configuration of a log whose columns have other names, units, or no names."""

import gzip
import math
import os
import pathlib
import random
import re
import zipfile

from heft_program import ARM, JOINTS, SOURCE, HeftTestCase, demo_log, run_heft
from log_forms import Table, difference

DATA = pathlib.Path(os.environ.get("HEFT_DATA", SOURCE.parent / "shared" / "data"))


class Suggestions(HeftTestCase):
    def suggested(self, log, robot=ARM):
        path = self.scratch / "suggested.yaml"
        done = run_heft("check", "--robot", robot, "--log", log, "--suggest", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def assert_right(self, log):
        """Identifies as from the plain log."""
        config = self.suggested(log)
        found, plain = self.identify("--config", config, log=log, out="found"), self.identify(out="plain")
        self.assertLess(difference(found, plain), 1e-6, config.read_text())

    def renamed(self, names, table=None):
        table = table or Table()
        return self.write("log.csv", "\n".join([",".join(names)] + table.text().splitlines()[1:]) + "\n")

    def test_names_of_others(self):
        forms = {"ur": (lambda kind, k: f"{ {'q': 'actual_q', 'qd': 'actual_qd', 'tau': 'actual_current'}[kind]}_{k}", "timestamp"),
                 "ros": (lambda kind, k: f"/joint_states/{ {'q': 'position', 'qd': 'velocity', 'tau': 'effort'}[kind]}[{k}]",
                         "/joint_states/header/stamp"),
                 "joint": (lambda kind, k: f"{JOINTS[k]}.{ {'q': 'Position', 'qd': 'Velocity', 'tau': 'Torque'}[kind]}", "time"),
                 "from 1": (lambda kind, k: f"{ {'q': 'pos', 'qd': 'vel', 'tau': 'trq'}[kind]}{k + 1}", "Time [s]")}
        for form, (name, time) in forms.items():
            with self.subTest(form):
                names = [time if one == "t" else name(one.split("_")[0], JOINTS.index(one.split("_", 1)[1]))
                         for one in Table().names]
                self.assert_right(self.renamed(names))

    def test_no_names_at_all(self):
        self.assert_right(self.write("log.csv", Table().text(header=False)))

    def test_names_that_say_nothing(self):
        self.assert_right(self.renamed([f"x{k}_{'abc'[k % 3]}" for k in range(len(Table().names))]))

    def gripper_between(self, named):
        """Numbered columns with one joint more than the robot has, a gripper in third place; `named`: the log names them."""
        table = Table()
        order = [*JOINTS[:2], "gripper", *JOINTS[2:]]
        rows = len(table.column("t"))
        columns = {"t": table.column("t")}
        if named:
            columns |= {f"name_{k}": [joint] * rows for k, joint in enumerate(order)}
        for kind, stem in {"q": "position", "tau": "effort"}.items():
            columns |= {f"{stem}_{k}": table.column(f"{kind}_{joint}") if joint != "gripper" else [0.02] * rows
                        for k, joint in enumerate(order)}
        return self.write("log.csv", "\n".join(",".join(str(x) for x in row) for row in [list(columns), *zip(*columns.values())]) + "\n")

    def test_a_gripper_between_the_joints_that_the_log_names(self):
        self.assert_right(self.gripper_between(named=True))

    def test_joints_of_another_prefix_and_a_finger_that_is_not_logged(self):
        """q_fer_joint_1 is arm_joint_1; the finger, of which the log has nothing, is locked at its limit closest to zero."""
        text = pathlib.Path(ARM).read_text().replace('"joint_', '"arm_joint_')
        last = re.findall(r'<link name="(\w+)"', text)[-1]
        finger = (f'<link name="finger"><inertial><mass value="0.02"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/>'
                  f'</inertial></link><joint name="arm_finger_joint" type="prismatic"><parent link="{last}"/><child link="finger"/>'
                  f'<limit lower="0.01" upper="0.04" effort="20" velocity="1"/></joint></robot>')
        robot = self.write("arm.urdf", text.replace("</robot>", finger))
        log = self.renamed([name.replace("_joint", "_fer_joint") for name in Table().names])
        done = run_heft("identify", "--robot", robot, "--log", log, "--out", self.scratch / "o")
        self.assertIn("heft check --suggest FILE.yaml also examines", done.stderr)
        config = self.suggested(log, robot)
        self.assertRegex(config.read_text(), r'position: "q_fer_joint_\{i\}"[^$]*locked: \{"arm_finger_joint": 0.01\}')
        self.assertIn(run_heft("identify", "--robot", robot, "--log", log, "--config", config, "--out", self.scratch / "o").returncode, (0, 4))

    def test_a_joint_with_another_name_is_mentioned_where_it_would_be_locked(self):
        config = self.suggested(self.renamed([name.replace("joint_3", "elbow") for name in Table().names]))
        self.assertRegex(config.read_text(), r'# q_elbow and tau_elbow belong to no joint: [^$]*locked: \{"joint_3": 0\}')

    def test_a_column_too_many_is_no_other_quantity(self):
        log, path = self.gripper_between(named=False), self.scratch / "suggested.yaml"
        done = run_heft("check", "--robot", ARM, "--log", log, "--suggest", path)
        said = done.stdout + done.stderr + (path.read_text() if path.exists() else "")
        self.assertNotRegex(said, r"(?m)^ *torque: .*position_")
        self.assertNotRegex(said, r"(?m)^ *position: ")  # which column is the gripper's is unknown
        self.assertIn("position", done.stderr + done.stdout)

    def test_units_are_seen(self):
        table = Table()
        replaced = {f"q_{j}": [f"{math.degrees(x):.17g}" for x in table.column(f"q_{j}")] for j in JOINTS}
        log = self.write("log.csv", table.text(t=[f"{1000 * x:.9g}" for x in table.column("t")], **replaced))
        text = self.suggested(log).read_text()
        self.assertIn("time_unit: ms", text)
        self.assertIn("angle_unit: deg", text)
        self.assert_right(log)

    def test_ticks_are_no_degrees(self):
        table = Table()
        ticks = {f"q_{j}": [str(round(2048 + 4096 * x / math.tau)) for x in table.column(f"q_{j}")] for j in JOINTS}
        self.assertNotIn("angle_unit", self.suggested(self.write("log.csv", table.text(**ticks))).read_text())

    def test_desired_accelerations_are_not_measured(self):
        """Those of a Franka's state, ddq_d: Heft would use them instead of its own."""
        table = Table()
        names = ["t"] + [f"{ {'q': 'q', 'qd': 'dq', 'tau': 'tau_J'}[kind]}[{JOINTS.index(joint)}]"
                         for kind, joint in (name.split("_", 1) for name in table.names[1:])]
        lines = [",".join(names + [f"{stem}[{k}]" for stem in ("ddq_d", "dq_d") for k in range(len(JOINTS))])]
        lines += [line + ",0" * 2 * len(JOINTS) for line in table.text().splitlines()[1:]]
        log = self.write("log.csv", "\n".join(lines) + "\n")
        self.assertNotIn("_d[", re.sub(r"(?m)^#.*", "", self.suggested(log).read_text()))
        self.assert_right(log)

    def test_sparse_torques_are_found(self):
        table = Table()
        sparse = {f"tau_{j}": [f"{x:.17g}" if k % 4 == 3 else "" for k, x in enumerate(table.column(f"tau_{j}"))]
                  for j in JOINTS}
        self.assertIn('torque: "tau_{joint}"', self.suggested(self.write("log.csv", table.text(**sparse))).read_text())

    def test_real_logs_without_their_names(self):
        if not DATA.is_dir():
            self.skipTest("HEFT_DATA is not there")
        for robot, log in (("franka_panda", "log_train"), ("kuka_kr300", "log_train_A"), ("staubli_tx40", "log_train")):
            with self.subTest(robot):
                lines = (DATA / robot / f"{log}.csv").read_text().splitlines()
                names = lines[0].split(",")
                bare = self.write("bare.csv", "\n".join(lines[1:]) + "\n")
                text = self.suggested(bare, DATA / robot / "robot.urdf").read_text()
                for role, prefix in (("position", "q"), ("torque", "tau")):
                    places = [str(names.index(f"{prefix}{k}") + 1) for k in range(1, 1 + sum(n.startswith("tau") for n in names))]
                    self.assertIn(f"{role}: [" + ", ".join(f'"{place}"' for place in places) + "]", text)

    def test_what_cannot_be_found_is_said(self):
        log = self.write("log.csv", "t,a\n" + "".join(f"{k / 100},{random.Random(k).random()}\n" for k in range(100)))
        done = run_heft("check", "--robot", ARM, "--log", log, "--suggest", self.scratch / "s.yaml")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no columns were found for: position, torque", done.stderr)
        self.assertFalse((self.scratch / "s.yaml").exists())

    def test_cells_that_hold_lists_are_named(self):
        """As bagpy writes joint states."""
        names = str(list(JOINTS))
        rows = [f'{k / 100},"{names}","({k / 99}, {k / 98})","({k}, 1.0)"' for k in range(100)]
        log = self.write("log.csv", "\n".join(["Time,name,position,effort", *rows]) + "\n")
        done = run_heft("check", "--robot", ARM, "--log", log, "--suggest", self.scratch / "s.yaml")
        self.assertIn("its cells hold lists", done.stderr)

    def test_a_missing_column_lists_all_with_guesses(self):
        names = [name.replace("tau_joint_", "effort_axis") for name in Table().names]
        log = self.renamed(names)
        done = run_heft("identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^    effort_axis3 +torque of joint_3$")
        yaml = done.stderr.split("after checking it:\n")[1]
        pasted = self.write("pasted.yaml", "\n".join(line[4:] for line in yaml.splitlines()) + "\n")
        self.assertLess(difference(self.identify("--config", pasted, log=log), self.identify(out="plain")), 1e-9)

    def test_archives_are_named(self):
        text = demo_log("train.csv").read_bytes()
        packed = self.write("log.csv.gz", gzip.compress(text))
        self.assert_refused(["check", "--robot", ARM, "--log", packed], packed, "is compressed with gzip", "gunzip")
        with zipfile.ZipFile(self.scratch / "log.npz", "w") as archive:
            archive.writestr("q.npy", b"x")
        for command in (["check"], ["identify", "--out", self.scratch / "out"]):
            self.assert_refused([*command, "--robot", ARM, "--log", self.scratch / "log.npz"], self.scratch / "log.npz",
                                "is a zip archive, such as numpy.savez writes (npz)", "convert-log")
