"""Simulate, identify, predict: result.json is compared with other sources."""

import csv
import hashlib
import json
import math
import os
import pathlib

from heft_program import ARM, JOINTS, PARAMETERS, SOURCE, HeftTestCase, ask_peer, demo_log, run_heft
from schema_walk import wrong_places

CONFIGURATION = """\
conditioning:
  lowpass_hz: 12
  keep_every: 2
  dead_band: 0.02
columns:
  - viscous
  - coulomb: {tanh_width: 0.05}
  - offset: {joints: [joint_2, joint_4]}
  - reflected_inertia: {joints: [joint_1]}
  - expression: {name: wrist, unit: N m s/rad, rows: {joint_5: qd6, joint_6: qd5}}
known_torque: {joint_3: 0.25*cos(q3)}
"""


class GoldenTestCase(HeftTestCase):
    def setUp(self):
        super().setUp()
        self.configuration = self.write("arm.yaml", CONFIGURATION)

    def golden(self, *arguments, out="result", **options):
        return self.identify("--config", self.configuration, "--validate", demo_log("held_out.csv"), *arguments,
                             out=out, **options)


class ResultFile(GoldenTestCase):
    def test_names_and_units(self):
        result = self.golden()
        self.assertEqual(result["schema"], "heft-result-2")
        self.assertEqual(result["status"], "certified")
        self.assertEqual(result["joints"], JOINTS)
        bodies = ["shoulder", "upper_arm_1", "upper_arm_2", "elbow", "forearm", "wrist", "flange"]
        self.assertEqual([body["name"] for body in result["bodies"]], bodies)
        self.assertEqual([body["joint"] for body in result["bodies"]], JOINTS)
        self.assertEqual(result["bodies"][-1]["merged_links"], ["gripper"])
        for body in result["bodies"]:
            self.assertEqual(list(body["parameters"]), PARAMETERS)
            self.assertEqual(list(body["prior"]), PARAMETERS)
        kinds = {}
        for column in result["columns"]:
            kinds.setdefault(column["kind"], []).append(column)
        self.assertEqual({kind: len(columns) for kind, columns in kinds.items()},
                         {"viscous": 7, "coulomb": 7, "offset": 2, "reflected_inertia": 1, "expression": 1})
        self.assertEqual({kind: columns[0]["unit"] for kind, columns in kinds.items()},
                         {"viscous": "N m s/rad", "coulomb": "N m", "offset": "N m",
                          "reflected_inertia": "kg m^2", "expression": "N m s/rad"})
        self.assertEqual(kinds["expression"][0]["joints"], ["joint_5", "joint_6"])
        for fit in (result["training"], result["validation"]):
            self.assertEqual([channel["channel"] for channel in fit["per_channel"]], JOINTS)
            self.assertEqual({channel["unit"] for channel in fit["per_channel"]}, {"N m"})
        self.assertTrue(all(timing["unit"] == "s" for timing in result["timings"].values()))
        reading = result["reading"]
        self.assertLessEqual(reading["disk"]["value"] + reading["parsing"]["value"], reading["total"]["value"])
        self.assertIn(reading["limited_by"], ("disk", "parsing", "computing"))

    def test_prior_is_what_the_urdf_says(self):
        # the flange carries the fixed gripper: masses add up, 0.5 + 0.8 kg; z of the first moment by hand
        flange = self.golden()["bodies"][-1]["prior"]
        self.assertAlmostEqual(flange["m"], 1.3, places=12)
        self.assertAlmostEqual(flange["mcz"], 0.5 * 0.03 + 0.8 * (0.09 + 0.05), places=12)

    def test_schema_by_jsonschema(self):
        for arguments in ([], ["--solver", "wls"], ["--solver", "interior_point"]):
            self.golden(*arguments)
            self.assertEqual(ask_peer("jsonschema", SOURCE / "tools" / "result.schema.json",
                                      self.scratch / "result" / "result.json"), [])

    def test_schema_by_its_required_keys(self):
        self.assertEqual(wrong_places(self.golden(), SOURCE / "tools" / "result.schema.json"), [])

    def test_digests_of_the_inputs(self):
        inputs = self.golden()["provenance"]["inputs"]
        self.assertEqual([entry["path"] for entry in inputs],
                         [ARM, str(demo_log("train.csv")), str(demo_log("held_out.csv"))])
        for entry in inputs:
            with open(entry["path"], "rb") as file:
                self.assertEqual(entry["sha256"], hashlib.sha256(file.read()).hexdigest())

    def test_dropped_rows_add_up(self):
        # 1001 rows at 250 Hz, two periods of 12 Hz trimmed at both ends, every second of the 917 others kept: 459
        # samples of 7 joints
        result = self.golden()
        for part in ("training", "validation"):
            log = result["logs"][part][0]
            self.assertEqual((log["rows"], log["samples"]), (1001, 459))
            self.assertEqual(log["dropped"]["edge of segment"], 2 * 42 * 7)
            used = sum(fit["rows"] for fit in result[part]["per_channel"])
            self.assertEqual(used + log["dropped"]["dead band"], 459 * 7)
            self.assertGreater(log["dropped"]["dead band"], 0)
        for reason, count in result["dropped"].items():
            self.assertEqual(count, sum(result["logs"][part][0]["dropped"].get(reason, 0)
                                        for part in ("training", "validation")))

    def test_eigenvalues_and_certificate(self):
        result = self.golden()
        self.assertTrue(all(body["min_eigenvalue"] > 0 for body in result["bodies"]))
        certificate = result["certificate"]
        self.assertTrue(certificate["certified"])
        self.assertTrue(certificate["bodies_positive_definite"])
        self.assertEqual(len(certificate["psd_margin"]), 7)
        self.assertLess(certificate["gap"], 1e-8)
        self.assertLessEqual(certificate["dual"], certificate["primal"])


