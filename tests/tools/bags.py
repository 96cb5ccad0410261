"""Recordings of messages as logs: MCAP files and ROS 2 bags give the numbers of the same log as CSV."""

import json
import math
import sqlite3
import struct

import recordings as rec
from heft_program import ARM, JOINTS, HeftTestCase, ask_peer, demo_log, run_heft

START = 1_771_234_567_000_000_000  # [ns] since 1970


class Demo:
    """The demo log as messages."""

    def __init__(self):
        lines = demo_log("train.csv").read_text().splitlines()
        self.names = lines[0].split(",")
        self.rows = [dict(zip(self.names, map(float, line.split(",")))) for line in lines[1:]]

    def stamps(self):
        return [START + round(row["t"] * 1e9) for row in self.rows]

    def numbers(self, prefix, row, joints=JOINTS):
        return [row[f"{prefix}_{joint}"] for joint in joints]

    def joint_states(self, joints=JOINTS, make=rec.joint_state, effort=True, **form):
        velocity = "qd_joint_1" in self.names
        return [(0, stamp + 700_000, stamp + 200_000,
                 make(stamp, list(joints), self.numbers("q", row, joints),
                      self.numbers("qd", row, joints) if velocity else [],
                      self.numbers("tau", row, joints) if effort else [], **form))
                for stamp, row in zip(self.stamps(), self.rows)]


def answer(result):
    """The numbers of a result, independent of the log's name."""
    return {key: result[key] for key in ("bodies", "training", "certificate", "constraint_cost") if key in result}


class BagTestCase(HeftTestCase):
    @classmethod
    def setUpClass(cls):
        cls.demo = Demo()

    def plain(self):
        """As CSV, with the times of the messages."""
        if not hasattr(type(self), "plain_answer"):
            type(self).plain_answer = json.dumps(self.comparable(self.identify(out="plain")))
        return type(self).plain_answer

    def comparable(self, result):
        text = {key: value for key, value in result.items() if key in ("bodies", "columns")}
        assert text, result.keys()
        return text

    def assert_same(self, log, *arguments, out="bag"):
        found = json.dumps(self.comparable(self.identify(*arguments, log=log, out=out)))
        self.assertEqual(found, self.plain())

    def config(self, text, name="config.yaml"):
        return ["--config", self.write(name, text)]


