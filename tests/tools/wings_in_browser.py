"""The pages of `heft payload` and `heft excite` in a real browser: no errors, no requests, every chart zooms and every table can be saved,
also in dark mode and on a phone."""

import functools
import json
import pathlib
import subprocess
import sys
import tempfile

from heft_program import ARM, SOURCE, run_heft
from page_in_browser import BrowserTestCase

LIMITS = "limits: {acceleration: {values: [6, 6, 6, 6, 8, 8, 8]}, jerk: {values: [80, 80, 80, 80, 100, 100, 100]}, " \
         "couplings: [{name: motor, of: {joint_5: 1, joint_6: -0.8}, velocity: 0.8}]}\n"


CELL = """obstacles:
  - {name: bench, box: [0.6, 1.2, 0.05], position: [0.9, 0, 0.3], rpy: [0, 0, 0]}
  - {name: post, cylinder: {radius: 0.05, length: 1.5}, position: [0, 0.9, 0.75], rpy: [0, 0, 0]}
"""


@functools.lru_cache(maxsize=None)
def pages():
    """Folders shaken and poses (of a payload) and design."""
    folder = tempfile.TemporaryDirectory(prefix="heft-pages-")
    root = pathlib.Path(folder.name)
    subprocess.run([sys.executable, str(SOURCE / "tools" / "demo" / "payload_log.py"), str(root)], check=True)
    (root / "limits.yaml").write_text(LIMITS)
    (root / "cell.yaml").write_text(CELL)
    for name, arguments in (
            ("shaken", ["payload", "--log", root / "shaken.csv", "--shape", root / "hammer.stl", "--method", "all"]),
            ("poses", ["payload", "--log", root / "poses.csv"]),
            ("design", ["excite", "--robot", ARM, "--config", root / "limits.yaml", "--duration", 4, "--rate", 50,
                        "--starts", 1, "--time-budget", 5]),
            ("cell", ["excite", "--robot", ARM, "--config", root / "limits.yaml", "--duration", 4, "--rate", 50, "--starts", 1,
                      "--time-budget", 5, "--floor", 0, "--obstacles", root / "cell.yaml"])):
        done = run_heft(*arguments, "--out", root / name)
        if done.returncode not in (0, 4):
            raise AssertionError(done.stderr)
    pages.folder = folder  # kept alive, removed when the process ends
    return root