class MasslessLink(GoldenTestCase):
    def test_stays_massless_and_the_urdf_is_written(self):
        text = pathlib.Path(ARM).read_text()
        begin = text.index("<inertial>", text.index('<link name="elbow">'))
        end = text.index("</inertial>", begin) + len("</inertial>")
        robot = self.write("massless.urdf", text[:begin] + text[end:])
        result = self.golden(robot=robot)
        elbow = next(body for body in result["bodies"] if body["name"] == "elbow")
        self.assertEqual(set(elbow["parameters"].values()), {0.0})
        self.assertIn("prior_repair", elbow)
        self.assertTrue((self.scratch / "result" / "identified.urdf").exists())


class Prediction(GoldenTestCase):
    """The fit in result.json equals that of the rows that `heft predict` writes."""

    def setUp(self):
        super().setUp()
        # known torques are part of the measured torque that predict shows, but not of the fit's
        self.configuration = self.write("arm.yaml", CONFIGURATION.split("known_torque")[0])

    def predicted_sums(self, log):
        path = self.scratch / "predicted.csv"
        done = run_heft("predict", "--model", self.scratch / "result" / "result.json", "--log", log, "--out", path)
        self.assert_done(done)
        sums = {joint: [0.0, 0.0, 0] for joint in JOINTS}
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                for joint in JOINTS:
                    if row[f"used_{joint}"] != "1":
                        continue
                    measured, predicted = float(row[f"measured_{joint}"]), float(row[f"predicted_{joint}"])
                    sums[joint][0] += (measured - predicted) ** 2
                    sums[joint][1] += measured**2
                    sums[joint][2] += 1
        return sums

    def test_fit_equals_that_of_the_rows(self):
        result = self.golden()
        for part, log in (("validation", "held_out.csv"), ("training", "train.csv")):
            sums = self.predicted_sums(demo_log(log))
            overall = math.sqrt(sum(s[0] for s in sums.values()) / sum(s[1] for s in sums.values()))
            self.assertAlmostEqual(result[part]["overall_relative"], overall, delta=1e-6 * overall)
            for fit in result[part]["per_channel"]:
                error2, torque2, rows = sums[fit["channel"]]
                self.assertEqual(fit["rows"], rows)
                self.assertAlmostEqual(fit["rms_error"], math.sqrt(error2 / rows), delta=1e-6 * fit["rms_torque"])
                self.assertAlmostEqual(fit["rms_torque"], math.sqrt(torque2 / rows), delta=1e-6 * fit["rms_torque"])

    def test_estimates_end_with_the_answer(self):
        result = self.golden()
        self.assertEqual([estimate["name"] for estimate in result["estimates"]], ["ols", "wls", "constrained"])
        last = result["estimates"][-1]
        self.assertEqual(last["training_overall_relative"], result["training"]["overall_relative"])
        self.assertEqual(last["validation_overall_relative"], result["validation"]["overall_relative"])
        # ordinary least squares is the best fit there is on the training rows
        self.assertEqual(min(result["estimates"], key=lambda e: e["training_overall_relative"])["name"], "ols")

    def test_every_resample_is_counted_as_solved(self):
        result = self.golden()
        solves = [solve for solve in result["provenance"]["solves"] if solve["for"] == "intervals"]
        self.assertEqual(sum(solve["problems"] for solve in solves), result["uncertainty"]["resamples"])
        self.assertTrue(all(solve["by"].startswith("cpu (") for solve in solves))


