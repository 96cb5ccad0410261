"""Doubts about the data: logs given twice, moments that do not match, joints without torque."""

import csv
import json
import pathlib

from heft_program import ARM, JOINTS, HeftTestCase, Log, demo_log, run_heft


def pushed(folder, start, end):
    """Logs of a slow demo arm: clean and held out, and the clean one with 4 kg at the gripper between two times, which is the same motion
    of a heavier robot."""
    robot = folder / "heavier.urdf"
    text = pathlib.Path(ARM).read_text()
    at = text.index('<mass value="', text.index('<link name="gripper">')) + len('<mass value="')
    end_of_number = text.index('"', at)
    robot.write_text(text[:at] + str(float(text[at:end_of_number]) + 4) + text[end_of_number:])
    logs = []
    for name, by in (("light", ARM), ("heavy", robot)):
        done = run_heft("simulate", "--robot", by, "--duration", 6, "--held-out", 4, "--rate", 250, "--seed", 3, "--speed", 0.4, "--out",
                        folder / name)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        logs.append((folder / name / "train.csv").read_text().splitlines())
    rows = [heavy if start <= float(light.split(",")[0]) <= end else light for light, heavy in zip(logs[0][1:], logs[1][1:])]
    (folder / "pushed.csv").write_text("\n".join([logs[0][0], *rows]) + "\n")
    return folder / "pushed.csv", folder / "light" / "held_out.csv"


