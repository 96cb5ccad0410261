"""`python3 -m heft_robot COMMAND --robot X.xml ..`: runs the program with an MJCF robot as a temporary URDF with options."""
from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from .. import _heft
from .._errors import HeftError
from ..robot import Robot
from . import _check, _excited, _simulated, _urdf, _write
from ._compiled import is_mjcf
from ._beyond import Beyond
from ._options import options_over, options_of_model
from ._parts import Mjcf
from ._read import read
from ._tree import ROOT

#: commands that read a robot, and whether they take the options of heft identify
COMMANDS = {"identify": True, "check": True, "payload": False, "observe": False, "excite": False, "simulate": False, "rows": False}
PROGRAM = Path(__file__).parents[1] / "heft"
_DONE = (0, 3, 4)  # exit codes of an identification that wrote its result


def main(words: list[str]) -> int | None:
    """Runs `words` if they name an MJCF robot and returns the exit code; otherwise returns None."""
    if not words or words[0] not in COMMANDS or {"-h", "--help"} & set(words):
        return None
    at = next((k for k, word in enumerate(words[1:], 1) if _is_robot(words, k)), None)
    if at is None:
        return None
    try:
        return _run(words, at)
    except HeftError as error:
        print(f"heft: {error}", file=sys.stderr)
        return 1


def _is_robot(words: list[str], at: int) -> bool:
    """Whether a word is the robot, or --robot=.., and an MJCF file."""
    word, before = words[at], words[at - 1]
    if word.startswith("--robot="):
        return is_mjcf(word.partition("=")[2])
    is_positional = words[0] in ("check", "observe") and not before.startswith("--")
    return (before == "--robot" or is_positional) and is_mjcf(word)


def _run(words: list[str], at: int) -> int:
    command = words[0]
    model = read(words[at].removeprefix("--robot="))
    words, gravcomp = without(words, "--gravcomp")
    at = next(k for k, word in enumerate(words[1:], 1) if _is_robot(words, k))
    for note in model.notes:
        print(f"note: {note}", file=sys.stderr)
    if command == "identify":
        _write.check_writable(model, option_value(words, "--out", "heft_result"))
    with tempfile.TemporaryDirectory(prefix="heft-") as folder:
        urdf = Path(folder) / f"{Path(model.path).stem}.urdf"
        urdf.write_text(model.urdf if COMMANDS[command] else _with_gravity_down(model, command), encoding="utf-8")
        words = [*words[:at], ("--robot=" if words[at].startswith("--robot=") else "") + str(urdf), *words[at + 1:]]
        keeps = False
        if COMMANDS[command]:
            words, keeps = _with_options(model, words, Path(folder) / "options.yaml", gravcomp or "refuse")
        elif model.floating_base and command in ("observe", "rows") and not {"--floating", "--moving-base"} & set(words):
            words.append("--floating")
        beyond = _beyond(model, words) if command in ("simulate", "excite") else None
        if command == "check" and not {"--log", "--fix", "--suggest"} & {word.partition("=")[0] for word in words}:
            return _checked(model, words, urdf)
        code = _program(words, _Places(model, urdf), command == "check")
        if command in ("simulate", "excite") and code == 0:
            _add_torques(model, words, command, beyond)
        if command == "identify" and code in _DONE:
            code = _finish(model, words, urdf, keeps) or code
    return code


def option_value(words: list[str], option: str, default: str | None = None) -> str | None:
    """The value of an option, the last one given."""
    for k in range(len(words) - 1, -1, -1):
        if words[k] == option and k + 1 < len(words):
            return words[k + 1]
        if words[k].startswith(option + "="):
            return words[k].partition("=")[2]
    return default


def without(words: list[str], option: str) -> tuple[list[str], str | None]:
    """`words` without an option that the program does not know, and its value."""
    value, kept, skip = option_value(words, option), [], False
    for word in words:
        if not skip and word != option and not word.startswith(option + "="):
            kept.append(word)
        skip = word == option
    return kept, value


