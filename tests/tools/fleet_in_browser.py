"""heft fleet: its page in a real browser."""

import json
import pathlib
import urllib.parse

from heft_program import ARM, run_heft
from page_in_browser import BrowserTestCase
from fleet_case import HEADER, NUM_ROBOTS, fleet_folder, rows


class FleetPage(BrowserTestCase):
    def test_table_sorts_and_finds(self):
        root, store = fleet_folder(), self.scratch / "store"
        lines = [HEADER] + [f"arm {k},{ARM},{root}/r{k}/a.csv,,,train,,,,\narm {k},{ARM},{root}/r{k}/held_out.csv,,,validate,,,,"
                            for k in range(1, NUM_ROBOTS + 1)] + [f"<b>&,{ARM},gone.csv,,,,,,,"]
        done = run_heft("fleet", "run", self.write("fleet.csv", "\n".join(lines) + "\n"), "--store", store)
        self.assertEqual(done.returncode, 1, done.stderr)
        tab = self.open(store / "fleet.html")
        self.assertEqual(tab.run("[...document.querySelectorAll('main section[id]')].map(s => s.id)"),
                         ["failures", "robots", "errors", "doubts", "outliers", "history"])
        self.assertIn("gone.csv", tab.run("document.querySelector('#failures li').textContent"))
        self.assertIn("<b>&", tab.run("document.querySelector('#failures li').textContent"))
        names = "[...document.querySelectorAll('#robots-table tbody tr')].map(row => row.cells[0].textContent)"
        self.assertEqual(tab.run(names), ["<b>&", "arm 1", "arm 2", "arm 3", "arm 4"])
        tab.run("document.querySelectorAll('#robots-table th')[3].click()")
        errors = {robot["id"]: robot["held_out"] for robot in json.loads((store / "fleet.json").read_text())["robots"]}
        expected = sorted((name for name in errors if errors[name]), key=errors.get)
        self.assertEqual(tab.run(names), expected + ["<b>&"])
        tab.run("document.querySelectorAll('#robots-table th')[3].click()")
        self.assertEqual(tab.run(names), expected[::-1] + ["<b>&"])
        tab.run("(() => { const find = document.querySelector('.find input'); find.value = 'ARM 3';"
                " find.dispatchEvent(new Event('input')); })()")
        self.assertEqual(tab.run(names), ["arm 3"])
        link = tab.run("document.querySelector('#robots-table a').href")
        self.assertTrue(pathlib.Path(urllib.parse.unquote(link.removeprefix("file://"))).is_file(), link)
        self.assertEqual(tab.run("document.querySelector('#priors').textContent"), "Prior: each robot's own file.")
        self.assert_quiet(tab, store / "fleet.html")

    def test_population_priors_are_said(self):
        store = self.scratch / "store"
        lines = [HEADER] + [",".join(str(row.get(key, "")) for key in HEADER.split(",")) for row in rows()]
        done = run_heft("fleet", "run", self.write("fleet.csv", "\n".join(lines) + "\n"), "--store", store, "--no-pages", "--prior", "population")
        self.assertEqual(done.returncode, 0, done.stderr)
        tab = self.open(store / "fleet.html")
        self.assertTrue(tab.run("document.querySelector('#priors').textContent")
                        .startswith(f"Prior: population, for {NUM_ROBOTS} of {NUM_ROBOTS} robots"))
        heads = tab.run("[...document.querySelectorAll('#robots-table th')].map(head => head.textContent)")
        self.assertIn("prior", heads)
        items = tab.run("[...document.querySelectorAll('#failures li')].map(item => item.textContent)")
        self.assertTrue(all("in doubt" in item for item in items), items)
        prior = json.loads((store / "fleet.json").read_text())["prior"]
        self.assertEqual((prior["robots"], prior["released"]), (NUM_ROBOTS, []))
        cells = tab.run(f"[...document.querySelectorAll('#robots-table tbody tr')].map(row => row.cells[{heads.index('prior')}].textContent)")
        self.assertTrue(all(cell.startswith(f"{NUM_ROBOTS - 1} other robots") for cell in cells), cells)
        self.assert_quiet(tab, store / "fleet.html")
