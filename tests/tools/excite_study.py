"""heft excite --study: many robots and options in one run. Its designs are those of heft excite alone, runs continue, and mistakes in the
study's file are named by line."""

import json
import math
import pathlib
import re
import signal
import subprocess
import time
import unittest
import urllib.parse

from heft_program import ARM, PROGRAM, SOURCE, HeftTestCase, run_heft
from page_in_browser import BrowserTestCase
from schema_walk import wrong_places

OPTIONS = """
starts: 1
ignore_collisions: true
limits:
  acceleration: {values: 6}
  jerk: {values: 80}
  torque: {deviations: 1}
"""
ROBOTS = f"""
robots:
  - {ARM}
  - {{robot: {ARM}, name: gentle, limits: {{velocity: {{scale: 0.5}}}}}}
"""
DESIGNS = """
designs:
  - {duration: 2}
  - {name: longer, duration: 3, seed: 5}
"""
ARM_NAME = "heft_demo_arm"


class StudyCase(HeftTestCase):
    def study(self, *texts, out="study", code=0, flags=()):
        path = self.write("study.yaml", "".join(texts))
        done = run_heft("excite", "--study", path, "--out", self.scratch / out, "--quiet", *flags)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.assert_no_crash(done.stderr)
        document = self.scratch / out / "study.json"
        return json.loads(document.read_text()) if document.exists() else None, done

    def design(self, document, robot, design):
        found = next(one for one in document["robots"] if one["name"] == robot)
        return next(one for one in found["designs"] if one["name"] == design)

    def file(self, *names):
        return self.scratch.joinpath("study", *names)


