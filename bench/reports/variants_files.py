"""Variants about files of logs: HDF5 of other writers, headers, texts of options, suggestions, stamps as text, bytes in messages."""

import copy
import json
import pathlib
import re

import numpy
import yaml

import arms
from judge import BASE, Rig, Wrong, first_line, need, need_clean, need_fit_for_terminals, need_refused, remedies_in, merged
from kinds import variant, variants

JOINTS = [f"a{k}" for k in range(1, 7)]
MATRICES = {"position": "q{i}", "torque": "tau{i}"}


def h5(content, **how):
    """Writes `content(log)`, names -> arrays, as data sets."""
    def write(path, log):
        import h5py
        options = content(log)
        with h5py.File(path, "w", **how) as file:
            for name, data in options.items():
                file[name] = data
    return write


def rig_of(bench, write, suffix="h5", **how):
    return Rig(bench, arms.six_joints(), write=write, suffix=suffix, **how)


def need_read(rig, log=None, flags=()):
    """Read at once, and right."""
    done = rig.identify(*flags, config={**BASE, **({"log": log} if log else {})})
    rig.need_right(done)


def need_read_or_told(rig, pattern, never=None, log=None):
    """Read and right, or refused for this reason; a remedy in YAML, where one is printed, works."""
    config = {**BASE, **({"log": log} if log else {})}
    done = rig.identify(config=config)
    if done.code != 1:
        rig.need_right(done)
        return
    offers = remedies_in(done.err)[:1]
    if not offers:
        need_refused(done, pattern, never)
    for remedy in offers:
        again = rig.identify(config={**config, "log": {**config.get("log", {}), **remedy.get("log", {})}})
        if again.code == 1:
            raise Wrong(f"remedy {remedy} does not help: {first_line(again.err)}")
        rig.need_right(again)


# ---- HDF5: signatures that are not at byte 0, tables on their side -------------------------------------------------

SIGNATURE = "HDF5 behind a user block, tables on their side"
SIDE = r"on (its|their) side|transpos|rows? (for|instead of) columns|columns? (for|instead of) rows|one row|1 ?x ?N|rows are"


def by_matrix(log):
    return {"t": log.t, "q": log.q, "tau": log.tau}


def by_name(log):
    return log.columns()


@variants(SIGNATURE, user_block_of_1024=(by_name, 1024), user_block_of_4096=(by_matrix, 4096), user_block_of_512_by_name=(by_name, 512))
def user_blocks(bench, how):
    content, size = how

    def write(path, log):
        h5(content, userblock_size=size)(path, log)
        with open(path, "r+b") as file:
            file.write(b"Instrument dump, version 2\r\nrig A, run 7, t, q, tau\r\n".ljust(size, b" ") if size == 4096 else b"")
    need_read(rig_of(bench, write))


@variant(SIGNATURE, "MATLAB 7.3, a variable a column")
def matlab(bench):
    import hdf5storage

    def write(path, log):
        hdf5storage.savemat(str(path), {name: x.reshape(-1, 1) for name, x in log.columns().items()}, format="7.3", oned_as="column",
                            store_python_metadata=False)
    need_read(rig_of(bench, write, "mat"))


@variants(SIGNATURE, all_on_their_side=lambda log: {"t": log.t[None, :], "q": log.q.T, "tau": log.tau.T},
          matrices_on_their_side=lambda log: {"t": log.t, "q": log.q.T, "tau": log.tau.T},
          time_alone_on_its_side=lambda log: {"t": log.t[None, :], "q": log.q, "tau": log.tau},
          columns_of_one_row=lambda log: {name: x[None, :] for name, x in log.columns().items()})
def sideways(bench, content):
    need_read_or_told(rig_of(bench, h5(content)), SIDE, never=r"did you mean 't1'")


@variant(SIGNATURE, "in groups, on their side")
def sideways_groups(bench):
    rig = rig_of(bench, h5(lambda log: {"run/t": log.t[None, :], "run/q": log.q.T, "run/tau": log.tau.T}))
    need_read_or_told(rig, SIDE, log={"time": "run/t", "position": "run/q{i}", "torque": "run/tau{i}"})


