"""Rows that were not sampled at the times of their stamps: the doubt, the remedies that work, and the automatic cutoff."""

import json
import pathlib
import random
import re
import tempfile

from heft_program import ARM, HeftTestCase, run_heft


def simulated(folder, *flags):
    done = run_heft("simulate", "--robot", ARM, "--duration", 20, "--held-out", 10, "--rate", 30, "--seed", 5, "--out", folder, *flags)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return folder / "train.csv", folder / "held_out.csv"


class LateStamps(HeftTestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="heft-late-")
        cls.addClassCleanup(cls.folder.cleanup)
        folder = pathlib.Path(cls.folder.name)
        cls.late = simulated(folder / "late", "--latency", 0.012)
        cls.clean = simulated(folder / "clean")

    def result(self, logs, *flags):
        """result.json and standard output."""
        out = self.scratch / "result"
        done = run_heft("identify", "--robot", ARM, "--log", logs[0], "--validate", logs[1], "--estimation.bootstrap", 0, "--out", out, *flags)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return json.loads((out / "result.json").read_text()), done.stdout

    @staticmethod
    def error(result):
        return result["validation"]["overall_relative"]

    @staticmethod
    def serious(result):
        return [doubt["id"] for doubt in result["doubts"] if doubt["severity"] == "serious"]

    def test_are_named_and_the_remedy_works(self):
        clean, _ = self.result(self.clean)
        self.assertNotIn("stamps-late", [doubt["id"] for doubt in clean["doubts"]])
        late, text = self.result(self.late)
        self.assertEqual(self.serious(late), ["stamps-late"])
        hypothesis = late["hypotheses"][0]
        self.assertEqual((hypothesis["id"], hypothesis["unit"]), ("stamps-late", "s"))
        self.assertAlmostEqual(hypothesis["value"], 0.012 / 12**0.5, delta=0.0005)
        self.assertIn(hypothesis["yaml"].strip(), text)
        fixed, text = self.result(self.late, "--config", self.write("fixed.yaml", hypothesis["yaml"]))
        self.assertLess(self.error(fixed), 2 * self.error(clean))
        self.assertAlmostEqual(self.error(fixed), hypothesis["held_out_after"], delta=0.1 * self.error(fixed))
        self.assertNotIn("stamps-late", self.serious(fixed))
        self.assertRegex(text, r"retimed   train.csv: rows were sampled 3\.\d+ ms \(rms\) off even times")

    def test_the_cutoff_chooses_itself_and_its_neighbors_are_printed(self):
        given, text = self.result(self.late)
        self.assertRegex(text, r"cutoff 10 Hz: cross-validated error [\d.]+ %; half the cutoff: [\d.]+ %, twice: ")
        self.assertFalse(given["cutoff"]["chosen"])
        chosen, text = self.result(self.late, "--lowpass", "auto")
        self.assertIn("Hz, chosen on the training logs: cross-validated error", text)
        cutoff = chosen["cutoff"]
        self.assertTrue(cutoff["chosen"])
        self.assertEqual(chosen["provenance"]["options"]["conditioning"]["lowpass_hz"], cutoff["cutoff_hz"])
        least = min(trial["loss"] for trial in cutoff["trials"])
        alike = [trial for trial in cutoff["trials"] if trial["loss"] <= least + 0.1]
        self.assertEqual(min(alike, key=lambda trial: trial["cross_validated_error"])["cutoff_hz"], cutoff["cutoff_hz"])
        self.assertLess(self.error(chosen), 0.7 * self.error(given))
        without, text = self.result(self.late, "--estimation.seek_faults", "false")
        self.assertNotIn("cutoff", without)
        self.assertNotIn("cutoff 10 Hz", text)
        by_file, _ = self.result(self.late, "--config", self.write("auto.yaml", "conditioning: {lowpass_hz: auto}\n"))
        self.assertEqual(by_file["cutoff"], cutoff)

    def test_fleets_choose_the_cutoff_as_identify_does(self):
        config = self.write("auto.yaml", "conditioning: {lowpass_hz: auto}\nestimation: {bootstrap: 0}\n")
        lines = [f"late,{ARM},{log},{config},{role}" for log, role in zip(self.late, ("train", "validate"))]
        manifest = self.write("fleet.csv", "\n".join(["robot_id,robot,log,config,role", *lines]) + "\n")
        done = run_heft("fleet", "run", manifest, "--store", self.scratch / "store", "--no-pages")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        fleet = json.loads((self.scratch / "store" / "results" / "late" / "result.json").read_text())
        alone, _ = self.result(self.late, "--config", config)
        self.assertTrue(fleet["cutoff"]["chosen"])
        for key in ("cutoff_hz", "trials", "folds"):
            self.assertEqual(fleet["cutoff"][key], alone["cutoff"][key], key)
        self.assertEqual((fleet["cutoff"]["half"], fleet["cutoff"]["twice"]), (None, None))  # which fleets do not compare
        chosen = next(trial for trial in fleet["cutoff"]["trials"] if trial["cutoff_hz"] == fleet["cutoff"]["cutoff_hz"])
        self.assertEqual(fleet["cutoff"]["cross_validated_error"], chosen["cross_validated_error"])

    def test_auto_cutoff_is_refused_without_prior_or_filter(self):
        arguments = ["identify", "--robot", ARM, "--log", self.clean[0], "--lowpass", "auto", "--out", self.scratch / "none"]
        self.assert_refused([*arguments, "--solver", "wls"], "--conditioning.lowpass_hz", "needs an estimate with prior")
        self.assert_refused([*arguments, "--conditioning.filter", "none"], "--conditioning.lowpass_hz", "Butterworth")
        self.assert_refused(["bench", "logs", "--robot", ARM, "--log", self.clean[0], "--conditioning.lowpass_hz", "auto"],
                            "conditioning.lowpass_hz", "only heft identify and heft fleet support auto", "give the cutoff")

    def test_the_clock_is_not_blamed_where_velocities_agree_with_it(self):
        """Stamps that are 10 % too fast; noisy velocities measured by a controller, and some computed from these stamps."""
        noise = random.Random(5)

        def fast(path, with_velocities):
            header, *lines = path.read_text().splitlines()
            rows = [[float(x) for x in line.split(",")] for line in lines]
            names = header.split(",")
            joints = [k for k, name in enumerate(names) if name.startswith("q_")]
            for row in rows:
                row[0] *= 1.1
            velocities = [[(b[k] - a[k]) / (b[0] - a[0]) for k in joints] for a, b in
                          zip([rows[0], *rows[:-1]], [*rows[1:], rows[-1]])]
            if with_velocities == "measured":
                velocities = [[v + noise.gauss(0, 1e-3) for v in row] for row in velocities]
            if with_velocities:
                names += [names[k].replace("q_", "qd_", 1) for k in joints]
                rows = [row + more for row, more in zip(rows, velocities)]
            text = "\n".join([",".join(names), *(",".join(map(repr, row)) for row in rows)]) + "\n"
            return self.write(f"{path.stem}_{with_velocities}.csv", text)
        named = {with_velocities: self.serious(self.result([fast(path, with_velocities) for path in self.clean])[0])
                 for with_velocities in ("", "made", "measured")}
        self.assertEqual(named[""], ["clock-ratio"])
        self.assertEqual(named["made"], ["clock-ratio"])
        self.assertNotIn("clock-ratio", named["measured"])

    def test_heft_check_finds_them_and_latency_out_of_range_is_refused(self):
        done = run_heft("check", "--robot", ARM, "--log", self.late[0])
        self.assertRegex(done.stdout, r"stamps-late")
        self.assert_refused(["simulate", "--robot", ARM, "--latency", -1, "--out", self.scratch / "no"], "--latency", "out of range")