class WingPages(BrowserTestCase):
    def report(self, name):
        return pages() / name / "report.html"

    def headings(self, tab):
        return tab.run("[...document.querySelectorAll('main section[id]')].map(s => s.id)")

    def test_payload(self):
        for name in ("shaken", "poses"):
            path = self.report(name)
            tab = self.open(path)
            self.assertEqual(self.headings(tab), ["body", "methods", "wrench"])
            self.assertEqual(tab.run("document.querySelectorAll('#body svg').length"), 3)
            self.assertEqual(tab.run("document.querySelectorAll('#wrench svg.zoom').length"), 12)
            result = json.loads((path.parent / "result.json").read_text())
            self.assertIn(f"{result['payload']['mass']:.4g} kg", tab.run("document.querySelector('h1').textContent"))
            self.assert_quiet(tab, path)

    def test_the_body_lies_within_its_mesh(self):
        tab = self.open(self.report("shaken"))
        # the center of mass is drawn within the box of the mesh, in all three views
        inside = tab.run("""[...document.querySelectorAll('#body svg')].map(view => {
            const mesh = view.querySelector('.mesh').getBBox(), com = view.querySelector('circle.com');
            const [x, y] = ['cx', 'cy'].map(name => Number(com.getAttribute(name)));
            return mesh.width > 5 && x > mesh.x && x < mesh.x + mesh.width && y > mesh.y && y < mesh.y + mesh.height;
        })""")
        self.assertEqual(inside, [True] * 3)

    def test_design(self):
        path = self.report("design")
        tab = self.open(path)
        self.assertEqual(self.headings(tab), ["robot", "limits", "motion", "parameters", "torques", "assumed"])
        plots = tab.run("document.querySelectorAll('#motion svg.zoom').length")
        self.assertGreaterEqual(plots, 4)
        self.assertIn("motor", tab.run("document.querySelector('#limits table').textContent"))
        before = tab.run("document.querySelector('#motion figcaption b').textContent")
        tab.run("""(() => { const chooser = document.querySelector('select'); chooser.value = 1;
                            chooser.dispatchEvent(new Event('change')); })()""")
        self.assertNotEqual(tab.run("document.querySelector('#motion figcaption b').textContent"), before)
        self.assertEqual(tab.run("document.querySelectorAll('#motion svg.zoom').length"), plots)
        self.assert_quiet(tab, path)

    def test_the_robot_moves(self):
        path = self.report("design")
        tab = self.open(path)
        clock = "document.querySelector('#robot .clock').textContent"
        self.assertEqual(tab.run(clock), "0 s")
        tab.run("""(() => { const slider = document.querySelector('#robot input'); slider.value = slider.max;
                            slider.dispatchEvent(new Event('input')); })()""")
        self.assertEqual(tab.run(clock), "4 s")
        poses = "JSON.stringify(data.skeleton.postures.map(p => p.poses[6].slice(0, 3)))"
        self.assertGreater(len(set(map(tuple, json.loads(tab.run(poses))))), 50)
        tab.click("#limits button.moment")  # the moment that is nearest to a limit
        nearest = tab.run("document.querySelector('#limits button.moment').textContent")
        self.assertAlmostEqual(float(tab.run(clock)[:-2]), float(nearest[:-2]), delta=0.03)
        tab.click("#robot button.play")
        self.assertEqual(tab.run("document.querySelector('#robot button.play').textContent"), "pause")
        self.assertEqual(tab.run("document.querySelectorAll('#robot canvas, #robot svg').length"), 1)
        self.assertIn("times as long", tab.run("document.querySelector('#longer').textContent"))
        self.assert_quiet(tab, path)

    def test_surroundings_are_drawn_and_listed(self):
        path = self.report("cell")
        obstacles = {one["name"]: one["nearest"] for one in json.loads((path.parent / "design.json").read_text())["obstacles"]}
        self.assertEqual(set(obstacles), {"floor", "bench", "post"})
        tab = self.open(path)
        rows = tab.run("[...document.querySelectorAll('#robot tbody tr')].map(row => row.cells[0].textContent)")
        self.assertEqual(set(rows), set(obstacles))
        self.assertEqual(tab.run("data.skeleton.surroundings.map(solid => solid.kind).sort()"), ["box", "cylinder", "floor"])
        self.assertIn("become more certain", tab.run("document.querySelector('ul.summary').textContent"))
        least = json.loads((path.parent / "design.json").read_text())["min_clearance"]
        if least["proved"]:
            for nearest in obstacles.values():
                self.assertTrue(nearest is None or nearest["distance"] >= least["value"] - 1e-9)
        self.assert_quiet(tab, path)

    def test_drag_zooms_every_chart(self):
        for name, place in (("shaken", "#wrench"), ("design", "#motion")):
            tab = self.open(self.report(name))
            paths = f"[...document.querySelectorAll('{place} svg.zoom path.series')].map(p => p.getAttribute('d')).join()"
            whole = tab.run(paths)
            tab.click(f"{place} button[title='zoom in']")
            self.assertNotEqual(tab.run(paths), whole)
            tab.click(f"{place} button[title='see all']")
            self.assertEqual(tab.run(paths), whole)

    def test_every_table_has_a_file(self):
        for name in ("shaken", "design"):
            tab = self.open(self.report(name))
            self.assertEqual(tab.run("document.querySelectorAll('table').length"), tab.run("document.querySelectorAll('button.csv').length"))

    def test_dark_and_on_a_phone(self):
        for name in ("shaken", "poses", "design", "cell"):
            path = self.report(name)
            tab = self.open(path, scheme="dark", width=390, height=840, phone=True)
            self.assertEqual(tab.run("document.documentElement.scrollWidth"), 390)
            self.assert_quiet(tab, path)