@variant(SIGNATURE, "time as a column of one number")
def one_number(bench):
    need_read(rig_of(bench, h5(lambda log: {"t": log.t[:, None], "q": log.q, "tau": log.tau})))


@variants(SIGNATURE, clean=True, upright=by_matrix, by_name=by_name, more_joints_than_usual=lambda log: {**by_matrix(log), "temperature": numpy.zeros((len(log.t), 12))})
def upright(bench, content):
    need_clean(rig_of(bench, h5(content)))


# ---- HDF5: wide data sets beside the log, members that are arrays ----------------------------------------------------

WIDE = "HDF5 with wide data sets or array members"


def with_wide(shape, name, kind="f4"):
    def write(path, log):
        import h5py
        with h5py.File(path, "w") as file:
            for key, data in log.columns().items():
                file[key] = data
            file.create_dataset(name, shape=shape, dtype=kind, chunks=(1, *shape[1:]) if len(shape) > 1 else None)
    return write


@variants(WIDE, image_of_a_million=with_wide((40, 1000, 1100), "camera/image", "u1"), scan=with_wide((7500, 70000), "scan"),
          points_of_another_length=with_wide((12, 90000), "points"), many_wide_ones=with_wide((5, 66000), "a/b/c"))
def wide_neighbours(bench, write):
    need_read(rig_of(bench, write))


@variant(WIDE, "PyTables with data columns, another key")
def pytables(bench):
    import pandas

    def write(path, log):
        pandas.DataFrame(log.columns()).to_hdf(path, key="session/run1", format="table", data_columns=True)
    rig = rig_of(bench, write)
    done = rig.identify()
    need("more columns than any log" not in done.err, "more columns than any log")
    if done.code == 1:  # names with the path in front: the error or a suggestion has the configuration
        suggested = bench.path("suggested.yaml")
        bench.run("check", "--robot", rig.urdf, "--log", rig.train, "--suggest", suggested)
        texts = remedies_in(suggested.read_text() if suggested.exists() else "", done.err)
        need(texts, f"no remedy: {first_line(done.err)}")
        done = rig.identify(config={**BASE, **texts[0]})
    rig.need_right(done)


def structured(fields):
    """`fields`: name -> (values of the log, kind)."""
    def write(path, log):
        import h5py
        parts = fields(log)
        table = numpy.zeros(len(log.t), [(name, kind, values.shape[1:]) for name, (values, kind) in parts.items()])
        for name, (values, _) in parts.items():
            table[name] = values
        with h5py.File(path, "w") as file:
            file["log"] = table
    return write


@variants(WIDE, arrays_of_float32=(lambda log: {"t": (log.t, "f8"), "q": (log.q, "f4"), "tau": (log.tau, "f4")}, None),
          other_names=(lambda log: {"t": (log.t, "f8"), "position": (log.q, "f8"), "effort": (log.tau, "f8")}, {"position": "position{i}", "torque": "effort{i}"}),
          unused_array_of_two_dimensions=(lambda log: {"t": (log.t, "f8"), "pose": (numpy.zeros((len(log.t), 4, 4)), "f8"), "q": (log.q, "f8"), "tau": (log.tau, "f8")}, None))
def array_members(bench, how):
    fields, log = how
    rig = rig_of(bench, structured(fields))
    done = rig.identify(config={**BASE, **({"log": log} if log else {})})
    if done.code == 1:  # members may carry the name of their table
        prefixed = {key: "log/" + value for key, value in {"time": "t", **(log or MATRICES)}.items()}
        done = rig.identify(config={**BASE, "log": prefixed})
    rig.need_right(done)


@variants(WIDE, clean=True, small_neighbour=with_wide((7500, 20), "camera"), nothing_beside=h5(by_name))
def nothing_wide(bench, write):
    need_clean(rig_of(bench, write))


# ---- HDF5: filters that are not there ------------------------------------------------------------------------------

FILTERS = "HDF5 filters that are not there"
PACKED = r"(lzf|blosc|zstd|zstandard|lz4|bzip2|bitshuffle|zfp|sz3?|filter).{0,80}"


def packed(filters, only=None, length=None):
    def write(path, log):
        import h5py
        with h5py.File(path, "w") as file:
            for name, data in log.columns().items():
                options = filters() if only is None or name.startswith(only) else {}
                file.create_dataset(name, data=data, chunks=(500,), **options)
    return write


