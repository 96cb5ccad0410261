"""report.html and the page of `heft report` in a real browser: nothing complains, nothing is loaded, charts zoom and say
what is under the pointer, the robot turns, tables come out as files; in the light, in the dark, on a phone, without WebGL
and without three.js.

HEFT_SCREENSHOTS may name a folder, which then gets a picture of every page that is opened.
"""

import csv
import functools
import io
import json
import os
import pathlib
import re
import shutil
import tempfile
import time

from browser import Tab, browser_path, shared_browser
from golden_path import CONFIGURATION
from heft_program import ARM, JOINTS, HeftTestCase, demo_log, run_heft

SECTIONS = ["torque", "errors", "residual", "contributions", "bodies", "parameters", "friction", "knowable",
            "conditioning", "price", "rows", "provenance"]
TORQUE = "#torque svg.zoom"  # charts of the section: torque and error of every joint in turn


@functools.lru_cache(maxsize=None)
def results():
    """Folders a, b and other: two models of the demo arm, and one of another robot."""
    folder = tempfile.TemporaryDirectory(prefix="heft-pages-")
    root = pathlib.Path(folder.name)
    (root / "arm.yaml").write_text(CONFIGURATION)
    (root / "viscous_only.yaml").write_text(re.sub(r"(?s)(columns:\n  - viscous\n).*(known_torque)", r"\1\2", CONFIGURATION))
    other = pathlib.Path(ARM).read_text().replace("joint_3", "another_joint").replace('"demo', '"other')
    (root / "other.urdf").write_text(other)
    (root / "other.csv").write_text(demo_log("train.csv").read_text().replace("joint_3", "another_joint"))
    # long enough for intervals
    done = run_heft("simulate", "--robot", ARM, "--duration", 16, "--held-out", 5, "--rate", 250, "--seed", 3, "--out", root)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    of_arm = ["--robot", ARM, "--log", root / "train.csv", "--validate", root / "held_out.csv"]
    for name, arguments in (("a", [*of_arm, "--config", root / "arm.yaml"]),
                            ("b", [*of_arm, "--config", root / "viscous_only.yaml"]),
                            ("later", [*of_arm, "--config", root / "arm.yaml", "--conditioning.trim", "200"]),
                            ("other", ["--robot", root / "other.urdf", "--log", root / "other.csv"])):
        done = run_heft("identify", *arguments, "--out", root / name)
        if done.returncode not in (0, 4):
            raise AssertionError(done.stderr)
    for name in ("b", "later", "other"):
        done = run_heft("report", root / "a", root / name, "--page", root / f"a_and_{name}.html")
        if done.returncode not in (0, 4):  # 4: one of them is doubted
            raise AssertionError(done.stderr)
    results.folder = folder  # kept alive, removed when the process ends
    return root


class BrowserTestCase(HeftTestCase):
    flags = ()

    def setUp(self):
        super().setUp()
        browser_path()  # skips aloud

    def page_path(self):
        return results() / "a" / "report.html"

    def open(self, path=None, **options):
        tab = Tab(shared_browser(*self.flags), path or self.page_path(), **options)
        self.addCleanup(tab.close)
        self.addCleanup(self.take_picture, tab)
        return tab

    def take_picture(self, tab):
        folder = os.environ.get("HEFT_SCREENSHOTS")
        if folder:
            tab.run("scrollTo(0, 0)")
            tab.settle()
            (pathlib.Path(folder) / f"{self.id().split('.', 1)[1]}.png").write_bytes(tab.picture(whole=True))

    def assert_quiet(self, tab, path=None):
        """No complaint so far, and no request except the page's own (the page itself makes blobs)."""
        tab.settle()
        self.assertEqual(tab.faults, [])
        asked = {request for request in tab.requests if not request.startswith("blob:")}
        self.assertEqual(asked, {(path or self.page_path()).resolve().as_uri()})

    def data(self, path=None):
        text = (path or self.page_path()).read_text(encoding="utf-8")
        return json.loads(text.split('id="data">')[1].split("</script>")[0])

    def shown_range(self, tab, index=0):
        """Smallest and largest label of the time axis of a joint's error chart."""
        labels = tab.run(f"[...document.querySelectorAll('{TORQUE}')[{2 * index + 1}].querySelectorAll('text')]"
                         ".filter(t => t.getAttribute('text-anchor') !== 'end' || / s$/.test(t.textContent))"
                         ".map(t => parseFloat(t.textContent)).filter(Number.isFinite)")
        return min(labels), max(labels)

    def canvas_sum(self, tab):
        """A checksum of the picture of the robot, and the share of pixels that are drawn."""
        return tab.run("""(() => {
            const canvas = document.querySelector("canvas.robot"), gl = canvas.getContext("webgl");
            const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
            gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            let sum = 0, drawn = 0;
            for (let i = 0; i < pixels.length; i += 4) {
                if (pixels[i + 3] > 0) ++drawn;
                sum = (31 * sum + pixels[i] + 7 * pixels[i + 1] + 13 * pixels[i + 2]) % 1000003;
            }
            return [sum, 4 * drawn / pixels.length];
        })()""")