class Reproducibility(GoldenTestCase):
    def assert_same_bits(self, result, other):
        # JSON numbers are the shortest that read back to the same double
        self.assertEqual(result["bodies"], other["bodies"])
        self.assertEqual(result["columns"], other["columns"])
        self.assertEqual(result["validation"], other["validation"])

    def test_threads_change_no_bit(self):
        """A log of many chunks in several batches that threads share: the result is that of the whole log."""
        done = run_heft("simulate", "--robot", ARM, "--duration", 40, "--held-out", 9, "--rate", 1000, "--out", self.scratch)
        self.assertEqual(done.returncode, 0, done.stderr)
        arguments = ["--validate", self.scratch / "held_out.csv", "--lowpass", 12]
        one = self.identify("--threads", 1, *arguments, log=self.scratch / "train.csv")
        self.assertGreater(one["logs"]["training"][0]["samples"], 8 * 4096)
        for threads in (2, 3, 8):
            other = self.identify("--threads", threads, *arguments, log=self.scratch / "train.csv")
            self.assert_same_bits(one, other)
            self.assertEqual(one["training"], other["training"])
            self.assertEqual(one["uncertainty"], other["uncertainty"])
            if threads <= (os.cpu_count() or 1):
                self.assertIn(f"{threads} threads", other["provenance"]["backend"])
        part = self.identify("--estimation.training_samples", 1024, *arguments, log=self.scratch / "train.csv")
        self.assertNotEqual(part["bodies"], one["bodies"])

    def test_same_run_same_file(self):
        texts = []
        for _ in range(2):
            self.golden()
            result = json.loads((self.scratch / "result" / "result.json").read_text())
            del result["timings"], result["reading"]
            texts.append(json.dumps(result))
        self.assertEqual(*texts)

    def test_echoed_options_run_again(self):
        first = self.golden("--prior-weight", "0.02", "--robot.gravity", "[0.1, 0, -9.8]")
        options = first["provenance"]["options"]
        self.assertEqual(options["estimation"]["prior_weight"], 0.02)
        self.assertEqual(options["robot"]["gravity"], [0.1, 0, -9.8])
        self.assertEqual(options["conditioning"]["lowpass_hz"], 12)
        self.configuration = self.write("echo.yaml", json.dumps(options))
        again = self.golden(out="again")
        self.assert_same_bits(first, again)
        self.assertEqual(again["provenance"]["options"], options)

    def test_options_matter(self):
        """Each of these changes the result by more than rounding; at its default none changes a bit."""
        def change(result, base):
            """Largest relative change of a mass."""
            return max(abs(body["parameters"]["m"] - other["parameters"]["m"]) / abs(other["parameters"]["m"])
                       for body, other in zip(result["bodies"], base["bodies"]))

        bases = {weight: self.golden("--prior-weight", weight) for weight in ("0.01", "1e-7")}
        binding = ("--estimation.consistency", "--estimation.bounding_ellipsoids", "--estimation.margin")

        for option, default, other in (
                ("--prior-weight", "0.01", "0.5"), ("--lowpass", "12", "6"), ("--conditioning.filter_rows", "false", "true"),
                ("--conditioning.keep_every", "2", "3"), ("--conditioning.torque_delay_s", "0", "0.01"),
                ("--conditioning.trim", "auto", "150"), ("--conditioning.dead_band", "[0.02]", "[0.2]"),
                ("--conditioning.butterworth_order", "4", "2"), ("--conditioning.filter", "butterworth", "savitzky_golay"),
                ("--conditioning.torque_lowpass_hz", "0", "6"), ("--conditioning.torque_limit", "[]", "[1]"),
                ("--robot.gravity", "[0, 0, -9.81]", "[0, 0, -9]"), ("--log.torque_scale", "1", "1.1"),
                ("--estimation.prior", "metric", "euclidean"), ("--estimation.consistency", "full", "none"),
                ("--estimation.column_ridge", "1e-3", "1"), ("--estimation.margin", "1e-6", "0.9"),
                ("--estimation.weighting_passes", "4", "1"), ("--estimation.loss", "squares", "huber"),
                ("--estimation.channel_covariance", "diagonal", "full"), ("--solver", "auto", "ols"),
                ("--estimation.bounding_ellipsoids", "none", "collision"), ("--estimation.training_samples", "0", "200")):
            with self.subTest(option):
                # constraints bind where the prior is weak
                weight = "1e-7" if option in binding else "0.01"
                prior = [] if option == "--prior-weight" else ["--prior-weight", weight]
                self.assert_same_bits(bases[weight], self.golden(*prior, option, default))
                self.assertGreater(change(self.golden(*prior, option, other), bases[weight]), 1e-6)

    def test_flag_overrides_file(self):
        options = self.golden("--conditioning.lowpass_hz", "9")["provenance"]["options"]
        self.assertEqual(options["conditioning"]["lowpass_hz"], 9)

    def test_order_of_logs_is_echoed(self):
        result = self.golden("--log", demo_log("held_out.csv"))
        self.assertEqual([log["path"] for log in result["logs"]["training"]],
                         [str(demo_log("train.csv")), str(demo_log("held_out.csv"))])


