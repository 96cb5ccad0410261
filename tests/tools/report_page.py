"""report.html and `heft report`: the page is well-formed, loads nothing, is small, and says what result.json and
`heft predict` say."""

import csv
import html.parser
import json
import re

from golden_path import GoldenTestCase
from heft_program import ARM, JOINTS, demo_log, run_heft

VOID = {"meta", "link", "img", "br", "hr", "input"}


class PageParser(html.parser.HTMLParser):
    """Balanced tags, and the text of the element with id="data"."""

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.data, self.references = [], [], "", []
        self.in_data = False
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> never closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.references += [attrs[name] for name in ("src", "href") if name in attrs]
        if tag in VOID:
            return
        self.open.append(tag)
        self.in_data = tag == "script" and attrs.get("id") == "data"

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")
        self.in_data = False

    def handle_data(self, data):
        if self.in_data:
            self.data += data


def significant(value, reference, digits=5):
    """Whether a number written with so many digits is that value."""
    return abs(value - reference) <= 0.6 * 10 ** (1 - digits) * abs(reference) + 1e-12


class PageTestCase(GoldenTestCase):
    def page(self, path):
        text = path.read_text(encoding="utf-8")
        parser = PageParser(text)
        self.assertEqual(parser.faults, [])
        self.assertEqual(parser.references, [])
        self.assertNotRegex(text, r"https?:|url\((?!#)|@import|fetch\(|XMLHttpRequest|WebSocket|import\(")
        return json.loads(parser.data)

    def predicted_rows(self, log, result="result"):
        path = self.scratch / "predicted.csv"
        done = run_heft("predict", "--model", self.scratch / result / "result.json", "--log", log, "--out", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, newline="") as file:
            return list(csv.DictReader(file))


class ReportPage(PageTestCase):
    def test_holds_result_json_as_it_is(self):
        result = self.golden()
        page = self.page(self.scratch / "result" / "report.html")
        self.assertEqual(page["results"], [result])
        self.assertTrue(page["verdict"]["identified"].startswith("7 bodies of "))
        self.assertIn(f"{100 * result['validation']['overall_relative']:.3g} %", page["verdict"]["accuracy"])
        self.assertEqual([body["name"] for body in page["skeleton"]], [body["name"] for body in result["bodies"]])
        self.assertEqual(page["observability"]["num_parameters"], 70)

    def test_draws_what_predict_writes(self):
        self.golden()
        traces = self.page(self.scratch / "result" / "report.html")["traces"]
        rows = self.predicted_rows(demo_log("held_out.csv"))
        self.assertTrue(traces["held_out"])
        self.assertEqual(traces["samples_per_bin"], 1)
        self.assertEqual(traces["num_samples"], len(rows))
        self.assertEqual([channel["channel"] for channel in traces["channels"]], JOINTS)
        self.assertEqual(traces["parts"], ["inertia", "gravity", "friction", "rotors", "known torque"])
        unused = 0
        for k, row in enumerate(rows):
            self.assertAlmostEqual(traces["start_s"] + traces["time_s"][k], float(row["t"]), delta=1e-7)
            for channel in traces["channels"]:
                joint = channel["channel"]
                measured, predicted = float(row["measured_" + joint]), float(row["predicted_" + joint])
                self.assertTrue(significant(channel["predicted"]["lower"][k], predicted))
                parts = [part["lower"][k] for part in channel["parts"]]
                self.assertAlmostEqual(sum(parts), predicted, delta=1e-4 * sum(map(abs, parts)))
                if row["used_" + joint] == "0":
                    unused += 1
                    self.assertIsNone(channel["measured"]["lower"][k])
                    self.assertIsNone(channel["residual"]["lower"][k])
                else:
                    self.assertTrue(significant(channel["measured"]["lower"][k], measured))
                    self.assertAlmostEqual(channel["residual"]["lower"][k], measured - predicted,
                                           delta=1e-4 * abs(measured - predicted) + 1e-7 * abs(measured))
        self.assertGreater(unused, 0)
        for j, channel in enumerate(traces["channels"]):
            self.assertEqual(sum(channel["counts"]), sum(row["used_" + JOINTS[j]] == "1" for row in rows))
            self.assertEqual(len(channel["amplitude_density"]), len(traces["frequency_hz"]))

    def test_without_held_out_log_the_training_log_is_drawn_and_doubted(self):
        self.identify()
        page = self.page(self.scratch / "result" / "report.html")
        self.assertFalse(page["traces"]["held_out"])
        self.assertTrue(any(d["serious"] and "--validate" in d["text"] for d in page["verdict"]["doubts"]))

    def test_from_moments_there_is_no_time(self):
        self.golden("--moments", self.scratch / "arm.heft")
        done = run_heft("solve", self.scratch / "arm.heft", "--out", self.scratch / "again")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = self.page(self.scratch / "again" / "report.html")
        self.assertNotIn("traces", page)
        self.assertEqual(page["results"], [json.loads((self.scratch / "again" / "result.json").read_text())])

    def test_least_squares_has_a_page_that_doubts_its_bodies(self):
        result = self.golden("--solver", "ols")
        self.assertNotEqual(result["estimates"][-1]["impossible_bodies"], [])
        page = self.page(self.scratch / "result" / "report.html")
        self.assertTrue(any("impossible" in doubt["text"] for doubt in page["verdict"]["doubts"]))

    def test_names_that_look_like_tags_stay_names(self):
        name = "</script><b>{{scripts}}"
        with open(ARM, encoding="utf-8") as file:
            text = re.sub(r'(<robot[^>]*name=)"[^"]*"', lambda m: m[1] + '"&lt;/script>&lt;b>{{scripts}}"', file.read(), count=1)
        self.identify(robot=self.write("tags.urdf", text))
        page = self.page(self.scratch / "result" / "report.html")
        self.assertEqual(page["results"][0]["robot"], name)

    def test_long_log_keeps_every_peak_in_a_small_page(self):
        done = run_heft("simulate", "--robot", ARM, "--duration", 10, "--held-out", 200, "--rate", 1000, "--out",
                        self.scratch / "long")
        self.assertEqual(done.returncode, 0, done.stderr)
        log = self.scratch / "long" / "held_out.csv"
        self.identify("--validate", log, log=self.scratch / "long" / "train.csv")
        path = self.scratch / "result" / "report.html"
        self.assertLess(path.stat().st_size, 5e6)
        traces = self.page(path)["traces"]
        self.assertGreater(traces["num_samples"], 190000)
        self.assertGreater(traces["samples_per_bin"], 1)
        self.assertLess(len(traces["time_s"]), 5000)
        rows, width = self.predicted_rows(log), traces["samples_per_bin"]
        for channel in traces["channels"]:
            for name in ("measured", "predicted"):
                values = [float(row[f"{name}_{channel['channel']}"]) for row in rows]
                for k, (lower, upper) in enumerate(zip(channel[name]["lower"], channel[name]["upper"])):
                    bin_values = values[k * width:(k + 1) * width]
                    self.assertTrue(significant(lower, min(bin_values)))
                    self.assertTrue(significant(upper, max(bin_values)))