class Page(BrowserTestCase):
    def test_all_sections_are_there_and_nothing_complains(self):
        tab = self.open()
        self.assertEqual(tab.run("[...document.querySelectorAll('main section')].map(s => s.id)"), ["verdict", *SECTIONS])
        self.assertEqual(tab.run(f"document.querySelectorAll('{TORQUE}').length"), 2 * len(JOINTS))
        # scrolled through, opened and printed
        tab.run("document.querySelectorAll('details').forEach(node => { node.open = true; })")
        tab.run("scrollTo(0, document.body.scrollHeight)")
        tab.call("Page.printToPDF")
        self.assert_quiet(tab)

    def test_drag_zooms_all_charts_and_double_click_undoes_it(self):
        tab = self.open()
        data = self.data()["traces"]
        whole = self.shown_range(tab)
        self.assertGreater(whole[1] - whole[0], 0.7 * data["time_s"][-1])
        box = tab.box(TORQUE, 4)
        middle = box["y"] + box["height"] / 2
        tab.drag((box["x"] + 0.4 * box["width"], middle), (box["x"] + 0.5 * box["width"], middle))
        self.assertEqual(self.shown_range(tab), self.shown_range(tab, 6))  # another joint's chart has the same axis
        narrow = self.shown_range(tab)
        self.assertLess(narrow[1] - narrow[0], 0.15 * data["time_s"][-1])
        self.assertGreater(narrow[0], 0.3 * data["time_s"][-1])
        tab.click(TORQUE, 0, times=2)
        self.assertEqual(self.shown_range(tab), whole)
        tab.click("#torque button[title='zoom in']")
        self.assertLess(self.shown_range(tab)[1] - self.shown_range(tab)[0], 0.7 * (whole[1] - whole[0]))
        self.assert_quiet(tab)

    def test_pointer_reads_the_traces(self):
        tab = self.open()
        channel = self.data()["traces"]["channels"][2]
        times = self.data()["traces"]["time_s"]
        box = tab.box(TORQUE, 4)
        for part in (0.3, 0.6, 0.8):
            tab.move(box["x"] + part * box["width"], box["y"] + box["height"] / 2)
            tab.settle()
            text = tab.run("document.querySelectorAll('#torque figcaption')[2].lastChild.textContent").replace("−", "-")
            said = re.fullmatch(r"(\S+) s: measured (\S+), predicted (\S+), error (\S+) N m", text)
            self.assertIsNotNone(said, text)
            bins = [k for k, time in enumerate(times) if abs(time - float(said[1])) < 0.011]
            self.assertTrue(any(float(f"{channel['predicted']['lower'][k]:.3g}") == float(said[3]) for k in bins), text)
        tab.move(5, 5)
        tab.settle()
        self.assertEqual(tab.run("document.querySelectorAll('#torque figcaption')[2].lastChild.textContent"), "")

    def test_dark_is_dark_with_text_that_can_be_read(self):
        for scheme in ("light", "dark"):
            tab = self.open(scheme=scheme)
            # relative luminance of WCAG 2, contrast 4.5 for text
            contrasts = tab.run("""(() => {
                const luminance = color => color.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
                    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                    .reduce((sum, v, i) => sum + [0.2126, 0.7152, 0.0722][i] * v, 0);
                const paper = luminance(getComputedStyle(document.body).backgroundColor);
                const of = (selector, property) => {
                    const ink = luminance(getComputedStyle(document.querySelector(selector))[property]);
                    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
                };
                return {paper, text: of("p", "color"), lead: of(".lead", "color"), link: of("nav a", "color"),
                        ticks: of("#torque svg text", "fill"), number: of("td.number", "color")};
            })()""")
            paper = contrasts.pop("paper")
            self.assertTrue(paper > 0.9 if scheme == "light" else paper < 0.05, (scheme, paper))
            for what, contrast in contrasts.items():
                self.assertGreater(contrast, 4.5, (scheme, what))
            self.assertGreater(self.canvas_sum(tab)[1], 0.02)
            self.assert_quiet(tab)

    def test_the_robot_follows_a_change_of_scheme(self):
        tab = self.open()
        light = self.canvas_sum(tab)
        tab.set_scheme("dark")
        tab.settle()
        self.assertNotEqual(self.canvas_sum(tab)[0], light[0])

    def test_on_a_phone_nothing_is_wider_than_the_screen(self):
        tab = self.open(width=390, height=840, phone=True)
        self.assertEqual(tab.run("document.documentElement.scrollWidth"), 390)
        # what is wide scrolls within itself
        wide = tab.run("""[...document.querySelectorAll("main *")].filter(node => !node.closest(".scroll, pre, .stage") &&
            node.getBoundingClientRect().right > 391).map(node => node.outerHTML.slice(0, 80))""")
        self.assertEqual(wide, [])
        self.assert_quiet(tab)


