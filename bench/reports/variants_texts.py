"""Variants about texts: options by flag, headers and rows of CSV files, stamps, bytes of files in messages."""

import json
import pathlib
import re

import numpy

import arms
from judge import Rig, first_line, need, need_clean, need_fit_for_terminals, need_refused
from kinds import variant, variants
from log_files import JOINTS, need_read_or_told, rig_of

# ---- texts of options by flag ----------------------------------------------------------------------------------------

TEXTS = "texts of options by flag"


def renamed(header):
    """A CSV whose columns have other names; `header(name)` of ours."""

    def write(path, log):
        arms.write_csv(path, log, header=[header(name) for name in log.columns()])

    return write


def of_kind(position="q_{}", torque="tau_{}", time="t", index=None):
    def header(name):
        if name == "t":
            return time
        kind, joint = name.split("_", 1)
        return (position if kind == "q" else torque).format(joint if index is None else JOINTS.index(joint) + index)

    return header


@variants(
    TEXTS,
    slash=("{}/position", "{}/effort", "t", None, ["--log.position", "{joint}/position", "--log.torque", "{joint}/effort"]),
    underscore=("{}_pos", "{}_torque", "t", None, ["--log.position", "{joint}_pos", "--log.torque", "{joint}_torque"]),
    brackets=(
        "[{}] angle",
        "[{}] moment",
        "t",
        None,
        ["--log.position", "[{joint}] angle", "--log.torque", "[{joint}] moment"],
    ),
    percent_time=("q_{}", "tau_{}", "%stamp", None, ["--log.time", "%stamp"]),
    at_time=("q_{}", "tau_{}", "@timestamp", None, ["--log.time", "@timestamp"]),
    star_time=("q_{}", "tau_{}", "*time", None, ["--log.time", "*time"]),
    hash_time=("q_{}", "tau_{}", "t #1", None, ["--log.time", "t #1"]),
    colon_time=("q_{}", "tau_{}", "time: s", None, ["--log.time", "time: s"]),
    word_of_yaml=("q_{}", "tau_{}", "null", None, ["--log.time", "null"]),
    number_as_name=("q_{}", "tau_{}", "0", None, ["--log.time", "0"]),
    ampersand=("&q_{}", "tau_{}", "t", None, ["--log.position", "&q_{joint}"]),
    exclamation=("q_{}", "!tau_{}", "t", None, ["--log.torque", "!tau_{joint}"]),
    from_zero=("pos[{}]", "eff[{}]", "t", 0, ["--log.position", "pos[{i-1}]", "--log.torque", "eff[{i-1}]"]),
    from_minus_two=("m{}", "n{}", "t", -1, ["--log.position", "m{i-2}", "--log.torque", "n{i-2}"]),
)
def texts_by_flag(bench, how):
    position, torque, time, index, flags = how
    rig = rig_of(bench, renamed(of_kind(position, torque, time, index)), "csv")
    rig.need_right(rig.identify(*flags))


@variants(
    TEXTS,
    brace_in_a_file="position: {joint}_pos",
    percent_in_a_file="time: %time",
    at_in_a_file="time: @t",
    star_in_a_file="time: *t",
    exclamation_in_a_file="torque: !tau_{joint}",
)
def texts_in_yaml(bench, line):
    rig = rig_of(bench, renamed(of_kind()), "csv")
    done = rig.identify(config="log:\n  " + line + "\n")
    need_refused(done, r"quot|['\"]" + re.escape(line.split(": ")[1]) + r"['\"]")


@variants(
    TEXTS,
    clean=True,
    list_by_flag=["--log.position", "[" + ", ".join(f"q_{j}" for j in JOINTS) + "]"],
    map_by_flag=["--log.torque_scale", "{a1: 1.0, a2: 1}"],
    number_by_flag=["--log.torque_scale", "1"],
    list_of_numbers=["--log.torque_scale", "[1, 1, 1, 1, 1, 1]"],
    pattern_by_flag=["--log.position", "q_{joint}"],
    exclude_by_flag=["--log.exclude", '["0 to 0.5"]'],
)
def other_flags(bench, flags):
    rig = rig_of(bench, renamed(of_kind()), "csv")
    rig.need_right(rig.identify(*flags), slack=0.03)


@variant(TEXTS, "index that begins at three", clean=True)
def shifted_index(bench):
    rig = rig_of(bench, renamed(of_kind("ch{}", "load{}", index=3)), "csv")
    rig.need_right(rig.identify("--log.position", "ch{i+2}", "--log.torque", "load{i+2}"))


# ---- headers and rows of CSV files -----------------------------------------------------------------------------------

HEADERS = "odd headers of CSV files"


def csv_of(form):
    def write(path, log):
        columns = log.columns()
        rows = [[f"{x:.9g}" for x in row] for row in numpy.column_stack(list(columns.values())).tolist()]
        path.write_text(form(list(columns), rows))

    return write