def _with_options(model: Mjcf, words: list[str], path: Path, gravcomp: str) -> tuple[list[str], bool]:
    """`words` with a configuration in which the user's options override the model's, and whether dynamics stay unchanged."""
    config = option_value(words, "--config")
    if words[0] == "check" and option_value(words, "--log") is None:
        return words, False  # a robot alone needs none
    options = options_over(options_of_model(model, gravcomp), config, _heft.Configuration(), over=_locked(words))
    path.write_text(options.yaml, encoding="utf-8")
    kept, _ = without(words, "--config")
    keeps = "--keep-dynamics" in words or bool(json.loads(options.json)["estimation"].get("keep_dynamics"))
    return [*kept, "--config", str(path)], keeps


def _locked(words: list[str]) -> dict | None:
    """Joints that a flag locks: the model's options depend on them. {a: 0.02}, a=0.02,b=0 or [a, b]."""
    value = option_value(words, "--joints.locked")
    if value is None:
        return None
    inside = value.strip().strip("{}[]")
    pairs = [re.split(r"[=:]", part, maxsplit=1) for part in inside.split(",") if part.strip()]
    try:
        return {"joints": {"locked": {pair[0].strip(): float(pair[1]) if len(pair) > 1 else 0.0 for pair in pairs}}}
    except ValueError:
        return None  # the program says what is wrong


def _computed_gravity(model: Mjcf) -> np.ndarray:
    """Gravity of _with_gravity_down() in the axes of the model's world."""
    gravity = np.array(model.config["robot"]["gravity"])
    size = float(np.linalg.norm(gravity))
    return np.array([0, 0, -9.81]) if model.floating_base or size == 0 else 9.81 / size * gravity


def _beyond(model: Mjcf, words: list[str]) -> Beyond:
    """Torques that the program leaves out of the command `words`."""
    locked = (_locked(words) or {}).get("joints", {}).get("locked", {})
    robot = Robot.from_urdf_text(model.urdf, model.path, model.floating_base, locked=locked)
    beyond = Beyond(model, robot, _computed_gravity(model), locked)
    if words[0] == "simulate":
        _simulated.check(model, robot)
    if words[0] == "simulate" and option_value(words, "--sensor") is not None and beyond.depends_on_masses:
        raise HeftError(model.path, "a sensor's log under gravity other than 9.81 m/s^2, or with gravcomp, is not simulated",
                        "omit --sensor, or simulate a copy of the model without them")
    return beyond


def _add_torques(model: Mjcf, words: list[str], command: str, beyond: Beyond) -> None:
    """Adds the torques that the program left out to simulated logs; for a designed motion, reports joints near their torque limits."""
    if command == "excite":
        for note in _excited.notes(beyond, Path(option_value(words, "--out", "."))):
            print(f"note: {model.path}: {note}", file=sys.stderr)
        return
    number = lambda option, default: type(default)(option_value(words, option, default))  # noqa: E731
    seed, speed, latency = number("--trajectory-seed", 1), number("--speed", 0.5), number("--latency", 0.0)
    motions = {"train.csv": _simulated.Motion(seed, speed, latency, option_value(words, "--motion")),
               "held_out.csv": _simulated.Motion(seed + 1, speed, latency)}
    _simulated.complete(model, beyond, Path(option_value(words, "--out", "heft_demo")), motions)


def _with_gravity_down(model: Mjcf, command: str) -> str:
    """The URDF in a world whose gravity points along -z, for commands without a gravity option."""
    gravity = np.array(model.config["robot"]["gravity"])
    size = float(np.linalg.norm(gravity))
    if abs(size - 9.81) > 1e-6 and command not in ("payload", "simulate", "excite", "observe"):  # payload has an option
        print(f"note: {model.path}: heft {command} computes with 9.81 m/s^2, the model has {size:g} m/s^2", file=sys.stderr)
    if model.floating_base or size == 0 or gravity[2] < 0 == np.hypot(*gravity[:2]):
        return model.urdf
    z = -gravity / size
    x = np.cross([0.0, 1, 0] if abs(z[1]) < 0.9 else [1.0, 0, 0], z)
    x /= np.linalg.norm(x)
    rpy = _urdf.numbers(_urdf.roll_pitch_yaw(np.array([x, np.cross(z, x), z])))
    joint = (f'  <link name="{ROOT}.down"/>\n  <joint name="{ROOT}.down" type="fixed">\n    <origin rpy="{rpy}"/>\n'
             f'    <parent link="{ROOT}.down"/>\n    <child link="{ROOT}"/>\n  </joint>\n')
    return model.urdf.replace("</robot>", joint + "</robot>")