class Bodies(BrowserTestCase):
    def setUp(self):
        super().setUp()
        if '<script id="three">' not in self.page_path().read_text(encoding="utf-8"):
            self.skipTest("this program was built without three.js: install libjs-three and configure again")

    def drawn(self, tab):
        tab.box("canvas.robot")
        tab.settle()
        return self.canvas_sum(tab)

    def test_dragging_turns_and_buttons_come_nearer(self):
        tab = self.open()
        first, share = self.drawn(tab)
        self.assertGreater(share, 0.02)
        box = tab.box("canvas.robot")
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        tab.drag(middle, (middle[0] + 80, middle[1] + 30))
        turned, _ = self.drawn(tab)
        self.assertNotEqual(turned, first)
        tab.click("#bodies button[title='nearer']", times=1)
        nearer, larger = self.drawn(tab)
        self.assertNotEqual(nearer, turned)
        self.assertGreater(larger, 1.2 * share)
        tab.click("#bodies button[title='the first view']")
        self.assertEqual(self.drawn(tab), [first, share])
        self.assert_quiet(tab)

    def test_the_wheel_scrolls_and_with_control_comes_nearer(self):
        tab = self.open()
        first, share = self.drawn(tab)
        box = tab.box("canvas.robot")
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        tab.mouse("mouseWheel", *middle, deltaX=0, deltaY=-200, modifiers=2)
        tab.settle()
        self.assertGreater(self.canvas_sum(tab)[1], 1.2 * share)
        before = tab.run("scrollY")
        tab.mouse("mouseWheel", *middle, deltaX=0, deltaY=120)
        tab.until(f"scrollY > {before}")
        self.assert_quiet(tab)

    def test_fingers_turn_and_pinch(self):
        tab = self.open(width=390, height=840, phone=True)
        first, share = self.drawn(tab)
        box = tab.box("canvas.robot")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        tab.touch([(x + 12 * k, y) for k in range(5)])
        turned, _ = self.drawn(tab)
        self.assertNotEqual(turned, first)
        tab.touch([(x - 30 - 15 * k, y) for k in range(5)], [(x + 30 + 15 * k, y) for k in range(5)])
        self.assertGreater(self.drawn(tab)[1], 1.3 * share)
        self.assert_quiet(tab)

    def test_pointer_names_the_body_and_its_masses(self):
        tab = self.open()
        bodies = self.data()["skeleton"]["bodies"]
        self.drawn(tab)
        box = tab.box("canvas.robot")
        tags = tab.run("[...document.querySelectorAll('.stage .tag')].map(tag => { const b = tag.getBoundingClientRect();"
                       " return [tag.textContent, b.x + b.width / 2, b.y + b.height / 2]; })")
        self.assertEqual([tag[0] for tag in tags], [str(i + 1) for i in range(len(bodies))])
        said = set()
        for _, x, y in tags:
            self.assertTrue(box["x"] < x < box["x"] + box["width"] and box["y"] < y < box["y"] + box["height"])
            tab.move(x, y)
            tab.settle()
            said.add(tab.run("document.querySelector('.stage .caption').textContent"))
        # a body may hide another's centre
        self.assertGreaterEqual(len(said), len(bodies) - 2)
        for text in said:
            number, name, identified, prior = re.fullmatch(r"(\d+) (\S+): identified (\S+) kg, prior (\S+) kg", text).groups()
            body = bodies[int(number) - 1]
            self.assertEqual(name, body["name"])
            self.assertAlmostEqual(float(identified), body["identified"]["mass"], delta=6e-4 * body["identified"]["mass"])
            self.assertAlmostEqual(float(prior), body["prior"]["mass"], delta=6e-4 * body["prior"]["mass"])

    def test_the_slider_moves_the_robot_along_the_log(self):
        tab = self.open()
        skeleton = self.data()["skeleton"]
        self.assertGreater(len(skeleton["postures"]), 20)
        first, _ = self.drawn(tab)
        flat = tab.run("document.querySelector('#bodies .views svg').outerHTML")
        place = 0 if skeleton["posture"] != 0 else len(skeleton["postures"]) - 1
        tab.run(f"(() => {{ const slider = document.querySelector('input.posture'); slider.value = {place};"
                "slider.dispatchEvent(new Event('input')); })()")
        self.assertNotEqual(self.drawn(tab)[0], first)
        self.assertNotEqual(tab.run("document.querySelector('#bodies .views svg').outerHTML"), flat)
        said = tab.run("document.querySelector('input.posture').parentNode.textContent")
        self.assertIn(f"{skeleton['postures'][place]['time_s']:.4g} s", said)
        self.assert_quiet(tab)

    def test_shapes_can_be_hidden(self):
        tab = self.open()
        first, share = self.drawn(tab)
        tab.click("#bodies input[type=checkbox]")
        hidden, without = self.drawn(tab)
        self.assertNotEqual(hidden, first)
        self.assertLess(without, share)
        tab.click("#bodies input[type=checkbox]")
        self.assertEqual(self.drawn(tab), [first, share])

    def test_ellipsoids_stand_where_their_centres_are(self):
        """Checks the flat pictures, which are exact in a parallel projection."""
        tab = self.open()
        skeleton = self.data()["skeleton"]
        poses = skeleton["postures"][skeleton["posture"]]["poses"]
        heights = []
        for body, (x, y, z, a, b, c, w) in zip(skeleton["bodies"], poses):
            v = body["identified"]["centre"]
            # z of v turned by the quaternion (a, b, c, w)
            heights.append(z + 2 * (a * c - b * w) * v[0] + 2 * (b * c + a * w) * v[1] + (1 - 2 * (a * a + b * b)) * v[2])
        shown = tab.run("[...document.querySelectorAll('#bodies .views svg')].map(picture =>"
                        " [...picture.querySelectorAll('circle.com')].map(c => Number(c.getAttribute('cy'))))")
        self.assertEqual(len(shown), 2)
        for pixels in shown:
            # pixels fall as heights rise, all by one scale
            scale = (pixels[0] - pixels[-1]) / (heights[-1] - heights[0])
            self.assertGreater(scale, 10)
            for pixel, height in zip(pixels, heights):
                self.assertAlmostEqual(pixel - pixels[0], -scale * (height - heights[0]), delta=0.01)