def lines(rows, separator=",", end=""):
    return "".join(separator.join(row) + end + "\n" for row in rows)


@variants(
    HEADERS,
    lone_hash_with_blanks=(lambda h, r: "# " + " ".join(h) + "\n" + lines(r, " "), r"#"),
    lone_hash_with_tabs=(lambda h, r: "#\t" + "\t".join(h) + "\n" + lines(r, "\t"), r"#"),
    hash_at_the_name=(lambda h, r: "#" + ",".join(h) + "\n" + lines(r), r"#"),
    hash_and_blank=(lambda h, r: "# " + ",".join(h) + "\n" + lines(r), r"#"),
    rows_with_a_last_semicolon=(
        lambda h, r: ";".join(h) + "\n" + lines(r, ";", ";"),
        r"(last|trailing|ends? with|every row|one more|all rows)",
    ),
    rows_with_a_last_comma=(
        lambda h, r: ",".join(h) + "\n" + lines(r, ",", ","),
        r"(last|trailing|ends? with|every row|one more|all rows)",
    ),
    header_with_a_last_comma=(
        lambda h, r: ",".join(h) + ",\n" + lines(r),
        r"(last|trailing|ends? with|every row|one less|fewer|all rows|one more)",
    ),
    one_line_of_preamble=(
        lambda h, r: "Rig A; 2026-11-28; operator 7\n" + ",".join(h) + "\n" + lines(r),
        r"preamble|(above|before) the (header|names)|line 2|not the header|names (are|stand|begin)",
    ),
    four_lines_of_preamble=(
        lambda h, r: "Recorder,v3\nChannels,13\nRate,250\n\n" + ",".join(h) + "\n" + lines(r),
        r"preamble|(above|before) the (header|names)|line 5|not the header|names (are|stand|begin)",
    ),
    comments_above=(
        lambda h, r: "# rig B\n# 250 Hz\n# operator: me\n" + ",".join(h) + "\n" + lines(r),
        r"comment|#|above the header|line 4",
    ),
    comments_and_hash=(lambda h, r: "# rig B\n# " + " ".join(h) + "\n" + lines(r, " "), r"comment|#"),
    percent_comments=(
        lambda h, r: "% made by a script\n" + ",".join(h) + "\n" + lines(r),
        r"comment|%|above the header|line 2",
    ),
)
def odd_headers(bench, how):
    form, pattern = how
    need_read_or_told(rig_of(bench, csv_of(form), "csv"), pattern, never=r"delete the line \(|truncated|delete the line")


@variant(HEADERS, "a row that is cut off", clean=True)
def cut_row(bench):
    def form(header, rows):
        rows[700] = rows[700][:5]
        return ",".join(header) + "\n" + lines(rows)

    done = rig_of(bench, csv_of(form), "csv").identify()
    need_refused(done, r":702\b.*5 fields|5 fields.*702")


@variants(
    HEADERS,
    clean=True,
    plain=lambda h, r: ",".join(h) + "\n" + lines(r),
    both_with_a_last_comma=lambda h, r: ",".join(h) + ",\n" + lines(r, ",", ","),
    semicolons=lambda h, r: ";".join(h) + "\n" + lines(r, ";"),
)
def plain_headers(bench, form):
    need_clean(rig_of(bench, csv_of(form), "csv"))


# ---- fractions of stamps without zeros -------------------------------------------------------------------------------

UNPADDED = "fractions of stamps without zeros"


def stamps_as(form):
    def write(path, log):
        columns = log.columns()
        rows = [[f"{x:.9g}" for x in row] for row in numpy.column_stack(list(columns.values())).tolist()]
        for row, t in zip(rows, log.t):
            row[0] = form(int(round(t * 1e9)))
        path.write_text(",".join(columns) + "\n" + lines(rows))

    return write


def unpadded(since, unit):
    return lambda ns: f"{since + ns // 10**9}.{ns % 10**9 // unit}"


@variants(
    UNPADDED,
    nanoseconds_since_boot=unpadded(512, 1),
    microseconds=unpadded(3, 1000),
    milliseconds=unpadded(88, 10**6),
    nanoseconds_since_1970=unpadded(1_700_000_123, 1),
)
def unpadded_stamps(bench, form):
    done_right_or_told(rig_of(bench, stamps_as(form), "csv"))


@variant(UNPADDED, "a log of 125 Hz")
def unpadded_slow(bench):
    done_right_or_told(rig_of(bench, stamps_as(unpadded(40, 1000)), "csv", how={"rate": 125}))


def done_right_or_told(rig):
    done = rig.identify()
    if done.code == 0 and done.green:
        rig.need_right(done)
        return
    said = done.said
    need(re.search(r"zeros?\b|padd|digits", said, re.I), f"reason: {first_line(done.err)}")
    need(
        not re.search(r"(?<!not )(?<!n't )(?<!never )sort (its|the) rows|split the file", said, re.I),
        f"bad advice: {first_line(done.err)}",
    )


