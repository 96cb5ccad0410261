"""Unusable robots, results and output folders."""

import json
import pathlib
import re

from heft_program import ARM, HeftTestCase, demo_log, run_heft


class BadRobots(HeftTestCase):
    def refused(self, content, says, place="", remedy=""):
        path = self.write("bad.urdf", content)
        self.assert_refused(["identify", "--robot", path, "--log", demo_log("train.csv"), "--out",
                             self.scratch / "out"], f"{path}{place}", says, remedy)

    def test_missing(self):
        path = self.scratch / "nowhere.urdf"
        for command in (["identify", "--log", demo_log("train.csv")], ["simulate"]):
            self.assert_refused([*command, "--robot", path, "--out", self.scratch / "out"], path,
                                "cannot be opened", "check the path")

    def test_directory(self):
        for command in (["identify", "--log", demo_log("train.csv")], ["simulate"]):
            self.assert_refused([*command, "--robot", self.scratch, "--out", self.scratch / "out"], self.scratch,
                                "is a directory")

    def test_empty(self):
        self.refused("", "is empty", remedy="URDF")

    def test_no_xml(self):
        self.refused("hello", "has no <robot> element", remedy="xacro")

    def test_other_formats(self):
        self.refused("<!-- arm --><mujoco><worldbody/></mujoco>", "is an MJCF model", remedy="python3 -m heft_robot convert-robot")
        self.refused('<sdf version="1.9"><model name="arm"/></sdf>', "is an SDF model", remedy="export the robot as URDF")

    def test_malformed_xml(self):
        text = pathlib.Path(ARM).read_text().replace('<link name="forearm">', '<link name="forearm"')
        line = text[:text.index('<link name="forearm"')].count("\n") + 1
        path = self.write("bad.urdf", text)
        done = run_heft("identify", "--robot", path, "--log", demo_log("train.csv"), "--out", self.scratch / "out")
        found = int(done.stderr.split(":")[2])
        self.assertIn(found, (line, line + 1), done.stderr)
        self.refused(text, "malformed XML", f":{found}:5", "fix the XML")

    def test_cut_off(self):
        text = pathlib.Path(ARM).read_text()[:2000]
        path = self.write("bad.urdf", text)
        done = run_heft("identify", "--robot", path, "--log", demo_log("train.csv"), "--out", self.scratch / "out")
        line, column = map(int, done.stderr.split(":")[2:4])
        self.assertIn(text.count("\n") + 1 - line, (0, 1), done.stderr)  # the last line, or the one before
        self.refused(text, "malformed XML", f":{line}:{column}", "fix the XML")

    def test_no_moving_joint(self):
        self.refused('<robot name="rock"><link name="base"/></robot>', "has no moving joint")

    def test_only_fixed_joints(self):
        self.refused('<robot name="rock"><link name="a"/><link name="b"/><joint name="j" type="fixed">'
                     '<parent link="a"/><child link="b"/></joint></robot>', "has no moving joint")

    def test_not_utf_8(self):
        content = pathlib.Path(ARM).read_bytes().replace(b"joint_1", b"j\xfc", 1)
        line = content[:content.index(b"\xfc")].count(b"\n") + 1
        self.refused(content, "byte 0xFC is not UTF-8", f":{line}", "save the file as UTF-8")

    def test_trees_that_are_none(self):
        def joint(name, parent, child, inside="", kind="continuous"):
            return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}'
                    "</joint>\n")

        links = '<link name="a"/>\n<link name="b"/>\n<link name="c"/>\n'
        for body, place, says in (
                (joint("i", "a", "b"), ":4", "two root links, 'a' and 'c'"),
                (joint("i", "a", "b") + joint("j", "b", "c") + joint("k", "c", "a"), ":2", "the joints form a cycle"),
                (joint("i", "a", "b") + joint("j", "b", "c", '<axis xyz="0 0 0"/>'), ":6",
                 "the axis of joint 'j' is zero"),
                (joint("i", "a", "b") + joint("i", "b", "c"), ":6", "joint 'i' appears twice"),
                (joint("i", "a", "b") + joint("j", "b", "c") + '<link name="b"/>', ":7", "link 'b' appears twice"),
                (joint("i", "a", "b", '<mimic joint="j"/>') + joint("j", "b", "c", '<mimic joint="i"/>'), ":5",
                 "mimics itself in a cycle"),
                (joint("i", "a", "b", '<mimic joint="j"/>') + joint("j", "b", "c", kind="fixed"), ":5",
                 "mimics the fixed joint 'j'")):
            with self.subTest(says):
                self.refused(f'<robot name="r">\n{links}{body}</robot>\n', says, place)

    def test_nested_mimics(self):
        """A mimic of a mimic of a joint is one coordinate, like the joint at the end of the chain."""
        text = pathlib.Path(ARM).read_text()
        for follower, leader in (("joint_2", "joint_3"), ("joint_3", "joint_4")):
            at = text.index("</joint>", text.index(f'<joint name="{follower}"'))
            text = f'{text[:at]}<mimic joint="{leader}" multiplier="0.5" offset="0.1"/>{text[at:]}'
        done = run_heft("observe", self.write("mimic.urdf", text), "--json", self.scratch / "observe.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run_heft("identify", "--robot", self.scratch / "mimic.urdf", "--log", demo_log("train.csv"), "--out",
                        self.scratch / "out")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        joints = json.loads((self.scratch / "out" / "result.json").read_text())["joints"]
        self.assertEqual(joints, ["joint_1", "joint_4", "joint_5", "joint_6", "joint_7"])

    def test_symlinks_that_lead_to_themselves(self):
        loop = self.scratch / "loop"
        loop.symlink_to(loop)
        log, out = demo_log("train.csv"), ["--out", self.scratch / "out"]
        for arguments in (["identify", "--robot", loop, "--log", log, *out],
                          ["identify", "--robot", ARM, "--log", loop, *out],
                          ["identify", "--robot", ARM, "--log", log, "--config", loop, *out],
                          ["identify", "--robot", ARM, "--log", log, "--out", loop / "out"],
                          ["predict", "--model", loop, "--log", log, *out], ["solve", loop, *out],
                          ["report", loop, loop], ["check", loop], ["check", "--robot", ARM, "--log", loop]):
            with self.subTest(arguments):
                self.assert_refused(arguments, loop / "out" if loop / "out" in arguments else loop,
                                    "Too many levels of symbolic links")

    def test_nested_without_end(self):
        deep = "<x>" * 100_000 + "</x>" * 100_000
        self.refused(f'<robot name="r"><link name="a"><inertial>{deep}</inertial></link></robot>',
                     "the <inertial> of link 'a' has no mass", ":1")

    def test_byte_order_mark_and_windows_line_ends(self):
        text = pathlib.Path(ARM).read_bytes().replace(b"\n", b"\r\n")
        self.assertEqual(self.identify(robot=self.write("marked.urdf", b"\xef\xbb\xbf" + text))["bodies"],
                         self.identify(out="sound")["bodies"])

    def test_no_mass_at_all(self):
        """The message names the link and the remedy, not a singular matrix."""
        text = pathlib.Path(ARM).read_text()
        path = self.write("bare.urdf", re.sub(r"(?s)<inertial>.*?</inertial>", "", text))
        first = re.search(r'<child link="([^"]+)"', text)[1]
        self.assert_refused(["identify", "--robot", path, "--log", demo_log("train.csv"), "--out", self.scratch / "out"],
                            f"link {first}", "neither this link nor any other moving link has mass", "rough mass")

    def test_negative_mass(self):
        text = pathlib.Path(ARM).read_text().replace('<mass value="3.6"/>', '<mass value="-3.6"/>')
        line = text[:text.index("<inertial>", text.index('<link name="upper_arm_1"'))].count("\n") + 1
        self.refused(text, "link 'upper_arm_1' has a negative mass, -3.6 kg", f":{line}")


