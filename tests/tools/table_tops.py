"""Tables of other programs: lines above the names, marks at the ends of lines, stamps without zeros, text flags, bytes that are not
text."""

import re
import subprocess

from heft_program import ARM, PROGRAM, HeftTestCase, Log, run_heft
from log_forms import Table, difference


class TableTops(HeftTestCase):
    def assert_read(self, text, *flags):
        """Identifies as from the plain log."""
        found = self.identify(*flags, log=self.write("log.csv", text), out="found")
        self.assertLess(difference(found, self.identify(out="plain")), 1e-9)

    def refused(self, text, says, remedy="", flags=()):
        log = self.write("log.csv", text)
        done = run_heft("identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out", *flags)
        self.assertEqual(done.returncode, 1)
        self.assertIn(says, done.stderr)
        self.assertIn(remedy, done.stderr)
        return done

    def test_names_behind_a_mark_of_comments(self):
        table = Table().text()
        blanks = table.replace(",", " ")
        for text in ("# " + table, "# rig A\n# 2026-03-01\n# " + table, "#" + table, "# rig A\n" + table, "% " + blanks, "# " + blanks,
                     "# a, b, c\n\n" + table):
            with self.subTest(text[:30]):
                self.assert_read(text)

    def test_lines_of_an_exporter(self):
        self.assert_read("Recorder, v2.1\nDate,2026-03-01\n\n" + Table().text())

    def test_a_mark_at_the_end_of_every_line(self):
        lines = Table().text().splitlines()
        self.assert_read("\n".join([lines[0]] + [line + "," for line in lines[1:]]) + "\n")
        self.assert_read("\n".join([lines[0] + ","] + lines[1:]) + "\n")
        self.assert_read("\n".join([lines[0] + ","] + [line + "," for line in lines[1:]]) + "\n")

    def test_an_odd_header_is_told_from_an_odd_row(self):
        lines = Table().text().splitlines()
        self.refused("\n".join([lines[0] + ",more,and_more"] + lines[1:]) + "\n", "the header is wrong", "name every column once")
        lines[57] += ",1"
        done = self.refused("\n".join(lines) + "\n", ":58: 16 fields, but the header has 15", "truncated")
        self.assertNotIn("header is wrong", done.stderr)

    def test_fractions_without_zeros_are_explained(self):
        table = Table()
        for unit, digits in (("ns", 9), ("us", 6)):
            with self.subTest(unit):
                stamp = lambda t: f"{round(t * 10**digits) // 10**digits + 17}.{round(t * 10**digits) % 10**digits}"
                done = self.refused(table.text(t=[stamp(t) for t in table.column("t")]), "a fraction without its leading zeros: 17.",
                                    "print all digits")
                one, other = re.search(r"(17\.\d+) means (17\.\d+)", done.stderr).groups()
                self.assertEqual(len(other), 3 + digits)
                self.assertEqual(int(one[3:]), int(other[3:]))

    def test_texts_of_flags(self):
        table = Table()
        renamed = lambda names: "\n".join([",".join(names)] + table.text().splitlines()[1:]) + "\n"
        joints = [name.split("_", 1)[1] for name in table.names if name.startswith("q_")]
        first = {joint: k for k, joint in enumerate(joints)}
        name = lambda form: [form(one) for one in table.names]
        for time in ("%time", "# t", "@x", "a: b", "[x", "7", "*t", "&t", "!t", "- t", "{t}"):
            with self.subTest(time):
                self.assert_read(renamed(name(lambda one: time if one == "t" else one)), "--log.time", time)
        at_end = renamed(name(lambda one: f"{one[2:]}_pos" if one.startswith("q_") else one))
        self.assert_read(at_end, "--log.position", "{joint}_pos")
        self.assert_read(at_end, "--log.position", "[{joint}_pos, other_{i}]")
        from_0 = renamed(name(lambda one: f"pos_{first[one[2:]]}" if one.startswith("q_") else one))
        self.assert_read(from_0, "--log.position", "pos_{i-1}")
        self.assert_read(from_0, "--log.position", "[" + ", ".join(f"pos_{k}" for k in range(len(joints))) + "]")

    def test_yaml_that_lacks_quotes_says_so(self):
        log = self.write("log.csv", Table().text())
        for line in ("position: {joint}_pos", "time: %time", "time: @x", "time: `x", "position: [a, {joint}_q]", "time: *x", "time: # t",
                     "position: {joint}"):
            with self.subTest(line):
                config = self.write("c.yaml", f"log:\n  {line}\n")
                done = run_heft("identify", "--robot", ARM, "--log", log, "--config", config, "--out", self.scratch / "out")
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"\bquotes?\b")

    def test_messages_are_text_whatever_a_file_holds(self):
        log = Log()
        odd = [b"\x89MC", b"a\x1b[31mb", b"\xff\xfe\xfd", b"x\xc2\x9by", b"ok\xe2\x82", b"d\x7f"]
        header = ",".join(log.header).encode()
        cases = [b"\x89MCAP0\r\n" + bytes(range(256)), bytes(range(1, 256)) * 4]
        cases += [header.replace(b"q_joint_3", bad) + b"\n" + b"\n".join(",".join(row).encode() for row in log.rows) for bad in odd]
        cases += [header + b"\n" + ",".join(log.rows[0]).encode().replace(b",", b"," + bad, 1) + b"\n" for bad in odd]
        for content in cases:
            path = self.write("log.csv", content)
            for command in (["check", "--suggest", self.scratch / "s.yaml"], ["check", "--json", self.scratch / "j.json"],
                            ["identify", "--out", self.scratch / "out"]):
                done = subprocess.run([PROGRAM, *map(str, command), "--robot", ARM, "--log", path], capture_output=True)
                for stream in (done.stdout, done.stderr):
                    text = stream.decode("utf-8")  # throws at bytes that are none
                    self.assertIsNone(re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text), text[:200])
            if (self.scratch / "j.json").exists():
                (self.scratch / "j.json").read_text("utf-8")