def plugin(name, **how):
    def options():
        import hdf5plugin
        return dict(getattr(hdf5plugin, name)(**how))
    return options


@variants(FILTERS, bzip2=(plugin("BZip2"), None, r"bzip2|307\b"), lz4=(plugin("LZ4"), None, r"lz4|32004"), bitshuffle=(plugin("Bitshuffle"), None, r"bitshuffle|32008"),
          zstd_of_torques_alone=(plugin("Zstd"), "tau", r"zst|32015"), blosc2=(plugin("Blosc2"), None, r"blosc|32026"),
          lzf_of_positions_alone=(lambda: {"compression": "lzf"}, "q_", r"lzf|32000"),
          lzf_of_stamps_alone=(lambda: {"compression": "lzf", "shuffle": True}, "t", r"lzf|32000"), zfp=(plugin("Zfp", reversible=True), "tau", r"zfp|32013"))
def missing_filters(bench, how):
    options, only, name = how
    rig = rig_of(bench, packed(options, only))
    done = rig.identify()
    if done.code in (0, 4):
        rig.need_right(done)
        return
    need_refused(done, name, never=r"copy the file again")
    need(re.search(r"gzip|HDF5_PLUGIN_PATH|without compression|uncompressed", done.err, re.I), f"no way out: {first_line(done.err)}")


@variants(FILTERS, clean=True, gzip_and_shuffle=packed(lambda: {"compression": "gzip", "shuffle": True}), checksum=packed(lambda: {"fletcher32": True}))
def filters_built_in(bench, write):
    need_clean(rig_of(bench, write))


@variant(FILTERS, "lzf in a column that no option names", clean=True)
def unused_filter(bench):
    def write(path, log):
        import h5py
        packed(lambda: {})(path, log)
        with h5py.File(path, "a") as file:
            file.create_dataset("temperature", data=log.t, chunks=(500,), compression="lzf")
    need_clean(rig_of(bench, write))


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


@variants(TEXTS, slash=("{}/position", "{}/effort", "t", None, ["--log.position", "{joint}/position", "--log.torque", "{joint}/effort"]),
          underscore=("{}_pos", "{}_torque", "t", None, ["--log.position", "{joint}_pos", "--log.torque", "{joint}_torque"]),
          brackets=("[{}] angle", "[{}] moment", "t", None, ["--log.position", "[{joint}] angle", "--log.torque", "[{joint}] moment"]),
          percent_time=("q_{}", "tau_{}", "%stamp", None, ["--log.time", "%stamp"]), at_time=("q_{}", "tau_{}", "@timestamp", None, ["--log.time", "@timestamp"]),
          star_time=("q_{}", "tau_{}", "*time", None, ["--log.time", "*time"]), hash_time=("q_{}", "tau_{}", "t #1", None, ["--log.time", "t #1"]),
          colon_time=("q_{}", "tau_{}", "time: s", None, ["--log.time", "time: s"]), word_of_yaml=("q_{}", "tau_{}", "null", None, ["--log.time", "null"]),
          number_as_name=("q_{}", "tau_{}", "0", None, ["--log.time", "0"]), ampersand=("&q_{}", "tau_{}", "t", None, ["--log.position", "&q_{joint}"]),
          exclamation=("q_{}", "!tau_{}", "t", None, ["--log.torque", "!tau_{joint}"]),
          from_zero=("pos[{}]", "eff[{}]", "t", 0, ["--log.position", "pos[{i-1}]", "--log.torque", "eff[{i-1}]"]),
          from_minus_two=("m{}", "n{}", "t", -1, ["--log.position", "m{i-2}", "--log.torque", "n{i-2}"]))
def texts_by_flag(bench, how):
    position, torque, time, index, flags = how
    rig = rig_of(bench, renamed(of_kind(position, torque, time, index)), "csv")
    rig.need_right(rig.identify(*flags))


@variants(TEXTS, brace_in_a_file="position: {joint}_pos", percent_in_a_file="time: %time", at_in_a_file="time: @t", star_in_a_file="time: *t",
          exclamation_in_a_file="torque: !tau_{joint}")
