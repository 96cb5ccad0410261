"""Unusable logs: each is rejected with its place, its fault and a remedy."""

from heft_program import ARM, HeftTestCase, Log, demo_log

ROW = 56  # a row in the middle ..
LINE = ROW + 2  # .. and its line in the file


class BadLogs(HeftTestCase):
    def refused(self, content, says, place="", remedy="", extra=()):
        path = self.write("bad.csv", content)
        self.assert_refused(["identify", "--robot", ARM, "--log", path, "--out", self.scratch / "out", *extra],
                            f"{path}{place}", says, remedy)

    def refused_cell(self, column, text, says, remedy=""):
        """One cell of the demo log replaced."""
        log = Log()
        log.rows[ROW][log.header.index(column)] = text
        self.refused(log.text(), says, f":{LINE}", remedy)

    def test_missing(self):
        path = self.scratch / "nowhere.csv"
        self.assert_refused(["identify", "--robot", ARM, "--log", path, "--out", self.scratch / "out"], path,
                            "cannot be opened", "check the path")

    def test_directory(self):
        self.assert_refused(["identify", "--robot", ARM, "--log", self.scratch, "--out", self.scratch / "out"],
                            self.scratch, "is a folder without recordings", "name a file or a bag folder in it")

    def test_empty(self):
        self.refused("", "is empty")

    def test_header_only(self):
        self.refused(",".join(Log().header) + "\n", "has a header but no rows")

    def test_no_header(self):
        log = Log()
        self.refused(log.text().split("\n", 1)[1], "the first line contains numbers", ":1", "add a header line")

    def test_too_many_fields(self):
        log = Log()
        log.rows[ROW].append("1")
        self.refused(log.text(), "16 fields, but the header has 15", f":{LINE}")

    def test_cut_off_in_a_line(self):
        log = Log()
        log.rows = log.rows[:ROW] + [log.rows[ROW][:3]]
        self.refused(log.text(), "3 fields, but the header has 15", f":{LINE}", "truncated")

    def test_text_in_a_number(self):
        self.refused_cell("q_joint_3", "abc", "q_joint_3: 'abc' is not a number", "nan")

    def test_infinite_position(self):
        self.refused_cell("q_joint_3", "inf", "q_joint_3: 'inf' is infinite")

    def test_infinite_time(self):
        self.refused_cell("t", "inf", "'inf' is infinite")

    def test_number_beyond_double(self):
        self.refused_cell("tau_joint_2", "1e999", "beyond the range of a double")

    def test_number_whose_square_overflows(self):
        log = Log()
        log.rows[ROW][log.header.index("tau_joint_2")] = "1e300"
        self.refused(log.text(), "squares overflow", remedy="spikes")

    def test_time_missing(self):
        self.refused_cell("t", "nan", "the time is missing")

    def test_time_goes_backwards(self):
        self.refused_cell("t", "0.001", "time goes backwards", "log the controller's time")

    def test_nan_everywhere(self):
        log = Log()
        log.rows = [[row[0]] + ["nan"] * (len(row) - 1) for row in log.rows]
        self.refused(log.text(), "conditioning drops all 1001 rows")

    def test_torque_nan_everywhere(self):
        log = Log()
        log.rows = [row[:8] + ["nan"] * 7 for row in log.rows]
        self.refused(log.text(), "only 0 usable rows for 91 parameters")

    def test_torque_zero_everywhere(self):
        log = Log()
        log.rows = [row[:8] + ["0"] * 7 for row in log.rows]
        self.refused(log.text(), "all torques are zero", remedy="check the torque columns")

    def test_fewer_samples_than_the_filter_needs(self):
        log = Log()
        log.rows = log.rows[:11]
        self.refused(log.text(), "conditioning drops all 11 rows", remedy="record longer")

    def test_fewer_rows_than_parameters(self):
        log = Log()
        log.rows = log.rows[:105]  # trimming takes 50 at each end
        self.refused(log.text(), "only 35 usable rows for 91 parameters", remedy="record longer")

    def test_joint_names_do_not_match(self):
        self.refused(Log().text().replace("_joint_", "_axis_"), "no column 'q_joint_1'", ":1",
                     "did you mean 'q_axis_1'?")

    def test_torque_column_missing(self):
        log = Log()
        log.header[log.header.index("tau_joint_5")] = "load"
        self.refused(log.text(), "no column 'tau_joint_5'", ":1")

    def test_column_twice(self):
        log = Log()
        log.header[3] = log.header[2]
        self.refused(log.text(), "are both named 'q_joint_2'", ":1", "rename")

    def test_bytes_that_are_not_text(self):
        log = Log()
        log.rows[ROW][2] = "POISON"
        self.refused(log.text().encode().replace(b"POISON", b"\xff\xfe"), "is not a number", f":{LINE}")

    def test_zero_byte(self):
        self.refused_cell("q_joint_2", "\0" + "0.5", "is not a number")

    def test_header_that_is_not_utf_8(self):
        self.refused(Log().text().encode().replace(b"q_joint_1", b"q_\xfc\xff", 1), "no column 'q_joint_1'", ":1")

    def test_huge_line(self):
        log = Log()
        log.rows[ROW][5] = "1" * (1 << 25)
        self.refused(log.text(), "a line of more than 16 MB", f":{LINE}")

    def test_held_out_log_is_checked_too(self):
        path = self.scratch / "nowhere.csv"
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--validate", path,
                             "--out", self.scratch / "out"], path, "cannot be opened")

    def test_held_out_log_without_torque(self):
        log = Log()
        log.rows = [row[:8] + ["0"] * 7 for row in log.rows]
        path = self.write("zero.csv", log.text())
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--validate", path,
                             "--out", self.scratch / "out"], path, "no usable row with a measured torque")


