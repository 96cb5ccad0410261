"""report.html and `heft report`: the page is well-formed, loads nothing, is small, and agrees with result.json and `heft predict`."""

import csv
import html.parser
import json
import math
import re

from golden_path import CONFIGURATION, GoldenTestCase
from heft_program import ARM, JOINTS, demo_log, run_heft

VOID = {"meta", "link", "img", "br", "hr", "input"}


class PageParser(html.parser.HTMLParser):
    """Checks that tags are balanced, and stores the text of the element with id="data"."""

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
    """Whether a number written with this number of digits is that value."""
    return abs(value - reference) <= 0.6 * 10 ** (1 - digits) * abs(reference) + 1e-12


class PageTestCase(GoldenTestCase):
    def page(self, path):
        text = path.read_text(encoding="utf-8")
        parser = PageParser(text)
        self.assertEqual(parser.faults, [])
        self.assertEqual(parser.references, [])
        # three.js names a loader and a license; that it loads nothing is seen in a browser (page_in_browser.py)
        own = re.sub(r'<script id="three">.*?</script>', "", text, flags=re.DOTALL)
        found = re.search(r"https?:|url\((?!#)|@import|fetch\(|XMLHttpRequest|WebSocket|import\(", own)
        self.assertIsNone(found, found and own[found.start():found.start() + 80])
        self.assertIn("default-src 'none'", text)
        self.assertLess(len(text), 3e6)
        return json.loads(parser.data)

    def predicted_rows(self, log, result="result"):
        path = self.scratch / "predicted.csv"
        done = run_heft("predict", "--model", self.scratch / result / "result.json", "--log", log, "--out", path)
        self.assert_done(done)
        with open(path, newline="") as file:
            return list(csv.DictReader(file))


class ReportPage(PageTestCase):
    def test_holds_result_json_as_it_is(self):
        result = self.golden()
        page = self.page(self.scratch / "result" / "report.html")
        self.assertEqual(page["results"], [result])
        self.assertTrue(page["verdict"]["identified"].startswith("7 bodies of "))
        self.assertIn(f"{100 * result['validation']['overall_relative']:.3g} %", page["verdict"]["accuracy"])
        self.assertEqual([body["name"] for body in page["skeleton"]["bodies"]], [body["name"] for body in result["bodies"]])
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
        self.assertTrue(any(d["id"] == "held-out-missing" and "--validate" in d["remedy"] for d in page["verdict"]["doubts"]))

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
        self.assertTrue(any("impossible" in doubt["words"] for doubt in page["verdict"]["doubts"]))

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
        self.assertLess(path.stat().st_size, 3e6)
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


    def test_shapes_and_postures_are_those_of_the_robot_and_the_log(self):
        self.golden()
        page = self.page(self.scratch / "result" / "report.html")
        skeleton, outlines = page["skeleton"], page["outlines"]
        self.assertEqual(outlines["missing"], [])
        drawn = [body for body in outlines["bodies"] if body]
        self.assertGreater(len(drawn), 3)
        with open(demo_log("held_out.csv"), newline="") as file:
            rows = {round(float(row["t"]), 6): row for row in csv.DictReader(file)}
        for posture in skeleton["postures"]:
            row = rows[round(page["traces"]["start_s"] + posture["time_s"], 6)]
            # the first joint turns the shoulder about z, whose frame does nothing else: q up to the filter
            x, y, z, qx, qy, qz, qw = posture["poses"][0]
            self.assertAlmostEqual(2 * math.atan2(qz, qw), float(row["q_joint_1"]), delta=0.02)
            self.assertEqual([qx, qy], [0, 0])

    def test_friction_is_measured_torque_less_the_rest(self):
        self.golden()
        traces = self.page(self.scratch / "result" / "report.html")["traces"]
        rows = self.predicted_rows(demo_log("held_out.csv"))
        part = traces["parts"].index("friction")
        for channel in traces["channels"]:
            points, joint = channel["friction"], channel["channel"]
            self.assertGreater(len(points["speed"]), 100)
            # every point is the residual of a used row and the friction that the page draws at that time
            known = {}
            for k, row in enumerate(rows):
                fit = channel["parts"][part]["lower"][k]
                if row["used_" + joint] == "1":
                    known.setdefault(fit, []).append(fit + float(row["measured_" + joint]) - float(row["predicted_" + joint]))
            for fit, torque in zip(points["fit"], points["torque"]):
                away = min(abs(candidate - torque) for candidate in known[fit])
                self.assertLess(away, 2e-4 * (abs(torque) + abs(fit)))

    def test_a_mesh_that_is_not_there_is_named(self):
        with open(ARM, encoding="utf-8") as file:
            text = re.sub(r"(?s)(<geometry>).*?(</geometry>)", r'\1<mesh filename="package://none/a.stl"/>\2', file.read())
        self.identify(robot=self.write("meshes.urdf", text))
        outlines = self.page(self.scratch / "result" / "report.html")["outlines"]
        self.assertIn("shoulder", outlines["missing"])
        folder = self.scratch / "packages" / "none"
        folder.mkdir(parents=True)
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        (folder / "a.stl").write_text("solid a\n" + "".join(
            "facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % corners[i] for i in face) + "endloop\nendfacet\n"
            for face in faces) + "endsolid a\n")
        self.identify("--package-path", self.scratch / "packages", robot=self.scratch / "meshes.urdf", out="found")
        outlines = self.page(self.scratch / "found" / "report.html")["outlines"]
        self.assertEqual(outlines["missing"], [])
        self.assertTrue(any(outlines["bodies"]))


