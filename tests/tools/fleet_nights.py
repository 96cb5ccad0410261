"""heft fleet run again: what is new costs, what was there does not, and whatever changed or was lost is found."""

import pathlib
import shutil

from fleet_case import NUM_ROBOTS, FleetTestCase, rows, rows_of_many


class Nights(FleetTestCase):
    def test_one_more_log_costs_what_is_new(self):
        store = self.scratch / "store"
        self.run_fleet(self.manifest([row for row in rows() if not row["log"].endswith("r3/b.csv")]), store)
        before = self.pieces(store)
        self.run_fleet(self.manifest(rows()), store)
        new = set(self.pieces(store)) - set(before)
        self.assertEqual(sorted(name.split("/")[0] for name in new), ["answers", "leaves"])

    def test_a_night_goes_by_what_the_last_run_saw(self):
        """DIR/looks: robots that are in it are not looked at more closely; who changed, or lost a piece, is. Robots are taken one by one
        where each of four has its thread's share."""
        table = rows()
        for row in table:
            copied = self.scratch / row["robot_id"] / pathlib.Path(row["log"]).name
            copied.parent.mkdir(exist_ok=True)
            shutil.copy(row["log"], copied)
            row["log"] = str(copied)
        manifest, store = self.manifest(table), self.scratch / "store"

        def night(text):
            self.assertIn(text, self.run_fleet(manifest, store, "--jobs", 1).stdout)
            return self.digests(store), self.pieces(store), (store / "looks").read_text()

        first = night("8 logs mapped and 4 robots solved now")
        self.assertEqual(len(first[2].splitlines()), 1 + NUM_ROBOTS + 1)
        notes = sorted(path for kind in ("digests", "owners") for path in (store / kind).rglob("*") if path.is_file())
        for note in notes:
            note.unlink()
        self.assertEqual(night("0 logs mapped and 0 robots solved now"), first)
        self.assertFalse([note for note in notes if note.exists()])  # nobody has asked for them
        next((store / "leaves").rglob("*.heft")).unlink()
        self.assertEqual(night("1 logs mapped and 0 robots solved now"), first)
        (store / "looks").write_text(first[2].replace("0", "1", 1))
        self.assertEqual(night("0 logs mapped and 0 robots solved now"), first)
        next((store / "answers").rglob("??/*")).unlink()
        self.assertEqual(night("0 logs mapped and 1 robots solved now"), first)
        changed = self.scratch / "r2/held_out.csv"
        lines = changed.read_text().splitlines()
        changed.write_text("\n".join(lines[:-200]) + "\n")
        after = night("0 logs mapped and 1 robots solved now")
        self.assertEqual([robot for robot in first[0] if first[0][robot] != after[0][robot]], ["r2"])
        fresh = self.scratch / "fresh"
        self.run_fleet(manifest, fresh)
        self.assertEqual(self.digests(fresh), after[0])

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
