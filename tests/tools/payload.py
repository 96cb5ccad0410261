"""heft payload from files: its files and output, and its errors."""

import csv
import json
import math
import shutil
import subprocess
import sys

from heft_program import PROGRAM, SOURCE, HeftTestCase, ask_peer, run_heft
from schema_walk import wrong_places

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import payload_log  # noqa: E402

FILES = {"result.json", "report.html", "payload.urdf", "payload_franka.json", "payload_ur.txt", "payload_ros2.yaml", "points.csv"}


class Payload(HeftTestCase):
    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, str(SOURCE / "tools" / "demo" / "payload_log.py"), str(self.scratch)], check=True)

    def weigh(self, *arguments, log="shaken.csv", out="out"):
        done = run_heft("payload", "--log", self.scratch / log, "--out", self.scratch / out, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.scratch / out / "result.json").read_text()), done.stdout

    def config(self, text):
        return self.write("payload.yaml", text)

    def test_finds_the_hammer(self):
        result, printed = self.weigh("--shape", self.scratch / "hammer.stl")
        truth = json.loads((self.scratch / "truth.json").read_text())
        payload = result["payload"]
        self.assertAlmostEqual(payload["mass"] / truth["mass"], 1, delta=0.003)
        for c, expected, (low, high) in zip(payload["com"], truth["com"], payload["intervals"]["com"]):
            self.assertAlmostEqual(c, expected, delta=0.001)
            self.assertTrue(low <= expected <= high, (low, expected, high))
        for bias, expected in zip(payload["bias"], payload_log.BIAS):
            self.assertAlmostEqual(bias, expected, delta=0.05)
        self.assertEqual({path.name for path in (self.scratch / "out").iterdir()}, FILES)
        for words in (" kg", " mm", "kg m^2", " N ", " N m"):
            self.assertIn(words, printed)

    def test_compensation_read_back_leaves_noise(self):
        """The force of every file's mass and center of mass, subtracted from the log, leaves the sensor's noise."""
        result, _ = self.weigh()
        ros = (self.scratch / "out" / "payload_ros2.yaml").read_text()
        weight = float(ros.split("force: ")[1].split()[0])
        com = json.loads("[" + ros.split("pos: [")[1].split("]")[0] + "]")
        m, h = weight / 9.81, [weight / 9.81 * c for c in com]
        bias, left, rows = result["payload"]["bias"], 0.0, 0
        with (self.scratch / "shaken.csv").open() as file:
            for row in csv.DictReader(file):
                at = lambda stem: [float(row[stem + axis]) for axis in "xyz"]
                w, wd = at("w"), at("al")
                u = [a - g for a, g in zip(at("a"), at("g"))]
                cross = payload_log.cross
                force = payload_log.plus([m * x for x in u], cross(wd, h), cross(w, cross(w, h)))
                left += sum((f - p - b) ** 2 for f, p, b in zip(at("f"), force, bias))
                rows += 3
        noise = math.hypot(payload_log.FORCE_NOISE, m * payload_log.LINEAR_NOISE, 0.2 * payload_log.ANGULAR_NOISE * m)
        self.assertLess(math.sqrt(left / rows), 1.2 * noise)

    def test_all_methods_stand_beside_the_answer(self):
        result, printed = self.weigh("--method", "wls", "--method", "all", "--shape", self.scratch / "hammer.stl")
        names = [method["name"] for method in result["methods"]]
        self.assertEqual(names[0], "wls")
        self.assertEqual(sorted(names), sorted(["auto", "ols", "wls", "tls", "geo", "pullback", "cone", "metric", "manifold", "pmd", "pmd_weighted"]))
        for name in names:
            self.assertIn("\n" + name, printed)
        for method in result["methods"]:
            self.assertEqual(len(method["parameters"]), 10)
            self.assertEqual(method["certified"], True if method["name"] in ("auto", "geo", "cone", "metric", "pmd", "pmd_weighted") else None)

    def test_result_keeps_to_its_schema(self):
        """Results of all methods, one of which fails; of poses, and of a log whose body changes."""
        limits = self.config("payload: {known_mass: 0.79}")
        for log, arguments, exit_code in (("shaken.csv", ["--method", "auto", "--method", "all", "--config", limits], 0),
                                          ("poses.csv", [], 0), ("grasped.csv", ["--changes", "auto"], 0)):
            done = run_heft("payload", "--log", self.scratch / log, "--out", self.scratch / "out", *arguments)
            self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
            path, schema = self.scratch / "out" / "result.json", SOURCE / "tools" / "payload.schema.json"
            result = json.loads(path.read_text())
            self.assertEqual(wrong_places(result, schema), [])
            keys = list(result["methods"][0])
            for method in result["methods"]:
                self.assertEqual(list(method), keys)
        self.assertEqual(ask_peer("jsonschema", schema, path), [])

    def test_limits_are_kept_or_refused_by_name(self):
        result, _ = self.weigh("--method", "auto", "--method", "all", "--shape", self.scratch / "hammer.stl", "--config",
                               self.config("payload: {known_mass: 0.79}"))
        for method in result["methods"]:
            if method["name"] in ("auto", "geo", "cone", "metric", "pmd", "pmd_weighted"):
                self.assertAlmostEqual(method["parameters"][0], 0.79, places=6)
            else:
                self.assertIn("payload.known_mass", method["failure"], method["name"])
                self.assertIsNone(method["parameters"])
        for option in ("density: [100, 9000]", "com_region: [0, 1, 0, 1, 0, 1]", "within_shape: true"):
            name = option.split(":")[0]
            limits = self.config(f"payload: {{{option}}}")
            for method in ("ols", "wls", "tls", "pullback", "manifold"):
                command = ["payload", "--log", self.scratch / "shaken.csv", "--shape", self.scratch / "hammer.stl", "--config", limits, "--method",
                           method, "--out", self.scratch / "limited"]
                with self.subTest(option, method=method):
                    self.assert_refused(command, f"--method {method}", f"payload.{name}", "auto, geo, cone, metric or pmd")

    def test_point_masses_keep_to_limits(self):
        for option, holds in (("known_mass: 0.85", lambda m, c: abs(m - 0.85) < 1e-6), ("com_region: [-1, 1, -1, 1, 0, 0.2]", lambda m, c: c < 0.2 + 1e-6),
                              ("density: [2800, 9000]", lambda m, c: m > 0.85)):
            done = run_heft("payload", "--log", self.scratch / "shaken.csv", "--shape", self.scratch / "hammer.stl", "--method", "pmd",
                            "--method", "pmd_weighted", "--config", self.config(f"payload: {{{option}}}"), "--out", self.scratch / "kept")
            self.assertIn(done.returncode, (0, 4), done.stderr)  # what is known wrongly is doubted
            for method in json.loads((self.scratch / "kept" / "result.json").read_text())["methods"]:
                with self.subTest(option, method=method["name"]):
                    self.assertTrue(method["certified"])
                    self.assertTrue(holds(method["parameters"][0], method["parameters"][3] / method["parameters"][0]), method["parameters"])
        self.assert_refused(["payload", "--log", self.scratch / "shaken.csv", "--shape", self.scratch / "hammer.stl", "--config",
                             self.config("payload: {com_region: [1, 2, 0, 1, 0, 1]}"), "--method", "pmd", "--out", self.scratch / "far"],
                            "--method pmd", "satisfy the limits", "payload.com_region")

    def test_primitives_are_shapes(self):
        """A hammer's mass is within a cylinder as well as within its mesh."""
        for prior, words in (("cylinder: [0.06, 0.32]", "cylinder of 60 mm radius and 320 mm length"), ("ball: 0.16", "ball of 160 mm radius"),
                             ("box: [0.12, 0.12, 0.32]", "box of 120 x 120 x 320 mm")):
            result, printed = self.weigh("--config", self.config(f"payload: {{prior: {{{prior}}}}}"), "--pose", "0,0,0.16,0,0,0", "--method",
                                         "auto", "--method", "pmd")
            self.assertIn(words, printed)
            for method in result["methods"]:
                self.assertTrue(method["certified"])
                self.assertAlmostEqual(method["parameters"][0] / 0.7893, 1, delta=0.03)
        two = self.config("payload: {prior: {ball: 0.1, cylinder: [0.1, 0.2]}}")
        self.assert_refused(["payload", "--log", self.scratch / "shaken.csv", "--config", two, "--out", self.scratch / "no"],
                            f"{two}: payload.prior", "more than one way", "keep one")

    def test_quiet_has_no_tables(self):
        result, printed = self.weigh("--quiet")
        self.assertEqual(printed.split(), [str(self.scratch / "out" / name) for name in
                                           ("result.json", "report.html", "payload.urdf", "payload_franka.json", "payload_ur.txt",
                                            "payload_ros2.yaml", "points.csv")])

    def test_poses_at_rest(self):
        result, printed = self.weigh(log="poses.csv")
        truth = json.loads((self.scratch / "truth.json").read_text())
        self.assertAlmostEqual(result["payload"]["mass"] / truth["mass"], 1, delta=0.03)
        self.assertIn("6 directions of gravity", printed)
        self.assertIsNone(result["methods"][0]["held_out_force"])

    def test_two_logs_have_two_biases(self):
        shaken, other = self.scratch / "shaken.csv", self.scratch / "other.csv"
        with shaken.open() as file, other.open("w") as copy:
            reader = csv.DictReader(file)
            writer = csv.DictWriter(copy, reader.fieldnames)
            writer.writeheader()
            for row in reader:
                writer.writerow({**row, "fz": float(row["fz"]) + 3})
        result, _ = self.weigh("--log", other)
        biases = result["payload"]["biases"]
        self.assertEqual(len(biases), 2)
        self.assertAlmostEqual(biases[1][2] - biases[0][2], 3, places=6)

    def test_reversed_sensor_is_refused_and_corrected(self):
        out = self.scratch / "reversed"
        self.assert_refused(["payload", "--log", self.scratch / "reversed.csv", "--out", out], "payload", "opposite signs",
                            "payload.sign: -1")
        self.assertFalse(out.exists())
        straight, _ = self.weigh()
        corrected, _ = self.weigh("--config", self.config("payload: {sign: -1}\n"), log="reversed.csv")
        self.assertAlmostEqual(corrected["payload"]["mass"], straight["payload"]["mass"], places=6)

    def test_refusals_name_the_place(self):
        log, out = self.scratch / "shaken.csv", self.scratch / "out"
        none, mesh, wrong = (self.scratch / name for name in ("none.csv", "none.stl", "payload.yaml"))
        self.config("payload:\n  sing: 1\n")
        for arguments, where, says, remedy in (
                (["--log", none], none, "", ""),
                (["--log", ""], "--log", "is empty", ""),
                (["--log", log, "--shape", mesh], mesh, "", ""),
                (["--log", log, "--config", wrong], f"{wrong}:2", "sing", "sign"),
                (["--log", log, "--pose", "0,0,0,0,0,0"], "--pose", "needs a shape", "--shape"),
                (["--log", log, "--shape", self.scratch / "hammer.stl", "--pose", "0,0,0"], "--pose", "not a pose", "six numbers"),
                (["--log", log, self.scratch / "poses.csv"], "logs", "poses at rest", "two runs")):
            with self.subTest(arguments):
                self.assert_refused(["payload", *arguments, "--out", out], where, says, remedy)
        self.assert_wrong_command_line(["payload", "--log", log, "--out", out, "--method", "pdm"], "pdm")
        self.assertFalse(out.exists())

    def edited(self, name, change):
        """A copy of shaken.csv with rows modified by `change`."""
        with (self.scratch / "shaken.csv").open() as file, (self.scratch / name).open("w") as copy:
            reader = csv.DictReader(file)
            writer = csv.DictWriter(copy, reader.fieldnames)
            writer.writeheader()
            for row in reader:
                change(row)
                writer.writerow(row)
        return name

    def test_serious_doubts_are_said_and_accepted(self):
        def no_acceleration(row):
            row.update(alx=0, aly=0, alz=0)

        def accelerometer(row):
            row.update({"a" + axis: float(row["a" + axis]) - float(row["g" + axis]) for axis in "xyz"})

        for change, id in ((no_acceleration, "angular-acceleration"), (accelerometer, "accelerometer")):
            with self.subTest(id):
                out = self.scratch / id
                command = ["payload", "--log", self.scratch / self.edited(f"{id}.csv", change), "--out", out]
                done = run_heft(*command)
                self.assertEqual(done.returncode, 4, done.stderr)
                result = json.loads((out / "result.json").read_text())
                doubts = {doubt["id"]: doubt for doubt in result["doubts"]}
                self.assertEqual(doubts[id]["severity"], "serious")
                self.assertEqual(result["verdict"]["level"], "amber")
                open_doubts = [doubt["words"] for doubt in result["doubts"] if doubt["severity"] == "serious"]
                said = [line[len("doubt:  "):] for line in done.stdout.splitlines() if line.startswith("doubt:")]
                self.assertEqual(said, open_doubts)
                accepted = [word for doubt in doubts for word in ("--accept", doubt)]
                done = run_heft(*command, *accepted)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertNotIn("\ndoubt:", done.stdout)
                self.assertEqual(json.loads((out / "result.json").read_text())["verdict"]["level"], "green")
        self.assert_refused([*command, "--accept", "accelerometers"], "--accept accelerometers", "not a doubt of this result", "accelerometer")

    def test_a_batch_is_weighed_row_by_row(self):
        broken = self.edited("broken.csv", lambda row: row.update(alx=0, aly=0, alz=0))
        manifest = self.write("m.csv", f"id,log,shape\nfirst,shaken.csv,hammer.stl\nsecond,shaken.csv,\nno,none.csv,\n../up,shaken.csv,\ndoubtful,{broken},\n")
        out = self.scratch / "batch"
        done = run_heft("payload", "--batch", manifest, "--out", out, "--threads", 2)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("none.csv", done.stderr)
        self.assertIn("cannot name a folder", done.stderr)
        self.assertIn("doubt:  doubtful: angular-acceleration", done.stdout)
        objects = {o["id"]: o for o in json.loads((out / "batch.json").read_text())["objects"]}
        self.assertEqual({id: o["state"] for id, o in objects.items()},
                         {"first": "done", "second": "done", "no": "failed", "../up": "failed", "doubtful": "done"})
        alone, _ = self.weigh("--shape", self.scratch / "hammer.stl")
        there = json.loads((out / "results" / "first" / "result.json").read_text())
        self.assertEqual(there["payload"], alone["payload"])
        self.assertEqual(objects["first"]["mass"], alone["payload"]["mass"])
        with (out / "batch.csv").open() as file:
            rows = {row["id"]: row for row in csv.DictReader(file)}
        self.assertAlmostEqual(float(rows["second"]["mass"]), objects["second"]["mass"], places=7)
        self.assertEqual(rows["no"]["state"], "failed")
        for text, says in (("id,lug\na,b\n", "'log'"), ("id,log\na,b\na,c\n", "twice"),
                           ("id,log\na\n", "fields"), ("id,log\n", "has no payloads")):
            with self.subTest(says):
                done = run_heft("payload", "--batch", self.write("wrong.csv", text), "--out", self.scratch / "wrong")
                self.assertEqual(done.returncode, 1)
                self.assertIn(says, done.stderr)
                self.assertFalse((self.scratch / "wrong").exists())

    def test_fields_of_a_batch_may_be_in_quotes(self):
        """Like files of spreadsheets: a byte order mark, and a comma and line ends within quotes, which count as lines of the file."""
        shutil.copy(self.scratch / "shaken.csv", self.scratch / "shaken, twice.csv")
        manifest = self.write("m.csv", '\ufeffid,"log",shape,note\r\n"a, b","shaken, twice.csv",,"one\nline, ""more"""\r\nlast,,,\r\n')
        self.assert_refused(["payload", "--batch", manifest, "--out", self.scratch / "no"], f"{manifest}:4", "has no log", "write the path")
        for wrong, says, remedy in (('a,shaken.csv,,"no end\nlast,shaken.csv,,\n', "unclosed quote", "with a quote"),
                                     ("a,shaken.csv\n", "fields", "one row per payload")):
            path = self.write("wrong.csv", "id,log,shape,note\n" + wrong)
            self.assert_refused(["payload", "--batch", path, "--out", self.scratch / "no"], f"{path}:2", says, remedy)
        manifest.write_text(manifest.read_text().replace("last,,", "last,shaken.csv,"))
        out = self.scratch / "quoted"
        done = run_heft("payload", "--batch", manifest, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with (out / "batch.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["id"], row["state"]) for row in rows], [("a, b", "done"), ("last", "done")])
        self.assertEqual(rows[0]["mass"], rows[1]["mass"])

    def follow(self, text, *arguments):
        return subprocess.run([PROGRAM, "payload", "--follow", *map(str, arguments)], input=text, capture_output=True, text=True,
                              timeout=240)

    def test_a_stream_is_followed(self):
        truth = json.loads((self.scratch / "truth.json").read_text())
        text = (self.scratch / "shaken.csv").read_text()
        done = self.follow(text, "--every", 0.05, "--out", self.scratch / "followed")
        self.assertEqual(done.returncode, 0, done.stderr)
        updates = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertGreater(len(updates), 80)
        times = [update["t"] for update in updates]
        self.assertEqual(times, sorted(times))
        late = [update for update in updates if update["t"] > 1.5]
        held = sum(update["interval"]["mass"][0] <= truth["mass"] <= update["interval"]["mass"][1] for update in late)
        self.assertGreater(held, 0.8 * len(late))
        self.assertTrue(all(update["certified"] for update in late))
        last = updates[-1]
        self.assertAlmostEqual(last["mass"] / truth["mass"], 1, delta=0.005)
        for c, expected in zip(last["com"], truth["com"]):
            self.assertAlmostEqual(c, expected, delta=0.0015)
        # the files are those of the log
        whole, _ = self.weigh()
        followed = json.loads((self.scratch / "followed" / "result.json").read_text())
        self.assertEqual(followed["payload"], whole["payload"])

    def test_a_stream_whose_wrench_is_late(self):
        truth = json.loads((self.scratch / "truth.json").read_text())
        header, *rows = [line.split(",") for line in (self.scratch / "shaken.csv").read_text().splitlines()]
        at = header.index("fx")
        late = [row[:at] + rows[max(k - 5, 0)][at:] for k, row in enumerate(rows)]
        text = "\n".join(",".join(row) for row in [header, *late]) + "\n"
        plain = json.loads(self.follow((self.scratch / "shaken.csv").read_text()).stdout.splitlines()[-1])
        errors = []
        for delay in ("0.05", "0.045"):  # between two rows, too
            done = self.follow(text, "--config", self.config(f"payload: {{wrench_delay_s: {delay}}}"))
            self.assertEqual(done.returncode, 0, done.stderr)
            last = json.loads(done.stdout.splitlines()[-1])
            self.assertLess(last["t"], plain["t"] - 0.03)
            errors.append(abs(last["com"][2] - truth["com"][2]))
        self.assertLess(errors[0], 0.0015)
        self.assertLess(errors[0], errors[1])
        done = self.follow(text, "--config", self.config("payload: {wrench_delay_s: auto}"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("wrench_delay_s to seconds", done.stderr)

    def test_a_stream_ends_at_its_goal(self):
        text = (self.scratch / "shaken.csv").read_text()
        done = self.follow(text, "--every", 0.02, "--until", "mass 1 %")
        self.assertEqual(done.returncode, 0, done.stderr)
        updates = [json.loads(line) for line in done.stdout.splitlines()]
        half = [(u["interval"]["mass"][1] - u["interval"]["mass"][0]) / 2 / u["mass"] if None not in u["interval"]["mass"]
                else 1 for u in updates]
        self.assertLessEqual(half[-1], 0.01)
        self.assertLess(updates[-1]["t"], 5)
        self.assertTrue(all(h > 0.01 for h in half[:-1]))
        done = self.follow(text, "--until", "mass 0.0001 %")
        self.assertEqual(done.returncode, 1)
        self.assertIn("was not reached", done.stderr)

    def test_streams_that_are_none(self):
        header, row, *_ = (self.scratch / "shaken.csv").read_text().splitlines()
        for text, arguments, says in (("", [], "is empty"), (header + "\n" + row + "\n", [], "too few samples"),
                                      (header + "\n1,2\n", [], "standard input:2"), (header.replace("fx", "f1") + "\n", [], "'fx'"),
                                      (header + "\n" + row.replace(",", ",x", 1) + "\n", [], "is not a number"),
                                      ((self.scratch / "poses.csv").read_text(), [], "poses at rest"),
                                      ("", ["--until", "weight 1 kg"], "mass 1 %"),
                                      ("", ["--log", "a.csv"], "only one of")):
            with self.subTest(says):
                done = self.follow(text, *arguments)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(says, done.stderr)
                self.assertIn("remedy: ", done.stderr)

    def test_a_good_log_is_green(self):
        result, printed = self.weigh()
        self.assertEqual(result["verdict"]["level"], "green")
        self.assertNotIn("doubt:", printed)

    def test_masses_at_points(self):
        truth = json.loads((self.scratch / "truth.json").read_text())
        result, _ = self.weigh("--shape", self.scratch / "hammer.stl", "--method", "pmd", "--method", "pmd_weighted")
        for method in result["methods"]:
            self.assertTrue(method["certified"] and method["possible"], method)
            self.assertLess(method["gap"], 1e-7)
            self.assertAlmostEqual(method["parameters"][0] / truth["mass"], 1, delta=0.03)
        log = self.scratch / "shaken.csv"
        self.assert_refused(["payload", "--log", log, "--out", self.scratch / "new", "--method", "pmd"], "--method pmd", "needs a shape",
                            "--shape")

    def labeled_hammer(self):
        """Handle and head in one OBJ, distinguished by their materials."""
        corners = [[at[i] + ((k >> i & 1) - 0.5) * size[i] for i in range(3)] for _, size, at in payload_log.PARTS for k in range(8)]
        faces = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5),
                 (3, 7, 5)]
        lines = ["v %.9g %.9g %.9g" % tuple(corner) for corner in corners]
        for part, material in enumerate(("wood", "steel")):
            lines += [f"usemtl {material}", *("f %d %d %d" % tuple(1 + 8 * part + k for k in face) for face in faces)]
        return self.write("labeled.obj", "\n".join(lines) + "\n")

    def test_parts_are_materials_of_one_mesh(self):
        mesh = self.labeled_hammer().name
        truth = json.loads((self.scratch / "truth.json").read_text())
        _, h, about_origin = payload_log.moments()
        m, c = truth["mass"], truth["com"]
        Ixx = about_origin[0][0] - m * (c[1] ** 2 + c[2] ** 2)
        errors = {}
        for what, prior in (("one density", "labeled.obj"), ("known", None), ("limits", None)):
            densities = {"known": (700, 7800), "limits": ("600 to 800", "auto")}.get(what)
            if densities is None:
                result, printed = self.weigh("--shape", self.scratch / prior)
            else:
                text = f"payload: {{prior: {{parts: {{'{mesh}#wood': {densities[0]}, '{mesh}#steel': {densities[1]}}}}}}}"
                result, printed = self.weigh("--config", self.config(text))
                self.assertIn("2 parts of", printed)
            self.assertEqual(result["verdict"]["level"], "green")
            errors[what] = abs(result["payload"]["inertia_com"][0] / Ixx - 1)
        self.assertLess(errors["known"], 0.01)
        self.assertLess(errors["limits"], 0.02)
        self.assertLess(errors["limits"], errors["one density"])
        wrong = self.config(f"payload: {{prior: {{parts: {{'{mesh}#wood': 700, '{mesh}#brass': auto}}}}}}")
        self.assert_refused(["payload", "--log", self.scratch / "shaken.csv", "--config", wrong, "--out", self.scratch / "new"], self.scratch / mesh,
                            "brass", "'wood', 'steel'")

    def test_inputs_are_spared(self):
        out = self.scratch / "out"
        out.mkdir()
        log = out / "points.csv"
        log.write_bytes((self.scratch / "shaken.csv").read_bytes())
        self.assert_refused(["payload", "--log", log, "--out", out], log, "would be overwritten")

    def test_same_log_same_bytes(self):
        files = []
        for out in ("one", "two"):
            self.weigh("--method", "all", out=out)
            files.append({path.name: path.read_bytes() for path in (self.scratch / out).iterdir()})
        self.assertEqual(files[0], files[1])
