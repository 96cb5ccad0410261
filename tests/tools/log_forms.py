"""One recording in many forms: other units by joint, stamps of many kinds, no header, wrapped angles, empty fields. The answer
must be that of the plain log; what cannot be read right is refused with the remedy."""

import datetime
import json
import math

from heft_program import ARM, JOINTS, PARAMETERS, HeftTestCase, demo_log, run_heft

EPOCH = 1_771_234_567  # seconds since 1970


class Table:
    """A demo log as numbers, to be written in another form."""

    def __init__(self, log="train.csv"):
        text = demo_log(log).read_text().splitlines()
        self.names = text[0].split(",")
        self.columns = dict(zip(self.names, zip(*[map(float, line.split(",")) for line in text[1:]])))

    def column(self, name):
        return self.columns[name]

    def text(self, header=True, **replaced):
        """As a CSV; columns in `replaced` are given as texts."""
        columns = [replaced.get(name) or [f"{x:.17g}" for x in self.column(name)] for name in self.names]
        rows = [",".join(row) for row in zip(*columns)]
        return "\n".join(([",".join(self.names)] if header else []) + rows) + "\n"


def difference(found, wanted):
    """Differences of the parameters of two results, relative to the largest of their kind."""
    worst = 0
    for name in PARAMETERS:
        one, two = ([body["parameters"][name] for body in result["bodies"]] for result in (found, wanted))
        worst = max(worst, max(abs(a - b) for a, b in zip(one, two)) / max(map(abs, two)))
    return worst


class FormsTestCase(HeftTestCase):
    def assert_same_answer(self, log, yaml, tolerance=1e-9, out="formed"):
        """Expects the parameters of the plain log, relative to the largest of their kind."""
        plain = self.identify(out="plain")
        formed = self.identify("--config", self.write("form.yaml", yaml), log=log, out=out)
        self.assertLess(difference(formed, plain), tolerance)
        return formed

    def refused(self, log, yaml, where, says, remedy=""):
        config = self.write("bad.yaml", yaml)
        where = str(where).replace("CONFIG", str(config))
        for command in (["identify", "--out", self.scratch / "out"], ["check"]):
            self.assert_refused([*command, "--robot", ARM, "--log", log, "--config", config], where, says, remedy)