def texts_in_yaml(bench, line):
    rig = rig_of(bench, renamed(of_kind()), "csv")
    done = rig.identify(config="log:\n  " + line + "\n")
    need_refused(done, r"quot|['\"]" + re.escape(line.split(": ")[1]) + r"['\"]")


@variants(TEXTS, clean=True, list_by_flag=["--log.position", "[" + ", ".join(f"q_{j}" for j in JOINTS) + "]"],
          map_by_flag=["--log.torque_scale", "{a1: 1.0, a2: 1}"], number_by_flag=["--log.torque_scale", "1"], list_of_numbers=["--log.torque_scale", "[1, 1, 1, 1, 1, 1]"],
          pattern_by_flag=["--log.position", "q_{joint}"], exclude_by_flag=["--log.exclude", '["0 to 0.5"]'])
def other_flags(bench, flags):
    rig = rig_of(bench, renamed(of_kind()), "csv")
    rig.need_right(rig.identify(*flags), slack=.03)


@variant(TEXTS, "index that begins at three", clean=True)
def shifted_index(bench):
    rig = rig_of(bench, renamed(of_kind("ch{}", "load{}", index=3)), "csv")
    rig.need_right(rig.identify("--log.position", "ch{i+2}", "--log.torque", "load{i+2}"))


# ---- suggestions ---------------------------------------------------------------------------------------------------

SUGGEST = "suggestions"
EPOCH = 1_700_000_123


def table_csv(columns):
    """`columns(log)`: header -> texts or numbers of the rows, in order."""
    def write(path, log):
        parts = columns(log)
        texts = [[x if isinstance(x, str) else f"{x:.9g}" if isinstance(x, float) else str(x) for x in values.tolist()] for values in parts.values()]
        path.write_text(",".join(parts) + "\n" + "".join(",".join(row) + "\n" for row in zip(*texts)))
    return write


def nanoseconds(log, since=EPOCH, late_ns=0):
    return since * 10**9 + 123_456_789 + numpy.round(log.t * 1e9).astype(numpy.int64) + late_ns


def as_text(values, form):
    return numpy.array([form(x) for x in values.tolist()], dtype=object)


def signals(log, position="position_{}", torque="effort_{}", order=None):
    order = range(len(log.names)) if order is None else order
    return {**{position.format(k): log.q[:, j] for k, j in enumerate(order)}, **{torque.format(k): log.tau[:, j] for k, j in enumerate(order)}}


def need_suggested(rig):
    """The suggestion, applied as it stands, gives the answer of the plain log."""
    path = rig.bench.path("suggested.yaml")
    done = rig.bench.run("check", "--robot", rig.urdf, "--log", rig.train, "--suggest", path)
    need(path.exists(), f"no suggestion (exit {done.code}): {first_line(done.err)}")
    text = path.read_text()
    answer = rig.identify(config=merged(copy.deepcopy(BASE), yaml.safe_load(text)))
    need(answer.code in (0, 4), f"suggested {text[:200]!r}: exit {answer.code}: {first_line(answer.err)}")
    rig.need_right(answer, f"suggested {' '.join(line for line in text.splitlines() if not line.strip().startswith('#'))[:160]!r}: ")


