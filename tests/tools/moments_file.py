"""heft identify --moments, heft solve: the same answer without the logs, and files that are refused."""

import json
import subprocess

from heft_program import ARM, PROGRAM, HeftTestCase, demo_log, run_heft


def answer_of(result):
    values = {f"{body['name']}.{key}": value for body in result["bodies"] for key, value in body["parameters"].items()}
    values.update({column["name"]: column["value"] for column in result["columns"]})
    return values


class MomentsFile(HeftTestCase):
    def setUp(self):
        super().setUp()
        self.moments = self.scratch / "train.heft"
        self.result = self.identify("--moments", self.moments)

    def solve(self, *arguments, out="again"):
        done = run_heft("solve", *arguments, "--out", self.scratch / out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.scratch / out / "result.json").read_text())

    def test_same_answer_without_the_logs(self):
        again = self.solve(self.moments)
        self.assertEqual(answer_of(again), answer_of(self.result))
        self.assertEqual(again["certificate"], self.result["certificate"])
        self.assertEqual(again["uncertainty"], self.result["uncertainty"])
        self.assertEqual(again["provenance"]["options"], self.result["provenance"]["options"])
        self.assertEqual(again["provenance"]["inputs"], self.result["provenance"]["inputs"])
        # training error from the sums instead of a second pass
        self.assertAlmostEqual(again["training"]["overall_relative"], self.result["training"]["overall_relative"],
                               delta=1e-6)

    def test_other_prior_weight(self):
        again = self.solve(self.moments, "--prior-weight", "0.1")
        direct = self.identify("--prior-weight", "0.1", out="direct")
        self.assertEqual(answer_of(again), answer_of(direct))
        self.assertNotEqual(answer_of(again), answer_of(self.result))

    def test_two_files_are_both_logs(self):
        second = self.scratch / "held_out.heft"
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("held_out.csv"), "--moments", second,
                        "--out", self.scratch / "second")
        self.assertEqual(done.returncode, 0, done.stderr)
        added = answer_of(self.solve(self.moments, second))
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--log", demo_log("held_out.csv"),
                        "--out", self.scratch / "both")
        self.assertEqual(done.returncode, 0, done.stderr)
        both = answer_of(json.loads((self.scratch / "both" / "result.json").read_text()))
        for name, value in both.items():
            self.assertAlmostEqual(added[name], value, delta=1e-7 * (1 + abs(value)), msg=name)

    def test_from_a_pipe(self):
        done = subprocess.run([PROGRAM, "solve", "/dev/stdin", "--out", self.scratch / "piped"], capture_output=True,
                              input=self.moments.read_bytes(), timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(answer_of(json.loads((self.scratch / "piped" / "result.json").read_text())),
                         answer_of(self.result))

    def test_damaged_files_are_refused(self):
        whole = self.moments.read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 1
        for name, content in {"empty": b"", "text": b"t,q1,tau1\n", "cut": whole[:-9], "flipped": bytes(flipped),
                              "longer": whole + b"x", "magic": b"heft-moments-1\n"}.items():
            path = self.scratch / f"{name}.moments"
            path.write_bytes(content)
            says = "is not a moments file" if name in ("empty", "text") else "checksum"
            self.assert_refused(["solve", path, "--out", self.scratch / name], path, says)

    def test_other_columns_are_not_added(self):
        second = self.scratch / "other.moments"
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--moments", second,
                        "--config", self.write("c.yaml", "columns: [viscous]\n"), "--out", self.scratch / "second")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_refused(["solve", self.moments, second, "--out", self.scratch / "both"], second, "different robots")


class Confidence(HeftTestCase):
    def test_intervals_only_where_the_data_decide(self):
        done = run_heft("simulate", "--robot", ARM, "--duration", 20, "--rate", 250, "--out", self.scratch / "long")
        self.assertEqual(done.returncode, 0, done.stderr)
        uncertainty = self.identify(log=self.scratch / "long" / "train.csv")["uncertainty"]
        self.assertGreaterEqual(uncertainty["blocks"], 24)
        self.assertEqual(uncertainty["resamples"], 200)
        shares = [parameter["prior_share"] for parameter in uncertainty["parameters"]]
        self.assertTrue(any(share > 0.5 for share in shares) and any(share < 0.5 for share in shares))
        for parameter in uncertainty["parameters"]:
            self.assertEqual(parameter["interval"] is None, parameter["prior_share"] > 0.5, parameter)
            self.assertEqual(parameter["set_by_prior"], parameter["prior_share"] > 0.5)
        self.assertTrue(any("set by the prior" in word for word in uncertainty["words"]))
        self.assertTrue(any("95 %" in word for word in uncertainty["words"]))

    def test_suspicious_channel_is_named(self):
        # the torque of one joint in the wrong sign: no physical robot brakes what it drives
        log = demo_log("train.csv").read_text().splitlines()
        header = log[0].split(",")
        column = header.index("tau_joint_2")
        rows = [line.split(",") for line in log[1:]]
        for row in rows:
            row[column] = repr(-float(row[column]))
        path = self.write("reversed.csv", "\n".join(",".join(row) for row in [header] + rows) + "\n")
        done = run_heft("identify", "--robot", ARM, "--log", path, "--out", self.scratch / "reversed")
        self.assertIn("suspicious: joint_2", done.stdout)
        result = json.loads((self.scratch / "reversed" / "result.json").read_text())
        self.assertEqual(result["price_of_physics"]["suspicious"], ["joint_2"])
        self.assertEqual(self.identify()["price_of_physics"]["suspicious"], [])
        # of whitened channels each is of several joints: none can be blamed by name
        price = self.identify("--estimation.channel_covariance", "full", log=path, out="whitened")["price_of_physics"]
        self.assertEqual((price["suspicious"], price["channels"]), ([], []))

    def test_weight_by_cross_validation(self):
        prior = self.identify("--prior-weight", "auto")["prior"]
        trials = prior["cross_validation"]["trials"]
        self.assertIn(prior["weight"], [trial["weight"] for trial in trials])
        chosen = next(trial for trial in trials if trial["weight"] == prior["weight"])
        self.assertLessEqual(chosen["excess"], 1)
        self.assertEqual(min(trial["excess"] for trial in trials), 0)
