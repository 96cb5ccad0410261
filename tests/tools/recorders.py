"""What recorders write that readers get wrong: forms that no other test has. docs/modules/data.md lists all of them with their tests."""

import math

import recordings as rec
from bags import BagTestCase
from heft_program import ARM, JOINTS, demo_log, run_heft
from log_forms import EPOCH, Table, difference

METADATA = """rosbag2_bagfile_information:
  version: {version}
  storage_identifier: sqlite3
  duration:
    nanoseconds: 4000000000
  message_count: 1000
  topics_with_message_count:
    - topic_metadata:
        name: /joint_states
        type: sensor_msgs/msg/JointState
        serialization_format: cdr
        offered_qos_profiles: {qos}
      message_count: 1000
  compression_format: ""
  compression_mode: ""
{files}"""
FILES = {4: "  relative_file_paths:\n    - {0}\n",
         5: "  relative_file_paths:\n    - {0}\n  files:\n    - path: {0}\n      message_count: 1000\n"}
QOS_TEXT = '"- history: 3\\n  depth: 0\\n  reliability: 1"'
QOS_LIST = "\n          - history: keep_last\n            depth: 10\n            reliability: best_effort"


class Recorders(BagTestCase):
    def test_one_name_for_two_types(self):
        """Another version of JointState on another topic of the file: every channel has its own definition."""
        other = rec.JOINT_STATE.replace("float64[] position", "float32[] position").replace("float64[] velocity\n", "")
        channels = [rec.Channel("/old", "sensor_msgs/msg/JointState", other), rec.Channel.joint_states()]
        messages = []
        for _, log, sent, data in self.demo.joint_states():
            old = rec.Cdr().header(log).texts(JOINTS).put("I", 7).put("f", *[0.5] * 7).numbers([1.0] * 7).done()
            messages += [(0, log, log, old), (1, log, sent, data)]
        log = self.write("log.mcap", rec.mcap(channels, messages))
        yaml = "log: {topics: {position: /joint_states.position, velocity: /joint_states.velocity, torque: /joint_states.effort}}\n"
        if "qd_joint_1" not in self.demo.names:
            yaml = yaml.replace("velocity: /joint_states.velocity, ", "")
        self.assert_same(log, *self.config(yaml))

    def test_three_clocks(self):
        """Messages are sent 0.5 ms after their stamp and received up to 3 ms later: the stamp is the default."""
        messages = [(0, stamp + 3000 * (7919 * k % 1000), stamp + 500_000, data)
                    for k, (stamp, (_, _, _, data)) in enumerate(zip(self.demo.stamps(), self.demo.joint_states()))]
        log = self.write("log.mcap", rec.mcap([rec.Channel.joint_states()], messages))
        self.assert_same(log, out="header")
        self.assert_same(log, "--log.stamp", "header", out="header again")
        jitter = {stamp: self.identify("--log.stamp", stamp, log=log, out=stamp)["logs"]["training"][0]["jitter"]
                  for stamp in ("publish", "log")}
        self.assertLess(jitter["publish"], 1e-6)
        self.assertGreater(jitter["log"], 0.2)

    def test_versions_of_metadata(self):
        """Versions 4 to 9 of metadata.yaml: QoS as a text or as a list, files once or twice."""
        for version in range(4, 10):
            with self.subTest(version):
                folder = self.scratch / f"bag_{version}"
                folder.mkdir()
                rec.db3(folder / "a_0.db3", [rec.Channel.joint_states()], self.demo.joint_states())
                files = FILES[4 if version < 5 else 5].format("a_0.db3")
                text = METADATA.format(version=version, qos=QOS_TEXT if version < 9 else QOS_LIST, files=files)
                (folder / "metadata.yaml").write_text(text)
                self.assert_same(folder, out=f"out_{version}")

    def test_numbers_that_joint_states_lack(self):
        """One message has no efforts at all, one NaN for one joint: rows around these are not used, others are."""
        messages = []
        for k, row in enumerate(self.demo.rows):
            effort = self.demo.numbers("tau", row)
            effort = [] if k == 300 else [math.nan, *effort[1:]] if k == 600 else effort
            stamp = self.demo.stamps()[k]
            messages.append((0, stamp, stamp, rec.joint_state(stamp, JOINTS, self.demo.numbers("q", row), [], effort)))
        result = self.identify(log=self.write("log.mcap", rec.mcap([rec.Channel.joint_states()], messages)))
        self.assertGreater(result["dropped"]["not a number"], 0)
        names = self.demo.names
        lines = [",".join(names)]
        for k, row in enumerate(self.demo.rows):
            empty = [n for n in names if n.startswith("tau") and (k == 300 or (k == 600 and n == "tau_joint_1"))]
            lines.append(",".join("" if n in empty else repr(row[n]) for n in names))
        plain = self.identify(log=self.write("log.csv", "\n".join(lines) + "\n"), out="plain")
        self.assertLess(difference(result, plain), 1e-9)

    def test_ros2_topic_echo(self):
        """`ros2 topic echo --csv`: no header; stamp, frame, names, then the arrays."""
        table = Table()
        columns = [table.column(f"{kind}_{joint}") for kind in ("q", "tau") for joint in JOINTS]
        lines = []
        for k, t in enumerate(table.column("t")):
            seconds, nanoseconds = divmod(round(t * 1e9) + EPOCH * 10**9, 10**9)
            lines.append(",".join([str(seconds), str(nanoseconds), "base", *JOINTS, *(repr(c[k]) for c in columns)]))
        log = self.write("echo.csv", "\n".join(lines) + "\n")
        suggested = self.scratch / "suggested.yaml"
        done = run_heft("check", "--robot", ARM, "--log", log, "--suggest", suggested)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = self.identify("--config", suggested, log=log)
        self.assertLess(difference(found, self.identify(out="plain")), 1e-6)

    def test_recordings_without_torques(self):
        """What lacks, and what to do: record the effort, or add the file that has it."""
        log = self.write("positions.mcap", rec.mcap([rec.Channel.joint_states()], self.demo.joint_states(effort=False)))
        self.assert_refused(["identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out"], log,
                            "nor any other with the name of a torque", f"torque: TOPIC.FIELD}}}} to their topic (heft info {log} lists all)")
        done = run_heft("check", "--robot", ARM, "--log", log, "--suggest", self.scratch / "suggested.yaml")
        self.assertIn("no columns were found for: torque", done.stderr)
        self.assertIn(f"torque: TOPIC.FIELD}}}}; heft info {log} lists them", done.stderr)

    def test_numbers_as_text(self):
        """1.6777216e+07, 16777216.0 and 16777216 are one number; missing ones are nan, NaN or empty."""
        table, answers = Table(), []
        for k, form in enumerate(("{:.16e}", "{:.17g}", "{:.20f}")):
            stamps = [form.format(1000 + round(x * 250) / 250) for x in table.column("t")]
            torque = [form.format(x) for x in table.column("tau_joint_3")]
            torque[100] = ("nan", "NaN", "")[k]
            answers.append(self.identify(log=self.write(f"log_{k}.csv", table.text(t=stamps, tau_joint_3=torque)), out=f"out_{k}"))
        for answer in answers[1:]:
            self.assertEqual(answer["bodies"], answers[0]["bodies"])

    def test_stamps_of_pandas(self):
        """Times as integers, of nanoseconds or microseconds, by what they were made of: since 1970 both are found."""
        table, plain = Table(), self.identify(out="plain")
        for unit in (10**9, 10**6):
            stamps = [str(EPOCH * unit + round(x * unit)) for x in table.column("t")]
            found = self.identify(log=self.write("log.csv", table.text(t=stamps)), out=f"out_{unit}")
            self.assertLess(difference(found, plain), 1e-6)

    def test_currents_read_without_their_sign(self):
        """-40 counts read as 65496: with the right scale, the program does not accept the result, as it does with signed counts."""
        for name, read, code in (("signed", lambda counts: counts, 0), ("unsigned", lambda counts: counts % 65536, 4)):
            with self.subTest(name):
                logs = []
                for table in (Table(), Table("held_out.csv")):
                    counts = [str(read(round(100 * x))) for x in table.column("tau_joint_2")]
                    logs.append(self.write(f"{name}_{len(logs)}.csv", table.text(tau_joint_2=counts)))
                self.identify("--validate", logs[1], "--log.torque_scale", "{joint_2: 0.01}", log=logs[0], exit_code=code)