class McapFiles(BagTestCase):
    def recorded(self, messages=None, channels=None, name="log.mcap", **options):
        return self.write(name, rec.mcap(channels or [rec.Channel.joint_states()], messages or self.demo.joint_states(), **options))

    def test_joint_states_need_no_configuration(self):
        self.assert_same(self.recorded())

    def test_chunks_compression_and_summary(self):
        for k, options in enumerate(({"chunk": 0}, {"chunk": 0, "summary": False}, {"compression": "lz4"}, {"compression": "zstd"},
                                     {"compression": "zstd", "summary": False}, {"summary": False, "crc": False})):
            with self.subTest(**options):
                self.assert_same(self.recorded(**options), out=f"bag{k}")

    def test_schemas_that_the_summary_leaves_out(self):
        self.assert_same(self.recorded(repeats_schemas=False))

    def test_forms_of_cdr(self):
        for k, form in enumerate(({"big": True}, {"form": "xcdr2"}, {"form": "xcdr2", "big": True})):
            with self.subTest(**form):
                self.assert_same(self.recorded(self.demo.joint_states(**form)), out=f"bag{k}")

    def test_idl_ros1_and_json(self):
        idl = rec.Channel("/joint_states", "sensor_msgs/msg/JointState", rec.JOINT_STATE_IDL, schema_encoding="ros2idl")
        ros1 = rec.Channel("/joint_states", "sensor_msgs/JointState", rec.JOINT_STATE_ROS1, "ros1", "ros1msg")
        text = rec.Channel("/joint_states", "JointState", "{}", "json", "jsonschema")
        self.assert_same(self.recorded(channels=[idl]), out="idl")
        self.assert_same(self.recorded(self.demo.joint_states(form="ros1"), [ros1]), out="ros1")
        self.assert_same(self.recorded(self.demo.joint_states(make=rec.json_joint_state), [text]), out="json")

    def test_protobuf_by_arrays_and_by_joints(self):
        arrays = rec.Channel("/joint_states", "heft.JointStates", rec.ARRAYS_PROTO, "protobuf", "protobuf")
        self.assert_same(self.recorded(self.demo.joint_states(make=rec.proto_joint_state), [arrays]), out="arrays")
        joints = rec.Channel("/joint_states", "foxglove.JointStates", rec.JOINTS_PROTO, "protobuf", "protobuf")
        self.assert_same(self.recorded(self.demo.joint_states(make=rec.proto_joints), [joints]), out="joints")

    def test_json_by_joints(self):
        channel = rec.Channel("/joint_states", "foxglove.JointStates", "{}", "json", "jsonschema")
        self.assert_same(self.recorded(self.demo.joint_states(make=rec.json_joints), [channel]), out="joints")

    def test_order_of_joints_changes_between_messages(self):
        one, other = self.demo.joint_states(), self.demo.joint_states(JOINTS[::-1])
        self.assert_same(self.recorded([a if k % 3 else b for k, (a, b) in enumerate(zip(one, other))]))

    def test_overlapping_chunks_are_merged_by_time(self):
        messages = self.demo.joint_states()
        self.assert_same(self.recorded(messages[::2] + messages[1::2], chunk=100))

    def test_messages_out_of_order(self):
        messages = self.demo.joint_states()
        for k in range(0, len(messages) - 3, 7):  # the header tells the order, not when they arrived
            messages[k], messages[k + 2] = messages[k][:3] + messages[k + 2][3:], messages[k + 2][:3] + messages[k][3:]
        self.assert_same(self.recorded(messages))

    def test_another_sender_of_other_joints(self):
        gripper = [(0, stamp + 400_000, stamp, rec.joint_state(stamp + 100_000, ["finger"], [0.01], [0], [0.5]))
                   for stamp in self.demo.stamps()[::4]]
        messages = sorted(self.demo.joint_states() + gripper, key=lambda message: message[1])
        self.assert_same(self.recorded(messages))

    def loads(self, stamps, channel=1):
        """Messages of a topic without a header."""
        return [(channel, stamp, stamp, rec.Cdr().put("d", 1.0).done()) for stamp in stamps]

    def test_topics_without_a_header(self):
        channels = [rec.Channel.joint_states(), rec.Channel("/load", "std_msgs/msg/Float64", "float64 data\n")]
        messages = sorted(self.demo.joint_states() + self.loads(self.demo.stamps()[::3]), key=lambda message: message[1])
        self.assert_same(self.recorded(messages, channels))

    def test_channel_that_begins_after_the_probed_messages(self):
        channels = [rec.Channel.joint_states(), rec.Channel("/load", "std_msgs/msg/Float64", "float64 data\n"),
                    rec.Channel.joint_states()]
        messages = self.demo.joint_states()
        half, at = len(messages) // 2, messages[10][1]
        many = self.loads(range(at, at + 20_000))
        late = [(2, *message[1:]) for message in messages[half:]]
        self.assert_same(self.recorded(messages[:11] + many + messages[11:half] + late, channels, chunk=2000))

    def test_joint_that_appears_late(self):
        """The last joint's driver starts after 20 000 messages of other topics; rows before it are not used."""
        channels = [rec.Channel.joint_states(), rec.Channel("/load", "std_msgs/msg/Float64", "float64 data\n")]
        whole, without = self.demo.joint_states(), self.demo.joint_states(JOINTS[:-1])
        half, at = 300, whole[10][1]
        messages = without[:11] + self.loads(range(at, at + 20_000)) + without[11:half] + whole[half:]
        for name, log in (("mcap", self.recorded(messages, channels, chunk=500)), ("db3", self.scratch / "bag.db3")):
            with self.subTest(name):
                if name == "db3":
                    rec.db3(log, channels, messages)
                found = self.identify(log=log, out=name)
                rows = self.write("late.csv", "\n".join(",".join(map(repr, row.values())) for row in self.demo.rows[half:]) + "\n")
                rows.write_text(",".join(self.demo.names) + "\n" + rows.read_text())
                plain = self.identify(log=rows, out="late")
                for one, two in zip(found["bodies"], plain["bodies"]):
                    for parameter, value in two["parameters"].items():
                        self.assertAlmostEqual(one["parameters"][parameter], value, delta=1e-6 + 1e-4 * abs(value))

    def test_topics_by_name(self):
        channels = [rec.Channel.joint_states("/state"), rec.Channel.joint_states("/command"),
                    rec.Channel("/torques", "std_msgs/msg/Float64MultiArray", rec.MULTI_ARRAY)]
        messages = []
        for (_, log, sent, data), row in zip(self.demo.joint_states(effort=False), self.demo.rows):
            messages += [(0, log, log, data), (1, log, log, rec.joint_state(log, JOINTS, [0.0] * 7)),
                         (2, log, log, rec.multi_array(self.demo.numbers("tau", row)))]
        log = self.recorded(messages, channels)
        yaml = "log: {topics: {position: /state.position, torque: /torques.data}, stamp: log}\n"
        found = self.comparable(self.identify(*self.config(yaml), log=log, out="named"))
        # received 0.7 ms later, which changes no difference of times beyond rounding
        for one, two in zip(found["bodies"], json.loads(self.plain())["bodies"]):
            for name, value in two["parameters"].items():
                self.assertAlmostEqual(one["parameters"][name], value, delta=1e-4 + 1e-3 * abs(value))

    def test_patterns_of_full_paths(self):
        yaml = ('log: {position: "/joint_states.position.{joint}", velocity: "/joint_states.velocity.{joint}", '
                'torque: "/joint_states.effort[{joint}]"}\n')
        self.assert_refused(["identify", "--robot", ARM, "--log", self.recorded(), "--out", self.scratch / "o",
                             *self.config(yaml)], self.scratch / "log.mcap", "/joint_states.position.")
        self.assert_same(self.recorded(), *self.config(yaml.replace("[{joint}]", ".{joint}")))

    def test_dynamic_joint_states(self):
        channel = rec.Channel("/dynamic", "control_msgs/msg/DynamicJointState", rec.DYNAMIC_JOINT_STATE)
        messages = [(0, stamp, stamp, rec.dynamic_joint_state(stamp, JOINTS, ["position", "effort"], [
            [row[f"q_{joint}"], row[f"tau_{joint}"]] for joint in JOINTS]))
            for stamp, row in zip(self.demo.stamps(), self.demo.rows)]
        yaml = "log: {topics: {position: /dynamic.interface_values.values.position, torque: /dynamic.interface_values.values.effort}}\n"
        self.assert_same(self.recorded(messages, [channel]), *self.config(yaml))

    def test_cut_short(self):
        whole = rec.mcap([rec.Channel.joint_states()], self.demo.joint_states(), chunk=50)
        log = self.write("cut.mcap", whole[:int(0.8 * len(whole))])
        training = self.identify(log=log)["logs"]["training"][0]
        self.assertEqual(training["rows"] % 50, 0)
        self.assertGreater(training["rows"], 0.7 * len(self.demo.rows))
        self.assertRegex(training["lost"][0], r"cut.mcap is truncated: the last \d+ bytes are not read, a chunk of 0.196 s")