class Comparison(PageTestCase):
    def test_of_two_results(self):
        a = self.golden(out="a")
        b = self.golden("--prior-weight", 0.5, out="b")
        page = self.scratch / "comparison.html"
        done = run_heft("report", self.scratch / "a", self.scratch / "b" / "result.json", "--page", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.page(page)["results"], [a, b])
        rows = {line.split("  ")[0]: line.split() for line in done.stdout.splitlines() if line}
        for body, other in zip(a["bodies"], b["bodies"]):
            row = rows[body["name"] + ".m"]
            self.assertTrue(significant(float(row[1]), body["parameters"]["m"]))
            self.assertTrue(significant(float(row[2]), other["parameters"]["m"]))
        self.assertIn(f"{100 * a['validation']['overall_relative']:.3g} %", done.stdout)
        self.assertIn(f"{100 * b['validation']['overall_relative']:.3g} %", done.stdout)

    def test_columns_of_one_result_only_are_named(self):
        self.golden(out="a")
        self.identify(out="b")
        done = run_heft("report", self.scratch / "a", self.scratch / "b")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"wrist +only in A")
        self.assertRegex(done.stdout, r"offset joint_1 +only in B")

    def test_first_version_of_the_form_reads_the_same(self):
        result = self.golden(out="a")
        for fit in (result["training"], result["validation"]):
            fit["per_joint"] = [{"joint" if key == "channel" else key: value for key, value in channel.items()}
                                for channel in fit.pop("per_channel")]
        first = self.write("first.json", json.dumps({**result, "schema": "heft-result-1"}))
        page = self.scratch / "comparison.html"
        done = run_heft("report", self.scratch / "a", first, "--page", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        of_a, of_first = self.page(page)["results"]
        self.assertEqual(of_a, of_first)
        for fit in result["validation"]["per_joint"]:
            self.assertRegex(done.stdout, rf"(?m)^{fit['joint']} +{fit['rms_error']:.4g} +{fit['rms_error']:.4g} +0 ")

    def test_newer_version_is_refused_by_name(self):
        result = self.golden(out="a")
        newer = self.write("newer.json", json.dumps({**result, "schema": "heft-result-3"}))
        self.assert_refused(["report", self.scratch / "a", newer], newer,
                            "is a heft-result-3, which this version of heft does not know: it reads heft-result-1 and heft-result-2",
                            "use the version of heft that wrote it")

    def test_refuses_what_is_no_result(self):
        self.golden(out="a")
        other = self.write("other.json", '{"schema": "something else"}')
        broken = self.write("broken.json", '{"schema": "heft-result-1"}')
        self.assert_refused(["report", self.scratch / "a", other], other, "is not a result of heft identify")
        self.assert_refused(["report", self.scratch / "a", broken, "--page", self.scratch / "p.html"],
                            f"{self.scratch / 'a'}, {broken}", "does not have the form of a result")
        self.assert_refused(["report", self.scratch / "a", self.scratch / "none"], self.scratch / "none", "")