class Solvers(GoldenTestCase):
    def test_least_squares(self):
        for solver in ("ols", "wls"):
            result = self.golden("--solver", solver, out=solver)
            self.assertEqual(result["status"], "least_squares")
            self.assertEqual(result["estimates"][-1]["name"], solver)
            self.assertNotIn("solver", result)
            self.assertNotIn("certificate", result)
            impossible = result["estimates"][-1]["impossible_bodies"]
            self.assertEqual(impossible, [b["name"] for b in result["bodies"] if not b["min_eigenvalue"] > 0])
            self.assertEqual((self.scratch / solver / "identified.urdf").exists(), not impossible)

    def test_impossible_answer_removes_the_urdf_of_an_older_one(self):
        self.golden()
        self.assertTrue((self.scratch / "result" / "identified.urdf").exists())
        result = self.golden("--solver", "ols")
        self.assertNotEqual(result["estimates"][-1]["impossible_bodies"], [])
        self.assertFalse((self.scratch / "result" / "identified.urdf").exists())

    def test_all_methods_find_the_one_optimum(self):
        results = {solver: self.golden("--solver", solver) for solver in ("auto", "admm", "interior_point")}
        for solver, result in results.items():
            self.assertEqual(result["status"], "certified", solver)
        # both gaps are below 1e-8 of the cost, so the costs differ by no more
        cost = results["admm"]["certificate"]["residual_cost"]
        for solver in ("auto", "interior_point"):
            self.assertAlmostEqual(results[solver]["certificate"]["primal"], results["admm"]["certificate"]["primal"],
                                   delta=2e-8 * cost)

    def test_answer_without_certificate_says_so(self):
        folder = self.scratch / "result"
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out", folder, "--solver",
                        "admm", "--estimation.max_iterations", 1)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("heft: the result has no certificate: ", done.stderr)
        result = json.loads((folder / "result.json").read_text())
        self.assertFalse(result["certificate"]["certified"])
        self.assertNotEqual(result["status"], "certified")


class Summary(GoldenTestCase):
    def run_with(self, *arguments):
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out", self.scratch / "result",
                        *arguments)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_names_every_joint_body_and_file(self):
        text = self.run_with("--validate", demo_log("held_out.csv"))
        for word in [*JOINTS, "forearm", "Held-out error", "result.json", "identified.urdf"]:
            self.assertIn(word, text)

    def test_quiet_says_only_where_the_result_is(self):
        self.assertEqual(len(self.run_with("--quiet").splitlines()), 3)

    def test_without_held_out_log(self):
        self.assertIn("no held-out log", self.run_with())
        self.assertNotIn("validation", json.loads((self.scratch / "result" / "result.json").read_text()))


class DefaultColumns(HeftTestCase):
    """`columns` and the columns of a configuration without it."""

    def columns(self, text, out):
        config = self.write(f"{out}.yaml", f"columns: {text}\n") if text else self.write(f"{out}.yaml", "{}\n")
        result = self.identify("--config", config, "--estimation.bootstrap", 0, out=out)
        return {column["name"]: column["value"] for column in result["columns"]}

    def test_coulomb_is_the_same_spelled_out(self):
        default = self.columns("", "default")
        self.assertEqual(self.columns("[viscous, coulomb, offset]", "spelled"), default)
        self.assertEqual(self.columns("[default]", "named"), default)
        self.assertNotEqual(self.columns("[default, coulomb: {tanh_width: 0}]", "sign"), default)

    def test_default_and_more(self):
        more = self.columns("[default, reflected_inertia]", "more")
        kinds = [name.split()[0] for name in more]
        self.assertEqual(kinds, ["viscous"] * 7 + ["coulomb"] * 7 + ["offset"] * 7 + ["reflected_inertia"] * 7)

    def test_summary_names_the_form(self):
        for columns, form in (("[coulomb]", "tanh(qd / 0.05)"), ("[coulomb: {tanh_width: 0}]", "sign(qd)")):
            done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--config",
                            self.write("arm.yaml", f"columns: {columns}\n"), "--out", self.scratch / "out")
            self.assertIn(f"coulomb multiplies {form}", done.stdout)