class BagFolders(BagTestCase):
    def folder(self, parts, name="bag", metadata=None, packs=bytes):
        """A bag of databases, one per list of messages."""
        path = self.scratch / name
        path.mkdir()
        files = [f"{name}_{k}.db3" for k in range(len(parts))]
        for file, messages in zip(files, parts):
            rec.db3(path / file, [rec.Channel.joint_states()], messages, packs)
        if metadata is not False:
            (path / "metadata.yaml").write_text(metadata or rec.metadata(files))
        return path

    def test_databases_are_merged(self):
        messages = self.demo.joint_states()
        half = len(messages) // 2
        self.assert_same(self.folder([messages[:half], messages[half:]]), out="split")
        self.assert_same(self.folder([messages[::2], messages[1::2]], "b", metadata=False), out="overlapping")
        self.assert_same(self.folder([messages], "c", packs=rec.zstd), out="message")
        self.assert_same(self.folder([messages], "d", metadata=rec.metadata(["renamed.db3"])), out="renamed")
        self.assert_same(self.folder([messages], "e") / "e_0.db3", out="file")

    def test_compressed_files_and_mcap(self):
        messages = self.demo.joint_states()
        folder = self.folder([messages])
        (folder / "bag_0.db3.zstd").write_bytes(rec.zstd((folder / "bag_0.db3").read_bytes()))
        (folder / "bag_0.db3").unlink()
        self.assert_same(folder, out="zstd")
        other = self.scratch / "other"
        other.mkdir()
        (other / "other_0.mcap").write_bytes(rec.mcap([rec.Channel.joint_states()], messages[:500]))
        (other / "other_1.mcap").write_bytes(rec.mcap([rec.Channel.joint_states()], messages[500:]))
        self.assert_same(other, out="mcap")

    def test_databases_without_definitions(self):
        path = self.folder([self.demo.joint_states()]) / "bag_0.db3"
        base = sqlite3.connect(path)
        base.execute("DROP TABLE message_definitions")
        base.commit()
        base.close()
        self.assert_same(path)

    def test_bad_folders(self):
        messages = self.demo.joint_states()
        folder = self.folder([messages[:500], messages[500:]])
        (folder / "bag_1.db3").unlink()
        self.assert_refused(["identify", "--robot", ARM, "--log", folder, "--out", self.scratch / "o"], folder / "metadata.yaml",
                            "lists 'bag_1.db3', which is not in the folder", "remove metadata.yaml")
        empty = self.scratch / "empty"
        empty.mkdir()
        self.assert_refused(["identify", "--robot", ARM, "--log", empty, "--out", self.scratch / "o"], empty, "is a folder")
        other = self.scratch / "other.db3"
        base = sqlite3.connect(other)
        base.execute("CREATE TABLE numbers(x)")
        base.commit()
        base.close()
        self.assert_refused(["identify", "--robot", ARM, "--log", other, "--out", self.scratch / "o"], other, "without a table 'topics'")