@variants(SUGGEST, two_pairs_of_one_stamp=lambda log: {"Time": as_text(nanoseconds(log), lambda x: f"{x / 1e9:.6f}"), "secs": nanoseconds(log) // 10**9, "nsecs": nanoseconds(log) % 10**9, **signals(log)},
          time_beside_nanosec=lambda log: {"rosbagTimestamp": nanoseconds(log, late_ns=2_000_000), "stamp.sec": nanoseconds(log) // 10**9, "stamp.nanosec": nanoseconds(log) % 10**9, **signals(log)},
          two_clocks=lambda log: {"recv_nsec": nanoseconds(log, late_ns=700_123_456) % 10**9, "recv_sec": nanoseconds(log, late_ns=700_123_456) // 10**9,
                                  "stamp_sec": nanoseconds(log) // 10**9, "stamp_nsec": nanoseconds(log) % 10**9, **signals(log)},
          whole_seconds_and_another_clock=lambda log: {"time": nanoseconds(log, late_ns=400_000_000) // 10**9, "header.stamp.nsecs": nanoseconds(log) % 10**9,
                                                       "header.stamp.secs": nanoseconds(log) // 10**9, **signals(log)},
          index_first=lambda log: {"index": numpy.arange(len(log.t)), "elapsed": log.t, **signals(log)},
          index_without_a_name=lambda log: {"": numpy.arange(len(log.t)), "stamp": log.t + 12.5, **signals(log)},
          sequence_number=lambda log: {"seq": 41_000 + numpy.arange(len(log.t)), "t_rel": log.t, **signals(log)})
def suggested_clocks(bench, columns):
    need_suggested(rig_of(bench, table_csv(columns), "csv"))


UR = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
PANDA_LIKE = ["waist", "shoulder", "elbow", "forearm_roll", "wrist_angle", "wrist_rotate"]


@variants(SUGGEST, names_by_alphabet=(UR, "field.name{}", "field.position{}", "field.effort{}", "time"), names_of_another_arm=(PANDA_LIKE, "name_{}", "position_{}", "effort_{}", "Time"),
          names_in_brackets=(UR, "/joint_states/name[{}]", "/joint_states/position[{}]", "/joint_states/effort[{}]", "t"))
def suggested_order(bench, how):
    names, name, position, torque, time = how

    def columns(log):
        order = sorted(range(6), key=lambda k: names[k])
        return {time: log.t + 3, **{name.format(k): numpy.full(len(log.t), names[j], dtype=object) for k, j in enumerate(order)},
                **signals(log, position, torque, order)}
    need_suggested(Rig(bench, arms.six_joints(names), write=table_csv(columns)))


@variant(SUGGEST, "names with a gripper between")
def suggested_with_gripper(bench):
    def columns(log):
        order = [0, 1, 6, 2, 3, 4, 5]
        q, tau = (numpy.column_stack([x, numpy.full(len(x), .02)]) for x in (log.q, log.tau))
        names = UR + ["gripper"]
        return {"t": log.t, **{f"name_{k}": numpy.full(len(log.t), names[j], dtype=object) for k, j in enumerate(order)},
                **{f"position_{k}": q[:, j] for k, j in enumerate(order)}, **{f"effort_{k}": tau[:, j] for k, j in enumerate(order)}}
    need_suggested(Rig(bench, arms.six_joints(UR), write=table_csv(columns)))


@variants(SUGGEST, clean=True, by_number=lambda log: {"time": log.t, **signals(log)},
          stamp_of_two_columns=lambda log: {"stamp.sec": nanoseconds(log) // 10**9, "stamp.nanosec": nanoseconds(log) % 10**9, **signals(log)},
          epoch=lambda log: {"timestamp": as_text(nanoseconds(log), lambda x: f"{x / 1e9:.6f}"), **signals(log, "actual_q_{}", "actual_current_{}")})
def suggested_before(bench, columns):
    need_suggested(rig_of(bench, table_csv(columns), "csv"))


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


@variants(HEADERS, lone_hash_with_blanks=(lambda h, r: "# " + " ".join(h) + "\n" + lines(r, " "), r"#"),
          lone_hash_with_tabs=(lambda h, r: "#\t" + "\t".join(h) + "\n" + lines(r, "\t"), r"#"),
          hash_at_the_name=(lambda h, r: "#" + ",".join(h) + "\n" + lines(r), r"#"),
          hash_and_blank=(lambda h, r: "# " + ",".join(h) + "\n" + lines(r), r"#"),
          rows_with_a_last_semicolon=(lambda h, r: ";".join(h) + "\n" + lines(r, ";", ";"), r"(last|trailing|ends? with|every row|one more|all rows)"),
          rows_with_a_last_comma=(lambda h, r: ",".join(h) + "\n" + lines(r, ",", ","), r"(last|trailing|ends? with|every row|one more|all rows)"),
          header_with_a_last_comma=(lambda h, r: ",".join(h) + ",\n" + lines(r), r"(last|trailing|ends? with|every row|one less|fewer|all rows|one more)"),
          one_line_of_preamble=(lambda h, r: "Rig A; 2026-11-28; operator 7\n" + ",".join(h) + "\n" + lines(r), r"preamble|(above|before) the (header|names)|line 2|not the header|names (are|stand|begin)"),
          four_lines_of_preamble=(lambda h, r: "Recorder,v3\nChannels,13\nRate,250\n\n" + ",".join(h) + "\n" + lines(r), r"preamble|(above|before) the (header|names)|line 5|not the header|names (are|stand|begin)"),
          comments_above=(lambda h, r: "# rig B\n# 250 Hz\n# operator: me\n" + ",".join(h) + "\n" + lines(r), r"comment|#|above the header|line 4"),
          comments_and_hash=(lambda h, r: "# rig B\n# " + " ".join(h) + "\n" + lines(r, " "), r"comment|#"),
          percent_comments=(lambda h, r: "% made by a script\n" + ",".join(h) + "\n" + lines(r), r"comment|%|above the header|line 2"))
def odd_headers(bench, how):
    form, pattern = how
    need_read_or_told(rig_of(bench, csv_of(form), "csv"), pattern, never=r"delete the line \(|cut off\?|delete the line")


@variant(HEADERS, "a row that is cut off", clean=True)
def cut_row(bench):
    def form(header, rows):
        rows[700] = rows[700][:5]
        return ",".join(header) + "\n" + lines(rows)
    done = rig_of(bench, csv_of(form), "csv").identify()
    need_refused(done, r":702\b.*5 fields|5 fields.*702")


@variants(HEADERS, clean=True, plain=lambda h, r: ",".join(h) + "\n" + lines(r), both_with_a_last_comma=lambda h, r: ",".join(h) + ",\n" + lines(r, ",", ","),
          semicolons=lambda h, r: ";".join(h) + "\n" + lines(r, ";"))
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


@variants(UNPADDED, nanoseconds_since_boot=unpadded(512, 1), microseconds=unpadded(3, 1000), milliseconds=unpadded(88, 10**6), nanoseconds_since_1970=unpadded(EPOCH, 1))
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
    need(not re.search(r"(?<!not )(?<!n't )(?<!never )sort (its|the) rows|split the file here", said, re.I), f"bad advice: {first_line(done.err)}")


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


@variants(BYTES, mcap=b"\x89MCAP0\r\n\x01\x02\x00\x00" + bytes(range(256)) * 8, png=b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4, elf=b"\x7fELF\x02\x01\x01" + b"\x00" * 60 + b"\xff\x9b31m\n1,2\n",
          escapes=b"t,q_\x1b[31ma1\x1b[0m,\x07tau\n1,2,3\n2,3,4\n", c1_controls="t,q\u009b31m,\u0085tau\n1,2,3\n2,3,4\n".encode(), latin_1="t;Winkel [\xb0];Moment \xfcber\n1;2;3\n2;3;4\n".encode("latin-1"),
          right_to_left="t,\u202eq_a1,tau\x00_a1\n1,2,3\n".encode())
def bytes_of_logs(bench, content):
    robot = bench.write("robot.urdf", arms.six_joints().urdf())
    log = bench.write("log.csv", content)
    need(need_clean_output(bench, "identify", "--robot", robot, "--log", log, "--out", "@OUT").code == 1, "not refused")
    need_clean_output(bench, "check", "--robot", robot, "--log", log, "--json", "@OUT.json")
    need_clean_output(bench, "check", "--robot", robot, "--log", log, "--suggest", "@OUT.yaml")
    need_clean_output(bench, "payload", "--log", log, "--out", "@OUT")


@variants(BYTES, urdf_of_binary=b"\x89MCAP0\r\n<robot>\x00\xff", urdf_with_escapes=b'<robot name="x"><link name="a\xc2\x9b31m"/><link name="a\xc2\x9b31m"/></robot>', yaml_of_binary=None)
def bytes_of_robots(bench, content):
    if content is None:
        robot = bench.write("robot.urdf", arms.six_joints().urdf())
        config = bench.write("c.yaml", b"log:\n  \x1b[31mtime: t\xff\n")
        need_clean_output(bench, "identify", "--robot", robot, "--log", bench.write("l.csv", "t\n1\n"), "--config", config, "--out", "@OUT")
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
    need("tau_肘" in need_clean_output(bench, "identify", "--robot", rig.urdf, "--log", missing, "--out", "@OUT").err, "the name is not shown")


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