class WithoutThree(BrowserTestCase):
    def test_the_robot_is_drawn_flat_and_turns(self):
        text = self.page_path().read_text(encoding="utf-8")
        path = self.write("flat.html", re.sub(r'<script id="three">.*?</script>', "", text, flags=re.DOTALL))
        tab = self.open(path)
        self.assert_flat(tab, path)

    def assert_flat(self, tab, path):
        self.assertEqual(tab.run("document.querySelectorAll('canvas').length"), 0)
        self.assertEqual(tab.run("document.querySelectorAll('svg.turn ellipse.ellipsoid').length"), len(JOINTS))
        before = tab.run("document.querySelector('svg.turn').outerHTML")
        box = tab.box("svg.turn")
        tab.drag((box["x"] + 200, box["y"] + 200), (box["x"] + 260, box["y"] + 220))
        self.assertNotEqual(tab.run("document.querySelector('svg.turn').outerHTML"), before)
        self.assert_quiet(tab, path)


class WithoutWebgl(WithoutThree):
    flags = ("--disable-3d-apis",)

    def test_the_robot_is_drawn_flat_and_turns(self):
        self.assert_flat(self.open(), self.page_path())


class Tables(BrowserTestCase):
    def downloaded(self, tab, name):
        folder = self.scratch / "downloads"
        folder.mkdir(exist_ok=True)
        shared_browser(*self.flags).call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        index = tab.run("[...document.querySelectorAll('button.csv')].findIndex(b => b.title.startsWith("
                        f"{json.dumps(name + '.csv')}))")
        self.assertGreaterEqual(index, 0, name)
        tab.click("button.csv", index)
        path, end = folder / f"{name}.csv", time.monotonic() + 30
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.05)
        return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))

    def test_parameters_come_out_with_all_digits(self):
        tab = self.open()
        result = self.data()["results"][0]
        rows = iter(self.downloaded(tab, "parameters"))
        known = {p["name"]: p for p in result["uncertainty"]["parameters"]}
        intervals = 0
        for body in result["bodies"]:
            for name, value in body["parameters"].items():
                row = next(rows)
                self.assertEqual(row["group"], body["name"])
                self.assertEqual(row["parameter"].replace("·", "").replace("_", ""), name.replace("_", ""))
                self.assertEqual(float(row["identified"]), value)
                self.assertEqual(float(row["prior"]), body["prior"][name])
                parameter = known[f"{body['name']}.{name}"]
                if parameter["interval"] and not parameter["set_by_prior"]:
                    self.assertEqual([float(row["interval from"]), float(row["interval to"])], parameter["interval"])
                    intervals += 1
                else:
                    self.assertEqual([row["interval from"], row["interval to"]], ["", ""])
        self.assertEqual(list(rows), [])
        self.assertGreater(intervals, 0)
        self.assert_quiet(tab)

    def test_every_table_has_a_file_of_its_rows(self):
        tab = self.open()
        counts = tab.run("[...document.querySelectorAll('.table')].map(t => [t.querySelector('button.csv').title"
                         ".split('.csv')[0], t.querySelectorAll('tbody tr:not(.group)').length])")
        self.assertGreater(len(counts), 8)
        self.assertEqual(tab.run("document.querySelectorAll('table').length"), len(counts))
        self.assertEqual(len({name for name, _ in counts}), len(counts), "names of files are told apart")
        for name, count in counts:
            if name in ("errors", "bodies", "friction", "logs", "inputs"):
                self.assertEqual(len(self.downloaded(tab, name)), count, name)

    def test_bars_are_as_long_as_intervals(self):
        tab = self.open()
        result = self.data()["results"][0]
        bars = tab.run("""[...document.querySelectorAll("#parameters tbody tr:not(.group)")].map(row => {
            const svg = row.querySelector("svg.interval"), bar = svg.querySelector("rect.bar");
            const at = (node, name) => node && Number(node.getAttribute(name));
            return {bar: bar && [at(bar, "x") + 0.5, at(bar, "x") + at(bar, "width") - 0.5], dot: at(svg.querySelector(".dot"), "cx"),
                    ring: at(svg.querySelector(".ring"), "cx"), zero: at(svg.querySelector("line"), "x1")};
        })""")
        known = {p["name"]: p for p in result["uncertainty"]["parameters"]}
        names = [(body, name) for body in result["bodies"] for name in body["parameters"]]
        self.assertEqual(len(bars), len(names))
        drawn = 0
        for (body, name), bar in zip(names, bars):
            value, prior = body["parameters"][name], body["prior"][name]
            parameter = known[f"{body['name']}.{name}"]
            if name != "m":
                continue  # alone on its scale, from zero to the largest number
            interval = parameter["interval"] if not parameter["set_by_prior"] else None
            high = max([0, value, prior, *(interval or [])])
            low = min([0, value, prior, *(interval or [])])
            pixel = lambda number: 6 + (number - low) / (high - low) * 158
            self.assertAlmostEqual(bar["dot"], pixel(value), delta=1e-6)
            self.assertAlmostEqual(bar["ring"], pixel(prior), delta=1e-6)
            self.assertAlmostEqual(bar["zero"], pixel(0), delta=1e-6)
            self.assertEqual(bar["bar"] is None, interval is None)
            if interval:
                drawn += 1
                self.assertAlmostEqual(bar["bar"][0], pixel(interval[0]), delta=1e-6)
                self.assertAlmostEqual(bar["bar"][1], pixel(interval[1]), delta=1e-6)
        self.assertGreater(drawn, 0)


