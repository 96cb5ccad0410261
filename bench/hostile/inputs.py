"""Files that ask for more than there is, or that cannot be meant: what bench/hostile/run.py gives to the program.

A case is a name, what of it is hostile, the program's arguments, and what must come of it: DONE (exit code 0 or 4), REFUSED (1, or 100
and above: one message with a remedy, in words that `says` is among), or EITHER.
"""

import dataclasses
import gzip
import struct

DONE, REFUSED, EITHER = "done", "refused", "either"


@dataclasses.dataclass
class Case:
    name: str
    arguments: list
    must: str
    says: str = ""
    memory_limit: int = 0  # bytes of address space that the program gets; 0: all
    thread_limit: int = 0
    quiet_terminal: bool = False  # no byte of its output may command a terminal
    seconds: float = 2.0


def joint(k, parent):
    """A link of 1 kg, and the joint that turns it about an axis of its own."""
    axis, roll = ("0 1 0", 0) if k % 2 else ("0 0 1", 1.5707963267948966)
    return (f'<link name="l{k}"><inertial><origin xyz="0 0 .1"/><mass value="1"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" '
            f'iyz="0" izz=".1"/></inertial></link><joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/>'
            f'<origin xyz="0.1 0.05 .2" rpy="{roll} 0 {0.3 * k}"/><axis xyz="{axis}"/>'
            '<limit lower="-3" upper="3" effort="10" velocity="3"/></joint>\n')


def chain(count):
    return ('<robot name="chain"><link name="l0"/>\n' + "".join(joint(k, f"l{k - 1}") for k in range(1, count + 1)) + "</robot>")


def star(count):
    return '<robot name="star"><link name="l0"/>\n' + "".join(joint(k, "l0") for k in range(1, count + 1)) + "</robot>"


