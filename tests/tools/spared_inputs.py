"""No command overwrites its inputs, and no result is left next to files of another."""

import shutil
import subprocess

from heft_program import ARM, PROGRAM, HeftTestCase, demo_log, run_heft

OVER = "would be overwritten"


class SparedInputs(HeftTestCase):
    def copy(self, source, name):
        path = self.scratch / name
        path.parent.mkdir(exist_ok=True)
        shutil.copy(source, path)
        return path

    def test_identify_spares_robot_log_and_configuration(self):
        robot = self.copy(ARM, "last/identified.urdf")
        log = self.copy(demo_log("train.csv"), "train.csv")
        self.assert_refused(["identify", "--robot", robot, "--log", log, "--out", self.scratch / "last", "--solver",
                             "wls"], robot, OVER)
        self.assert_refused(["identify", "--robot", ARM, "--log", log, "--moments", log, "--out",
                             self.scratch / "result"], log, OVER)
        chosen = self.write("last/chosen.yaml", "conditioning: {lowpass_hz: 9}\n")
        self.assert_refused(["identify", "--robot", ARM, "--log", log, "--config", chosen, "--out",
                             self.scratch / "last"], chosen, OVER)

    def test_other_names_of_a_file_are_the_file(self):
        robot = self.copy(ARM, "real.urdf")
        link = self.scratch / "link.urdf"
        link.symlink_to(robot)
        self.assert_refused(["observe", robot, "--json", link], link, OVER)

    def test_predict_and_report_spare_their_models(self):
        self.identify()
        self.identify(out="other")
        log = self.copy(demo_log("held_out.csv"), "held_out.csv")
        result = self.scratch / "result"
        for out in (log, result / "result.json", result / "identified.urdf"):
            for model in (result, result / "result.json"):
                self.assert_refused(["predict", "--model", model, "--log", log, "--out", out], out, OVER)
        self.assert_refused(["report", result, self.scratch / "other", "--page", result / "result.json"],
                            result / "result.json", OVER)

    def test_check_and_simulate_spare_the_robot(self):
        robot = self.copy(ARM, "train.csv")
        for flag in ("--json", "--fix"):
            self.assert_refused(["check", robot, flag, robot], robot, OVER)
        self.assert_refused(["simulate", "--robot", robot, "--out", self.scratch], robot, OVER)

    def test_solve_spares_its_moments(self):
        moments = self.scratch / "again" / "result.json"
        moments.parent.mkdir()
        self.identify("--moments", moments)
        self.assert_refused(["solve", moments, "--out", moments.parent], moments, OVER)

    def test_nothing_of_an_earlier_answer_stays(self):
        self.identify("--columns", "auto", "--selection.max_steps", "1")
        folder = self.scratch / "result"
        self.assertTrue((folder / "chosen.yaml").exists())
        self.identify("--solver", "wls")
        self.assertEqual(sorted(path.name for path in folder.iterdir() if path.suffix != ".csv"),
                         ["report.html", "result.json"])
        # a file that somebody wrote by hand is none of an earlier answer
        for name in ("chosen.yaml", "rotors.yaml"):
            self.write(f"result/{name}", "# mine\n")
        self.identify("--solver", "wls")
        self.assertTrue((folder / "chosen.yaml").exists() and (folder / "rotors.yaml").exists())
        done = run_heft("predict", "--model", folder, "--log", demo_log("held_out.csv"), "--out",
                        self.scratch / "p.csv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no identified.urdf next to it", done.stderr)

    def test_output_that_goes_nowhere_is_no_success(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "info"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output: cannot be written", done.stderr)