class BadResults(HeftTestCase):
    """`heft predict` with something that is not a model."""

    def refused(self, model, where, says, remedy=""):
        self.assert_refused(["predict", "--model", model, "--log", demo_log("held_out.csv"), "--out",
                             self.scratch / "predicted.csv"], where, says, remedy)

    def good_result(self):
        self.identify()
        return self.scratch / "result" / "result.json"

    def test_missing(self):
        path = self.scratch / "nowhere.json"
        self.refused(path, path, "cannot be opened")

    def test_directory_without_a_result(self):
        self.refused(self.scratch, self.scratch / "result.json", "cannot be opened")

    def test_not_json(self):
        path = self.write("result.json", "mass: 3")
        self.refused(path, path, "is not a result of heft identify")

    def test_other_json(self):
        for text in ("[]", "{}", "null", '{"schema": "heft-truth-1"}', '{"schema": 3}'):
            path = self.write("result.json", text)
            self.refused(path, path, "is not a result of heft identify")

    def test_cut_off(self):
        path = self.good_result()
        path.write_text(path.read_text()[:3000])
        self.refused(path, path, "is not a result of heft identify")

    def test_hollow(self):
        path = self.write("result.json", '{"schema": "heft-result-1"}')
        self.refused(path, path, "is not a valid result", "identify again")

    def test_parameter_that_is_no_number(self):
        path = self.good_result()
        result = json.loads(path.read_text())
        result["bodies"][2]["parameters"]["m"] = "heavy"
        path.write_text(json.dumps(result))
        self.refused(path, path, "is not a valid result")

    def test_nested_without_end(self):
        path = self.write("result.json", '{"schema": ' + "[" * 100_000 + "]" * 100_000 + "}")
        self.refused(path, path, "is not a result of heft identify")

    def test_options_larger_than_any(self):
        path = self.good_result()
        result = json.loads(path.read_text())
        result["provenance"]["options"]["known_torque"] = {f"joint_{k}": "0" * 100 for k in range(20_000)}
        path.write_text(json.dumps(result))
        self.refused(path, path, "too large for a configuration")

    def test_bytes_that_are_not_text(self):
        path = self.write("result.json", b'{"schema": "heft-result-1", "robot": "\xff\xfe"}')
        self.refused(path, path, "is not a result of heft identify")

    def test_body_renamed(self):
        path = self.good_result()
        path.write_text(path.read_text().replace('"forearm"', '"foreleg"'))
        self.refused(path, path, "has no body 'forearm'", "keep result.json and identified.urdf together")

    def test_without_urdf(self):
        path = self.good_result()
        urdf = path.with_name("identified.urdf")
        urdf.unlink()
        self.refused(path, path, "has no identified.urdf next to it")

    def test_option_that_does_not_exist(self):
        path = self.good_result()
        path.write_text(path.read_text().replace('"lowpass_hz"', '"lowpas_hz"', 1))
        done = run_heft("predict", "--model", path, "--log", demo_log("held_out.csv"), "--out", self.scratch / "p.csv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean 'lowpass_hz'?", done.stderr)
        self.assertFalse((self.scratch / "p.csv").exists())

    def test_bad_log(self):
        path = self.scratch / "nowhere.csv"
        self.assert_refused(["predict", "--model", self.good_result(), "--log", path, "--out",
                             self.scratch / "predicted.csv"], path, "cannot be opened")

    def test_unwritable_output(self):
        path = self.scratch / "nowhere" / "predicted.csv"
        self.assert_refused(["predict", "--model", self.good_result(), "--log", demo_log("held_out.csv"), "--out",
                             path], path, "cannot be written", "folder exists")