def npy(shape, content=b""):
    """A NumPy file that declares a shape and holds something else."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


class Inputs:
    """Writes into a folder; `arm` is the demo robot, `train` and `held_out` its clean logs."""

    def __init__(self, folder, arm, train, held_out):
        self.folder, self.arm, self.train, self.held_out = folder, arm, train, held_out
        self.out = folder / "out"
        self.lines = train.read_text().splitlines()

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def identify(self, log=None, yaml=None, robot=None, *more):
        words = ["identify", "--robot", robot or self.arm, "--log", log or self.train, "--out", self.out]
        if yaml is not None:
            words += ["--config", yaml if hasattr(yaml, "exists") else self.write(f"{abs(hash(yaml))}.yaml", yaml)]
        return [*words, *more]

    def columns(self, change):
        """The training log with the fields of every line changed: change(number of the line, fields)."""
        return "\n".join(",".join(change(k, line.split(","))) for k, line in enumerate(self.lines)) + "\n"


def of_robots(i):
    yield Case("observe: a chain of 100 joints", ["observe", i.write("chain.urdf", chain(100))], REFUSED, "1000 parameters")
    yield Case("observe --dimensions: a chain of 100 joints", ["observe", "--dimensions", i.folder / "chain.urdf"], DONE)
    yield Case("observe --static: a chain of 100 joints", ["observe", "--static", "--no-channels", i.folder / "chain.urdf"], EITHER)
    yield Case("observe: a star of 100 joints", ["observe", i.write("star.urdf", star(100))], EITHER)
    yield Case("observe: a star of 10 000 joints", ["observe", i.write("stars.urdf", star(10000))], REFUSED, "100000 parameters")
    yield Case("check: a chain of 10 000 joints", ["check", i.write("long.urdf", chain(10000))], EITHER)
    yield Case("identify: 300 joints, and the log of another robot", i.identify(robot=i.write("large.urdf", chain(300))), REFUSED,
               "no column 'q_j1'")
    links = "".join(f'<link name="link_{k}"/>\n' for k in range(400_000))
    yield Case("check: 400 000 links without joints", ["check", i.write("roots.urdf", f'<robot name="r">{links}</robot>')], EITHER)
    deep = '<robot name="r">' + "<a>" * 100_000 + "</a>" * 100_000 + "</robot>"
    yield Case("check: 100 000 elements within each other", ["check", i.write("deep.urdf", deep)], EITHER)
    laughs = '<!DOCTYPE r [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(12)) + ']><robot name="&m;"><link name="l"/></robot>'
    yield Case("check: a URDF whose entities multiply", ["check", i.write("laughs.urdf", laughs)], EITHER)
    yield Case("convert: 100 000 bodies", ["convert", "--from", "heft", "--to", "pinocchio", i.write(
        "bodies.json", '{"bodies": [' + ",".join(["[1,0,0,0,.1,0,.1,0,0,.1]"] * 100_000) + "]}"), "--out", i.folder / "b.json"], EITHER)


def of_configurations(i):
    same = "".join(f"  - expression: {{name: c{k}, unit: N m, rows: {{joint_1: q1}}}}\n" for k in range(1000))
    yield Case("1 000 identical columns", i.identify(yaml="columns:\n" + same), REFUSED, "is one more than the limit of 256")
    some = "".join(f"  - expression: {{name: c{k}, unit: N m, rows: {{joint_1: q1}}}}\n" for k in range(200))
    yield Case("200 identical columns", i.identify(yaml="columns:\n" + some), EITHER)
    yield Case("folds: 1000000", i.identify(yaml="selection: {folds: 1000000}\n"), REFUSED, "folds must be between")
    yield Case("bootstrap: 100000000", i.identify(yaml="estimation: {bootstrap: 100000000}\n"), REFUSED, "bootstrap")
    yield Case("butterworth_order: 1000000000", i.identify(yaml="conditioning: {butterworth_order: 1000000000}\n"), REFUSED,
               "butterworth_order")
    yield Case("savgol_window: 1000000001", i.identify(
        yaml="conditioning: {filter: savgol, savgol_window: 1000000001}\n"), REFUSED, "savgol")
    yield Case("savgol_order: 1000000000", i.identify(
        yaml="conditioning: {filter: savgol, savgol_window: 101, savgol_order: 1000000000}\n"), REFUSED, "savgol")
    yield Case("lowpass_hz: 1e-9", i.identify(yaml="conditioning: {lowpass_hz: 1e-9}\n"), REFUSED, "lowpass")
    yield Case("resample_hz: 1e9", i.identify(yaml="conditioning: {resample_hz: 1e9}\n"), REFUSED, "resampl")
    yield Case("keep_every: 2000000000", i.identify(yaml="conditioning: {keep_every: 2000000000}\n"), REFUSED)
    yield Case("trim: 2000000000", i.identify(yaml="conditioning: {trim: 2000000000}\n"), REFUSED)
    yield Case("threads: 100000", i.identify(yaml="backend: {threads: 100000}\n"), REFUSED, "threads must be between")
    yield Case("reweighting_rounds: 1000000000", i.identify(
        yaml="estimation: {loss: huber, reweighting_rounds: 1000000000}\n"), REFUSED, "reweighting_rounds")
    for words, expression in (("1 MB of sums", "+".join(["1"] * 500_000)), ("1 MB of brackets", "(" * 500_000 + "1" + ")" * 500_000)):
        yield Case(f"an expression of {words}", i.identify(yaml=f'known_torque:\n  joint_1: "{expression}"\n'), REFUSED,
                   "more than 4096")
    yield Case("an expression that assigns", i.identify(yaml='known_torque:\n  joint_1: "q1 = 3"\n'), REFUSED, "expressions cannot assign values")
    yield Case("an expression that repeats itself", i.identify(
        yaml='known_torque:\n  joint_1: "sum(1..1000000000)"\n'), REFUSED)
    yield Case("a second YAML document", i.identify(
        yaml="conditioning: {lowpass_hz: 3}\n---\nconditioning: {lowpass_hz: 4}\n"), REFUSED, "2 YAML documents")
    yield Case("YAML whose aliases multiply to a billion", i.identify(yaml="\n".join(
        ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"] + [f"a{k + 1}: &a{k + 1} [{', '.join([f'*a{k}'] * 10)}]" for k in range(9)])), REFUSED,
               "unknown section 'a0'")
    yield Case("YAML of 100 000 brackets", i.identify(yaml="a: " + "[" * 100_000), REFUSED, "not valid YAML")
    yield Case("--accept of an unknown id", i.identify(None, None, None, "--accept", "error-larg"), REFUSED, "error-larg")
    for option in ("log.torque_scale", "log.torque_offset", "log.position_scale", "log.position_offset", "log.angle_unit",
                   "conditioning.torque_delay_s", "conditioning.dead_band", "conditioning.torque_limit"):
        section, key = option.split(".")
        value = "deg" if key == "angle_unit" else "0.1"
        is_list = key in ("dead_band", "torque_limit")
        if not is_list:
            yield Case(f"{option}: an unknown joint", i.identify(yaml=f"{section}: {{{key}: {{joint_99: {value}}}}}\n"), REFUSED, "joint_99")
        yield Case(f"{option}: two numbers for seven joints", i.identify(yaml=f"{section}: {{{key}: [{value}, {value}]}}\n"), REFUSED, key)
    yield Case("joints.exclude: an unknown joint", i.identify(yaml="joints: {exclude: [joint_99]}\n"), REFUSED, "joint_99")
    yield Case("log.unwrap: an unknown joint", i.identify(yaml="log: {unwrap: [joint_99]}\n"), REFUSED, "joint_99")
    yield Case("log.position: two names for seven joints", i.identify(yaml="log: {position: [a, b]}\n"), REFUSED)


def of_logs(i):
    def later(start, by):
        return "\n".join(i.lines[:start] + [f"{float(line.split(',', 1)[0]) + by:.6f},{line.split(',', 1)[1]}"
                                            for line in i.lines[start:]]) + "\n"
    pause = i.write("pause.csv", later(500, 1e6))
    yield Case("a pause of 1e6 s", i.identify(pause), DONE)
    yield Case("a pause of 1e6 s, to be filled", i.identify(pause, "conditioning: {max_gap_s: 1e7}\n"), REFUSED, "would be filled with")
    yield Case("a pause of 1e6 s on a grid", i.identify(pause, "conditioning: {max_gap_s: 1e7, resample_hz: 1000}\n"), REFUSED)
    yield Case("unwrapped over a pause", i.identify(pause, "log: {unwrap: true}\n"), REFUSED, "are unknown")
    yield Case("check of a log with a pause of 1e6 s", ["check", "--robot", i.arm, "--log", pause], DONE)
    again = i.write("twice.csv", i.columns(lambda k, fields: [fields[0], *fields]))
    yield Case("two columns of time", i.identify(again), REFUSED, "'t'")
    named = i.write("named.csv", i.columns(lambda k, fields: ["time" if k == 0 else fields[0], *fields]))
    yield Case("a column 'time' beside the column 't'", i.identify(named), DONE)
    stamps = i.write("stamps.csv", i.columns(lambda k, fields: (
        ["sec", "nanosec", "t.sec", "t.nanosec", *fields[1:]] if k == 0 else ["1", "0", "1", "0", *fields[1:]])))
    yield Case("two pairs of sec and nanosec", i.identify(stamps), REFUSED)
    yield Case("a log that ends within a number", i.identify(i.write("cut.csv", "\n".join(i.lines)[:-3])), EITHER)
    tiny = i.write("tiny.csv", i.columns(lambda k, fields: [fields[0] if k == 0 else f"{1e-12 * k:.3e}", *fields[1:]]))
    yield Case("steps of 1e-12 s", i.identify(tiny), EITHER)
    huge = i.write("huge.csv", i.columns(lambda k, fields: fields if k == 0 else [fields[0], "1e300", *fields[2:]]))
    yield Case("positions of 1e300", i.identify(huge), EITHER)
    wide = i.write("wide.csv", ",".join(i.lines[0].split(",") + [f"x{k}" for k in range(1_000_000)]) + "\n" + "0," * 10 + "\n")
    yield Case("a million columns", i.identify(wide), REFUSED)
    clocks = i.write("clocks.csv", ",".join(i.lines[0].split(",")[1:] + [f"c{k}.nanosec" for k in range(200_000)]) + "\n" + "0," * 10 + "\n")
    yield Case("200 000 columns of nanoseconds", i.identify(clocks), REFUSED)
    yield Case("a line of 100 MB", i.identify(i.write("line.csv", i.lines[0] + "\n" + "1" * 100_000_000)), REFUSED, "16 MB")
    yield Case("100 MB of zero bytes", i.identify(i.write("zeros.csv", b"\0" * 100_000_000)), REFUSED)
    yield Case("NPY that declares 2^40 rows", i.identify(
        i.write("declared.npy", npy((2**40, 15), b"\0" * 1200)), "log: {columns: [t]}\n"), REFUSED)
    yield Case("NPY that declares a negative size", i.identify(i.write("negative.npy", npy((-5, 15))), "log: {columns: [t]}\n"), REFUSED)
    yield Case("NPY whose size overflows", i.identify(
        i.write("overflow.npy", npy((2**62, 2**62))), "log: {columns: [t]}\n"), REFUSED)
    yield Case("gzip that unpacks to 1 GB", i.identify(i.write("bomb.csv", gzip.compress(b"\0" * (1 << 30), 1))), REFUSED, "gzip")
    yield Case("NPZ", i.identify(i.write("log.npz", b"PK\x03\x04" + b"\0" * 100)), REFUSED, "npz")
    escaped = i.write("escaped.csv", "\n".join(i.lines).replace("tau_joint_7", "tau_\x1b[31mjoint_7\x07\u009b2J", 1))
    for command in (i.identify(escaped), ["check", "--robot", i.arm, "--log", escaped], ["check", "--robot", i.arm, "--log", escaped,
                    "--suggest", i.folder / "suggested.yaml"]):
        yield Case(f"{command[0]}{' --suggest' if '--suggest' in command else ''}: escape bytes in the names of a log", command, EITHER, "31m",
                   quiet_terminal=True)
    robot = i.write("escaped.urdf", chain(2).replace("l2", "l\u009b31m2").replace("j2", "j\u009b31m2"))
    yield Case("observe: escape bytes in the names of a robot", ["observe", robot], DONE, "31m", quiet_terminal=True)
    yield Case("identify: escape bytes in a configuration", i.identify(yaml='log: {torque_scale: {"\\e[31mjoint": 1}}\n'), REFUSED, "31m",
               quiet_terminal=True)
    yield from hdf5_logs(i)


def hdf5_logs(i):
    try:
        import h5py
    except ImportError:
        return
    path = i.folder / "declared.h5"
    with h5py.File(path, "w") as file:
        for name in i.lines[0].split(","):
            file.create_dataset(name, shape=(2**40,), dtype="f8", chunks=(2**16,))
    yield Case("identify: HDF5 that declares 2^40 rows", i.identify(path), REFUSED, "declares 1099511627776 rows")
    yield Case("check: HDF5 that declares 2^40 rows", ["check", "--robot", i.arm, "--log", path], REFUSED, "declares 1099511627776 rows")
    path = i.folder / "bomb.h5"
    with h5py.File(path, "w") as file:
        for name in i.lines[0].split(","):
            file.create_dataset(name, shape=(10**9,), dtype="f8", chunks=(2**20,), compression="gzip", fillvalue=0.0)
    yield Case("HDF5 of 1e9 rows that compress to nothing", i.identify(path), REFUSED)


def of_other_files(i, result, moments):
    yield Case("predict: a result of 1 MB of brackets", ["predict", "--model", i.write("deep.json", "[" * 1_000_000), "--log", i.train,
               "--out", i.folder / "p.csv"], REFUSED)
    yield Case("report: a result of 60 MB of numbers", ["report", i.write("many.json", "[" + "1," * 30_000_000 + "1]"), result], REFUSED)
    content = bytearray(moments.read_bytes())
    for at in range(8, 72, 8):
        content[at:at + 8] = b"\xff\xff\xff\xff\xff\xff\xff\x7f"
        yield Case(f"solve: moments whose count at byte {at} is 2^63", ["solve", i.write(f"moments{at}.heft", bytes(content)), "--out", i.out],
                   REFUSED)
        content = bytearray(moments.read_bytes())
    yield Case("solve: moments cut in half", ["solve", i.write("half.heft", bytes(content[:len(content) // 2])), "--out", i.out], REFUSED)
    for option, value in (("--duration", "1e12"), ("--rate", "1e12"), ("--duration", "nan")):
        words = {"--duration": "10", "--rate": "100", option: value}
        yield Case(f"simulate {option} {value}", ["simulate", "--robot", i.arm, *[w for pair in words.items() for w in pair], "--out",
                   i.folder / "s"], REFUSED)
    for option, value in (("--duration", "1e9"), ("--rate", "1e9"), ("--intervals", "1000000000"), ("--starts", "1000000000")):
        words = {"--duration": "5", "--rate": "100", "--starts": "1", "--time-budget": "1", option: value}
        yield Case(f"excite {option} {value}", ["excite", "--robot", i.arm, *[w for pair in words.items() for w in pair], "--out",
                   i.folder / "e"], EITHER)


def of_the_system(i):
    for megabytes in (60, 100, 160):
        yield Case(f"{megabytes} MB of address space", i.identify(), EITHER, memory_limit=megabytes << 20)
    yield Case("no more threads", i.identify(None, None, None, "--threads", "8"), EITHER, thread_limit=1)
    yield Case("a folder that cannot be written", [*i.identify()[:-1], "/dev/null/out"], REFUSED)
    yield Case("a log without an end", i.identify("/dev/zero"), REFUSED)
    yield Case("a robot without an end", i.identify(robot="/dev/zero"), REFUSED)


def all_cases(inputs, result, moments):
    for group in (of_robots, of_configurations, of_logs, of_the_system):
        yield from group(inputs)
    yield from of_other_files(inputs, result, moments)