class ColumnsByNumbersAndTexts(HeftTestCase):
    def suggestion(self, names, column):
        """The suggestion for the demo log with other names; `column(row)` are the fields put in front."""
        table = Table()
        lines = table.text().splitlines()
        rows = [",".join(column(k)) + "," + line.split(",", 1)[1] for k, line in enumerate(lines[1:])]
        log = self.write("log.csv", "\n".join([",".join(names + table.names[1:])] + rows) + "\n")
        path = self.scratch / "s.yaml"
        done = run_heft("check", "--robot", ARM, "--log", log, "--suggest", path)
        return done, path.read_text() if done.returncode == 0 else ""

    def test_parts_of_one_stamp_stay_together(self):
        epoch = 1_700_000_000
        stamp = lambda k: (epoch + k // 100, k % 100 * 10_000_000)
        both = lambda k: [f"{epoch + 1 + k / 100:.6f}", str(k), *map(str, stamp(k))]
        names = ["Time", "header.seq", "header.stamp.secs", "header.stamp.nsecs"]
        done, text = self.suggestion(names, both)
        self.assertIn('time: ["header.stamp.secs", "header.stamp.nsecs"]', text, done.stderr)
        # a stamp that was never set: the other clock runs
        done, text = self.suggestion(names, lambda k: [f"{epoch + 1 + k / 100:.6f}", str(k), "0", "0"])
        self.assertIn('time: "Time"', text, done.stderr)
        # whole seconds, and another clock's nanoseconds
        done, text = self.suggestion(["Time", "sync.nsecs"], lambda k: [f"{epoch + k / 100:.6f}", str(k % 100 * 10_000_000)])
        self.assertIn('time: "Time"', text, done.stderr)

    def test_a_number_of_rows_is_no_time(self):
        for names in (["Unnamed: 0", "clk"], ["frame_index", "zeitachse"]):
            done, text = self.suggestion(names, lambda k: [str(k), f"{k / 100:.6f}"])
            self.assertIn(f'time: "{names[1]}"', text, done.stderr)
        done, text = self.suggestion(["index"], lambda k: [str(k)])
        self.assertEqual(done.returncode, 1)
        self.assertIn("time ('index' only counts rows", done.stderr)

    def test_names_of_joints_in_every_row_order_the_columns(self):
        table = Table()
        joints = [name.split("_", 1)[1] for name in table.names if name.startswith("q_")]
        order = list(reversed(joints))
        names = ["%time"] + [f"field.name{k}" for k in range(len(order))]
        names += [f"field.{kind}{k}" for kind in ("position", "effort") for k in range(len(order))]
        columns = [[f"{round(1.7e18 + 1e9 * t)}" for t in table.column("t")]]
        columns += [[joint] * len(columns[0]) for joint in order]
        columns += [[f"{x:.12g}" for x in table.column(f"{kind}_{joint}")] for kind in ("q", "tau") for joint in order]
        log = self.write("log.csv", "\n".join([",".join(names)] + [",".join(row) for row in zip(*columns)]) + "\n")
        path = self.scratch / "s.yaml"
        done = run_heft("check", "--robot", ARM, "--log", log, "--suggest", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers = ", ".join(f'"field.position{k}"' for k in reversed(range(len(order))))
        self.assertIn(f"position: [{numbers}]", path.read_text())