class Stamps(FormsTestCase):
    def stamped(self, make, **options):
        table = Table()
        return self.write("log.csv", table.text(t=[make(x) for x in table.column("t")], **options))

    def checked(self, log):
        run_heft("check", "--robot", ARM, "--log", log, "--json", self.scratch / "found.json")
        return self.scratch / "found.json"

    def test_milliseconds_microseconds_nanoseconds(self):
        for unit, scale in (("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
            log = self.stamped(lambda t: f"{t * scale:.9g}")
            self.assert_same_answer(log, f"log: {{time_unit: {unit}}}\n", 1e-6)

    def test_numbers_of_rows_are_told_from_milliseconds_by_the_user(self):
        """0, 1, 2, .. are the stamps of 1 kHz in ms, too: both remedies are named, and that for row numbers works."""
        rows = iter(range(10**6))
        log = self.stamped(lambda t: str(next(rows)))
        self.assert_refused(["identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out"], "conditioning.lowpass_hz",
                            "0.5 Hz, half the sample rate",
                            "log.time_unit: ms, which makes the rate 1000 Hz; if they count the rows, set log.rate_hz")
        found = json.loads(self.checked(log).read_text())["findings"]
        self.assertIn("; or, if they count the rows, log.rate_hz to the rows per second",
                      next(f["remedy"] for f in found if f["name"] == "time-in-milliseconds"))
        rate = round(1 / (Table().column("t")[1] - Table().column("t")[0]))
        self.assert_same_answer(log, f"log: {{rate_hz: {rate}}}\n", 1e-6)

    def test_epoch_in_any_unit_needs_no_word(self):
        for scale, digits in ((1, 6), (1000, 3), (10**6, 0), (10**9, 0)):
            log = self.stamped(lambda t: f"{EPOCH * scale + round(t * scale, digits):.{digits}f}" if digits else
                               str(EPOCH * scale + round(t * scale)))
            self.assert_same_answer(log, "{}\n", 1e-4)

    def test_texts(self):
        start = datetime.datetime(2026, 2, 28, 23, 59, 59, 250000, datetime.timezone.utc)  # across the month's end
        form = lambda t: (start + datetime.timedelta(microseconds=round(t * 1e6))).isoformat()
        log = self.stamped(form)
        self.assert_same_answer(log, "{}\n", 1e-6)
        self.assert_same_answer(log, "log: {time_unit: iso}\n", 1e-6, out="by_word")
        blank = self.stamped(lambda t: form(t).replace("T", " ").replace("+00:00", "Z"))
        self.assert_same_answer(blank, "{}\n", 1e-6, out="blank")

    def test_seconds_and_nanoseconds(self):
        table = Table()
        nano = [round((t + 0.9) * 1e9) for t in table.column("t")]
        text = table.text().splitlines()
        for names, yaml in (("sec,nanosec", "{}\n"), ("header.stamp.secs,header.stamp.nsecs", "log: {time_unit: sec_nsec}\n"),
                            ("a,b", "log: {time: [a, b]}\n"), ("a,b", "log: {time_unit: sec_nsec, time: [a, b]}\n")):
            lines = [names + "," + ",".join(table.names[1:])]
            lines += [f"{EPOCH + n // 10**9},{n % 10**9}," + line.split(",", 1)[1] for n, line in zip(nano, text[1:])]
            self.assert_same_answer(self.write("log.csv", "\n".join(lines) + "\n"), yaml, 1e-6)

    def test_refusals(self):
        log = self.stamped(lambda t: f"{t:.6f}")
        self.refused(log, "log: {time_unit: minutes}\n", "CONFIG:1", "time_unit must be s, ms, us, ns, iso", "give time_unit")
        self.refused(log, "log: {time_unit: ms, time_scale: 1e-3}\n", "CONFIG:1: log.time_unit",
                     "conflicts with log.time_scale (0.001): both set the unit of stamps", "remove one of them")
        self.refused(log, "log: {time_unit: iso}\n", f"{log}:2: t", "is neither a number nor a time like", "log.time_unit")
        self.refused(log, "log: {time_unit: sec_nsec}\n", f"{log}:1", "no pair of columns for seconds and nanoseconds",
                     "time: [SECONDS, NANOSECONDS]")
        names, *rows = log.read_text().splitlines()
        pairs = self.write("pairs.csv", "\n".join([
            ",".join([f"clock{k}.secs,clock{k}.nsecs" for k in range(50)] + names.split(",")[1:]),
            *(",".join(["1,0"] * 50 + row.split(",")[1:]) for row in rows)]) + "\n")
        self.refused(pairs, "log: {time_unit: sec_nsec}\n", f"{pairs}:1",
                     "has several pairs of columns for seconds and nanoseconds: clock0.secs and clock0.nsecs, clock1.secs and clock1.nsecs, "
                     "clock2.secs and clock2.nsecs, clock3.secs and clock3.nsecs and 46 more\n", "time: [SECONDS, NANOSECONDS]")
        self.refused(log, "log: {time_unit: ms, time: [t, q_joint_1]}\n", "CONFIG:1: log.time", "names two columns", "name one")
        self.refused(log, "log: {time: [t, t]}\n", "CONFIG:1", "time: cannot read", "[seconds, nanoseconds]")
        self.refused(log, "log: {time: [t, q, qd]}\n", "CONFIG:1", "time: cannot read", "[seconds, nanoseconds]")
        broken = self.stamped(lambda t: "2026-13-01T00:00:00Z" if t > 1 else "2026-03-01T00:00:00Z")
        self.refused(broken, "log: {time_unit: iso}\n", f"{broken}:253: t", "'2026-13-01T00:00:00Z' is neither")


class Columns(FormsTestCase):
    def test_no_header(self):
        table = Table()
        log = self.write("log.csv", table.text(header=False))
        n = len(JOINTS)
        first = {name: table.names.index(f"{name}_joint_1") for name in ("q", "tau")}
        by_number = {name: [at + 1 + k for k in range(n)] for name, at in first.items()}
        for yaml in (f"log: {{header: false, time: 1, position: {by_number['q']}, torque: {by_number['tau']}}}\n",
                     f"log: {{header: false, time: 1, position: '{{i+{first['q']}}}', torque: '{{i+{first['tau']}}}'}}\n",
                     f"log: {{header: false, columns: {json.dumps(table.names)}}}\n"):
            result = self.assert_same_answer(log, yaml)
            self.assertIs(result["provenance"]["options"]["log"]["header"], False)
        self.refused(log, "{}\n", f"{log}:1", "the first line contains numbers", "log.header: false")
        self.refused(log, "log: {header: false, columns: [t, q1]}\n", "CONFIG:1: log.columns", "names 2 columns", "in order")
        self.refused(log, "log: {header: false, time: 1, position: [2, 3]}\n", "CONFIG:1: log.position",
                     "names 2 columns for 7 joints", "name one for each")
        self.refused(demo_log("train.csv"), "log: {header: false}\n", f"{demo_log('train.csv')}:1", "the first line contains names",
                     "log.header")

    def test_units_by_joint(self):
        table = Table()
        degrees = [f"{math.degrees(x):.17g}" for x in table.column("q_joint_3")]
        millis = [f"{1000 * x:.17g}" for x in table.column("tau_joint_2")]
        log = self.write("log.csv", table.text(q_joint_3=degrees, tau_joint_2=millis))
        result = self.assert_same_answer(log, "log:\n  angle_unit: {joint_3: deg}\n  torque_scale: {joint_2: 1e-3}\n", 1e-8)
        self.assertEqual(result["provenance"]["options"]["log"]["angle_unit"], {"joint_3": "deg"})
        self.assert_same_answer(log, "log:\n  angle_unit: [rad, rad, deg, rad, rad, rad, rad]\n"
                                     "  torque_scale: [1, 1e-3, 1, 1, 1, 1, 1]\n", 1e-8)
        done = run_heft("predict", "--model", self.scratch / "formed", "--log", log, "--out", self.scratch / "p.csv")
        self.assert_done(done)

    def test_units_that_are_refused_by_name(self):
        log = demo_log("train.csv")
        for yaml, says, remedy in (
                ("torque_scale: {joint_2: x}", "torque_scale of joint_2: cannot read 'x'", "finite number"),
                ("torque_scale: {joint_2: 0}", "torque_scale of joint_2 must not be zero", ""),
                ("torque_scale: {joint_2: 1e300}", "torque_scale of joint_2 must be between", ""),
                ("torque_scale: [1, x]", "torque_scale of joint 2 of the list: cannot read 'x'", "finite number"),
                ("torque_scale: {joint_2: 1, joint_2: 2}", "joint 'joint_2' is given twice", "remove one"),
                ("position_offset: 1e300", "position_offset must be between", ""),
                ("position_offset: {joint_2: .inf}", "position_offset of joint_2: cannot read '.inf'", "finite number"),
                ("angle_unit: {joint_2: grad}", "angle_unit of joint_2 must be rad, deg or auto", ""),
                ("unwrap: sometimes", "unwrap: cannot read 'sometimes'", "write true, false or joints")):
            self.refused(log, f"log:\n  time: t\n  {yaml}\n", "CONFIG:3", says, remedy)
        for key, value in (("log.torque_scale", "{joint_9: 2}"), ("log.angle_unit", "{joint_9: deg}"), ("log.unwrap", "[joint_9]"),
                           ("joints.exclude", "[joint_9]"), ("conditioning.torque_delay_s", "{joint_9: 0.1}")):
            section, name = key.split(".")
            self.refused(log, f"{section}:\n  {name}: {value}\n", f"CONFIG:2: {key}", "unknown joint 'joint_9'",
                         "did you mean 'joint_")
        self.refused(log, "log: {torque_scale: [1, 2]}\n", "CONFIG:1: log.torque_scale", "has 2 values for 7 joints", "one for each")

    def test_wrapped_angles(self):
        table = Table()
        moved = [q + 3 for q in table.column("q_joint_1")]
        wrapped = [(q + math.pi) % (2 * math.pi) - math.pi for q in moved]
        self.assertGreater(max(abs(a - b) for a, b in zip(wrapped, wrapped[1:])), 6, "the log does not wrap at all")
        table.columns["q_joint_1"] = moved
        plain = self.identify(log=self.write("whole.csv", table.text()), out="whole")
        log = self.write("log.csv", table.text(q_joint_1=[f"{x:.17g}" for x in wrapped]))
        for yaml in ("log: {unwrap: [joint_1]}\n", "log: {unwrap: true}\n"):
            found = self.identify("--config", self.write("c.yaml", yaml), log=log, out="wrapped")
            self.assertLess(difference(found, plain), 1e-6)
        done = run_heft("check", "--robot", ARM, "--log", log, "--log.unwrap", "true")
        self.assertNotIn("spikes", done.stdout)
        # without the option it is the first doubt, whose option corrects it, and nothing is called spikes or degrees
        doubted = self.identify(log=log, out="not_unwrapped", exit_code=4)
        first = doubted["doubts"][0]
        self.assertEqual((first["id"], first["joint"], first["severity"]), ("position-wrapped", "joint_1", "serious"))
        self.assertIn('log: {unwrap: ["joint_1"]}', first["remedy"])
        ids = {doubt["id"] for doubt in doubted["doubts"]}
        self.assertFalse(ids & {"signal-spikes", "position-in-degrees"}, ids)
        self.assertEqual(doubted["hypotheses"][0]["yaml"], 'log: {unwrap: ["joint_1"]}\n')
        corrected = self.identify("--config", self.write("corrected.yaml", doubted["hypotheses"][0]["yaml"]), log=log, out="corrected")
        self.assertLess(difference(corrected, plain), 1e-6)
        lines = log.read_text().splitlines()
        gap = self.write("gap.csv", "\n".join(lines[:300] + lines[500:]) + "\n")
        self.refused(gap, "log: {unwrap: [joint_1]}\n", f"{gap}:301", "the turns of joint_1 in a pause of 0.8",
                     "split the log there")

    def test_sparse_columns_are_filled_and_counted(self):
        for every in (5, 2):
            with self.subTest(every=every):
                table = Table()
                held = table.column("tau_joint_4")
                last = (len(held) - 1) // every * every
                straight = list(held)
                for k in range(last):
                    begin, share = k // every * every, k % every / every
                    straight[k] = held[begin] + share * (held[begin + every] - held[begin])
                table.columns["tau_joint_4"] = straight
                whole = self.write("whole.csv", "\n".join(table.text().splitlines()[:last + 2]) + "\n")
                sparse = [f"{x:.17g}" if k % every == 0 else "" for k, x in enumerate(held)]
                text = "\n".join(table.text(tau_joint_4=sparse).splitlines()[:last + 2]) + "\n"
                log = self.write("log.csv", text)
                plain, found = self.identify(log=whole, out="whole"), self.identify(log=log, out="sparse")
                self.assertLess(difference(found, plain), 1e-9)
                self.assertEqual(found["logs"]["training"][0]["interpolated"], {"tau_joint_4": last - last // every})
                self.assertNotIn("interpolated", plain["logs"]["training"][0])

    def merged(self, sets_rows, others, every, late):
        """Two series in one table, one line a stamp: the first in every row of the log, the others at every so many, `late`. The
        same log with the others interpolated."""
        table = Table()
        t = table.column("t")
        place = {name: k for k, name in enumerate(table.names[1:])}
        width = len(place)
        lines = []
        for k, time in enumerate(t):
            fields = [""] * width
            for name in sets_rows:
                fields[place[name]] = f"{table.column(name)[k]:.17g}"
            lines.append((time, fields))
            if k % every == 0 and k + 1 < len(t):
                fields = [""] * width
                share = late / (t[k + 1] - time)
                for name in others:
                    a, b = table.column(name)[k:k + 2]
                    fields[place[name]] = f"{a + share * (b - a):.17g}"
                lines.append((time + late, fields))
        lines.sort(key=lambda line: line[0])
        series = [(time, [float(fields[place[name]]) for name in others]) for time, fields in lines if fields[place[others[0]]]]
        rows, at = [",".join(table.names)], 0
        for k, time in enumerate(t):
            while at + 1 < len(series) and series[at + 1][0] <= time:
                at += 1
            if not series[at][0] <= time <= series[min(at + 1, len(series) - 1)][0]:
                continue
            (begin, a), (end, b) = series[at:at + 2]
            row = dict(zip(others, (x + (time - begin) / (end - begin) * (y - x) for x, y in zip(a, b))))
            row.update((name, table.column(name)[k]) for name in sets_rows)
            rows.append(",".join(f"{x:.17g}" for x in [time] + [row[name] for name in table.names[1:]]))
        first, last = (float(row.split(",")[0]) for row in (rows[1], rows[-1]))
        text = [",".join(table.names)] + [",".join([f"{time:.17g}", *fields]) for time, fields in lines
                                          if first - 1e-9 <= time <= last + 1e-9 or fields[place[others[0]]]]
        return self.write("merged.csv", "\n".join(text) + "\n"), self.write("rows.csv", "\n".join(rows) + "\n")

    def test_series_merged_by_their_stamps(self):
        """As PlotJuggler writes two topics: the more frequent one sets the rows, also of two that are equally frequent."""
        torques = [name for name in Table().names if name.startswith("tau_")]
        motion = [name for name in Table().names[1:] if name not in torques]
        for sets_rows, others, every in ((motion, torques, 1), (motion, torques, 2), (motion, torques, 5), (torques, motion, 2)):
            with self.subTest(every=every, rows=sets_rows[0]):
                merged, rows = self.merged(sets_rows, others, every, late=0.00137)
                found, wanted = self.identify(log=merged, out="merged"), self.identify(log=rows, out="rows")
                self.assertEqual(found["logs"]["training"][0]["samples"], wanted["logs"]["training"][0]["samples"])
                self.assertLess(difference(found, wanted), 1e-9)


class JointsAndMasses(FormsTestCase):
    def test_a_joint_without_torque(self):
        table = Table()
        at = table.names.index("tau_joint_7")
        lines = [",".join(line.split(",")[:at] + line.split(",")[at + 1:]) for line in table.text().splitlines()]
        log = self.write("log.csv", "\n".join(lines) + "\n")
        command = ["identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out"]
        self.assert_refused(command, f"{log}:1", "no column 'tau_joint_7'", "or set log.torque to its pattern")
        self.assertNotIn("did you mean", run_heft(*command).stderr, "q_joint_7 is a position")
        config = self.write("c.yaml", "joints: {exclude: [joint_7]}\n")
        found = self.identify("--config", config, log=log, out="excluded")
        full = self.identify("--config", config, log=demo_log("train.csv"), out="full")
        self.assertEqual(found["bodies"], full["bodies"], "the torque that is there is not looked at")
        self.assertEqual([body["name"] for body in found["bodies"]], [body["name"] for body in self.identify()["bodies"]])
        channels = {channel["name"]: channel for channel in found["channels"]}
        self.assertEqual((channels["joint_7"]["excluded"], channels["joint_7"]["why"]), (True, "joints.exclude"))
        self.assertIsNone(channels["joint_7"]["residual_rms"])
        self.assertEqual((channels["joint_6"]["excluded"], channels["joint_6"]["why"]), (False, None))
        self.assertEqual(found["provenance"]["options"]["joints"]["exclude"], ["joint_7"])
        self.assertNotIn("rows-few", [doubt["id"] for doubt in found["doubts"]])
        for command in (["check", "--robot", ARM, "--config", config],
                        ["predict", "--model", self.scratch / "excluded", "--out", self.scratch / "p.csv"]):
            done = run_heft(*command, "--log", log)
            self.assertIn(done.returncode, (0, 4), done.stderr)

    def test_total_mass_is_held(self):
        free = self.identify(out="free")
        for factor in (0.8, 1.0, 1.3):
            wanted = factor * sum(body["parameters"]["m"] for body in free["bodies"])
            config = self.write("c.yaml", f"estimation: {{total_mass: {wanted:.17g}}}\n")
            found = self.identify("--config", config, out="weighed")
            self.assertAlmostEqual(sum(body["parameters"]["m"] for body in found["bodies"]), wanted, delta=1e-9 * wanted)
            self.assertTrue(found["certificate"]["certified"])
            self.assertNotIn("total-scale", [doubt["id"] for doubt in found["doubts"]])
        config = self.write("c.yaml", "estimation: {total_mass: 12, solver: ols}\n")
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--config", config, "--out",
                             self.scratch / "out"], f"{config}:1: estimation.total_mass", "least squares cannot impose equalities",
                            "estimation.solver")
        self.refused(demo_log("train.csv"), "estimation: {total_mass: 1e300}\n", "CONFIG:1", "total_mass must be at most")

    def test_a_scale_of_all_torques_is_settled_by_a_scale(self):
        table = Table()
        for joint in JOINTS:
            table.columns[f"tau_{joint}"] = [1.6 * x for x in table.column(f"tau_{joint}")]
        log = self.write("log.csv", table.text())
        doubted = self.identify(log=log, out="doubted")
        self.assertIn("total-scale", [doubt["id"] for doubt in doubted["doubts"]])
        weight = sum(body["prior"]["m"] for body in doubted["bodies"])
        settled = self.identify("--estimation.total_mass", weight, log=log, out="settled")
        self.assertNotIn("total-scale", [doubt["id"] for doubt in settled["doubts"]])




class Bounds(FormsTestCase):
    def test_a_pause_is_not_filled_without_end(self):
        lines = Table().text().splitlines()
        later = [f"{float(line.split(',', 1)[0]) + 1e6:.6f},{line.split(',', 1)[1]}" for line in lines[500:]]
        log = self.write("log.csv", "\n".join(lines[:500] + later) + "\n")
        config = self.write("c.yaml", "conditioning: {max_gap_s: 1e7}\n")
        self.assert_refused(["identify", "--robot", ARM, "--log", log, "--config", config, "--out", self.scratch / "out"],
                            f"{config}:1: conditioning.max_gap_s", "would be filled with 2.5e+08 samples", "shorter")
        self.identify(log=log)

    def test_counts_have_bounds(self):
        for yaml, says in (("selection: {folds: 1000000}", "folds must be between 2 and 1000"),
                           ("estimation: {bootstrap: 1000000000}", "bootstrap must be at most 100000")):
            path = self.write("bad.yaml", yaml + "\n")
            self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--config", path, "--out",
                                 self.scratch / "out"], f"{path}:1", says)