@variant(UNPADDED, "padded", clean=True)
def padded_stamps(bench):
    need_clean(rig_of(bench, stamps_as(lambda ns: f"{512 + ns // 10**9}.{ns % 10**9:09d}"), "csv"))


@variant(UNPADDED, "rows that are out of order", clean=True)
def out_of_order(bench):
    def fault(log):
        order = numpy.arange(len(log.t))
        order[3000:3100] = order[3000:3100][::-1]
        return log.rows(order)

    done = rig_of(bench, None, "csv", fault=fault).identify()
    need(done.code == 1 or done.ids, "said nothing")
    need(not re.search(r"without zeros|padded|leading zeros", done.said, re.I), f"false reason: {first_line(done.err)}")


# ---- bytes of files in messages --------------------------------------------------------------------------------------

BYTES = "bytes of files in messages"


def need_clean_output(bench, *words):
    done = bench.run(*words)
    need_fit_for_terminals(done)
    for path in pathlib.Path(bench.folder).rglob("*.json"):
        json.loads(path.read_bytes().decode())
    return done


@variants(
    BYTES,
    mcap=b"\x89MCAP0\r\n\x01\x02\x00\x00" + bytes(range(256)) * 8,
    png=b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    elf=b"\x7fELF\x02\x01\x01" + b"\x00" * 60 + b"\xff\x9b31m\n1,2\n",
    escapes=b"t,q_\x1b[31ma1\x1b[0m,\x07tau\n1,2,3\n2,3,4\n",
    c1_controls="t,q\u009b31m,\u0085tau\n1,2,3\n2,3,4\n".encode(),
    latin_1="t;Winkel [\xb0];Moment \xfcber\n1;2;3\n2;3;4\n".encode("latin-1"),
    right_to_left="t,\u202eq_a1,tau\x00_a1\n1,2,3\n".encode(),
)
def bytes_of_logs(bench, content):
    robot = bench.write("robot.urdf", arms.six_joints().urdf())
    log = bench.write("log.csv", content)
    need(need_clean_output(bench, "identify", "--robot", robot, "--log", log, "--out", "@OUT").code == 1, "not refused")
    need_clean_output(bench, "check", "--robot", robot, "--log", log, "--json", "@OUT.json")
    need_clean_output(bench, "check", "--robot", robot, "--log", log, "--suggest", "@OUT.yaml")
    need_clean_output(bench, "payload", "--log", log, "--out", "@OUT")


@variants(
    BYTES,
    urdf_of_binary=b"\x89MCAP0\r\n<robot>\x00\xff",
    urdf_with_escapes=b'<robot name="x"><link name="a\xc2\x9b31m"/><link name="a\xc2\x9b31m"/></robot>',
    yaml_of_binary=None,
)
def bytes_of_robots(bench, content):
    if content is None:
        robot = bench.write("robot.urdf", arms.six_joints().urdf())
        config = bench.write("c.yaml", b"log:\n  \x1b[31mtime: t\xff\n")
        need_clean_output(
            bench, "identify", "--robot", robot, "--log", bench.write("l.csv", "t\n1\n"), "--config", config, "--out", "@OUT"
        )
        return
    robot = bench.write("robot.urdf", content)
    need_clean_output(bench, "check", robot, "--json", "@OUT.json")
    need_clean_output(bench, "observe", robot)


@variant(BYTES, "names in Chinese stay readable", clean=True)
def names_stay(bench):
    names = ["底座", "肩", "肘", "腕一", "腕二", "腕三"]
    rig = Rig(bench, arms.six_joints(names))
    done = rig.identify()
    need_fit_for_terminals(done)
    rig.need_right(done)
    missing = bench.write("log.csv", rig.train.read_text().replace("tau_肘", "moment_肘"))
    need(
        "tau_肘" in need_clean_output(bench, "identify", "--robot", rig.urdf, "--log", missing, "--out", "@OUT").err,
        "the name is not shown",
    )


@variant(BYTES, "degree signs in a header", clean=True)
def degree_signs(bench):
    rig = rig_of(bench, renamed(of_kind("Angle {} [°]", "Torque {} [N·m]")), "csv")
    done = rig.identify("--log.position", "Angle {joint} [°]", "--log.torque", "Torque {joint} [N·m]")
    need_fit_for_terminals(done)
    rig.need_right(done)


@variant(BYTES, "marks of other programs at the start", clean=True)
def byte_order_mark(bench):
    def write(path, log):
        arms.write_csv(path, log)
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))

    rig = rig_of(bench, write, "csv")
    done = rig.identify()
    need_fit_for_terminals(done)
    rig.need_right(done)