class Comparison(PageTestCase):
    def blocks(self, result):
        """Sums of squared errors and torques from the rows of `heft predict`, in the blocks of result.json."""
        rows = self.predicted_rows(demo_log("held_out.csv"), result)
        size = json.loads((self.scratch / result / "result.json").read_text())["validation"]["blocks"]["samples_per_block"]
        sums = []
        for first in range(0, len(rows), size):
            sums.append(sum((float(row["measured_" + j]) - float(row["predicted_" + j])) ** 2
                            for row in rows[first:first + size] for j in JOINTS if row["used_" + j] == "1"))
        return sums

    def test_blocks_hold_the_errors_of_predict(self):
        result = self.golden(out="a")
        blocks = result["validation"]["blocks"]
        self.assertNotIn("blocks", result["training"])
        for said, summed in zip(blocks["error2"], self.blocks("a"), strict=True):
            self.assertAlmostEqual(said, summed, delta=1e-6 * summed)
        whole = math.sqrt(sum(blocks["error2"]) / sum(blocks["torque2"]))
        self.assertAlmostEqual(result["validation"]["overall_relative"], whole, delta=1e-9 * whole)

    def verdict(self, a, b):
        """The text below the names of two results."""
        done = run_heft("report", self.scratch / a, self.scratch / b)
        self.assert_done(done)
        return done.stdout.split("\n\n")[1]

    def test_says_which_predicts_better_by_more_than_noise(self):
        a = self.golden(out="a")
        self.configuration = self.write("rigid.yaml", re.sub(r"(?s)columns:.*(known_torque)", r"columns: []\n\1", CONFIGURATION))
        b = self.golden(out="b")
        errors = [r["validation"]["blocks"]["error2"] for r in (a, b)]
        self.assertEqual(a["validation"]["blocks"]["torque2"], b["validation"]["blocks"]["torque2"])
        d = [y - x for x, y in zip(*errors)]
        mean = sum(d) / len(d)
        squares = sum((x - mean) ** 2 for x in d)
        rho = max(0, min(0.9, sum((x - mean) * (y - mean) for x, y in zip(d, d[1:])) / squares))
        ratio = sum(d) / math.sqrt(len(d) / (len(d) - 1) * squares * (1 + rho) / (1 - rho))
        words = self.verdict("a", "b")
        self.assertIn("One robot, heft_demo_arm.", words)
        self.assertIn("A predicts significantly better: ", words)
        self.assertIn(f"in {len(d)} stretches", words)
        self.assertAlmostEqual(float(re.search(r"is (\S+) standard errors", words)[1]), ratio, delta=6e-3 * ratio)
        self.assertIn("B predicts significantly better: ", self.verdict("b", "a"))

    def test_a_difference_within_noise_is_called_so(self):
        self.golden(out="a")
        self.golden("--prior-weight", "0.0101", out="b")
        self.assertIn("Neither predicts significantly better: ", self.verdict("a", "b"))
        self.assertIn("A and B predict equally well: ", self.verdict("a", "a"))

    def test_what_cannot_be_compared_is_said(self):
        self.golden(out="a")
        self.identify("--config", self.configuration, out="unjudged")
        self.assertIn("B has no held-out log", self.verdict("a", "unjudged"))
        self.identify("--config", self.configuration, "--validate", demo_log("train.csv"), out="other_log")
        self.assertIn("different held-out logs", self.verdict("a", "other_log"))
        old = json.loads((self.scratch / "a" / "result.json").read_text())
        del old["validation"]["blocks"]
        (self.scratch / "old").mkdir()
        self.write("old/result.json", json.dumps(old))
        self.assertIn("but this may be noise: B does not record", self.verdict("a", "old"))

    def test_different_rows_are_predicted_again_or_not_compared(self):
        log = self.write("held.csv", demo_log("held_out.csv").read_bytes())
        rigid = self.write("rigid.yaml", re.sub(r"(?s)columns:.*(known_torque)", r"columns: []\n\1", CONFIGURATION))
        for out, config, lowpass in (("a", self.configuration, 10), ("smoother", self.configuration, 5), ("rigid", rigid, 5)):
            self.identify("--config", config, "--validate", log, "--lowpass", lowpass, out=out)
        self.assertIn("A predicts significantly better: on the same rows of the held-out logs, A has ",
                      self.verdict("a", "rigid"))
        words = self.verdict("a", "smoother")
        errors = [float(x) for x in re.search(r"A has (\S+) % against (\S+) % on the rows of A, (\S+) % against (\S+) % on", words).groups()]
        judged = [json.loads((self.scratch / out / "result.json").read_text())["validation"]["overall_relative"] for out in ("a", "smoother")]
        self.assertAlmostEqual(errors[0], 100 * judged[0], delta=0.01 * errors[0])  # each on its own rows, as it was judged
        self.assertAlmostEqual(errors[3], 100 * judged[1], delta=0.01 * errors[3])
        log.unlink()
        self.assertIn("cannot be compared: A and B used different rows", self.verdict("a", "smoother"))

    def test_two_robots_are_called_so(self):
        self.golden(out="a")
        with open(ARM, encoding="utf-8") as file:
            robot = self.write("other.urdf", file.read().replace("joint_2", "hip").replace("heft_demo_arm", "leg"))
        log = self.write("other.csv", demo_log("train.csv").read_text().replace("joint_2", "hip"))
        self.identify(robot=robot, log=log, out="b")
        self.assertIn("Two robots: A is heft_demo_arm with 7 joints, B is leg with 7; 6 of the joints have the same names.",
                      self.verdict("a", "b"))

    def test_torques_and_bodies_are_drawn_from_the_pages_beside(self):
        a, b = self.golden(out="a"), self.golden("--prior-weight", 0.5, out="b")
        page = self.scratch / "comparison.html"
        compare = ["report", self.scratch / "a", self.scratch / "b", "--page", page]
        self.assert_done(run_heft(*compare))
        data = self.page(page)
        self.assertTrue(data["same_robot"])
        for drawn, result, folder in zip(data["drawn"], (a, b), "ab"):
            own = self.page(self.scratch / folder / "report.html")
            self.assertEqual(drawn["skeleton"], own["skeleton"])
            for channel, whole in zip(drawn["traces"]["channels"], own["traces"]["channels"], strict=True):
                for name in ("measured", "predicted", "residual"):
                    self.assertEqual(channel[name], whole[name])
        # a page of another result is none of this one
        (self.scratch / "b" / "report.html").write_bytes((self.scratch / "a" / "report.html").read_bytes())
        self.assert_done(run_heft(*compare))
        self.assertIsNone(self.page(page)["drawn"][1])
        for broken in ("", "<html>", '<script type="application/json" id="data">{"results": 3</script>',
                       '<script type="application/json" id="data">{"results": [{}]}</script>'):
            (self.scratch / "b" / "report.html").write_text(broken)
            self.assert_done(run_heft(*compare))
            self.assertIsNone(self.page(page)["drawn"][1])
        self.assert_refused([*compare[:-1], self.scratch / "b" / "report.html"], self.scratch / "b" / "report.html",
                            "is an input of this command")

    def test_of_two_results(self):
        a = self.golden(out="a")
        b = self.golden("--prior-weight", 0.5, out="b")
        page = self.scratch / "comparison.html"
        done = run_heft("report", self.scratch / "a", self.scratch / "b" / "result.json", "--page", page)
        self.assert_done(done)
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
        self.assert_done(done)
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
        self.assert_done(done)
        of_a, of_first = self.page(page)["results"]
        self.assertEqual(of_a, of_first)
        for fit in result["validation"]["per_joint"]:
            self.assertRegex(done.stdout, rf"(?m)^{fit['joint']} +{fit['rms_error']:.4g} +{fit['rms_error']:.4g} +0 ")

    def test_newer_version_is_refused_by_name(self):
        result = self.golden(out="a")
        newer = self.write("newer.json", json.dumps({**result, "schema": "heft-result-3"}))
        self.assert_refused(["report", self.scratch / "a", newer], newer,
                            "is a heft-result-3, which this version of heft does not support: it reads heft-result-1 and heft-result-2",
                            "use the version of heft that wrote it")

    def test_refuses_what_is_no_result(self):
        self.golden(out="a")
        other = self.write("other.json", '{"schema": "something else"}')
        broken = self.write("broken.json", '{"schema": "heft-result-1"}')
        self.assert_refused(["report", self.scratch / "a", other], other, "is not a result of heft identify")
        self.assert_refused(["report", self.scratch / "a", broken, "--page", self.scratch / "p.html"],
                            f"{self.scratch / 'a'}, {broken}", "is not a valid result")
        self.assert_refused(["report", self.scratch / "a", self.scratch / "none"], self.scratch / "none", "")