class ForgivenLogs(HeftTestCase):
    """Faults that a reader tolerates: the result is that of the intact log, bit for bit."""

    def assert_same_result(self, content):
        sound = self.identify(out="sound")
        other = self.identify(log=self.write("other.csv", content), out="other")
        self.assertEqual(sound["bodies"], other["bodies"])
        self.assertEqual(sound["columns"], other["columns"])

    def test_unused_column_may_hold_anything(self):
        log = Log()
        log.header.append("comment")
        for row in log.rows:
            row.append("coffee")
        self.assert_same_result(log.text().encode().replace(b"coffee", b"caf\xe9"))

    def test_windows_line_ends(self):
        self.assert_same_result(Log().text().replace("\n", "\r\n"))

    def test_semicolons(self):
        self.assert_same_result(Log().text().replace(",", ";"))

    def test_decimal_commas(self):
        self.assert_same_result(Log().text().replace(",", ";").replace(".", ","))

    def test_quoted_fields(self):
        log = Log()
        log.header.append("note")
        rows = [log.header] + [row + ["a, b; c"] for row in log.rows]
        self.assert_same_result("".join(",".join(f'"{field}"' for field in row) + "\n" for row in rows))

    def test_byte_order_mark(self):
        self.assert_same_result(b"\xef\xbb\xbf" + Log().text().encode())

    def test_no_line_end_at_the_end(self):
        self.assert_same_result(Log().text().rstrip("\n"))

    def test_other_order_of_columns(self):
        log = Log()
        log.header.reverse()
        log.rows = [row[::-1] for row in log.rows]
        self.assert_same_result(log.text())


class PoorLogs(HeftTestCase):
    """Logs with little information: a result, but never an impossible body."""

    def test_robot_at_rest(self):
        log = Log()
        log.rows = [[row[0]] + log.rows[0][1:] for row in log.rows]
        result = self.identify(log=self.write("rest.csv", log.text()))
        self.assertTrue(all(body["min_eigenvalue"] > 0 for body in result["bodies"]))

    def test_hardly_more_rows_than_parameters(self):
        log = Log()
        log.rows = log.rows[:120]
        result = self.identify(log=self.write("short.csv", log.text()))
        self.assertTrue(all(body["min_eigenvalue"] > 0 for body in result["bodies"]))

    def test_one_joint_without_torque(self):
        log = Log()
        column = log.header.index("tau_joint_7")
        for row in log.rows:
            row[column] = "0"
        result = self.identify(log=self.write("passive.csv", log.text()))
        self.assertTrue(all(body["min_eigenvalue"] > 0 for body in result["bodies"]))
