"""heft identify --moments, heft solve: the same result without the logs, and rejected files."""

import hashlib
import json
import pathlib
import random
import struct
import subprocess
import unittest
import zlib

from heft_program import ARM, JOINTS, PEER_INTERPRETER, PROGRAM, HeftTestCase, demo_log, run_heft


def answer_of(result):
    values = {f"{body['name']}.{key}": value for body in result["bodies"] for key, value in body["parameters"].items()}
    values.update({column["name"]: column["value"] for column in result["columns"]})
    return values


def without_filter(uncertainty):
    """All but the part of the low-pass in the intervals, for which logs are needed."""
    def rest(rows):
        return [{key: value for key, value in row.items() if key not in ("systematic", "half_width", "interval")} for row in rows]
    return {**uncertainty, "words": [], "base_parameters": rest(uncertainty["base_parameters"]), "parameters": rest(uncertainty["parameters"])}


class MomentsFile(HeftTestCase):
    def setUp(self):
        super().setUp()
        self.moments = self.scratch / "train.heft"
        self.result = self.identify("--moments", self.moments)

    def solve(self, *arguments, out="again"):
        done = run_heft("solve", *arguments, "--out", self.scratch / out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.scratch / out / "result.json").read_text())

    def test_same_answer_without_the_logs(self):
        again = self.solve(self.moments)
        self.assertEqual(answer_of(again), answer_of(self.result))
        self.assertEqual(again["certificate"], self.result["certificate"])
        self.assertEqual(without_filter(again["uncertainty"]), without_filter(self.result["uncertainty"]))
        for ours, with_logs in zip(again["uncertainty"]["base_parameters"], self.result["uncertainty"]["base_parameters"], strict=True):
            self.assertNotIn("systematic", ours)
            self.assertLess(ours["half_width"], with_logs["half_width"])
        self.assertEqual(again["provenance"]["options"], self.result["provenance"]["options"])
        self.assertEqual(again["provenance"]["inputs"], self.result["provenance"]["inputs"])
        # training error from the sums instead of a second pass
        self.assertAlmostEqual(again["training"]["overall_relative"], self.result["training"]["overall_relative"],
                               delta=1e-6)

    def test_other_prior_weight(self):
        again = self.solve(self.moments, "--prior-weight", "0.1")
        direct = self.identify("--prior-weight", "0.1", out="direct")
        self.assertEqual(answer_of(again), answer_of(direct))
        self.assertNotEqual(answer_of(again), answer_of(self.result))

    def test_two_files_are_both_logs(self):
        second = self.scratch / "held_out.heft"
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("held_out.csv"), "--moments", second,
                        "--out", self.scratch / "second")
        self.assertEqual(done.returncode, 0, done.stderr)
        added = answer_of(self.solve(self.moments, second))
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--log", demo_log("held_out.csv"),
                        "--out", self.scratch / "both")
        self.assertEqual(done.returncode, 0, done.stderr)
        both = answer_of(json.loads((self.scratch / "both" / "result.json").read_text()))
        for name, value in both.items():
            self.assertAlmostEqual(added[name], value, delta=1e-7 * (1 + abs(value)), msg=name)

    def test_from_a_pipe(self):
        done = subprocess.run([PROGRAM, "solve", "/dev/stdin", "--out", self.scratch / "piped"], capture_output=True,
                              input=self.moments.read_bytes(), timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(answer_of(json.loads((self.scratch / "piped" / "result.json").read_text())),
                         answer_of(self.result))

    def test_damaged_files_are_refused(self):
        whole = self.moments.read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 1
        for name, content, says in [("empty", b"", "is empty"), ("text", b"t,q1,tau1\n", "is not a moments file"),
                                    ("byte", whole[:1], "is truncated"), ("head", whole[:40], "is truncated"),
                                    ("cut", whole[:-9], f"is truncated: it has {len(whole) - 9} bytes of {len(whole)}"),
                                    ("flipped", bytes(flipped), "checksum"), ("longer", whole + b"x", "after its end"),
                                    ("old", b"heft-moments-1\n2\n{}", "older format heft-moments-1"),
                                    ("new", b"heft-moments-3\n\n" + whole[16:], "newer format heft-moments-3"),
                                    ("swapped", whole[:16] + whole[16:24][::-1] + whole[24:], "other byte order")]:
            path = self.scratch / f"{name}.moments"
            path.write_bytes(content)
            self.assert_refused(["solve", path, "--out", self.scratch / name], path, says)
            is_no_log = "is neither a moments file" if name in ("text", "byte") else says
            self.assert_refused(["info", path], path, is_no_log)
            self.assert_refused(["moments", self.moments, path, "--out", self.scratch / name], path, says)

    def test_stands_by_itself(self):
        """Neither robot file nor logs nor meshes are needed, wherever the file is."""
        alone = self.scratch / "alone"
        alone.mkdir()
        robot = self.write("gone.urdf", pathlib.Path(ARM).read_text())
        log = self.write("gone.csv", demo_log("train.csv").read_bytes())
        direct = self.identify("--moments", alone / "m.heft", robot=robot, log=log, out="direct")
        robot.unlink()
        log.unlink()
        done = run_heft("solve", "m.heft", "--out", "again", cwd=alone)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(answer_of(json.loads((alone / "again" / "result.json").read_text())), answer_of(direct))
        self.assertEqual((alone / "again" / "identified.urdf").read_bytes(),
                         (self.scratch / "direct" / "identified.urdf").read_bytes())

    def test_bytes_are_a_function_of_the_content(self):
        again = self.scratch / "again.heft"
        self.identify("--moments", again, "--threads", "3", out="other")
        self.assertEqual(again.read_bytes(), self.moments.read_bytes())
        copy = self.scratch / "copy.heft"
        done = run_heft("moments", self.moments, "--out", copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(copy.read_bytes(), self.moments.read_bytes())

    def test_compact(self):
        small = self.scratch / "small.heft"
        done = run_heft("moments", self.moments, "--compact", "--out", small)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("compact", done.stdout)
        self.assertLessEqual(small.stat().st_size, 40_000)
        again = self.solve(small)
        self.assertEqual(answer_of(again), answer_of(self.result))
        self.assertEqual(again["certificate"], self.result["certificate"])
        self.assertIn("compact", again["uncertainty"]["no_intervals"])
        done = run_heft("solve", small, "--prior-weight", "auto", "--out", self.scratch / "auto")
        self.assertEqual(done.returncode, 1)
        self.assertIn("compact", done.stderr)
        self.assertIn("compact", run_heft("info", small).stdout)
        # what is added to a compact file is compact, too
        done = run_heft("moments", self.moments, small, "--out", self.scratch / "sum.heft")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual((self.scratch / "sum.heft").stat().st_size, 40_000)

    def test_added_files_solve_as_the_files_do(self):
        second = self.scratch / "held_out.moments"
        self.identify("--moments", second, log=demo_log("held_out.csv"), out="second")
        both = self.scratch / "both.heft"
        done = run_heft("moments", self.moments, second, "--out", both)
        self.assertEqual(done.returncode, 0, done.stderr)
        direct, added = self.solve(self.moments, second, out="direct"), self.solve(both, out="added")
        for key in ("bodies", "columns", "uncertainty", "certificate"):
            self.assertEqual(added[key], direct[key])
        self.assert_refused(["moments", self.moments, second, "--out", second], second, "")

    def edited(self, name, edit):
        """The moments with another description and the right checksum."""
        content = self.moments.read_bytes()
        head = list(struct.unpack("<7Q", content[16:72]))
        description = json.loads(zlib.decompress(content[72:72 + head[3]]))
        numbers = content[(72 + head[3] + 7) // 8 * 8:-64]
        edit(description)
        plain = json.dumps(description).encode()
        packed = zlib.compress(plain)
        begin = (72 + len(packed) + 7) // 8 * 8
        head[1:4] = [begin + len(numbers) + 64, len(plain), len(packed)]
        content = (content[:16] + struct.pack("<7Q", *head) + packed).ljust(begin, b"\0") + numbers
        return self.write(name, content + hashlib.sha256(content).hexdigest().encode())

    def test_merge_across_builds(self):
        """Moments whose W differs by another machine's rounding can be added; those of a robot that differs by a nanometer cannot."""
        def shift(by):
            def edit(description):
                for frame in description["layout"]["frames"]:
                    frame["in_parent"][3] += by
            return edit

        near, far = self.edited("near.moments", shift(1e-14)), self.edited("far.moments", shift(1e-9))
        self.assertNotEqual(near.read_bytes(), self.moments.read_bytes())
        for command in ("moments", "solve"):
            done = run_heft(command, self.moments, near, "--out", self.scratch / f"{command}_near")
            self.assertIn(done.returncode, (0, 4), done.stderr)
            self.assert_refused([command, self.moments, far, "--out", self.scratch / "far"], far, " enters '")

    def test_unknown_keys_are_ignored_and_nonsense_is_refused(self):
        newer = self.edited("newer.heft", lambda d: d.update(weather={"sunny": [1, None]}))
        self.assertEqual(answer_of(self.solve(newer)), answer_of(self.result))
        for name, edit, says in [
                ("parent", lambda d: d["robot"]["bodies"][2].update(parent=5), "invalid description"),
                ("axis", lambda d: d["robot"]["bodies"][2].update(axis=[0, 0, 0]), "invalid description"),
                ("crowd", lambda d: d["robot"].update(bodies=d["robot"]["bodies"] * 200), "more bodies than a robot can have"),
                ("text", lambda d: d["robot"]["document"].update(text="<robot/>"), "a robot file that differs from"),
                ("channel", lambda d: d["channels"][0].update(coordinate=9), "belongs to no joint and no body"),
                ("feature", lambda d: d["columns"][0]["terms"][0].update(feature="cosine"), "does not support"),
                ("layout", lambda d: d["layout"]["channel_columns"][3].reverse(), "a layout of sums that differs"),
                ("option", lambda d: d["options"]["conditioning"].update(magic=1), "magic"),
                ("count", lambda d: d["stretches"].append(5), "numbers, but its description says"),
                ("negative", lambda d: d["stretches"].append(-5), "is not a valid moments file"),
                ("missing", lambda d: d.pop("columns"), "is not a valid moments file")]:
            path = self.edited(f"{name}.heft", edit)
            done = run_heft("solve", path, "--out", self.scratch / name)
            self.assertEqual(done.returncode, 1, name)
            self.assertIn(says, done.stderr)
            self.assertIn(str(path), done.stderr)
            self.assertIn("remedy:", done.stderr)
            self.assert_no_crash(done.stderr)

    def test_info(self):
        text = run_heft("info", self.moments).stdout
        for words in ("heft-moments-2", "7 bodies, 7 joints", str(demo_log("train.csv")), "viscous 7"):
            self.assertIn(words, text)
        self.assertIn("backend cpu", run_heft("info").stdout)

    def test_another_reader_finds_the_sums_of_the_log(self):
        """docs/moments.md is sufficient to read the file, and it contains the sums of the Newton-Euler rows."""
        draw = random.Random(4)
        names = [f"{kind}_{joint}" for kind in ("q", "qd", "qdd", "tau") for joint in JOINTS]
        scales = {"q": 1, "qd": 2, "qdd": 5, "tau": 20}
        lines = [",".join(["t", *names])]
        for i in range(120):
            values = [draw.gauss(0, scales[name.split("_")[0]]) for name in names]
            lines.append(",".join([repr(i * 0.01), *map(repr, values)]))
        log = self.write("drawn.csv", "\n".join(lines) + "\n")
        config = self.write("raw.yaml", "conditioning: {filter: none, velocity: logged, trim: 0}\n"
                            "columns: [viscous, coulomb: {tanh_width: 0.05}, offset, reflected_inertia, spring]\n")
        whole, small = self.scratch / "drawn.heft", self.scratch / "drawn_small.heft"
        done = run_heft("identify", "--robot", ARM, "--log", log, "--config", config, "--moments", whole, "--out",
                        self.scratch / "drawn")
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)
        self.assertEqual(run_heft("moments", whole, "--compact", "--out", small).returncode, 0)
        for path in (whole, small):
            done = subprocess.run([PEER_INTERPRETER, pathlib.Path(__file__).with_name("moments_reader.py"), path, log],
                                  capture_output=True, text=True)
            if done.returncode == 77:
                raise unittest.SkipTest(f"{PEER_INTERPRETER} has no numpy: set HEFT_PYTHON_PEERS to one that does")
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            report = json.loads(done.stdout)
            self.assertEqual(report["rows"], [report["samples"]] * 7)
            self.assertEqual(report["stretches"] > 0, path == whole)
            self.assertLessEqual(report.get("stretches_apart", 0), 1e-13)
            for differences in report["channels"]:
                for difference in differences:
                    self.assertLessEqual(difference, 1e-11)  # 120 rows, rounded at every link of seven

    def test_other_columns_are_not_added(self):
        second = self.scratch / "other.moments"
        done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--moments", second,
                        "--config", self.write("c.yaml", "columns: [viscous]\n"), "--out", self.scratch / "second")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.assert_refused(["solve", self.moments, second, "--out", self.scratch / "both"], second, "different robots")


class Confidence(HeftTestCase):
    def test_intervals_only_where_the_data_decide(self):
        done = run_heft("simulate", "--robot", ARM, "--duration", 20, "--rate", 250, "--out", self.scratch / "long")
        self.assertEqual(done.returncode, 0, done.stderr)
        uncertainty = self.identify(log=self.scratch / "long" / "train.csv")["uncertainty"]
        self.assertGreaterEqual(uncertainty["blocks"], 24)
        self.assertEqual(uncertainty["resamples"], 200)
        shares = [parameter["prior_share"] for parameter in uncertainty["parameters"]]
        self.assertTrue(any(share > 0.5 for share in shares) and any(share < 0.5 for share in shares))
        for parameter in uncertainty["parameters"]:
            self.assertEqual(parameter["interval"] is None, parameter["prior_share"] > 0.5, parameter)
            self.assertEqual(parameter["set_by_prior"], parameter["prior_share"] > 0.5)
        self.assertTrue(any("set by the prior" in word for word in uncertainty["words"]))
        self.assertTrue(any("95 %" in word for word in uncertainty["words"]))
        self.assertGreater(uncertainty["calibration"]["p_value"], 0)

    def test_torque_scales_widen_intervals(self):
        # the parts of the channels add up to the estimate itself, since torques times 1 + e give parameters times 1 + e; independent errors
        # of seven channels leave at least a root of a seventh of it
        plain, wide, wider = (self.identify("--estimation.torque_scale_sd", sd, "--estimation.bootstrap", 0, out=f"scale{sd}")
                              for sd in ("auto", 0.05, 0.1))
        self.assertEqual(plain["bodies"], wider["bodies"])
        for one, two, three in zip(*(result["uncertainty"]["base_parameters"] for result in (plain, wide, wider)), strict=True):
            self.assertNotIn("torque_scale", one)
            self.assertAlmostEqual(three["torque_scale"] / two["torque_scale"], 2, delta=1e-9)
            self.assertGreaterEqual(three["torque_scale"], 0.1 * abs(one["estimate"]) / 7 ** 0.5 * (1 - 1e-6))
            self.assertAlmostEqual(three["standard_error"] ** 2 / (one["standard_error"] ** 2 + three["torque_scale"] ** 2), 1, delta=1e-9)
            self.assertGreater(three["half_width"], 0.99 * two["half_width"])

    def test_an_error_of_the_time_offset_widens_intervals(self):
        plain, small, large = (self.identify("--estimation.time_offset_sd_s", sd, "--estimation.bootstrap", 0, out=f"offset{sd}")
                               for sd in (0, 1e-4, 2e-4))
        late = self.identify("--conditioning.torque_delay_s", 2e-4, "--estimation.bootstrap", 0, out="late")
        self.assertEqual(plain["bodies"], large["bodies"])
        moved = told = 0
        for none, one, two, other in zip(*(result["uncertainty"]["base_parameters"] for result in (plain, small, large, late)), strict=True):
            self.assertNotIn("time_offset", none)
            self.assertAlmostEqual(two["standard_error"] ** 2 / (none["standard_error"] ** 2 + two["time_offset"] ** 2), 1, delta=1e-9)
            self.assertGreater(two["half_width"], 0.99 * one["half_width"])
            moved += ((other["estimate"] - none["estimate"]) / none["standard_error"]) ** 2
            told += (two["time_offset"] / none["standard_error"]) ** 2
        # the log with torques that are so late moves the estimate as far; its first rows are not all of them
        self.assertGreater(told / moved, 0.3)
        self.assertLess(told / moved, 3)

    def test_errors_of_the_time_offset_that_cannot_be_are_refused(self):
        for given in ("-0.001", "0.2", ".nan"):
            done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out", self.scratch / "refused",
                            "--estimation.time_offset_sd_s", given)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("time_offset_sd_s", done.stderr + done.stdout)

    def test_suspicious_channel_is_named(self):
        # the torque of one joint in the wrong sign: no physical robot brakes what it drives
        log = demo_log("train.csv").read_text().splitlines()
        header = log[0].split(",")
        column = header.index("tau_joint_2")
        rows = [line.split(",") for line in log[1:]]
        for row in rows:
            row[column] = repr(-float(row[column]))
        path = self.write("reversed.csv", "\n".join(",".join(row) for row in [header] + rows) + "\n")
        done = run_heft("identify", "--robot", ARM, "--log", path, "--out", self.scratch / "reversed")
        self.assertIn("suspicious: joint_2", done.stdout)
        result = json.loads((self.scratch / "reversed" / "result.json").read_text())
        self.assertEqual(result["price_of_physics"]["suspicious"], ["joint_2"])
        self.assertEqual(self.identify()["price_of_physics"]["suspicious"], [])
        # of whitened channels each is of several joints: none can be blamed by name
        price = self.identify("--estimation.channel_covariance", "full", log=path, out="whitened")["price_of_physics"]
        self.assertEqual((price["suspicious"], price["channels"]), ([], []))

    def test_weight_by_cross_validation(self):
        prior = self.identify("--prior-weight", "auto")["prior"]
        trials = prior["cross_validation"]["trials"]
        self.assertIn(prior["weight"], [trial["weight"] for trial in trials])
        chosen = next(trial for trial in trials if trial["weight"] == prior["weight"])
        self.assertLessEqual(chosen["excess"], 1)
        self.assertEqual(min(trial["excess"] for trial in trials), 0)

    def test_weights_are_tried_beyond_the_best_one(self):
        """Torques of bodies a hundred times as heavy as in the robot file want hardly any prior, exact bodies want much of it."""
        heavy = self.write("heavy.yaml", "log: {torque_scale: 100}\n")
        done = run_heft("simulate", "--robot", ARM, "--duration", 4, "--held-out", 0.5, "--rate", 250, "--seed", 3, "--perturbation", 0,
                        "--out", self.scratch / "exact")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words, log, is_beyond in ((("--config", heavy), demo_log("train.csv"), lambda tried: min(tried) < 1e-6),
                                      ((), self.scratch / "exact" / "train.csv", lambda tried: max(tried) > 10)):
            with self.subTest(log):
                trials = self.identify("--prior-weight", "auto", *words, log=log)["prior"]["cross_validation"]["trials"]
                tried = [trial["weight"] for trial in trials]
                self.assertEqual(tried, sorted(set(tried)))
                self.assertTrue({1e-4, 1e-2, 3} <= set(tried))
                self.assertTrue(is_beyond(tried), tried)
                best = min(trials, key=lambda trial: trial["relative_error"])["weight"]
                self.assertTrue(min(tried) < best < max(tried) or best == 300, (best, tried))
