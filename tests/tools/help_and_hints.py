"""The first steps of a user: help without a request, the intended flag, logs in degrees, printed doubts."""

import csv
import json
import math
import pathlib
import platform
import re

from heft_program import ARM, JOINTS, HeftTestCase, demo_log, run_heft


class HelpAndHints(HeftTestCase):
    def hint(self, *arguments):
        """The message for a wrong command line."""
        done = run_heft(*arguments)
        self.assertGreaterEqual(done.returncode, 100, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assert_no_crash(done.stderr)
        return done.stderr

    def test_help_without_being_asked(self):
        asked = run_heft("--help")
        for arguments in ([], ["help"]):
            done = run_heft(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, asked.stdout)
        self.assertIn("First steps:", asked.stdout)

    def test_help_of_a_command(self):
        done = run_heft("help", "solve")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, run_heft("solve", "--help").stdout)
        self.assert_refused(["help", "identfy"], "help", "unknown command 'identfy'", "did you mean 'identify'?")

    def test_unknown_flag_gets_the_nearest(self):
        for given, meant in (("--lowpas", "--lowpass"), ("--conditioning.lowpas_hz", "--conditioning.lowpass_hz"),
                             ("--trim", "--conditioning.trim"), ("--prior_weight=3", "--prior-weight"),
                             ("--dead-band", "--conditioning.dead_band"), ("--logs", "--log"),
                             ("--validation", "--validate")):
            message = self.hint("identify", "--robot", ARM, "--log", demo_log("train.csv"), given)
            self.assertIn(f"did you mean '{meant}'?", message, given)
            self.assertIn(given.split("=")[0], message)
            self.assertIn("heft identify --help", message)

    def test_flag_unlike_any_gets_no_proposal(self):
        self.assertNotIn("did you mean", self.hint("info", "--zzzzzzzzzzzzzzzzzzzzzz"))

    def test_unknown_command_gets_the_nearest(self):
        self.assertIn("did you mean 'identify'?", self.hint("identfy", "--robot", ARM))
        self.assertIn("did you mean 'check'?", self.hint("chekc"))

    def test_info_for_machines(self):
        out = self.scratch / "info.json"
        done = run_heft("info", "--json", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = json.loads(out.read_text())
        self.assertEqual(info["schema"], "heft-info-1")
        self.assertIn(f"heft {info['version']}\n", done.stdout)
        self.assertTrue(info["commit"] is None or re.fullmatch("[0-9a-f]{40}(-dirty)?", info["commit"]))
        self.assertIn("baseline", info["instruction_sets"])
        if platform.machine() == "x86_64":
            with open("/proc/cpuinfo") as file:
                flags = set(re.search("flags.*: (.*)", file.read())[1].split())
            self.assertEqual("avx2" in info["instruction_sets"], {"avx2", "fma"} <= flags)
            self.assertEqual("avx512" in info["instruction_sets"], {"avx2", "fma", "avx512f", "avx512dq"} <= flags)
        self.assertEqual("backend cuda: not compiled" in done.stdout, not info["cuda"]["compiled"])
        self.assertEqual(info["cuda"]["device"] is None, info["cuda"]["why_not"] is not None)
        self.assertRegex(info["libraries"]["Eigen"], r"^3\.4")
        self.assertNotIn("", info["libraries"].values())

    def test_bench_with_each_instruction_set(self):
        run_heft("info", "--json", self.scratch / "info.json")
        available = json.loads((self.scratch / "info.json").read_text())["instruction_sets"]
        for name in ("avx512", "avx2", "neon", "baseline"):
            out = self.scratch / f"{name}.json"
            bench = ["bench", "moments", ARM, "--samples", 64, "--seconds", 0.001, "--instruction-set", name, "--json", out]
            if name in available:
                done = run_heft(*bench)
                self.assertEqual(done.returncode, 0, done.stderr)
                figures = json.loads(out.read_text())
                self.assertEqual(figures["instruction_set"], name)
                for row in figures["rows"]:  # rounds beside a low register peak are dropped and counted
                    self.assertGreater(row["rounds"], 0)
                    self.assertGreaterEqual(row["rounds"] + row["rounds_dropped"], 5)
            else:
                self.assert_refused(bench, f"instruction set {name}", "is not supported by this processor", "use one of")
                self.assertFalse(out.exists())
        self.assertIn("--instruction-set", self.hint("bench", "moments", ARM, "--instruction-set", "mmx"))

    def test_help_names_the_choices_of_an_option(self):
        text = " ".join(run_heft("identify", "--help").stdout.split())
        for choices in ("auto, ols, wls, admm, interior_point", "metric, entropic, euclidean, diagonal, none",
                        "butterworth, savitzky_golay, none", "squares, huber", "none, collision, visual"):
            self.assertIn(choices, text)

    def test_result_folder_is_a_model(self):
        self.identify()
        by_file, by_folder = self.scratch / "file.csv", self.scratch / "folder.csv"
        for model, out in ((self.scratch / "result" / "result.json", by_file), (self.scratch / "result", by_folder)):
            done = run_heft("predict", "--model", model, "--log", demo_log("held_out.csv"), "--out", out)
            self.assert_done(done)
        self.assertEqual(by_file.read_bytes(), by_folder.read_bytes())
        self.assert_refused(["predict", "--model", self.scratch, "--log", demo_log("held_out.csv"), "--out",
                             self.scratch / "no.csv"], self.scratch / "result.json", "cannot be opened")

    def test_observe_says_what_its_table_counts(self):
        for arguments in ([], ["--dimensions"]):
            text = run_heft("observe", ARM, *arguments).stdout
            for letter in "VKT":
                self.assertIn(f"dim {letter}", text)
                self.assertRegex(text, rf"(?m)^  {letter}: \w+")

    def test_column_that_no_other_joint_takes_is_proposed(self):
        lines = demo_log("train.csv").read_text().splitlines()
        lines[0] = lines[0].replace("q_joint_3", "q_jont_3")
        path = self.write("typo.csv", "\n".join(lines) + "\n")
        self.assert_refused(["identify", "--robot", ARM, "--log", path, "--out", self.scratch / "out"], f"{path}:1",
                            "no column 'q_joint_3'", "did you mean 'q_jont_3'?")


class Degrees(HeftTestCase):
    def in_degrees(self, name):
        with open(demo_log(name)) as file:
            rows = list(csv.reader(file))
        for row in rows[1:]:
            row[1:1 + len(JOINTS)] = [repr(math.degrees(float(q))) for q in row[1:1 + len(JOINTS)]]
        return self.write(f"degrees_{name}", "\n".join(",".join(row) for row in rows) + "\n")

    def test_training_log_is_refused(self):
        path = self.in_degrees("train.csv")
        self.assert_refused(["identify", "--robot", ARM, "--log", path, "--out", self.scratch / "out"], path,
                            "rad: they are in degrees", "log.angle_unit: deg")

    def test_held_out_log_is_refused(self):
        path = self.in_degrees("held_out.csv")
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--validate", path, "--out",
                             self.scratch / "out"], path, "rad: they are in degrees", "log.angle_unit: deg")

    def test_log_to_predict_is_refused(self):
        path = self.in_degrees("held_out.csv")
        self.identify()
        self.assert_refused(["predict", "--model", self.scratch / "result", "--log", path, "--out",
                             self.scratch / "predicted.csv"], path, "rad: they are in degrees", "log.angle_unit: deg")

    def test_a_word_settles_it(self):
        path = self.in_degrees("train.csv")
        in_radians = self.identify(out="radians")
        by_word = self.identify("--log.angle_unit", "deg", log=path, out="degrees")
        self.assertAlmostEqual(by_word["training"]["overall_relative"], in_radians["training"]["overall_relative"],
                               delta=1e-6)
        self.identify("--log.angle_unit", "rad", log=path, out="insisted")

    def test_many_turns_without_limits_are_no_degrees(self):
        text = pathlib.Path(ARM).read_text().replace('type="revolute"', 'type="continuous"')
        self.identify(robot=self.write("wheels.urdf", text), log=self.in_degrees("train.csv"))


