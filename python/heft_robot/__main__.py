"""`python -m heft_robot COMMAND ..` is the program `heft`, which lies beside this file; it also runs fleets on object stores and clusters
(heft_robot.fleet), reads robots from MJCF files (heft_robot.mjcf), `convert-log IN OUT` writes logs of other formats as files that the
program reads (heft_robot.tables), `follow-log FILE` prints the rows of a growing MCAP file for `heft watch` (heft_robot.follow),
`convert-robot IN OUT` writes robots as URDF, MJCF or USD, and `convert-drives IN OUT` friction and rotors of a result
(heft_robot.robot_files)."""
import os
import subprocess
import sys
from pathlib import Path

_MJCF_HELP = """
Robots may also be MuJoCo models (MJCF): pip install mujoco; identify then writes identified.xml (docs/mjcf.md).
  --gravcomp file  if gravcomp differs between bodies, take its torques from the file's masses; otherwise identify refuses the model"""

_MODULE_HELP = """
Further commands of the Python module:
  convert-log IN OUT          write a Parquet, LeRobot, NPZ, MAT, netCDF or ROS 1 log as a file that the commands above read
  convert-robot IN OUT        write a robot as URDF, MJCF or USD
  convert-drives IN OUT       write friction and rotors of a result for Isaac Lab (.json) or as a table (.csv)
  follow-log FILE.mcap        print the rows of a growing recording for heft watch"""

_FLEET_HELP = """
The Python module also takes --store s3://bucket/name, --engine ray or dask and manifests in Parquet:
  python -m heft_robot fleet run --help"""


def main() -> None:
    if sys.argv[1:2] == ["fleet"]:
        from . import fleet, mjcf

        code = mjcf.fleet_command(sys.argv[2:])
        code = fleet.main(sys.argv[2:]) if code is None else code
        if code is not None:
            sys.exit(code)
    if sys.argv[1:2] == ["convert-log"]:
        sys.exit(convert_log(sys.argv[2:]))
    if sys.argv[1:2] == ["convert-robot"]:
        sys.exit(convert_robot(sys.argv[2:]))
    if sys.argv[1:2] == ["follow-log"]:
        sys.exit(follow_log(sys.argv[2:]))
    if sys.argv[1:2] == ["convert-drives"]:
        sys.exit(convert_drives(sys.argv[2:]))
    if any(_holds(word.rpartition("=")[2], b"<mujoco") for word in sys.argv[2:]):
        from .mjcf import command

        code = command(sys.argv[1:])
        if code is not None:
            sys.exit(code)
    program = Path(__file__).with_name("heft")
    if {"-h", "--help"} & set(sys.argv[2:]):
        from .mjcf._command import COMMANDS

        if sys.argv[1] in (*COMMANDS, "fleet"):
            sys.exit(_help(program, _MJCF_HELP if sys.argv[1] != "fleet" or len(sys.argv) > 3 else f"{_FLEET_HELP}\n{_MJCF_HELP}"))
    if sys.argv[1:] in (["-h"], ["--help"], ["help"]):
        sys.exit(_help(program, _MODULE_HELP))
    sys.stdout.flush()
    os.execv(program, ["heft", *sys.argv[1:]])


def _help(program: Path, text: str) -> int:
    """Prints the program's help and what the module adds. Returns the exit code."""
    sys.stdout.flush()
    code = subprocess.call(["heft", *sys.argv[1:]], executable=program)
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader, such as head, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _holds(path: str, text: bytes) -> bool:
    """Whether the start of a file contains the text; cheaper than importing its reader."""
    try:
        with open(path, "rb") as file:
            return text in file.read(1 << 16)
    except (OSError, ValueError):
        return False


USAGE = """Writes a log as a file that heft reads: Parquet, Arrow, LeRobot, NPZ, MAT, netCDF and HDF5 as .npy or .csv, ROS 1 bags as .mcap,
compressed files decompressed.

Usage: python3 -m heft_robot convert-log IN OUT
Example: python3 -m heft_robot convert-log log.parquet log.npy"""


def convert_log(words: list[str]) -> int:
    from . import tables
    from ._errors import HeftError

    if len(words) != 2 or words[0].startswith("-"):
        print(USAGE, file=sys.stdout if words in (["-h"], ["--help"]) else sys.stderr)
        return 0 if words in (["-h"], ["--help"]) else 105  # as the program's for a wrong command line
    try:
        for note in tables.convert(*words):
            print(f"note: {note}", file=sys.stderr)
    except HeftError as error:
        print(f"heft: {error}", file=sys.stderr)
        return 1
    return 0


