"""Options that replace manual steps on logs: parts of a log (`--validate 40%`, `--start-s`, `--end-s`), bridged spikes
(`log.bridge_spikes`), and dropped damaged lines (`log.drop_damaged`). The results are compared with those of files that were cut or
repaired by hand."""

from heft_program import ARM, HeftTestCase, Log, demo_log, run_heft


class PartsOfLogs(HeftTestCase):
    def cut(self, name, first, last):
        """The rows of the demo log between two times, both included, as a file."""
        log = Log()
        log.rows = [row for row in log.rows if first <= float(row[0]) <= last]
        return self.write(name, log.text())

    def assert_same_answer(self, one, other):
        self.assertEqual([body["parameters"] for body in one["bodies"]], [body["parameters"] for body in other["bodies"]])
        if "validation" in other:
            self.assertEqual(one["validation"]["overall_relative"], other["validation"]["overall_relative"])

    def test_validate_holds_out_the_end_of_each_log(self):
        times = [float(row[0]) for row in Log().rows]
        border = times[-1] - 0.4 * (times[-1] - times[0])
        result = self.identify("--validate", "40%", out="share")
        by_hand = self.identify("--validate", self.cut("end.csv", border, times[-1]), log=self.cut("begin.csv", 0, border - 1e-9),
                                out="by_hand")
        self.assert_same_answer(result, by_hand)
        held_out = result["logs"]["validation"][0]
        self.assertEqual(held_out["path"], str(demo_log("train.csv")))
        self.assertAlmostEqual(held_out["from_s"], border, delta=1e-9)
        self.assertNotIn("held-out-seen", [doubt["id"] for doubt in result["doubts"]])

    def test_start_and_end_are_those_of_a_file_cut_by_hand(self):
        result = self.identify("--start-s", 0.5, "--end-s", 3.5, "--validate", demo_log("held_out.csv"), out="part")
        by_hand = self.identify("--validate", demo_log("held_out.csv"), log=self.cut("part.csv", 0.5, 3.5), out="by_hand")
        self.assert_same_answer(result, by_hand)
        both = self.identify("--start-s", 0.5, "--end-s", 3.5, "--validate", "50%", out="both")
        self.assertAlmostEqual(both["logs"]["validation"][0]["from_s"], 2.0, delta=0.01)

    def test_a_share_that_leaves_nothing_is_refused(self):
        identify = ["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out", self.scratch / "none", "--validate"]
        self.assert_refused([*identify, "100%"], "--validate", "100% holds out all rows and leaves none for training", "40%")
        self.assert_refused([*identify, "140%"], "--validate", "holds out all rows", "40%")
        self.assert_refused([*identify, "0%"], "--validate", "0% holds out no rows", "40%")
        self.assert_refused([*identify, "40%", "--validate", "30%"], "--validate", "two shares", "one")
        self.assert_refused([*identify, "40%", "--start-s", "9"], demo_log("train.csv"), "no rows to split", "--start-s")
        self.assert_refused([*identify, "40%", "--start-s", "3", "--end-s", "2"], "--start-s", "3 s is not before the end, 2 s", "--end-s")

    def test_rows_without_times_are_counted(self):
        log = Log()
        columns = [",".join(row[1:]) for row in [log.header] + log.rows]
        timeless = self.write("timeless.csv", "\n".join(columns) + "\n")
        result = self.identify("--log.rate_hz", 250, "--validate", "40%", log=timeless)
        rows = [result["logs"][role][0]["rows"] for role in ("training", "validation")]
        self.assertEqual(sum(rows), len(log.rows))
        self.assertAlmostEqual(rows[1], 0.4 * len(log.rows), delta=1)


class DamagedLogs(HeftTestCase):
    def test_spikes_are_bridged(self):
        spiky, repaired = Log(), Log()
        for row, name, value in ((100, "q_joint_2", "9.5"), (400, "tau_joint_3", "900"), (700, "q_joint_5", "nan")):
            column = spiky.header.index(name)
            spiky.rows[row][column] = value
            around = [float(repaired.rows[k][column]) for k in (row - 1, row + 1)]
            repaired.rows[row][column] = repr(0.5 * (around[0] + around[1]))
        log = self.write("spiky.csv", spiky.text())
        result = self.identify("--log.bridge_spikes", "true", log=log, out="bridged")
        by_hand = self.identify(log=self.write("repaired.csv", repaired.text()), out="by_hand")
        self.assertEqual([body["parameters"] for body in result["bodies"]], [body["parameters"] for body in by_hand["bodies"]])
        self.assertEqual(result["logs"]["training"][0]["bridged"], {"q_joint_2": 1, "tau_joint_3": 1, "q_joint_5": 1})
        clean = self.identify("--log.bridge_spikes", "true", out="clean")
        self.assertNotIn("bridged", clean["logs"]["training"][0])
        done = run_heft("check", "--robot", ARM, "--log", log)
        self.assertIn("log.bridge_spikes: true", done.stdout)

    def test_damaged_lines_are_counted_and_dropped(self):
        log = Log()
        for row in range(9):
            log.rows[row] = ["#"] * len(log.header)
        log.rows[-1] = log.rows[-1][:4]
        damaged = self.write("damaged.csv", log.text())
        self.assert_refused(["identify", "--robot", ARM, "--log", damaged, "--out", self.scratch / "none"], f"{damaged}:2: t",
                            f"10 of {len(log.rows)} rows are damaged: lines 2 to 10, {len(log.rows) + 1}", "log.drop_damaged: true")
        log.rows = log.rows[9:-1]
        by_hand = self.identify(log=self.write("by_hand.csv", log.text()), out="by_hand")
        dropped = self.identify("--log.drop_damaged", "true", log=damaged, out="dropped")
        self.assertEqual([body["parameters"] for body in dropped["bodies"]], [body["parameters"] for body in by_hand["bodies"]])
        self.assertEqual(dropped["logs"]["training"][0]["rows"], len(log.rows))
