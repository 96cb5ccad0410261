"""bench/heft_bench.py: rows, the file, the exit code, machine and commit."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import heft_bench


class Musts(unittest.TestCase):
    def exit_code(self, value, **limits):
        report = heft_bench.Report()
        report.add("figure", value, "1", **limits)
        return report.exit_code()

    def test_a_figure_reaches_its_must_from_either_side(self):
        self.assertEqual(self.exit_code(2.0, must=2.0), 0)
        self.assertEqual(self.exit_code(1.9, must=2.0), 1)
        self.assertEqual(self.exit_code(2.0, must=2.0, smaller_is_better=True), 0)
        self.assertEqual(self.exit_code(2.1, must=2.0, smaller_is_better=True), 1)

    def test_what_is_no_number_reaches_nothing(self):
        for value in (None, float("nan"), float("inf")):
            self.assertEqual(self.exit_code(value, must=0.0), 1)
            self.assertEqual(self.exit_code(value, must=0.0, smaller_is_better=True), 1)
            self.assertEqual(self.exit_code(value), 0)

    def test_a_missed_goal_is_no_failure(self):
        self.assertEqual(self.exit_code(2.0, must=1.0, goal=3.0), 0)

    def test_one_missed_must_among_many_is_told(self):
        report = heft_bench.Report()
        for value in (3, 1, 3):
            report.add("figure", value, "1", must=2)
        self.assertEqual([row["ok"] for row in report.rows], [True, False, True])
        self.assertEqual(report.exit_code(), 1)

    def test_rows_are_kept_where_a_benchmark_does_not_come_to_its_end(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.json"
            report = heft_bench.Report(path)
            for value in (3, 1):
                report.add("figure", value, "1", must=2)
            self.assertEqual([row["value"] for row in json.loads(path.read_text())["rows"]], [3, 1])

    def test_no_rows_miss_nothing(self):
        self.assertEqual(heft_bench.Report().exit_code(), 0)


class Pages(unittest.TestCase):
    def test_what_stands_between_marks_is_replaced_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("above\n<begin>\nold\n<end>\nbelow\n")
            heft_bench.write_between(page, "<begin>", "<end>", ["| 1 |", "| 2 |"])
            self.assertEqual(page.read_text(), "above\n<begin>\n| 1 |\n| 2 |\n<end>\nbelow\n")

    def test_a_page_without_its_marks_stays_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            for text in ("no marks\n", "<begin>\n", "<end>\n<begin>\n", "<begin><begin><end>", "<begin><end><end>"):
                page.write_text(text)
                with self.assertRaises(ValueError):
                    heft_bench.write_between(page, "<begin>", "<end>", ["new"])
                self.assertEqual(page.read_text(), text)


class Finish(unittest.TestCase):
    def finish(self, value, *words, **more):
        report = heft_bench.Report()
        report.add("figure", value, "m", must=2)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = report.finish(*words, **more)
        return code, said.getvalue()

    def test_rows_are_shown_and_the_exit_code_is_theirs(self):
        self.assertEqual(self.finish(3)[0], 0)
        code, said = self.finish(1, None)
        self.assertEqual(code, 1)
        self.assertRegex(said, r"^figure +1 m +must 2 +MISSED\n$")
        self.assertEqual(self.finish(1, None, shown=False), (1, ""))

    def test_the_file_is_written_where_one_is_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bench.json"
            self.finish(3)
            self.assertFalse(path.exists())
            self.assertEqual(self.finish(1, path, cases=[1, 2])[0], 1)
            content = json.loads(path.read_text())
        self.assertEqual((content["rows"][0]["value"], content["cases"]), (1, [1, 2]))


class File(unittest.TestCase):
    def test_it_is_the_schema_that_others_read(self):
        report = heft_bench.Report()
        report.add("speed", 3.5, "G", must=1.4, goal=2.5, least=3.0, most=float("nan"))
        report.add("not measured", float("nan"), "s")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bench.json"
            path.write_text("what was there before")
            report.write(path)
            self.assertEqual([p.name for p in pathlib.Path(folder).iterdir()], ["bench.json"])
            content = json.loads(path.read_text(), parse_constant=lambda name: self.fail(f"{name} is not JSON"))
        self.assertEqual(set(content), {"schema", "machine", "commit", "rows"})
        self.assertEqual(content["schema"], "heft-bench-1")
        self.assertEqual(content["rows"], [
            {"name": "speed", "value": 3.5, "unit": "G", "must": 1.4, "goal": 2.5, "ok": True, "least": 3.0, "most": None},
            {"name": "not measured", "value": None, "unit": "s", "must": None, "goal": None, "ok": True}])


class Surroundings(unittest.TestCase):
    def test_the_machine_has_the_name_of_its_processor(self):
        with tempfile.TemporaryDirectory() as folder:
            cpuinfo = pathlib.Path(folder) / "cpuinfo"
            cpuinfo.write_text("processor\t: 0\nmodel name\t: Abacus 9: fast\nprocessor\t: 1\nmodel name\t: other\n")
            self.assertRegex(heft_bench.machine(cpuinfo), r"^Abacus 9: fast, \d+ threads$")

    def test_the_commit_says_whether_files_differ_from_it(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            self.assertEqual(heft_bench.commit(root), "unknown")
            def git(*words):
                return subprocess.run(["git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@t", *words], check=True,
                                      capture_output=True, text=True).stdout.strip()
            git("init", "-q")
            (root / "file").write_text("1")
            git("add", "file")
            git("commit", "-q", "-m", "first")
            head = git("rev-parse", "HEAD")
            (root / "untracked").write_text("1")
            self.assertEqual(heft_bench.commit(root), head[:10])
            (root / "file").write_text("2")
            self.assertEqual(heft_bench.commit(root), head[:10] + "+")


if __name__ == "__main__":
    unittest.main()
