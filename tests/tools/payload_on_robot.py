"""heft payload from the torques of a robot's joints: one log, a batch, a known tool, a body that changes."""

import json
import sys

from heft_program import ARM, SOURCE, HeftTestCase, run_heft
from schema_walk import wrong_places

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import loaded_arm  # noqa: E402

FILES = {"result.json", "report.html", "payload.urdf", "payload_franka.json", "payload_ur.txt", "payload_ros2.yaml", "points.csv"}
TOOL = (0.6, (0.0, 0.01, 0.06))
OBJECT = (loaded_arm.MASS, loaded_arm.COM)
TRAVEL = ("--perturbation", 0, "--held-out", 1)


class PayloadOnRobot(HeftTestCase):
    """An identified arm that then carries something; the demo's 2 kg."""

    def setUp(self):
        super().setUp()
        robot = self.write("loaded.urdf", loaded_arm.loaded_arm())
        for urdf, out, words in ((ARM, "empty", ("--duration", 10)), (robot, "loaded", ("--duration", 6, "--trajectory-seed", 2))):
            done = run_heft("simulate", "--robot", urdf, "--perturbation", 0, "--held-out", 1, *words, "--out", self.scratch / out)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.identify("--config", SOURCE / "tools" / "demo" / "arm.yaml", log=self.scratch / "empty" / "train.csv", out="arm")

    def command(self, *arguments, log="loaded", model="arm", link="gripper"):
        return ["payload", "--model", self.scratch / model, "--link", link, "--log", self.scratch / log / "train.csv", "--out",
                self.scratch / "out", *arguments]

    def weigh(self, *arguments, exit_code=0, **names):
        done = run_heft(*self.command(*arguments, **names))
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return json.loads((self.scratch / "out" / "result.json").read_text()), done.stdout

    def test_finds_what_the_gripper_holds(self):
        result, printed = self.weigh("--method", "all")
        payload = result["payload"]
        self.assertEqual(payload["frame"], "gripper")
        self.assertAlmostEqual(payload["mass"] / loaded_arm.MASS, 1, delta=0.01)
        for c, expected, (low, high) in zip(payload["com"], loaded_arm.COM, payload["intervals"]["com"]):
            self.assertAlmostEqual(c, expected, delta=2e-3)
            self.assertTrue(low <= c <= high)
        self.assertEqual(result["verdict"]["level"], "green")
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "payload.schema.json"), [])
        self.assertIsNone(payload["bias"])
        self.assertEqual([c["channel"] for c in result["channels"]], [f"joint_{k}" for k in range(1, 8)])
        self.assertIn("without payload", printed)
        self.assertEqual({path.name for path in (self.scratch / "out").iterdir()}, FILES)
        self.assertIn("gripper", (self.scratch / "out" / "payload_ur.txt").read_text())
        # in another link's frame it is the same body: the flange, on which the gripper is fixed
        other, _ = self.weigh(link="flange")
        self.assertAlmostEqual(other["payload"]["mass"], payload["mass"], places=4)

    def test_what_is_wrong_is_doubted(self):
        for names, id in (({"link": "forearm"}, "model-differs"), ({"log": "empty"}, "no-payload")):
            with self.subTest(id):
                result, printed = self.weigh(exit_code=4, **names)
                self.assertIn(id, [doubt["id"] for doubt in result["doubts"]])
                self.assertIn("doubt:  ", printed)
        self.weigh("--accept", "model-differs", link="forearm")
        path = self.scratch / "arm" / "result.json"
        result = json.loads(path.read_text())
        del result["uncertainty"]["information"]
        path.write_text(json.dumps(result))
        result, _ = self.weigh(exit_code=4)
        self.assertEqual([doubt["id"] for doubt in result["doubts"]], ["model-without-errors"])

    def test_what_cannot_be_is_refused(self):
        for arguments, where, says, remedy in (
                (self.command(link="griper"), "--link griper", "not a link", "gripper"),
                (self.command(link="base"), "--link base", "not a link that the robot moves", "it moves"),
                (self.command(model="nowhere"), self.scratch / "nowhere", "cannot be opened", "check the path"),
                (self.command("--method", "geo"), "--method geo", "force-torque sensors", "auto, wls, cone"),
                (["payload", "--model", self.scratch / "arm", "--log", "x.csv", "--out", "out"], "--model", "is given alone", "--link"),
                (["payload", "--model", "arm", "--link", "gripper", "--follow"], "--model", "logs of the loaded", "--batch")):
            with self.subTest(says):
                self.assert_refused(arguments, where, says, remedy)
        # a robot that was identified with the payload on carries less without it
        self.identify("--config", SOURCE / "tools" / "demo" / "arm.yaml", log=self.scratch / "loaded" / "train.csv", out="heavy")
        self.assert_refused(self.command(model="heavy", log="empty"), "payload", "carries less", "identify the robot")

    def test_a_batch_is_weighed_on_one_robot(self):
        manifest = self.write("m.csv", "id,log\nheld,loaded/train.csv\nnothing,empty/train.csv\nlost,none.csv\n")
        out = self.scratch / "batch"
        done = run_heft("payload", "--batch", manifest, "--model", self.scratch / "arm", "--link", "gripper", "--threads", 2, "--out", out)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("none.csv", done.stderr)
        self.assertIn("doubt:  nothing: no-payload", done.stdout)
        alone, _ = self.weigh()
        there = json.loads((out / "results" / "held" / "result.json").read_text())
        self.assertEqual({**there, "logs": None}, {**alone, "logs": None})
        self.assertEqual([o["state"] for o in json.loads((out / "batch.json").read_text())["objects"]], ["done", "done", "failed"])
        # what the robot was read from is spared
        self.assert_refused(["payload", "--batch", manifest, "--model", self.scratch / "none", "--link", "gripper", "--out", self.scratch / "no"],
                            self.scratch / "none", "cannot be opened")

    def simulate(self, name, bodies):
        """The motion, the friction and the noise of `loaded`, with other bodies on the gripper."""
        robot = self.write(f"{name}.urdf", loaded_arm.loaded_arm(bodies))
        done = run_heft("simulate", "--robot", robot, *TRAVEL, "--duration", 8, "--trajectory-seed", 2, "--out", self.scratch / name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.scratch / name / "train.csv").read_text().splitlines()

    def assert_is_the_object(self, body):
        self.assertAlmostEqual(body["mass"] / loaded_arm.MASS, 1, delta=0.02)
        for found, expected in zip(body["com"], loaded_arm.COM):
            self.assertAlmostEqual(found, expected, delta=4e-3)
        for x, (low, high) in zip([loaded_arm.MASS, *loaded_arm.COM], [body["intervals"]["mass"], *body["intervals"]["com"]]):
            self.assertTrue(low <= x <= high, (low, x, high))

    def test_a_known_tool_is_part_of_the_robot(self):
        self.simulate("tool", [TOOL])
        self.simulate("both", [TOOL, OBJECT])
        self.weigh("--zero", log="tool")
        zero = self.write("zero.yaml", (self.scratch / "out" / "zero.yaml").read_text())
        self.assertIn("link: \"gripper\"", zero.read_text())
        for flag in ("--known-tool", "--config"):
            result, _ = self.weigh(flag, zero, log="both")
            self.assert_is_the_object(result["payload"])
        self.assert_refused(self.command("--known-tool", zero, log="both", link="forearm"), "payload.known_tool", "frame of gripper", "--zero")
        of_sensor = self.write("sensor.yaml", f"payload: {{known_tool: {{parameters: [1, 0, 0, 0, 1, 0, 1, 0, 0, 1], bias: {[0] * 6}}}}}")
        self.assert_refused(self.command("--known-tool", of_sensor, log="both"), "payload.known_tool", "force-torque sensor", "--zero")
        self.assert_refused(["payload", "--known-tool", zero, "--log", self.scratch / "empty" / "train.csv", "--out", self.scratch / "no"],
                            "payload.known_tool", "joint torques", "--zero")

    def scaled(self, name, scales):
        """The log of one folder with other torque scales, written to another."""
        lines = (self.scratch / name / "train.csv").read_text().splitlines()
        header = lines[0].split(",")
        factors = [scales.get(word.removeprefix("tau_"), 1) if word.startswith("tau_") else 1 for word in header]
        rows = [",".join(f"{float(x) * f:.9g}" for x, f in zip(line.split(","), factors)) for line in lines[1:]]
        (self.scratch / f"{name}_off").mkdir()
        return self.write(f"{name}_off/train.csv", "\n".join([lines[0], *rows]) + "\n")

    def test_a_known_mass_calibrates_torque_scales(self):
        scales = {"joint_1": 1.04, "joint_2": 1.06, "joint_3": 0.95, "joint_4": 1.05, "joint_6": 0.96}
        arm = (SOURCE / "tools" / "demo" / "arm.yaml").read_text()
        empty = self.scaled("empty", scales)
        self.scaled("loaded", scales)
        run_heft("identify", "--quiet", "--robot", ARM, "--config", self.write("off.yaml", arm), "--log", empty, "--out", self.scratch / "off",
                 "--estimation.seek_faults", "false")
        known = self.write("known.yaml", f"payload: {{known_mass: {loaded_arm.MASS}}}\nestimation: {{torque_scale_sd: 0.05}}\n")
        done = run_heft(*self.command("--config", known, model="off", log="loaded_off"))
        self.assertIn("logged over true torque", done.stdout)
        result = json.loads((self.scratch / "out" / "result.json").read_text())
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "payload.schema.json"), [])
        self.assertEqual(result["torque_scales"], {"sd": 0.05, "source": "option"})
        for gain in result["gains"]:
            if gain["identifiable"]:
                self.assertAlmostEqual(gain["value"] / scales.get(gain["joint"], 1), 1, delta=0.02)
        calibrated = self.write("calibrated.yaml", arm + result["calibration"]["yaml"])
        run_heft("identify", "--quiet", "--robot", ARM, "--config", calibrated, "--log", empty, "--out", self.scratch / "calibrated",
                 "--estimation.seek_faults", "false")
        again = run_heft(*self.command(model="calibrated", log="loaded_off"))
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        payload = json.loads((self.scratch / "out" / "result.json").read_text())["payload"]
        self.assertAlmostEqual(payload["mass"] / loaded_arm.MASS, 1, delta=0.01)
        refused = self.write("no.yaml", "estimation: {torque_scale_sd: 3}\n")
        self.assert_refused(self.command("--config", refused), f"{refused}:1", "torque_scale_sd", "")

    def test_one_body_a_stretch(self):
        tool, both = self.simulate("tool", [TOOL]), self.simulate("both", [TOOL, OBJECT])
        half = len(tool) // 2
        (self.scratch / "grasped").mkdir()
        log = self.write("grasped/train.csv", "\n".join(tool[:half] + both[half:]) + "\n")
        at = float(both[half].split(",")[0])
        result, printed = self.weigh("--changes", at, log="grasped")
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "payload.schema.json"), [])
        first, second = result["stretches"]
        self.assertEqual((first["from_s"], first["to_s"], second["from_s"]), (0, at, at))
        self.assertAlmostEqual(first["mass"], TOOL[0], delta=0.05)
        self.assertAlmostEqual(second["mass"], TOOL[0] + loaded_arm.MASS, delta=0.05)
        self.assertIsNone(first["added"])
        self.assert_is_the_object(second["added"])
        self.assertEqual(result["payload"]["mass"], second["mass"])
        self.assertIn("more than in the first", printed)
        self.assert_refused(self.command("--changes", 99, log="grasped"), "payload.changes", "is not between", "ascending")
        self.assert_refused(self.command("--changes", at, "--log", log, log="grasped"), "payload.changes", "one log", "several runs")
        # the torques tell when, too, and without being asked
        told, _ = self.weigh("--changes", "auto", log="grasped")
        self.assertEqual(len(told["stretches"]), 2)
        self.assertAlmostEqual(told["stretches"][1]["from_s"], at, delta=0.25)
        self.assert_is_the_object(told["stretches"][1]["added"])
        # by the log's clock, also where a second of it is missing
        (self.scratch / "gap").mkdir()
        self.write("gap/train.csv", "\n".join(line for line in log.read_text().splitlines()
                                              if line[0].isalpha() or not 0.8 < float(line.split(",")[0]) < 1.8) + "\n")
        told, _ = self.weigh("--changes", "auto", "--accept", "model-differs", log="gap")  # seconds of a log are few
        self.assertAlmostEqual(told["stretches"][1]["from_s"], at, delta=0.25)
        doubted, _ = self.weigh(exit_code=4, log="grasped")
        doubt = {doubt["id"]: doubt for doubt in doubted["doubts"]}["payload-changes"]
        self.assertIn("the body on the link changes at", doubt["words"])
        self.assertIn("--changes auto", doubt["remedy"])
