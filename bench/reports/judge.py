"""Runs the program and judges its output from the point of view of a reader who follows its advice.

A judge raises Wrong with what is wrong; returning means right. Doubts are told by their ids (INTERFACES), errors by words that any
reasonable message would have; a remedy is the YAML or flag that the program prints, applied as it stands.
"""

import copy
import json
import pathlib
import re
import resource
import subprocess

import numpy
import yaml

import arms

SECTIONS = ("log", "conditioning", "robot", "joints", "payload", "estimation", "columns")
BASE = {"conditioning": {"lowpass_hz": 10, "trim": 60, "keep_every": 2}}
CONTROLLER_FILES = ("payload_franka.json", "payload_ur.txt", "payload_ros2.yaml")


OPTION = re.compile(
    r"(?<![-\w])(log|conditioning|robot|estimation|payload)\.([a-z_]+): (\[[^\]]*\]|\{[^}]*\}|\"[^\"]*\"|'[^']*'|-?[\w.]+)(?<!\.)"
)  # set log.angle_unit: deg


class Wrong(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Wrong(why)


class Done:
    """One run: exit code, output as bytes and as text, written files."""

    def __init__(self, code, out, err, folder, cpu_s=0.0):
        self.code, self.raw, self.folder, self.cpu_s = code, out + err, folder, cpu_s
        self.out, self.err = out.decode(errors="replace"), err.decode(errors="replace")

    @property
    def said(self):
        return self.out + "\n" + self.err

    def json(self, name="result.json"):
        path = self.folder / name
        if not path.exists():
            raise Wrong(f"no {name} (exit {self.code}): {first_line(self.err)}")
        return json.loads(path.read_text())

    @property
    def doubts(self):
        return [d for d in self.json().get("doubts", []) if not d.get("accepted")]

    @property
    def serious(self):
        return [d for d in self.doubts if d["severity"] == "serious"]

    @property
    def ids(self):
        return [d["id"] for d in self.serious]

    @property
    def green(self):
        return self.code == 0 and (self.folder / "result.json").exists() and self.json()["verdict"]["level"] == "green"


def first_line(text):
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return " | ".join(lines[:3])[:300]


def merged(into, more):
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merged(into[key], value)
        else:
            into[key] = value
    return into


def balanced(text, start):
    """The {..} that begins at `start`, or None."""
    depth = 0
    for k in range(start, len(text)):
        depth += (text[k] in "{[") - (text[k] in "}]")
        if depth == 0:
            return text[start : k + 1]
    return None


def snippets(text):
    """Every configuration that a text proposes: `log: {..}` in a line, or sections in indented block style."""
    found = []
    for match in re.finditer(r"\b(" + "|".join(SECTIONS) + r"): *(?=\{)", text):
        body = balanced(text, match.end())
        if body:
            found.append(f"{match.group(1)}: {body}")
    lines = text.splitlines()
    for k, line in enumerate(lines):
        match = re.match(r"^( *)(" + "|".join(SECTIONS) + r"):\s*(#.*)?$", line)
        if match:
            indent, block = len(match.group(1)), [line]
            for other in lines[k + 1 :]:
                if other.strip() and len(other) - len(other.lstrip()) <= indent:
                    break
                block.append(other)
            found.append("\n".join(one[indent:] for one in block))
    return found


def flags(text):
    """Flags with a dot that a text proposes: `--log.time '# t'`."""
    return [
        [name, value.strip("'\"")]
        for name, value in re.findall(
            r"(--(?:log|conditioning|robot|joints|payload)\.[a-z_]+)[ =]('[^']*'|\"[^\"]*\"|\[[^\]]*\]|\{[^}]*\}|[^\s;,)]+)",
            text,
        )
    ]


def parsed(snippet):
    try:
        value = yaml.safe_load(snippet)
    except yaml.YAMLError:
        return None
    return value if isinstance(value, dict) else None


def has_placeholder(value):
    """A placeholder for a number that the reader fills in: `{joint: ..}` or a word in capitals."""
    return bool(re.search(r"\.\.|<[^>]+>|\bPOSITION\b|\bVALUE\b", json.dumps(value)))


def remedies_in(*texts, to_fill_in=False):
    """Configurations that texts propose, in their order; those with placeholders only on request."""
    found = []
    for text in filter(None, texts):
        for snippet in snippets(text):
            value = parsed(snippet)
            if value and (to_fill_in or not has_placeholder(value)) and value not in found:
                found.append(value)
        for section, key, value in OPTION.findall(text):
            one = parsed(f"{section}: {{{key}: {value}}}")
            if one is None:
                continue
            if not has_placeholder(one) and one not in found:
                found.append(one)
        for name, value in flags(text):
            section, key = name[2:].split(".", 1)
            try:
                number = yaml.safe_load(value)
            except yaml.YAMLError:
                number = None
            one = {section: {key: value if number is None else number}}
            if not has_placeholder(one) and one not in found:
                found.append(one)
    return found


class Bench:
    """A scratch folder and the program; the argument of every case."""

    def __init__(self, heft, folder):
        self.heft, self.folder, self.count, self.clean = pathlib.Path(heft).resolve(), pathlib.Path(folder), 0, {}

    def path(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name, content):
        return arms.write(self.path(name), content)

    def run(self, *words, limit_s=180):
        self.count += 1
        folder = self.folder / f"out{self.count}"
        words = [str(w).replace("@OUT", str(folder)) for w in words]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run([self.heft, *words], cwd=self.folder, capture_output=True, timeout=limit_s)
        except subprocess.TimeoutExpired:
            raise Wrong(f"{words[0]}: no end within {limit_s} s") from None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode < 0:
            raise Wrong(f"{words[0]}: killed by signal {-done.returncode}")
        return Done(done.returncode, done.stdout, done.stderr, folder, after.ru_utime - before.ru_utime)

    def config(self, content):
        self.count += 1
        return self.write(
            f"config{self.count}.yaml", content if isinstance(content, str) else yaml.safe_dump(content, allow_unicode=True)
        )

    def identify(self, robot, log, *flags, held=None, config=None):
        words = [
            "identify",
            "--robot",
            robot,
            "--log",
            log,
            "--config",
            self.config(BASE if config is None else config),
            "--out",
            "@OUT",
        ]
        return self.run(*words, *(["--validate", held] if held else []), *flags)

    def check(self, *words):
        """`heft check` with the findings."""
        done = self.run("check", *words, "--json", "@OUT.json")
        path = pathlib.Path(str(done.folder) + ".json")
        done.findings = json.loads(path.read_text())["findings"] if path.exists() else None
        return done


class Rig:
    """A robot, its file and its logs on disk; `fault` changes every log, `write` writes it."""

    def __init__(
        self,
        bench,
        robot,
        *,
        fault=None,
        clean_logs=None,
        recorder=arms.record,
        how=None,
        seeds=(1, 2),
        prior=5,
        standing=None,
        names=None,
        write=None,
        suffix="csv",
        kinds=("q", "tau"),
        held=True,
        tag="",
    ):
        self.bench, self.robot, self.standing = bench, robot, standing or {}
        how = how or {}
        if standing is not None or names is not None:
            how = {**how, "standing": standing, "names": names}
        self.urdf = bench.write(f"{tag}robot.urdf", robot.urdf(prior=prior))
        self.logs = [recorder(robot, seed, **how) for seed in seeds]
        faulty = self.logs if fault is None else [fault(log) for log in self.logs]
        writer = write or (lambda path, log: arms.write_csv(path, log, kinds))
        self.train, self.held = (bench.path(f"{tag}{name}.{suffix}") for name in ("train", "held"))
        writer(self.train, faulty[0])
        writer(self.held, faulty[1])
        self.clean_train, self.clean_held = (bench.path(f"{tag}clean_{name}.csv") for name in ("train", "held"))
        if clean_logs:
            self.logs = clean_logs
        for path, log in zip((self.clean_train, self.clean_held), self.logs):
            arms.write_csv(path, log)
        self._clean_error = None

    def identify(self, *flags, config=None, held=True):
        return self.bench.identify(self.urdf, self.train, *flags, held=self.held if held else None, config=config)

    def error(self, done):
        """How far the torques of the identified bodies are from those of the true ones, for the worst joint, relative to the torque of what
        it carries."""
        path = done.folder / "identified.urdf"
        if not path.exists():
            raise Wrong(f"nothing identified (exit {done.code}): {first_line(done.err)}")
        text = re.sub(r'type="continuous"', 'type="revolute"', path.read_text())
        text = re.sub(r"<limit[^>]*/>", '<limit lower="-99" upper="99" effort="1" velocity="1"/>', text)
        text = re.sub(r'type="floating"', 'type="fixed"', text)
        log = self.logs[1]
        chosen = numpy.arange(0, len(log.t), max(1, len(log.t) // 200))
        try:
            found = arms.rigid_torque(text, log.names, log.q[chosen], log.qd[chosen], log.qdd[chosen], standing=self.standing)
        except Exception as refused:  # a URDF that Pinocchio cannot read is wrong, too
            raise Wrong(f"Pinocchio refuses identified.urdf: {first_line(str(refused))}") from None
        truth = arms.rigid_torque(
            self.robot.urdf(for_pinocchio=True),
            log.names,
            log.q[chosen],
            log.qd[chosen],
            log.qdd[chosen],
            standing=self.standing,
        )
        size = numpy.sqrt(numpy.mean(truth**2, axis=0))
        off = numpy.sqrt(numpy.mean((found - truth) ** 2, axis=0))
        return float(numpy.max(off / (size + 0.05 * size.max())))

    def clean_error(self):
        if self._clean_error is None:
            config = copy.deepcopy(BASE)
            if self.standing:
                config["joints"] = {"locked": dict(self.standing)}
            done = self.bench.identify(self.urdf, self.clean_train, held=self.clean_held, config=config)
            try:
                self._clean_error = self.error(done)
            except Wrong:
                self._clean_error = 0.015
        return self._clean_error

    def is_accurate(self, done, slack=0.015):
        return self.error(done) <= max(2 * self.clean_error(), self.clean_error() + slack)

    def need_right(self, done, what="", slack=0.015, amber=False):
        """The result is that of the clean log, and green."""
        need(done.code in (0, 4), f"{what}exit {done.code}: {first_line(done.err)}")
        need(
            self.is_accurate(done, slack),
            f"{what}{'green, but ' if done.green else ''}bodies off by {100 * self.error(done):.1f} % "
            f"(clean {100 * self.clean_error():.1f} %); doubts {done.ids}",
        )
        need(amber or done.green, f"{what}right bodies, but doubts {done.ids}")


def words_of(doubt):
    return " ".join(str(doubt.get(k) or "") for k in ("words", "remedy"))


def named(done, ids, pattern):
    """Open serious doubts with these ids or words; for an error, its text."""
    if done.code not in (0, 3, 4):
        return [{"id": "refused", "words": done.err, "remedy": ""}] if pattern and re.search(pattern, done.err, re.I) else []
    return [d for d in done.serious if d["id"] in ids or (pattern and re.search(pattern, words_of(d), re.I))]


def need_fixed(rig, ids, pattern=None, slack=0.03, rounds=4, amber=False, yaml_needed=True, run=None, config=None):
    """Right at once, or named and fixed by the printed remedy, in at most as many steps as one fault per joint takes."""
    config = copy.deepcopy(BASE if config is None else config)
    run = run or (lambda config: rig.identify(config=config))
    applied = []
    for step in range(rounds):
        done = run(config)
        if done.code == 0 and done.green:
            need(
                rig.is_accurate(done, slack),
                f"silent: green after {applied}, bodies off by {100 * rig.error(done):.1f} % "
                f"(clean {100 * rig.clean_error():.1f} %)",
            )
            return
        found = named(done, ids, pattern)
        if not found:
            if step and done.code == 4 and amber and rig.is_accurate(done, slack):
                return
            raise Wrong(
                f"not named{f' after {applied}' if applied else ''}: "
                + (f"doubts {done.ids}" if done.code in (0, 3, 4) else f"exit {done.code}: {first_line(done.err)}")
            )
        if not yaml_needed:
            return
        texts = [words_of(d) for d in found]
        if done.code in (0, 4):
            texts += [h.get("yaml") or "" for h in done.json().get("hypotheses", []) if h["id"] in ids]
        offers = [one for one in remedies_in(*texts) if one not in applied]
        if not offers and step and amber and done.code == 4 and rig.is_accurate(done, slack):
            return
        need(
            offers,
            f"named ({[d['id'] for d in found]}), but no remedy to apply{f' after {applied}' if applied else ''}: {first_line(words_of(found[0]))}",
        )
        merged(config, copy.deepcopy(offers[0]))
        applied.append(offers[0])
    done = run(config)
    need(done.code in (0, 4), f"after {applied}: exit {done.code}: {first_line(done.err)}")
    rig.need_right(done, f"after {applied}: ", slack, amber)


def need_named(done, ids, pattern=None):
    need(
        named(done, ids, pattern),
        "not named: "
        + (
            f"{'green' if done.green else ''} doubts {done.ids}"
            if done.code in (0, 3, 4)
            else f"exit {done.code}: {first_line(done.err)}"
        ),
    )


def need_clean(rig, ids=(), done=None, slack=0.015):
    """An intact log stays green, and none of these rules has a finding of any severity."""
    done = done or rig.identify()
    rig.need_right(done, "clean log: ", slack)
    spoken = [d["id"] for d in done.doubts if d["id"] in ids]
    need(not spoken, f"false alarm {spoken}")


def reason_in(error):
    """The words of an error, without the lists of columns that it shows."""
    lines = [line for line in error.splitlines() if not line.startswith("    ")]
    return re.sub(r"(the header has|did you mean) [^;\n]*", "", "\n".join(lines))


def need_refused(done, pattern, never=None):
    need(done.code == 1, f"not refused (exit {done.code})")
    need(re.search(pattern, reason_in(done.err), re.I | re.S), f"reason: {first_line(done.err)}")
    need(never is None or not re.search(never, done.err, re.I), f"bad advice: {first_line(done.err)}")


def need_silent(done, names, severities=("error", "warning", "note")):
    """`heft check` has no finding of these names (patterns)."""
    need(done.findings is not None, f"check exit {done.code}: {first_line(done.err)}")
    said = [
        f"{f['severity']} {f['name']} {f.get('subject')}"
        for f in done.findings
        if f["severity"] in severities and any(re.fullmatch(n, f["name"]) for n in names)
    ]
    need(not said, f"false: {said[:3]}")


def need_finding(done, names, severities=("error",), subject=None):
    need(done.findings is not None, f"check exit {done.code}: {first_line(done.err)}")
    hit = [
        f
        for f in done.findings
        if f["severity"] in severities
        and any(re.fullmatch(n, f["name"]) for n in names)
        and (subject is None or subject in str(f.get("subject")))
    ]
    need(hit, f"no {'/'.join(names)}: {[(f['severity'], f['name']) for f in done.findings][:6]}")
    return hit


def need_fit_for_terminals(done):
    """Output is UTF-8 without control characters."""
    try:
        text = done.raw.decode()
    except UnicodeDecodeError as bad:
        raise Wrong(f"output is not UTF-8: byte {done.raw[bad.start]:#x}") from None
    odd = sorted({f"{ord(c):#x}" for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160})
    need(not odd, f"control characters {odd} in the output")
