"""log.device and log.torque_is through the program: results, errors, and the output of heft info and heft check."""

import json
import math
import re

from heft_program import ARM, JOINTS, SOURCE, HeftTestCase, run_heft
from log_forms import Table, difference

DATA = SOURCE / "host" / "data" / "readers" / "device_data"


class Devices(HeftTestCase):
    def log(self, name, position, torque, time="t", q=lambda x: x, tau=lambda x: x, t=lambda x: x):
        """The demo log in another convention; patterns contain {k} or {joint}."""
        table = Table()
        columns = {time: [t(x) for x in table.column("t")]}
        for k, joint in enumerate(JOINTS):
            columns[position.format(k=k, joint=joint)] = [q(x) for x in table.column(f"q_{joint}")]
        for k, joint in enumerate(JOINTS):
            columns[torque.format(k=k, joint=joint)] = [tau(x) for x in table.column(f"tau_{joint}")]
        rows = zip(*columns.values())
        return self.write(name, "\n".join([",".join(columns)] + [",".join(map(repr, row)) for row in rows]) + "\n")

    def franka_log(self):
        return self.log("franka.csv", "state.q[{k}]", "state.tau_J[{k}]", "time", t=lambda x: 1000 * x)

    def iiwa_log(self):
        return self.log("iiwa.csv", "joint_position_measured_{k}", "joint_torque_measured_{k}", "utime",
                        tau=lambda x: -x, t=lambda x: 1e6 * x)

    def test_device_alone_gives_the_right_answer(self):
        plain = self.identify(out="plain")
        for device, log in {"franka_log": self.franka_log(), "drake_iiwa": self.iiwa_log()}.items():
            with self.subTest(device):
                found = self.identify("--log.device", device, log=log, out=device)
                self.assertLess(difference(found, plain), 1e-6)

    def test_current_asks_for_the_gain(self):
        log = self.log("ur.csv", "actual_q_{k}", "actual_current_{k}", "timestamp", tau=lambda x: x / 10)
        config = self.write("ur.yaml", "log: {device: ur_rtde}\n")
        self.assert_refused(["identify", "--robot", ARM, "--log", log, "--config", config, "--out", self.scratch / "refused"],
                            "log.torque_scale", "motor currents", "torque constant times gear ratio")
        self.assert_refused(["check", "--robot", ARM, "--log", log, "--config", config], "log.torque_scale", "motor currents",
                            "torque constant times gear ratio")
        found = self.identify("--config", config, "--log.torque_scale", "10", log=log, out="ur")
        self.assertLess(difference(found, self.identify(out="plain")), 1e-6)

    def test_fleets_ask_for_it_too(self):
        log = self.log("ur.csv", "actual_q_{k}", "actual_current_{k}", "timestamp")
        config = self.write("ur.yaml", "log: {device: ur_rtde}\n")
        manifest = self.write("fleet.csv", f"robot_id,robot,log,config\nr1,{ARM},{log},{config}\n")
        done = run_heft("fleet", "run", manifest, "--store", self.scratch / "store")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("motor currents", done.stdout + done.stderr)

    def test_meanings_that_do_not_identify_are_refused(self):
        log = self.franka_log()
        for meaning, (where, words) in {"external": ("--log.torque_is", "external torques"),
                                        "percent": ("log.torque_scale", "fractions of a rated torque"),
                                        "gravity_compensated": ("--log.torque_is", "robot.gravity is not zero")}.items():
            with self.subTest(meaning):
                self.assert_refused(["identify", "--robot", ARM, "--log", log, "--log.device", "franka_log",
                                     "--log.torque_is", meaning, "--out", self.scratch / "refused"], where, words)
                self.assert_refused(["check", "--robot", ARM, "--log", log, "--log.device", "franka_log", "--log.torque_is", meaning],
                                    where, words)

    def test_wrong_device_is_doubted_or_refused(self):
        """A log in radians, read by devices of other units, signs and meanings."""
        log = self.log("named.csv", "position_{joint}", "effort_{joint}")
        for device in ("kinova_kortex", "moteus", "kuka_fri", "ur_ros2_driver", "ur_ros2_driver_torque", "xarm", "ur_rtde"):
            with self.subTest(device):
                done = run_heft("identify", "--log", log, "--robot", ARM, "--log.device", device,
                                "--out", self.scratch / device)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assert_no_crash(done.stderr)

    def test_info_names_device_and_confidence(self):
        path = self.scratch / "info.json"
        done = run_heft("info", self.iiwa_log(), "--json", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = json.loads(path.read_text())
        self.assertEqual((info["device"], info["torque_is"]), ("drake_iiwa", "link_side"))
        self.assertTrue(0.5 < info["device_confidence"] <= 1)
        self.assertIn("device: drake_iiwa", done.stdout)

    def test_suggestion_names_the_device_and_reads_the_log(self):
        config = self.scratch / "suggested.yaml"
        log = self.franka_log()
        done = run_heft("check", "--robot", ARM, "--log", log, "--suggest", config)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("device: franka_log", config.read_text())
        found = self.identify("--config", config, log=log, out="found")
        self.assertLess(difference(found, self.identify(out="plain")), 1e-6)

    def test_numbers_tell_devices_that_names_do_not(self):
        counts = self.log("counts.csv", "q_{joint}", "tau_{joint}", q=lambda x: round(2048 + x * 651.9), tau=lambda x: round(5 * x))
        circle = self.log("circle.csv", "q_{joint}", "tau_{joint}", q=lambda x: math.degrees(x) % 360)
        plain = self.log("plain.csv", "q_{joint}", "tau_{joint}")
        for log, names in ((counts, "device dynamixel_xm430, feetech_sts3215, feetech_sts3215_load;"), (circle, "device kinova_kortex;"),
                           (plain, "")):
            with self.subTest(log.name):
                config = self.scratch / "suggested.yaml"
                run_heft("check", "--robot", ARM, "--log", log, "--suggest", config)
                text = config.read_text()
                self.assertIn(names, text)
                self.assertEqual("range and resolution" in text, names != "")

    def test_list_and_documentation_have_every_device(self):
        names = sorted(path.stem for path in DATA.glob("*.yaml"))
        listed = run_heft("info", "--devices").stdout
        self.assertEqual(sorted(re.findall(r"^(\w+)$", listed, re.MULTILINE)), names)
        table = {}
        for line in (SOURCE / "docs" / "robot-logs.md").read_text().splitlines():
            if row := re.match(r"\| `(\w+)` \| (.*) \| (.*) \| (.*) \|$", line):
                table[row[1]] = row.groups()[1:]
        for name in names:
            text = (DATA / f"{name}.yaml").read_text()
            facts = dict(re.findall(r"^(\w+): (.*)$", text, re.MULTILINE))
            self.assertEqual(table.get(name), (facts["title"], facts["units"], f"`{facts['torque_is']}`"), name)
            self.assertIn(facts["source"], listed)