class Peers(BagTestCase):
    """Files of other programs, and Heft's files read by them."""

    def test_rosbags_reads_what_these_tests_write(self):
        log = self.write("log.mcap", rec.mcap([rec.Channel.joint_states()], self.demo.joint_states()))
        rows = ask_peer("rosbags", log)
        self.assertEqual(len(rows), len(self.demo.rows))
        for (stamp, names, position, effort), own, row in zip(rows, self.demo.stamps(), self.demo.rows):
            self.assertEqual((stamp, names), (own, JOINTS))
            self.assertEqual(position + effort, self.demo.numbers("q", row) + self.demo.numbers("tau", row))

    def test_files_of_mcap(self):
        log = self.write("log.mcap", rec.mcap([rec.Channel.joint_states()], self.demo.joint_states()))
        for compression in ("none", "lz4", "zstd"):
            ask_peer("mcap_again", log, self.scratch / f"{compression}.mcap", compression)
            self.assert_same(self.scratch / f"{compression}.mcap", out=compression)

    def test_bags_of_rosbags(self):
        log = self.write("log.mcap", rec.mcap([rec.Channel.joint_states()], self.demo.joint_states()))
        for storage, mode in (("sqlite3", "none"), ("sqlite3", "file"), ("sqlite3", "message"), ("mcap", "none"), ("mcap", "storage")):
            with self.subTest(storage=storage, mode=mode):
                ask_peer("bag_again", log, self.scratch / f"{storage}_{mode}", storage, mode)
                self.assert_same(self.scratch / f"{storage}_{mode}", out=f"out_{storage}_{mode}")