ROBOT_USAGE = """Writes a robot file in another format: URDF as MJCF or USD, MJCF as URDF or USD. Bodies are preserved to 17 digits; notes
on stderr name what the target format cannot express.

Usage: python3 -m heft_robot convert-robot IN OUT [--floating-base]
  OUT              ends in .urdf, .xml (MJCF), .usda, .usdc or .usd
  --floating-base  the root link of a URDF moves freely
Example: python3 -m heft_robot convert-robot robot.urdf robot.xml"""


def convert_robot(words: list[str]) -> int:
    from . import robot_files
    from ._errors import HeftError

    files = [word for word in words if word != "--floating-base"]
    if len(files) != 2 or any(word.startswith("-") for word in files):
        unknown = [word for word in files if word.startswith("-") and word not in ("-h", "--help")]
        if unknown:
            print(f"heft: {unknown[0]}: unknown option", file=sys.stderr)
        print(ROBOT_USAGE, file=sys.stdout if words in (["-h"], ["--help"]) else sys.stderr)
        return 0 if words in (["-h"], ["--help"]) else 105
    try:
        for note in robot_files.convert_robot(*files, floating_base=len(files) < len(words)):
            print(f"note: {note}", file=sys.stderr)
    except HeftError as error:
        print(f"heft: {error}", file=sys.stderr)
        return 1
    return 0


FOLLOW_USAGE = """Prints the joint states of an MCAP file as lines of CSV, then those that its recorder appends, until the recording ends.

Usage: python3 -m heft_robot follow-log FILE.mcap [--config FILE] [--idle S]
  --config FILE  options for reading (section log), such as log.topics and log.stamp
  --idle S       end when the file has not grown for S seconds; 0, the default: wait for the end of the recording
Example: python3 -m heft_robot follow-log recording.mcap | heft watch --model result"""


def follow_log(words: list[str]) -> int:
    import argparse

    from ._errors import HeftError
    from .follow import follow_rows

    parser = argparse.ArgumentParser(prog="follow-log", add_help=False)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--config")
    parser.add_argument("--idle", type=float, default=0.0)
    parser.error = lambda message: sys.exit(_usage_error(FOLLOW_USAGE, message))
    if words in (["-h"], ["--help"]):
        print(FOLLOW_USAGE)
        return 0
    options = parser.parse_args(words)
    if options.file is None or not 0 <= options.idle < float("inf"):
        return _usage_error(FOLLOW_USAGE, "give the recording" if options.file is None else "--idle must be 0 or more seconds")
    try:
        has_header = False
        for names, rows in follow_rows(options.file, options.config, idle=options.idle):
            if not has_header:
                print(",".join(names))
                has_header = True
            line = ",".join(["%.17g"] * len(names)) + "\n"
            sys.stdout.write(line * len(rows) % tuple(rows.ravel().tolist()))
            sys.stdout.flush()
    except BrokenPipeError:  # heft watch has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 5
    except HeftError as error:
        print(f"heft: {error}", file=sys.stderr)
        return 1
    return 0


DRIVES_USAGE = """Writes friction and rotors of a result: armature and friction as fields of Isaac Lab, or torque against speed as a table.

Usage: python3 -m heft_robot convert-drives result.json OUT
  OUT  ends in .json (fields of ActuatorBaseCfg by joint) or .csv (joint, load, speed, torque)
Example: python3 -m heft_robot convert-drives result/result.json drives.json"""


def convert_drives(words: list[str]) -> int:
    from ._errors import HeftError
    from .robot_files.drives import convert_drives as convert

    if len(words) != 2 or any(word.startswith("-") for word in words):
        print(DRIVES_USAGE, file=sys.stdout if words in (["-h"], ["--help"]) else sys.stderr)
        return 0 if words in (["-h"], ["--help"]) else 105
    try:
        for note in convert(*words):
            print(f"note: {note}", file=sys.stderr)
    except HeftError as error:
        print(f"heft: {error}", file=sys.stderr)
        return 1
    return 0


def _usage_error(usage: str, what: str) -> int:
    print(f"heft: {what}\n{usage}", file=sys.stderr)
    return 105


if __name__ == "__main__":
    main()