class Doubts(HeftTestCase):
    def doubts(self, *arguments, robot=ARM, log=None):
        """The lines `doubt:` of the terminal."""
        done = run_heft("identify", "--robot", robot, "--log", log or demo_log("train.csv"), "--out",
                        self.scratch / "result", *arguments)
        self.assertEqual(done.returncode, 4 if "doubt:  " in done.stdout else 0, done.stderr)
        return [line.removeprefix("doubt:  ") for line in done.stdout.splitlines() if line.startswith("doubt:")]

    def test_serious_doubts_stand_in_the_terminal(self):
        # one torque that is none
        with open(demo_log("train.csv")) as file:
            rows = list(csv.reader(file))
        column = rows[0].index("tau_joint_3")
        for k, row in enumerate(rows[1:]):
            row[column] = str(5 * math.sin(1e3 * k * k))
        path = self.write("noise.csv", "\n".join(",".join(row) for row in rows) + "\n")
        [excluded] = self.doubts(log=path)
        self.assertIn("the torque column of joint_3: motion explains only", excluded)
        keep = ("--config", self.write("keep.yaml", "joints: {keep: [joint_3]}\n"))
        doubts = self.doubts(*keep, log=path)
        self.assertTrue(any(doubt.startswith("The torque of joint_3 is predicted poorly:") for doubt in doubts), doubts)
        self.assertEqual(self.doubts("--quiet", *keep, log=path), doubts)
        result = json.loads((self.scratch / "result" / "result.json").read_text())
        self.assertEqual(result["verdict"]["level"], "amber")
        open_ones = [doubt for doubt in result["doubts"] if doubt["severity"] == "serious"]
        self.assertEqual([" ".join(filter(None, (d["words"], d["remedy"]))) for d in open_ones], doubts)
        # what somebody has looked into no longer decides
        accept = [word for doubt in open_ones for word in ("--accept", doubt["id"])]
        self.assertEqual(self.doubts(*keep, *accept, log=path), [])
        result = json.loads((self.scratch / "result" / "result.json").read_text())
        self.assertEqual(result["verdict"]["level"], "green")
        self.assertTrue(all(doubt["accepted"] for doubt in result["doubts"] if doubt["severity"] == "serious"))
        self.assert_refused(("identify", "--robot", ARM, "--log", path, "--accept", "error-larg"), "--accept",
                            "unknown doubt 'error-larg'", remedy="error-large")

    def test_no_serious_doubt_about_a_sound_log(self):
        done = run_heft("simulate", "--robot", ARM, "--duration", 20, "--held-out", 5, "--rate", 250, "--out",
                        self.scratch / "logs")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.doubts("--validate", self.scratch / "logs" / "held_out.csv",
                                     log=self.scratch / "logs" / "train.csv"), [])

    def test_rotor_beside_reflected_inertia(self):
        rotors = self.write("rotors.yaml", "rotors: [{joint: joint_2, gear_ratio: 100, mass: 0.2, "
                                           "inertia: {ixx: 5e-5, iyy: 5e-5, izz: 1e-4}}]\n")

        def about_rotors(joint):
            config = self.write("c.yaml", f"columns: [viscous, offset, reflected_inertia: {{joints: [{joint}]}}]\n")
            return [doubt for doubt in self.doubts("--rotors", rotors, "--config", config) if "same inertia" in doubt]

        self.assertEqual(len(about_rotors("joint_2")), 1)
        self.assertTrue(about_rotors("joint_2")[0].startswith("joint_2.rotor and the column 'reflected_inertia joint_2'"))
        self.assertEqual(about_rotors("joint_4"), [])


class TruthBesideRotors(HeftTestCase):
    def test_rotors_that_the_truth_does_not_know_have_no_inertia(self):
        rotors = self.write("rotors.yaml", "rotors: [{joint: joint_2, gear_ratio: 100}]\n")
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--rotors", rotors, "--truth",
                        demo_log("truth.json"), "--out", self.scratch / "result")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("distance from the truth", done.stdout)

    def test_links_that_the_truth_does_not_know_are_another_robot(self):
        truth = json.loads(demo_log("truth.json").read_text())
        truth["parameters"] = {name: value for name, value in truth["parameters"].items() if "forearm" not in name}
        path = self.write("truth.json", json.dumps(truth))
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--truth", path, "--out",
                        self.scratch / "result")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no parameter 'forearm.m'", done.stderr)