class BadOutputs(HeftTestCase):
    """Results and logs that cannot be written."""

    def refused(self, out, where, says):
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out", out], where, says)

    def test_folder_is_a_file(self):
        path = self.write("occupied", "x")
        self.refused(path, path, "cannot be created")

    def test_folder_below_a_file(self):
        path = self.write("occupied", "x") / "deeper" / "still"
        self.refused(path, path, "cannot be created")

    def test_name_too_long(self):
        path = self.scratch / ("x" * 300)
        self.refused(path, path, "cannot be created")

    def test_result_is_a_folder(self):
        (self.scratch / "out" / "result.json").mkdir(parents=True)
        self.refused(self.scratch / "out", self.scratch / "out" / "result.json", "is not a regular file")

    def test_urdf_is_a_folder(self):
        (self.scratch / "out" / "identified.urdf").mkdir(parents=True)
        self.refused(self.scratch / "out", self.scratch / "out" / "identified.urdf", "is not a regular file")

    def test_simulation_below_a_file(self):
        path = self.write("occupied", "x") / "demo"
        self.assert_refused(["simulate", "--robot", ARM, "--duration", 1, "--held-out", 1, "--out", path],
                            path, "cannot be created")

    def test_refused_run_keeps_the_older_result(self):
        self.identify("--validate", demo_log("held_out.csv"))
        bad = self.write("bad.csv", demo_log("train.csv").read_text().split("\n")[0] + "\n")
        self.assert_refused(["identify", "--robot", ARM, "--log", bad, "--out", self.scratch / "result"], bad,
                            "has a header but no rows")  # which also compares every file with before
