"""heft payload across runs and within a log: --zero and --known-tool, --changes, --plan, poses without orientation."""

import csv
import json
import subprocess
import sys

from heft_program import ARM, PROGRAM, SOURCE, HeftTestCase, run_heft

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import payload_log  # noqa: E402


class PayloadStates(HeftTestCase):
    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, str(SOURCE / "tools" / "demo" / "payload_log.py"), str(self.scratch)], check=True)

    def weigh(self, log, *arguments, exit_code=0, out="out"):
        done = run_heft("payload", "--log", self.scratch / log, "--out", self.scratch / out, *arguments)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return json.loads((self.scratch / out / "result.json").read_text())

    def assert_is_the_ball(self, body):
        self.assertAlmostEqual(body["mass"] / payload_log.BALL, 1, delta=0.01)
        low, high = body["intervals"]["mass"]
        self.assertTrue(low <= payload_log.BALL <= high, (low, high))
        for found, expected in zip(body["com"], payload_log.BALL_AT):
            self.assertAlmostEqual(found, expected, delta=2e-3)

    def test_a_calibrated_tool_is_taken_off(self):
        self.weigh("shaken.csv", "--zero", out="zero")
        text = (self.scratch / "zero" / "zero.yaml").read_text()
        self.assertIn("known_tool:", text)
        for arguments in (["--known-tool", self.scratch / "zero"], ["--known-tool", self.scratch / "zero" / "zero.yaml"],
                          ["--config", self.scratch / "zero" / "zero.yaml"]):
            self.assert_is_the_ball(self.weigh("gripped.csv", *arguments)["payload"])
        # in a stream as in a log
        done = subprocess.run([PROGRAM, "payload", "--follow", "--known-tool", str(self.scratch / "zero")],
                              input=(self.scratch / "gripped.csv").read_text(), capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(json.loads(done.stdout.splitlines()[-1])["mass"] / payload_log.BALL, 1, delta=0.02)

    def test_what_calibration_refuses(self):
        log, out = self.scratch / "shaken.csv", self.scratch / "no"
        none = self.write("none.yaml", "payload: {bias: none}")
        self.assert_refused(["payload", "--log", log, "--zero", "--config", none, "--out", out], "--zero", "offset", "constant")
        self.assert_refused(["payload", "--log", log, "--known-tool", none, "--out", out], none, "known_tool", "--zero")
        self.weigh("shaken.csv", "--zero", out="zero")
        turned = self.write("turned.yaml", "payload: {mounting: [0, 0, 0.1, 0, 0, 0]}")
        self.assert_refused(["payload", "--log", log, "--known-tool", self.scratch / "zero", "--config", turned, "--out", out],
                            self.scratch / "zero" / "zero.yaml", "mounting", "the same")
        two = self.write("two.csv", "\n".join((self.scratch / "poses.csv").read_text().splitlines()[:3]) + "\n")
        self.assert_refused(["payload", "--log", two, "--zero", "--out", out], "--zero", "does not determine", "three directions")

    def test_one_body_a_stretch(self):
        result = self.weigh("grasped.csv", "--changes", "auto")
        truth = json.loads((self.scratch / "truth.json").read_text())["mass"]
        first, second = result["stretches"]
        self.assertAlmostEqual(first["to_s"], 6, delta=0.2)
        self.assertAlmostEqual(first["mass"] / truth, 1, delta=5e-3)
        self.assertAlmostEqual(second["mass"] / (truth + payload_log.BALL), 1, delta=5e-3)
        self.assertIsNone(first["added"])
        self.assert_is_the_ball(second["added"])
        self.assertEqual(result["payload"]["mass"], second["mass"])
        given = self.weigh("grasped.csv", "--changes", "6")
        self.assert_is_the_ball(given["stretches"][1]["added"])
        # one body stays one, and a log of two is doubted
        self.assertNotIn("stretches", self.weigh("shaken.csv", "--changes", "auto"))
        doubted = self.weigh("grasped.csv", exit_code=4)
        self.assertIn("payload-changes", [doubt["id"] for doubt in doubted["doubts"]])
        for changes, says in (("soon", "is not a time"), ("99", "is not between"), ("6,3", "not in ascending order")):
            self.assert_refused(["payload", "--log", self.scratch / "grasped.csv", "--changes", changes, "--out", self.scratch / "no"],
                                "--changes: payload.changes" if changes == "soon" else "payload.changes", says)

    def test_poses_without_orientation(self):
        with (self.scratch / "poses.csv").open() as file:
            rows = [{name: row[name] for name in ("fx", "fy", "fz", "nx", "ny", "nz")} for row in csv.DictReader(file)]
        log = self.scratch / "forces.csv"
        with log.open("w") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        result = self.weigh("forces.csv")
        self.assertAlmostEqual(result["payload"]["mass"] / json.loads((self.scratch / "truth.json").read_text())["mass"], 1, delta=0.03)
        few = self.write("few.csv", "\n".join(log.read_text().splitlines()[:5]) + "\n")
        self.assert_refused(["payload", "--log", few, "--out", self.scratch / "no"], few, "too few poses", "orientation")

    def test_poses_to_take(self):
        def plan(*arguments):
            done = run_heft("payload", "--plan", "--out", self.scratch / "plan", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads((self.scratch / "plan" / "plan.json").read_text()), done.stdout

        fresh, printed = plan("--poses", 3)
        self.assertEqual(fresh["schema"], "heft-payload-plan-1")
        self.assertIsNone(fresh["now"]["mass_sd"])
        self.assertIsNone(fresh["poses"][0]["after"]["mass_sd"])
        self.assertIsNone(fresh["poses"][1]["after"]["com_sd"][2])
        self.assertIsNotNone(fresh["poses"][1]["after"]["mass_sd"])
        self.assertNotIn(None, fresh["poses"][2]["after"]["com_sd"])
        self.assertIn("nothing yet", printed)
        taken, _ = plan("--log", self.scratch / "poses.csv", "--poses", 1)
        self.assertEqual((taken["taken"], taken["now"]["directions"]), (6, 6))
        self.assertLess(taken["poses"][0]["after"]["mass_sd"], taken["now"]["mass_sd"])
        postures, _ = plan("--robot", ARM, "--sensor-link", "gripper", "--poses", 3)
        self.assertEqual(sorted(postures["poses"][0]["q"]), [f"joint_{k}" for k in range(1, 8)])
        self.assertNotIn(None, postures["poses"][2]["after"]["com_sd"])
        for pose in postures["poses"]:
            self.assertGreater(pose["clearance"], 0)
        self.assertIsNone(fresh["poses"][0]["clearance"])
        self.assert_refused(["payload", "--plan", "--log", self.scratch / "shaken.csv", "--out", self.scratch / "no"], "--plan",
                            "poses at rest", "r11..r33")