class DoubtsAboutData(HeftTestCase):
    def doubts(self, *arguments):
        """Lines of the summary that begin with doubt, and the minor doubts of result.json; checks the exit code."""
        done = run_heft(*arguments, "--out", self.scratch / "doubtful")
        open_ones = [line for line in done.stdout.splitlines() if line.startswith("doubt: ")]
        self.assertEqual(done.returncode, 4 if open_ones else 0, done.stderr)
        result = json.loads((self.scratch / "doubtful" / "result.json").read_text())
        self.assertEqual(result["verdict"]["level"], "amber" if open_ones else "green")
        self.assertEqual(len(open_ones), sum(doubt["severity"] == "serious" for doubt in result["doubts"]))
        return "\n".join(open_ones + [doubt["words"] for doubt in result["doubts"] if doubt["severity"] == "minor"])

    def doubts_of(self, log, *arguments):
        return self.doubts("identify", "--robot", ARM, "--log", log, *arguments)

    def test_healthy_logs_raise_none_of_these(self):
        text = self.doubts_of(demo_log("train.csv"), "--validate", demo_log("held_out.csv"))
        for words in ("training log", "torque samples were used", "known torque", "gathered with"):
            self.assertNotIn(words, text)

    def test_the_same_log_twice(self):
        train = demo_log("train.csv")
        copy = self.write("copy.csv", train.read_bytes())
        self.assertIn("is both a training log and a held-out log", self.doubts_of(train, "--validate", copy))
        self.assertIn("is given as a training log twice", self.doubts_of(train, "--log", copy))

    def test_a_joint_without_torque_is_named(self):
        log = Log()
        column = log.header.index("tau_joint_2")
        for row in log.rows[::20]:
            row[column] = "nan"
        text = self.doubts_of(self.write("holes.csv", log.text()), "--validate", demo_log("held_out.csv"))
        self.assertIn("joint_2: only 0 torque samples were used", text)
        self.assertNotIn("joint_3: only", text)

    def test_a_known_torque_larger_than_the_measured_one(self):
        config = self.write("c.yaml", "known_torque: {joint_3: '1000'}\n")
        text = self.doubts_of(demo_log("train.csv"), "--config", config)
        self.assertIn("The torque of joint_3 without its known torque is larger than the measured torque", text)

    def test_moments_of_other_options_are_told_apart(self):
        train, other = self.scratch / "train.heft", self.scratch / "other.heft"
        self.identify("--moments", train)
        self.identify("--moments", other, "--lowpass", "5", "--robot.gravity", "[0,0,-1.6]",
                      log=demo_log("held_out.csv"))
        text = self.doubts("solve", train, other)
        self.assertIn("was gathered with conditioning.lowpass_hz: 5", text)
        self.assertIn("robot.gravity", text)
        result = json.loads((self.scratch / "doubtful" / "result.json").read_text())
        self.assertEqual(len(result["provenance"]["disagreements"]), 2)
        self.assertNotIn("gathered with", self.doubts("solve", train))

    def test_settled_options_of_a_configuration_are_named(self):
        train = self.scratch / "train.heft"
        self.identify("--moments", train, "--lowpass", "12")
        config = self.write("c.yaml", "conditioning: {lowpass_hz: 3}\nestimation: {prior_weight: 1}\n")
        done = run_heft("solve", train, "--config", config, "--out", self.scratch / "again")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("conditioning.lowpass_hz: 3.0 has no effect here", done.stderr)
        same = self.write("same.yaml", "estimation: {prior_weight: 1}\n")
        self.assertEqual(run_heft("solve", train, "--config", same, "--out", self.scratch / "again").stderr, "")

    def test_logged_velocities_that_are_not_used_are_mentioned(self):
        log = Log()
        for joint in JOINTS:
            log.header.append(f"qd_{joint}")
        for row in log.rows:
            row += ["0.1"] * len(JOINTS)
        path = self.write("velocities.csv", log.text())
        for flags, mentioned in (((), True), (("--conditioning.velocity", "logged"), False)):
            done = run_heft("identify", "--robot", ARM, "--log", path, "--out", self.scratch / "out", *flags)
            self.assertIn(done.returncode, (0, 4), done.stderr)
            self.assertEqual("not used  velocities.csv: its velocity columns" in done.stdout, mentioned, done.stdout)

    def test_predictions_and_comparisons_follow_the_doubts_of_results(self):
        train = demo_log("train.csv")
        self.identify("--validate", train, out="doubted", exit_code=4)
        self.identify("--validate", train, "--accept", "held-out-seen", out="accepted")
        predict = lambda name: run_heft("predict", "--model", self.scratch / name, "--log", train, "--out", self.scratch / "p.csv")
        for name, code in (("doubted", 4), ("accepted", 0)):
            done = predict(name)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual("doubt:  " in done.stdout, code == 4)
        for a, b, code in (("accepted", "accepted", 0), ("accepted", "doubted", 4), ("doubted", "accepted", 4)):
            self.assertEqual(run_heft("report", self.scratch / a, self.scratch / b).returncode, code)

    def test_a_contact_is_corrected_by_leaving_it_out(self):
        """The YAML of the first hypothesis, pasted; a stretch from before remains in it."""
        path, held_out = pushed(self.scratch, 2, 3.5)
        result = self.identify("--validate", held_out, log=path, exit_code=4)
        first = result["hypotheses"][0]
        self.assertEqual(first["id"], "contact")
        self.assertRegex(first["yaml"], r'^log: \{exclude: \["[\d.]+ to [\d.]+ of pushed.csv"\]\}\n$')
        doubt = next(doubt for doubt in result["doubts"] if doubt["id"] == "contact")
        self.assertIn(first["yaml"].strip(), doubt["remedy"])
        corrected = self.identify("--validate", held_out, "--config", self.write("corrected.yaml", first["yaml"]), log=path, out="corrected")
        whole = self.identify("--validate", held_out, "--log.exclude", "['1.9 to 3.6 of pushed.csv']", log=path, out="whole")
        error = lambda result: result["validation"]["overall_relative"]
        self.assertLess(error(corrected), error(result))
        self.assertLess(error(whole), 0.5 * error(result))
        again = self.identify("--validate", held_out, "--log.exclude", '["20 to 21"]', log=path, out="again", exit_code=4)
        self.assertIn('"20 to 21", ', again["hypotheses"][0]["yaml"])

    def test_who_does_not_ask_for_faults_is_told_so(self):
        """estimation.seek_faults: the result is the same bit for bit; the verdict and a minor doubt say that the test was skipped."""
        scaled = []
        for name in ("train.csv", "held_out.csv"):
            with open(demo_log(name)) as file:
                header, *rows = csv.reader(file)
            column = header.index("tau_joint_3")
            for row in rows:
                row[column] = repr(1.5 * float(row[column]))
            scaled.append(self.write(name, "\n".join(map(",".join, [header, *rows])) + "\n"))
        path, held_out = scaled
        asked = self.identify("--validate", held_out, log=path, exit_code=4)
        self.assertEqual(asked["hypotheses"][0]["id"], "torque-scale")
        done = run_heft("identify", "--robot", ARM, "--log", path, "--validate", held_out, "--estimation.seek_faults", "false",
                        "--out", self.scratch / "unasked")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("verdict: green, certified, and no serious doubt is open; the logs were not tested for faults", done.stdout)
        unasked = json.loads((self.scratch / "unasked/result.json").read_text())
        for key in ("bodies", "columns", "uncertainty", "validation"):
            self.assertEqual(unasked[key], asked[key], key)
        self.assertEqual(unasked["hypotheses"], [])
        self.assertNotIn("reference", unasked)
        ids = [doubt["id"] for doubt in unasked["doubts"]]
        self.assertIn("logs-not-checked", ids)
        self.assertNotIn("torque-scale", ids)
        self.assertNotIn("logs-not-checked", [doubt["id"] for doubt in asked["doubts"]])

    def test_stretches_that_are_none_are_refused(self):
        log = demo_log("train.csv")
        for stretch, says in (("two to three", "must be '12 to 14.5'"), ("3 to 2", "must be '12 to 14.5'"), ("1 to 2 in x", "must be '12 to"),
                              ("1 to nan", "must be '12 to 14.5'")):
            path = self.write("c.yaml", f"log: {{exclude: ['{stretch}']}}\n")
            self.assert_refused(["identify", "--robot", ARM, "--log", log, "--config", path, "--out", self.scratch / "out"],
                                f"{path}:1", says, "time ranges to exclude")
        path = self.write("c.yaml", "log: {exclude: ['1 to 2 of other.csv']}\n")
        self.assert_refused(["identify", "--robot", ARM, "--log", log, "--config", path, "--out", self.scratch / "out"], f"{path}:1",
                            "unknown log 'other.csv'", "train.csv")
        done = run_heft("check", "--robot", ARM, "--log", log, "--log.exclude", "['1 to 2']")
        self.assertIn("time-gap", done.stdout)

    def test_summary_has_no_nan(self):
        log = Log()
        column = log.header.index("tau_joint_2")
        for row in log.rows:
            row[column] = "nan"
        path = self.write("none.csv", log.text())
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--validate", path, "--out",
                        self.scratch / "result")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        said = done.stdout.replace("none.csv", "")
        self.assertNotRegex(said, r"(?i)(?<![a-z])[-+]?(nan|inf|infinity)(?![a-z])")
        # the joint without torque has a line that says so, the others have numbers
        lines = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line.startswith("joint_")}
        self.assertEqual(lines["joint_2"], ["0", "0", "-", "0", "N", "m"])
        for joint in set(JOINTS) - {"joint_2"}:
            error, torque, relative = (float(word) for word in lines[joint][:3])
            self.assertTrue(0 < error < 0.2 * torque and abs(relative - 100 * error / torque) < 0.01, lines[joint])
        result = json.loads((self.scratch / "result" / "result.json").read_text(),
                            parse_constant=lambda word: self.fail(f"{word} in result.json"))
        silent = result["validation"]["per_channel"][1]
        self.assertEqual((silent["rms_error"], silent["rms_torque"], silent["rows"]), (0, 0, 0))
        predicted = self.scratch / "predicted.csv"
        done = run_heft("predict", "--model", self.scratch / "result", "--log", path, "--out", predicted)
        self.assert_done(done)
        with open(predicted, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["measured_joint_2"] for row in rows}, {"nan"})
        self.assertEqual({row["used_joint_2"] for row in rows}, {"0"})
        self.assertNotIn("nan", {row["measured_joint_3"] for row in rows})

    def test_names_that_hold_delimiters_come_back(self):
        text = pathlib.Path(ARM).read_text().replace('"joint_2"', '"gelenk, ä;2"')
        robot = self.write("arm.urdf", text)
        done = run_heft("simulate", "--robot", robot, "--duration", "4", "--rate", "250", "--out", self.scratch / "logs")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.identify(robot=robot, log=self.scratch / "logs" / "train.csv")
        self.assertIn("gelenk, ä;2", result["joints"])
        done = run_heft("predict", "--model", self.scratch / "result", "--log",
                        self.scratch / "logs" / "held_out.csv", "--out", self.scratch / "p.csv")
        self.assert_done(done)
        with open(self.scratch / "p.csv", newline="") as file:
            self.assertIn("measured_gelenk, ä;2", csv.DictReader(file).fieldnames)