class Info(BagTestCase):
    def info(self, log):
        out = self.scratch / "info.json"
        done = run_heft("info", log, "--json", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(out.read_text()), done.stdout

    def test_topics_and_a_configuration_that_works(self):
        messages = [m for k, m in enumerate(self.demo.joint_states()) if not 300 < k < 400]
        messages += [(1, m[1], m[2], rec.wrench(m[2], [1, 2, 3, 4, 5, 6])) for m in messages[::5]]
        channels = [rec.Channel.joint_states(), rec.Channel("/ft", "geometry_msgs/msg/WrenchStamped", rec.WRENCH_STAMPED)]
        log = self.write("log.mcap", rec.mcap(channels, messages))
        info, text = self.info(log)
        states, wrench = sorted(info["topics"], key=lambda topic: topic["name"], reverse=True)
        self.assertEqual((states["name"], states["type"], states["role"]), ("/joint_states", "sensor_msgs/msg/JointState", "joint_states"))
        self.assertEqual((states["messages"], states["gaps"]), (len(self.demo.rows) - 99, 1))
        self.assertAlmostEqual(states["rate_hz"], 250, delta=0.01)
        self.assertAlmostEqual(states["resolution_s"], 0.004, delta=1e-9)
        self.assertIn("position.joint_3", states["fields"])
        self.assertEqual((wrench["role"], wrench["messages"]), ("wrench", math.ceil(states["messages"] / 5)))
        self.assertIn("wrench.force.x", wrench["fields"])
        self.assertIsNone(info["device"])
        self.assertIn("/joint_states.effort", text)
        whole = self.write("whole.mcap", rec.mcap([rec.Channel.joint_states()], self.demo.joint_states()))
        self.assert_same(whole, *self.config(info["yaml"]))

    def test_a_clock_that_goes_back(self):
        """A step back does not count as time: the rate is that of the rest."""
        half = len(self.demo.rows) // 2
        messages = [(0, log, sent, rec.joint_state(k * 4_000_000 - (k >= 1000 + half) * 1_000_000_000, JOINTS, [0.0] * 7, [0.0] * 7, [0.0] * 7))
                    for k, (_, log, sent, _) in enumerate(self.demo.joint_states(), 1000)]
        info, text = self.info(self.write("back.mcap", rec.mcap([rec.Channel.joint_states()], messages)))
        self.assertEqual(info["topics"][0]["steps_back"], 1)
        self.assertAlmostEqual(info["topics"][0]["rate_hz"], 250, delta=0.01)
        self.assertIn("stamps go back 1 time,", text)

    def test_tables_and_what_is_lost(self):
        info, _ = self.info(demo_log("train.csv"))
        self.assertEqual(info["topics"][0]["fields"], self.demo.names)
        self.assertEqual(info["topics"][0]["messages"], len(self.demo.rows))
        whole = rec.mcap([rec.Channel.joint_states()], self.demo.joint_states(), chunk=50)
        info, text = self.info(self.write("cut.mcap", whole[:int(0.8 * len(whole))]))
        self.assertIn("is truncated: the last ", info["losses"][0])
        self.assertIn(info["losses"][0], text)


class BadRecordings(BagTestCase):
    def refused(self, content, says, remedy="", yaml="{}\n", where=None):
        log = self.write("log.mcap", content)
        self.assert_refused(["identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out", *self.config(yaml)],
                            where or log, says, remedy)

    def test_damaged_chunk(self):
        content = bytearray(rec.mcap([rec.Channel.joint_states()], self.demo.joint_states()))
        content[len(content) // 2] ^= 1
        log = self.write("log.mcap", bytes(content))
        done = run_heft("identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the CRC of a chunk is wrong", done.stderr)

    def test_sizes_that_lie(self):
        content = rec.mcap([rec.Channel.joint_states()], self.demo.joint_states(), compression="zstd")
        at = content.index(struct.pack("<B", 6), content.index(b"tests"))
        lie = content[:at + 25] + struct.pack("<Q", 10 * 10**9) + content[at + 33:]
        log = self.write("log.mcap", lie)
        done = run_heft("identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a chunk declares 10.0 GB", done.stderr)
        self.assert_no_crash(done.stderr)

    def test_protobuf_without_the_descriptors(self):
        where = f"{self.scratch / 'log.mcap'}: topic /joint_states"
        for schema, words in ((b"", "does not define the type"), (b"\xff", "is not a set of descriptors"),
                              (rec.ARRAYS_PROTO[:60], "is not a set of descriptors"),
                              (rec.proto_set([("a.proto", "foxglove", [], {"JointStates": [("joints", 1, "*Joint")]})]), "Joint")):
            channel = rec.Channel("/joint_states", "foxglove.JointStates", schema, "protobuf", "protobuf")
            self.refused(rec.mcap([channel], self.demo.joint_states(make=rec.proto_joint_state)), words, "with the descriptors", where=where)

    def test_protobuf_of_another_type(self):
        channel = rec.Channel("/joint_states", "heft.JointStates", rec.ARRAYS_PROTO, "protobuf", "protobuf")
        self.refused(rec.mcap([channel], self.demo.joint_states()), "a message is not of type 'heft.JointStates'", "record again",
                     where=f"{self.scratch / 'log.mcap'}: topic /joint_states")

    def test_missing_topic(self):
        self.refused(rec.mcap([rec.Channel.joint_states()], self.demo.joint_states()), "has no topic '/joint_state'",
                     "did you mean '/joint_states'", "log: {topics: {position: /joint_state.position}}\n", "log.topics.position")
        self.refused(rec.mcap([rec.Channel.joint_states()], self.demo.joint_states()), "no number 'torque'",
                     "effort", "log: {topics: {torque: /joint_states.torque}}\n", "log.topics.torque")

    def test_topics_without_a_field_or_with_a_slash_before_it(self):
        content = rec.mcap([rec.Channel.joint_states()], self.demo.joint_states())
        for field, words, remedy in (("/joint_states", "is a topic, not a number", "/joint_states.position"),
                                     ("/joint_states/position", "has no topic '/joint_states/position'", "write a dot before the field: /joint_states.position")):
            self.refused(content, words, remedy, f"log: {{topics: {{position: {field}, torque: /joint_states.effort}}}}\n", "log.topics.position")

    def test_topics_that_are_named_twice_or_arrays_in_a_list(self):
        content = rec.mcap([rec.Channel.joint_states()], self.demo.joint_states())
        self.refused(content, "is named twice in log.topics", "name each field once",
                     "log: {topics: {position: /joint_states.position, velocity: /joint_states.position}}\n", "log.topics.velocity")
        self.refused(content, "each entry of a list must be one number", "name its elements",
                     "log: {topics: {torque: [/joint_states.effort, /joint_states.position]}}\n", "log.topics.torque")

    def test_two_publishers_of_one_topic(self):
        messages = []
        for k, message in enumerate(self.demo.joint_states()):
            messages += [message, (1, *message[1:3], rec.joint_state(message[1], JOINTS, [0.0] * 7, [], [0.0] * 7))]
        channels = [rec.Channel.joint_states(), rec.Channel.joint_states()]
        content = rec.mcap(channels, messages)
        topics = 'log: {topics: {position: "/joint_states@1.position", torque: "/joint_states@1.effort"}}'
        self.refused(content, "two publishers", topics)
        self.assert_same(self.write("log.mcap", content), *self.config(topics + "\n"))

    def test_clock_that_goes_back(self):
        messages = self.demo.joint_states()
        half = len(messages) // 2
        messages[half:] = [(0, log, sent, rec.joint_state(k * 4_000_000, JOINTS, [0.0] * 7, [0.0] * 7, [0.0] * 7))
                           for k, (_, log, sent, _) in enumerate(messages[half:])]
        log = self.write("log.mcap", rec.mcap([rec.Channel.joint_states()], messages))
        done = run_heft("identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("its stamp goes back", done.stderr)
        self.assertIn("log.stamp: log", done.stderr)

    def test_clock_that_is_set_back_by_less_than_late_messages(self):
        """Received in order, stamped 0.1 s earlier from the middle on; one message that arrives as late, or as early, is sorted."""
        messages, step = self.demo.joint_states(), 25
        half = len(messages) // 2
        rows = [(sent, [float(row[f"q_{j}"]) for j in JOINTS], [float(row[f"tau_{j}"]) for j in JOINTS])
                for (_, _, sent, _), row in zip(messages, self.demo.rows)]
        back = [(0, log, sent, rec.joint_state(sent - (100_000_000 if k >= half else 0), JOINTS, q, [], tau))
                for k, ((_, log, sent, _), (_, q, tau)) in enumerate(zip(messages, rows))]
        log = self.write("back.mcap", rec.mcap([rec.Channel.joint_states()], back))
        done = run_heft("identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"its stamp goes back by 0\.09\d* s")
        late = messages[:half] + messages[half + 1:half + step] + [messages[half]] + messages[half + step:]
        received = [(0, log, sent, data) for (_, log, _, _), (_, _, sent, data) in zip(messages, late)]
        self.assert_same(self.write("late.mcap", rec.mcap([rec.Channel.joint_states()], received)))
        early = messages[:half] + [messages[half + step]] + messages[half:half + step] + messages[half + step + 1:]
        received = [(0, log, sent, data) for (_, log, _, _), (_, _, sent, data) in zip(messages, early)]
        self.assert_same(self.write("early.mcap", rec.mcap([rec.Channel.joint_states()], received)))

    def test_definition_of_another_type(self):
        wrong = rec.JOINT_STATE.replace("float64[] effort", "float64[] effort\nfloat64[9] more")
        channel = rec.Channel("/joint_states", "sensor_msgs/msg/JointState", wrong)
        self.refused(rec.mcap([channel], self.demo.joint_states()), "ends within", "type definition", where=f"{self.scratch / 'log.mcap'}: topic /joint_states")

    def test_definition_that_many_channels_share(self):
        schema = rec.record(3, struct.pack("<H", 1) + rec.text("a/msg/A") + rec.text("ros2msg") + rec.text("float64 x\n" * 20_000))
        channels = [rec.record(4, struct.pack("<HH", k, 1) + rec.text(f"/t{k}") + rec.text("cdr") + rec.text("")) for k in range(1, 1001)]
        message = rec.record(5, struct.pack("<HIQQ", 1, 0, START, START) + bytes(12))
        begin = rec.MAGIC + rec.record(1, rec.text("ros2") + rec.text("tests"))
        self.refused(begin + schema + b"".join(channels) + message, "take more than 64 MB", "mcap filter")

    def test_chunks_that_declare_more_than_a_file_holds(self):
        packed = rec.zstd(b"")
        chunk = rec.record(6, struct.pack("<QQQI", START, START, 1 << 28, 0) + rec.text("zstd") + struct.pack("<Q", len(packed)) + packed)
        self.refused(rec.MAGIC + 4 * chunk, "chunks up to here declare", "--compression none",
                     where=f"{self.scratch / 'log.mcap'}: byte {len(rec.MAGIC) + len(chunk)}")

    def test_structures_without_bytes(self):
        levels = ["a/L0 x\n"]
        for k in range(9):
            levels.append(f"MSG: a/L{k}\n" + "".join(f"L{k + 1} f{j}\n" for j in range(40) if k < 8))
        schema = ("=" * 80 + "\n").join(levels)
        channel = rec.Channel("/joint_states", "sensor_msgs/JointState", schema, "ros1", "ros1msg")
        self.refused(rec.mcap([channel], [(0, START, START, b"")]), "nests too many", where=f"{self.scratch / 'log.mcap'}: topic /joint_states")