class Friction(BrowserTestCase):
    def test_curves_have_the_points_of_the_log_and_the_fit(self):
        tab = self.open()
        channels = [c for c in self.data()["traces"]["channels"] if "friction" in c]
        self.assertEqual([c["channel"] for c in channels], JOINTS)
        counts = tab.run("[...document.querySelectorAll('#friction figure path.points')].map(p =>"
                         " p.getAttribute('d').split('M').length - 1)")
        self.assertEqual(counts, [len(c["friction"]["speed"]) for c in channels])
        for channel in channels:
            friction = channel["friction"]
            self.assertGreater(len(friction["speed"]), 100)
            self.assertEqual(len(friction["speed"]), len(friction["fit"]))
        box = tab.box("#friction figure svg", 1)
        tab.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        tab.settle()
        said = tab.run("document.querySelectorAll('#friction figcaption')[1].lastChild.textContent").replace("−", "-")
        speed, torque, fit = map(float, re.fullmatch(r"(\S+) rad/s: (\S+), fit (\S+) N m", said).groups())
        friction = channels[1]["friction"]
        self.assertTrue(any(abs(s - speed) <= 6e-3 * abs(s) and abs(t - torque) <= 6e-3 * abs(t) and abs(f - fit) <= 6e-3 * abs(f)
                            for s, t, f in zip(friction["speed"], friction["torque"], friction["fit"])), said)
        self.assert_quiet(tab)