class SeveralConstants(HeftTestCase):
    def test_one_option_mends_them_all(self):
        """Three torques of the demo arm with three wrong factors: the first hypothesis has all of them, except for a common factor, which
        no log determines because it is a heavier robot."""
        done = run_heft("simulate", "--robot", ARM, "--duration", 12, "--held-out", 6, "--rate", 250, "--out",
                        self.scratch / "clean")
        self.assertEqual(done.returncode, 0, done.stderr)
        clean, faulty = ([self.scratch / folder / name for name in ("train.csv", "held_out.csv")]
                         for folder in ("clean", "faulty"))
        (self.scratch / "faulty").mkdir()
        for source, target in zip(clean, faulty):
            with source.open() as file:
                rows = list(csv.reader(file))
            for joint, factor in (("joint_2", 1.5), ("joint_3", 1.25), ("joint_4", 0.6)):
                column = rows[0].index(f"tau_{joint}")
                for row in rows[1:]:
                    row[column] = repr(factor * float(row[column]))
            with target.open("w", newline="") as file:
                csv.writer(file).writerows(rows)

        def error(logs, *flags):
            result = self.identify("--validate", logs[1], *flags, log=logs[0])
            return result["validation"]["overall_relative"], result
        wrong, result = error(faulty)
        corrected, _ = error(faulty, "--config", self.write("corrected.yaml", result["hypotheses"][0]["yaml"]))
        self.assertEqual(result["hypotheses"][0]["id"], "torque-scale")
        self.assertGreater(wrong, 0.1)
        self.assertLess(corrected, 1.25 * error(clean)[0])
