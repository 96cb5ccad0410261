"""heft fleet run again: only new pieces cost work, and everything changed or lost is found."""

import pathlib
import shutil

from fleet_case import NUM_ROBOTS, FleetTestCase, rows, rows_of_many
from heft_program import run_heft


class IncrementalRuns(FleetTestCase):
    def test_one_more_log_costs_what_is_new(self):
        store = self.scratch / "store"
        self.run_fleet(self.manifest([row for row in rows() if not row["log"].endswith("r3/b.csv")]), store)
        before = self.pieces(store)
        self.run_fleet(self.manifest(rows()), store)
        new = set(self.pieces(store)) - set(before)
        self.assertEqual(sorted(name.split("/")[0] for name in new), ["answers", "leaves"])

    def fleet(self):
        """A fleet that may be changed: the table, and run(EXPECTED), which runs it and returns digests and pieces. Robots are taken one
        by one where each of four has its thread's share."""
        table, store = rows(), self.scratch / "store"
        robot = self.write("arm.urdf", pathlib.Path(table[0]["robot"]).read_text())
        for row in table:
            copied = self.scratch / row["robot_id"] / pathlib.Path(row["log"]).name
            copied.parent.mkdir(exist_ok=True)
            shutil.copy(row["log"], copied)
            row.update(log=str(copied), robot=str(robot))

        def run(expected):
            done = self.run_fleet(self.manifest(table), store, "--jobs", 1)
            self.assertIn(expected, done.stdout)
            self.assertEqual(run_heft("fleet", "status", self.manifest(table), "--store", store).returncode, 0)
            return self.digests(store), self.pieces(store)

        return table, store, run

    def test_a_run_goes_by_what_the_last_run_saw(self):
        """DIR/looks: robots recorded there are not examined further, unless a piece is missing."""
        table, store, run = self.fleet()
        first = run("8 logs mapped and 4 robots solved now")
        looks = (store / "looks").read_text()
        self.assertEqual(len(looks.splitlines()), 1 + NUM_ROBOTS + 1)
        notes = lambda kind: sorted(path for path in (store / kind).rglob("*") if path.is_file())
        owners, digests = notes("owners"), notes("digests")
        for note in owners:
            note.unlink()
        self.assertEqual(run("0 logs mapped and 0 robots solved now"), first)
        self.assertEqual(notes("owners"), [])  # who looks closely writes them again
        digests[0].unlink()
        digests[-1].unlink()
        digests[-1].touch()
        self.assertEqual(run("0 logs mapped and 0 robots solved now"), first)
        self.assertEqual(notes("digests"), digests)
        self.assertEqual(len(digests[-1].read_text()), 64)
        self.assertTrue(notes("owners"))
        leaf = next((store / "leaves").rglob("*.heft"))
        leaf.unlink()
        self.assertEqual(run("1 log mapped and 0 robots solved now"), first)
        # who believed this would not miss the leaf
        leaf.unlink()
        (store / "looks").write_text((store / "looks").read_text().replace(" " + leaf.stem, ""))
        self.assertEqual(run("1 log mapped and 0 robots solved now"), first)
        self.assertEqual((store / "looks").read_text(), looks)
        next((store / "answers").rglob("??/*")).unlink()
        self.assertEqual(run("0 logs mapped and 1 robot solved now"), first)
        # results are looked at as closely as ever
        result = next((store / "results").rglob("result.json"))
        text = result.read_text()
        result.touch()
        self.assertEqual(run("0 logs mapped and 0 robots solved now"), first)
        result.write_text(text.replace("0", "1", 1))
        self.assertEqual(run("0 logs mapped and 1 robot solved now"), first)
        result.unlink()
        self.assertEqual(run("0 logs mapped and 1 robot solved now"), first)
        next((store / "results").rglob("answer.key")).unlink()
        self.assertEqual(run("0 logs mapped and 1 robot solved now"), first)
        self.assertEqual((store / "looks").read_text().count("result.json"), NUM_ROBOTS)

    def test_pages_that_a_stopped_run_left_out_are_made(self):
        table, store, run = self.fleet()
        first = run("8 logs mapped and 4 robots solved now")
        command = ["fleet", "run", self.manifest(table), "--store", store, "--jobs", 1]
        self.assertEqual(run_heft(*command, "--time", 0.001).returncode, 5)
        self.assertEqual(run_heft(*command).returncode, 0)
        self.assertEqual(len(list((store / "results").rglob("report.html"))), NUM_ROBOTS)
        self.assertEqual(self.digests(store), first[0])

    def test_a_run_finds_what_has_changed(self):
        """A log of another or the same length, a row's role and stretch, the robot's file: results equal those of a new store."""
        table, store, run = self.fleet()
        before = run("8 logs mapped and 4 robots solved now")[0]

        def shorten():
            path = self.scratch / "r2/held_out.csv"
            path.write_text("\n".join(path.read_text().splitlines()[:-200]) + "\n")

        def change_a_digit():
            path = self.scratch / "r4/a.csv"
            text = path.read_text()
            at = text.index(".", len(text) // 2) + 1
            path.write_text(text[:at] + str((int(text[at]) + 5) % 10) + text[at + 1:])

        def change_the_robot():
            path = self.scratch / "arm.urdf"
            path.write_text(path.read_text().replace('<mass value="', '<mass value="1', 1))

        for change, expected, robots in ((shorten, "0 logs mapped and 1 robot", ["r2"]), (change_a_digit, "1 log mapped and 1 robot", ["r4"]),
                                         (lambda: table[8].update(role="train"), "1 log mapped and 1 robot", ["r3"]),
                                         (lambda: table[0].update(end_s=5), "1 log mapped and 1 robot", ["r1"]),
                                         (change_the_robot, "9 logs mapped and 4 robots", ["r1", "r2", "r3", "r4"])):
            change()
            after = run(expected)[0]
            self.assertEqual([robot for robot in before if before[robot] != after[robot]], robots)
            before = after
        fresh = self.scratch / "fresh"
        self.run_fleet(self.manifest(table), fresh)
        self.assertEqual(self.digests(fresh), before)

    def test_one_more_of_many_logs_makes_about_log2_sums(self):
        store = self.scratch / "store"
        self.run_fleet(self.manifest(rows_of_many(59)), store)
        before = self.pieces(store)
        self.assertEqual(sum(name.startswith("nodes/") for name in before), 58)
        self.run_fleet(self.manifest(rows_of_many(60)), store)
        new = [name.split("/")[0] for name in set(self.pieces(store)) - set(before)]
        self.assertEqual((new.count("answers"), new.count("leaves")), (1, 1))
        self.assertIn(new.count("nodes"), range(2, 14))
        self.assertEqual(len(self.events(store, "leaf")), 60)