class _Places:
    """Translates places in the temporary URDF to places in the MJCF file."""

    def __init__(self, model: Mjcf, urdf: Path):
        self._path, self._urdf = model.path, str(urdf)
        where = {("link", body.link): body.where for body in model.bodies if body.link}
        where.update({("joint", joint.name): joint.where for joint in model.joints})
        self._lines, at = [], model.path
        for line in urdf.read_text(encoding="utf-8").splitlines():
            start = re.match(r'\s*<(link|joint) name="([^"]*)"', line)
            at = where.get(start.groups(), model.path) if start else at
            self._lines.append(at)

    def __call__(self, text: str) -> str:
        text = re.sub(re.escape(self._urdf) + r":(\d+)", self._line, text)
        return text.replace(self._urdf, self._path).replace(json.dumps(self._urdf)[1:-1], json.dumps(self._path)[1:-1])

    def _line(self, match) -> str:
        number = int(match.group(1)) - 1
        return self._lines[number] if number < len(self._lines) else self._path


def _program(words: list[str], places: _Places, both: bool) -> int:
    """Runs the program; its errors, and with `both` also its output, name places in the MJCF file."""
    sys.stdout.flush()
    process = subprocess.Popen([PROGRAM, *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE if both else None, text=True)
    threads = [threading.Thread(target=_relay, args=(process.stderr, sys.stderr, places))]
    if both:
        threads.append(threading.Thread(target=_relay, args=(process.stdout, sys.stdout, places)))
    for thread in threads:
        thread.start()
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        code = process.wait()
    except KeyboardInterrupt:  # the program got it, too, and ends by itself
        code = process.wait()
    finally:
        signal.signal(signal.SIGTERM, before)
    for thread in threads:
        thread.join()
    return code if code >= 0 else 128 - code


def _checked(model: Mjcf, words: list[str], urdf: Path) -> int:
    """`heft check` of the robot alone: findings of the program and of MJCF in one table."""
    path = option_value(words, "--json")
    found = urdf.with_suffix(".json")
    given = [word for k, word in enumerate(words) if not word.startswith("--json") and words[k - 1] != "--json"]
    done = subprocess.run([PROGRAM, *given, "--json", str(found)], capture_output=True, text=True)
    places = _Places(model, urdf)
    if not found.exists():
        sys.stderr.write(places(done.stderr))
        return done.returncode or 1
    document = _check.report(model, json.loads(places(found.read_text(encoding="utf-8"))))
    print(_check.text_of(document))
    if path is not None:
        _check.save(document, path)
        print(f"json: {path}")
    return int(document["errors"] > 0 or ("--strict" in words and document["warnings"] > 0))


def _relay(source, target, places: _Places) -> None:
    for line in source:
        target.write(places(line))
        target.flush()


def _finish(model: Mjcf, words: list[str], urdf: Path, keeps: bool) -> int:
    """Writes identified.xml next to the result, whose files then name the MJCF file."""
    out = Path(option_value(words, "--out", "heft_result"))
    places = _Places(model, urdf)
    digests = [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in (urdf, model.path)]
    for name in ("result.json", "report.html"):
        path, aside = out / name, out / f"{name}.part"
        aside.write_text(places(path.read_text(encoding="utf-8")).replace(*digests), encoding="utf-8")
        os.replace(aside, path)
    document = json.loads((out / "result.json").read_text(encoding="utf-8"))
    path, notes = _write.write(model, document, out, keeps)
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    if "--quiet" not in words:
        print(f"model:  {path}")
    return 0