class Study(StudyCase):
    def test_designs_are_those_of_single_runs(self):
        document, done = self.study(ROBOTS, DESIGNS, OPTIONS)
        self.assertEqual(wrong_places(document, SOURCE / "tools" / "study.schema.json"), [])
        self.assertEqual(document["totals"]["feasible"], 4)
        limits = OPTIONS[OPTIONS.index("limits:"):]
        for robot, scale in ((ARM_NAME, 1), ("gentle", 0.5)):
            config = self.write("limits.yaml", limits + f"  velocity: {{scale: {scale}}}\n")
            for name, flags in (("design_1", ["--duration", 2]), ("longer", ["--duration", 3, "--seed", 5])):
                alone = run_heft("excite", "--robot", ARM, "--config", config, "--starts", 1, "--ignore-collisions", *flags, "--quiet",
                                 "--out", self.scratch / "alone")
                self.assertEqual(alone.returncode, 0, alone.stderr)
                one = self.design(document, robot, name)
                self.assertEqual(one["folder"], f"{robot}/{name}")
                for file in ("trajectory.csv", "trajectory.json", "trajectory.ros2.yaml"):
                    self.assertEqual(self.file(one["folder"], file).read_bytes(), (self.scratch / "alone" / file).read_bytes())
                design = json.loads((self.scratch / "alone" / "design.json").read_text())
                self.assertEqual([one[key] for key in ("status", "log_det", "log_det_prior")],
                                 [design[key] for key in ("status", "log_det", "log_det_prior")])
                ratios = [(error["sd_after"] / error["sd_before"]) ** 2 for error in design["torque_errors"]]
                self.assertAlmostEqual(one["torque_error"], math.sqrt(sum(ratios) / len(ratios)), delta=1e-12)
                self.assertEqual(one["closest_limit"]["worst_ratio"], max(use["worst_ratio"] for use in design["limits"]))
        self.assertEqual(done.stderr, "")

    def test_the_best_design_gains_most(self):
        document, done = self.study(ROBOTS, DESIGNS, OPTIONS)
        for robot in document["robots"]:
            gained = {one["name"]: one["log_det"] - one["log_det_prior"] for one in robot["designs"]}
            self.assertEqual(robot["best"], max(gained, key=gained.get))
            self.assertTrue(robot["comparable"])
            for one in robot["designs"]:
                self.assertAlmostEqual(one["efficiency_vs_best"],
                                       math.exp((gained[one["name"]] - max(gained.values())) / one["base_parameters"]), delta=1e-12)
        self.assertRegex(done.stdout, r"(?m)^  \* longer +feasible +3 ")
        self.assertRegex(done.stdout, r"(?m)^    design_1 +feasible +2 ")
        self.assertIn("study: 4 feasible", done.stdout)

    def test_designs_with_different_priors(self):
        designs = "designs: [{duration: 2}, {name: sure, duration: 2, beliefs: {relative_inertia: 0.1}}]\n"
        document, done = self.study(f"robots: [{ARM}]\n", designs, OPTIONS)
        robot = document["robots"][0]
        self.assertFalse(robot["comparable"])
        self.assertEqual(robot["best"], "design_1")  # log det is larger for `sure`, which knew more before
        self.assertGreater(robot["designs"][1]["log_det"], robot["designs"][0]["log_det"])
        self.assertIn("different priors", done.stdout)

    def test_threads_change_no_number(self):
        """Three starts of one design and of four, on one thread and on more threads than designs."""
        texts = (ROBOTS, DESIGNS, OPTIONS.replace("starts: 1", "starts: 3"))
        self.study(*texts, flags=["--threads", 1])
        self.study(*texts, flags=["--threads", 7], out="other")
        for folder in (f"{ARM_NAME}/design_1", f"{ARM_NAME}/longer", "gentle/design_1", "gentle/longer"):
            self.assertEqual(self.file(folder, "trajectory.csv").read_bytes(),
                             (self.scratch / "other" / folder / "trajectory.csv").read_bytes())
            searches = [json.loads((self.scratch / out / folder / "design.json").read_text())["search"] for out in ("study", "other")]
            self.assertEqual(searches[0]["starts"], 3)
            self.assertEqual(searches[0]["evaluations"], searches[1]["evaluations"])

    def test_page_shows_the_best_and_links(self):
        document, _ = self.study(ROBOTS, DESIGNS, OPTIONS)
        page = self.file("study.html").read_text()
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
        self.assertEqual(data, document)
        self.assertNotIn("{{", page)
        for robot in document["robots"]:
            for one in robot["designs"]:
                self.assertTrue(self.file(one["folder"], "report.html").exists())

    def test_paths_are_beside_the_study(self):
        folder = self.scratch / "cell"
        folder.mkdir()
        (folder / "arm.urdf").write_text(pathlib.Path(ARM).read_text())
        (folder / "limits.yaml").write_text(OPTIONS[OPTIONS.index("limits:"):])
        (folder / "study.yaml").write_text("robots: [arm.urdf]\ndesigns: [{duration: 2, config: limits.yaml}]\nstarts: 1\n"
                                           "ignore-collisions: true\n")
        done = run_heft("excite", "--study", folder / "study.yaml", "--out", self.scratch / "out", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_one_design_without_a_list(self):
        document, _ = self.study(f"robots: [{ARM}]\nduration: 2\n", OPTIONS)
        self.assertEqual([one["name"] for one in document["robots"][0]["designs"]], ["design_1"])
        self.assertEqual(document["robots"][0]["designs"][0]["duration_s"], 2)


class StudyContinues(StudyCase):
    def stamps(self):
        return {path.parent.name: path.stat().st_mtime_ns for path in self.file().glob("gentle/*/design.json")}

    def test_finished_designs_are_kept(self):
        first, _ = self.study(ROBOTS, DESIGNS, OPTIONS)
        before = self.stamps()
        second, done = self.study(ROBOTS, DESIGNS, OPTIONS)
        self.assertEqual(second, first)
        self.assertEqual(self.stamps(), before)
        self.assertEqual(done.stdout.count("from an earlier run"), 4)
        # another seed of one design: it alone is searched again
        third, done = self.study(ROBOTS, DESIGNS.replace("seed: 5", "seed: 6"), OPTIONS)
        self.assertEqual(done.stdout.count("from an earlier run"), 2)
        self.assertEqual({name for name, stamp in self.stamps().items() if stamp != before[name]}, {"longer"})
        self.assertNotEqual(self.design(third, "gentle", "longer")["log_det"], self.design(first, "gentle", "longer")["log_det"])

    def test_damaged_files_are_made_again(self):
        first, _ = self.study(ROBOTS, DESIGNS, OPTIONS)
        path = self.file("gentle", "longer", "design.json")
        path.write_text(path.read_text().replace('"feasible"', '"infeasible"', 1))
        second, done = self.study(ROBOTS, DESIGNS, OPTIONS)
        self.assertEqual(done.stdout.count("from an earlier run"), 3)
        self.assertEqual(json.loads(path.read_text())["status"], "feasible")
        self.assertEqual(self.design(second, "gentle", "longer")["log_det"], self.design(first, "gentle", "longer")["log_det"])
        for text in ("", "[]", "null", '{"schema": 3}', '{"schema": "heft-study-1", "robots": [{"designs": 1}, 2]}', "\xff"):
            self.file("study.json").write_text(text, encoding="latin-1")
            _, done = self.study(f"robots: [{ARM}]\ndesigns: [{{duration: 2}}]\n", OPTIONS)
            self.assertEqual(done.stdout.count("from an earlier run"), 0)

    def test_files_of_a_robot_count(self):
        robot = self.write("arm.urdf", pathlib.Path(ARM).read_text())
        text = f"robots: [{robot}]\ndesigns: [{{duration: 2}}]\n"
        self.study(text, OPTIONS)
        self.write("arm.urdf", pathlib.Path(ARM).read_text().replace("</robot>", "<!-- weighed again --></robot>"))
        _, done = self.study(text, OPTIONS)
        self.assertEqual(done.stdout.count("from an earlier run"), 0)

    def test_a_stopped_run_continues(self):
        """Ctrl-C: no half-written file, exit code 5, and the next run keeps what was finished."""
        text = ROBOTS + "designs: [{duration: 2}, {name: endless, duration: 2, starts: 3000}]\n" + OPTIONS
        path = self.write("study.yaml", text)
        process = subprocess.Popen([PROGRAM, "excite", "--study", path, "--out", self.file(), "--threads", "2"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while not self.file("gentle", "design_1", "design.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 5, errors)
        self.assertIn("run the same command again", output)
        stopped = json.loads(self.file("study.json").read_text())
        self.assertEqual(stopped["totals"]["pending"], 2)
        self.assertEqual(self.design(stopped, "gentle", "design_1")["status"], "feasible")
        self.assertFalse(self.file("gentle", "endless", "design.json").exists())
        self.assertEqual([file for file in self.file().rglob("*") if "tmp" in file.name], [])
        document, done = self.study(text.replace("3000", "1"))
        self.assertEqual(document["totals"]["feasible"], 4)
        self.assertEqual(done.stdout.count("from an earlier run"), 2)


class StudyWithFailures(StudyCase):
    def test_the_others_are_designed(self):
        designs = """designs:
  - {name: good, duration: 2}
  - {name: weak, duration: 2, limits: {torque: {deviations: 2, values: [80, 1, 80, 80, 12, 12, 12]}}}
  - {name: wrong, duration: 2, limits: {velocity: {values: {joint_22: 1}}}}
"""
        document, done = self.study(f"robots: [{ARM}]\n", designs, OPTIONS, code=1)
        self.assertEqual(wrong_places(document, SOURCE / "tools" / "study.schema.json"), [])
        good, weak, wrong = document["robots"][0]["designs"]
        self.assertEqual([one["status"] for one in (good, weak, wrong)], ["feasible", "infeasible", "failed"])
        self.assertIn("torque of joint_2", weak["infeasible_because"])
        self.assertIn("study.yaml:5", wrong["error"])
        self.assertIn("did you mean 'joint_2'", wrong["error"])
        self.assertIsNone(wrong["log_det"])
        self.assertIsNone(wrong["digest"])
        self.assertEqual(document["robots"][0]["best"], "good")
        self.assertEqual({path.name for path in self.file(weak["folder"]).iterdir()}, {"design.json", "report.html"})
        self.assertIn("1 feasible, 1 infeasible, 1 failed", done.stdout)

    def test_no_time(self):
        designs = "designs: [{name: hurried, time_budget: 0.05, starts: 1000, limits: {torque: {values: [80, 1, 80, 80, 12, 12, 12]}}}]\n"
        document, _ = self.study(f"robots: [{ARM}]\nduration: 4\n", designs, OPTIONS, code=5)
        self.assertEqual(document["totals"]["budget"], 1)
        self.assertIsNone(document["robots"][0]["best"])


class StudyInBrowser(StudyCase, BrowserTestCase):
    def test_tables_links_and_reasons(self):
        designs = """designs:
  - {name: good, duration: 2}
  - {name: wrong, duration: 2, limits: {velocity: {values: {joint_22: 1}}}}
"""
        document, _ = self.study(f"robots: [{{robot: {ARM}, name: <b>&}}]\n", designs, OPTIONS, code=1)
        tab = self.open(self.file("study.html"))
        self.assertEqual(tab.run("[...document.querySelectorAll('main section h2')].map(head => head.textContent)"), ["Best designs", "<b>&"])
        cells = tab.run("[...document.querySelectorAll('#best tbody td')].map(cell => cell.textContent)")
        self.assertEqual((cells[0], cells[1], cells[-1]), ("<b>&", "good", "1 of 2"))
        link = tab.run("document.querySelector('#best tbody a').href")
        self.assertTrue(pathlib.Path(urllib.parse.unquote(link.removeprefix("file://"))).is_file(), link)
        self.assertIn("joint_22", tab.run("document.querySelector('.errors li').textContent"))
        self.assertEqual(document["robots"][0]["designs"][0]["folder"], "_b__/good")
        self.assert_quiet(tab, self.file("study.html"))


class StudyRefusals(StudyCase):
    def refused(self, *texts, code=1, flags=()):
        document, done = self.study(*texts, code=code, flags=flags)
        self.assertIsNone(document)
        self.assertFalse(self.file().exists())
        return done.stderr

    def test_options_that_do_not_exist(self):
        robots = f"robots: [{ARM}]\n"
        errors = self.refused(robots, "designs:\n  - {duration: 2}\n  - {durations: 3}\n")
        self.assertIn("study.yaml:4: unknown", errors)
        self.assertIn("'duration'", errors)
        self.assertIn("study.yaml:2: unknown", self.refused(robots, "startz: 2\n"))
        self.assertIn("study.yaml:2: unknown", self.refused(f"robots:\n  - {{robot: {ARM}, designs: 1}}\n"))
        self.assertIn("study.yaml:2: unknown", self.refused(robots, f"designs: [{{robot: {ARM}}}]\n"))
        self.assertIn("study.yaml:2: unknown", self.refused(robots, "designs: [{limits: {velocty: {scale: 1}}}]\n"))
        self.assertIn("7 joints", self.refused(robots, "designs: [{limits: {velocity: {values: [1, 2]}}}]\n"))
        self.assertIn("objective: unknown choice 'dd'", self.refused(robots, "designs: [{objective: dd}]\n"))

    def test_numbers_out_of_range(self):
        robots = f"robots: [{ARM}]\n"
        for option in ("starts: 0", "duration: 0", "duration: .nan", "rate: -1", "speed: 2", "until_mass: 2", "time_budget: -1", "seed: -1",
                       "seed: two", "intervals: -1"):
            errors = self.refused(robots, f"designs:\n  - {{{option}}}\n")
            self.assertIn("study.yaml:3", errors)
            self.assertIn(option.split(":")[0], errors)

    def test_robots(self):
        self.assertIn("missing.urdf", self.refused("robots: [missing.urdf]\n"))
        self.assertIn("study.yaml:2", self.refused("robots:\n  - missing.urdf\n"))
        errors = self.refused(f"robots:\n  - {ARM}\n  - {ARM}\n")
        self.assertIn(f"study.yaml:3: another robot is already named '{ARM_NAME}'", errors)
        self.assertIn("{name: ..}", errors)
        self.assertIn("same folder", self.refused(f"robots: [{{robot: {ARM}, name: a b}}, {{robot: {ARM}, name: a/b}}]\n"))
        self.assertIn("has no list 'robots'", self.refused("starts: 2\n"))
        self.assertIn("robots is empty", self.refused("robots: []\n"))
        self.assertIn("a robot has no file", self.refused("robots: [{name: arm}]\n"))
        self.assertIn("must be a list", self.refused("robots: arm.urdf\n"))

    def test_designs(self):
        robots = f"robots: [{ARM}]\n"
        self.assertIn("study.yaml:2: another design is already named 'a'", self.refused(robots, "designs: [{name: a}, {name: a}]\n"))
        self.assertIn("designs is empty", self.refused(robots, "designs: []\n"))
        self.assertIn("an item of designs", self.refused(robots, "designs: [fast]\n"))
        self.assertIn("must be a mapping", self.refused("[]\n"))
        self.assertIn("robots with 101 designs", self.refused("robots: [" + ", ".join(f"{{robot: {ARM}, name: r{i}}}" for i in range(100))
                                                              + "]\ndesigns: [" + ", ".join(["{}"] * 101) + "]\n"))

    def test_command_lines(self):
        robots = f"robots: [{ARM}]\n"
        self.assertIn("--duration cannot be combined with --study", self.refused(robots, code=105, flags=["--duration", 3]))
        self.assertIn("--robot cannot be combined with --study", self.refused(robots, code=105, flags=["--robot", ARM]))
        done = run_heft("excite", "--out", self.scratch / "out")
        self.assertGreaterEqual(done.returncode, 100)
        self.assertIn("--robot is required", done.stderr)

    def test_inputs_are_not_overwritten(self):
        robot = self.file(ARM_NAME, "design_1", "trajectory.csv")
        robot.parent.mkdir(parents=True)
        robot.write_text(pathlib.Path(ARM).read_text())
        _, done = self.study(f"robots: [{robot}]\n", OPTIONS, code=1)
        self.assertIn("would be overwritten", done.stderr)
        self.assertEqual(robot.read_text(), pathlib.Path(ARM).read_text())


if __name__ == "__main__":
    unittest.main()