class Comparison(BrowserTestCase):
    def test_one_robot_twice_overlays_torques_and_bodies(self):
        path = results() / "a_and_b.html"
        tab = self.open(path)
        self.assertEqual(tab.run("document.querySelector('h1').textContent"), "Two results")
        # measured, A and B above, the errors of both below
        self.assertEqual(tab.run(f"[...document.querySelectorAll('{TORQUE}')].map(c => c.querySelectorAll('path.series').length)"),
                         [3, 2] * len(JOINTS))
        box = tab.box(TORQUE, 0)
        tab.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        tab.settle()
        self.assertRegex(tab.run("document.querySelector('#torque figcaption').lastChild.textContent"),
                         r"s: measured \S+, A \S+, B \S+, error of A \S+, error of B \S+ N m")
        self.assertEqual(tab.run("document.querySelectorAll('#bodies .views svg:first-child ellipse.prior').length"), len(JOINTS))
        self.assertIn("predicts significantly better", tab.run("document.querySelector('#verdict').textContent"))
        self.assert_quiet(tab, path)

    def test_results_with_different_trims_share_one_axis(self):
        """The second result begins later in the same log. Its predictions must lie on those of the first."""
        tab = self.open(results() / "a_and_later.html")
        box = tab.box(TORQUE, 0)
        pairs = []
        for k in range(25):
            tab.move(box["x"] + (0.3 + 0.02 * k) * box["width"], box["y"] + 0.5 * box["height"])
            tab.settle()
            text = tab.run("document.querySelector('#torque figcaption').lastChild.textContent").replace("−", "-")
            pairs.append([float(re.search(rf"\b{name} (\S+?),", text)[1]) for name in ("A", "B")])
        spread = max(a for a, _ in pairs) - min(a for a, _ in pairs)
        self.assertGreater(spread, 0)
        self.assertLess(max(abs(a - b) for a, b in pairs), 0.05 * spread, pairs)

    def test_two_robots_are_called_so_and_overlay_nothing(self):
        path = results() / "a_and_other.html"
        tab = self.open(path)
        self.assertEqual(tab.run("document.querySelector('h1').textContent"), "Two robots")
        self.assertIn("Two robots: A is ", tab.run("document.querySelector('#verdict').textContent"))
        self.assertEqual(tab.run("document.querySelectorAll('#torque, #bodies').length"), 0)
        self.assert_quiet(tab, path)

    def test_in_the_dark_and_on_a_phone(self):
        path = results() / "a_and_b.html"
        tab = self.open(path, width=390, height=840, phone=True, scheme="dark")
        self.assertEqual(tab.run("document.documentElement.scrollWidth"), 390)
        self.assert_quiet(tab, path)
