"""heft convert, distance and rows: compared with golden results, other programs and closed forms, and their errors."""

import array
import json
import math
import os
import pathlib
import random
import struct
import unittest

from heft_program import ARM, SOURCE, HeftTestCase, ask_peer, run_heft

GOLDEN = pathlib.Path(os.environ.get("HEFT_GOLDEN", SOURCE.parent / "shared" / "golden"))
CHARTS = ["log_cholesky", "exponential", "exponential_at_prior", "manifold"]
PROGRAMS = ["heft", "pinocchio", "idyntree", "khalil", "wensing", "mujoco", "drake", "urdf", "sdf", "matlab"]


def golden(name):
    path = GOLDEN / "payload" / name
    if not path.exists():
        raise unittest.SkipTest(f"{path} is not there: set HEFT_GOLDEN to the folder of the golden answers")
    return json.loads(path.read_text())


def random_body(rng):
    """Ten parameters of five point masses."""
    body = [0.0] * 10
    for _ in range(5):
        m, (x, y, z) = rng.uniform(0.1, 3), [rng.gauss(0, 0.2) for _ in range(3)]
        for k, value in enumerate((1, x, y, z, y * y + z * z, -x * y, x * x + z * z, -x * z, -y * z, x * x + y * y)):
            body[k] += m * value
    return body


def write_npy(path, rows):
    """A plain array of doubles, written without numpy."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header = header.ljust(117) + "\n"
    numbers = array.array("d", [x for row in rows for x in row])
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + numbers.tobytes())
    return path


def read_npy(path):
    """Shape and numbers of an array of doubles in C order."""
    content = path.read_bytes()
    assert content[:8] == b"\x93NUMPY\x01\x00"
    length, = struct.unpack("<H", content[8:10])
    header = eval(content[10:10 + length].decode())  # noqa: S307: our own file
    assert header["descr"] == "<f8" and not header["fortran_order"] and (10 + length) % 64 == 0
    numbers = array.array("d")
    numbers.frombytes(content[10 + length:])
    return header["shape"], numbers


class ChartsTestCase(HeftTestCase):
    def bodies_file(self, name, bodies):
        return self.write(name, json.dumps({"bodies": bodies}))

    def convert(self, source, target, bodies, *flags, prior=None):
        out = self.scratch / "converted.json"
        if prior:
            flags += ("--prior", self.bodies_file("prior.json", prior))
        done = run_heft("convert", "--from", source, "--to", target, self.bodies_file("in.json", bodies), "--out", out, *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(out.read_text())

    def convert_text(self, text, source, target):
        out = self.scratch / "converted.json"
        done = run_heft("convert", "--from", source, "--to", target, self.write("in.json", text), "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(out.read_text())

    def assert_near(self, ours, theirs, tolerance):
        size = max(abs(x) for x in theirs)
        self.assertEqual(len(ours), len(theirs))
        if not all(abs(one - other) <= tolerance * size for one, other in zip(ours, theirs)):
            self.fail(f"{ours}\n{theirs}")


class Convert(ChartsTestCase):
    def test_golden_points_with_jacobians(self):
        file = golden("charts.json")
        for chart, point, image in (("log_cholesky", "phi", "pi_of_phi"), ("exponential", "gamma", "pi_of_gamma")):
            points = [body[chart][point] for body in file["bodies"]]
            answer = self.convert(chart, "heft", points, "--jacobian")
            self.assertEqual(answer["status"], ["ok"] * len(points))
            for i, body in enumerate(file["bodies"]):
                self.assert_near(answer["bodies"][i], body[chart][image], 1e-12)
                for ours, theirs in zip(zip(*answer["jacobians"][i]), zip(*body[chart]["jacobian"])):
                    self.assert_near(ours, theirs, 1e-12 if chart == "log_cholesky" else 1e-10)

    def test_golden_bodies_there_and_back(self):
        bodies = [body["pi"] for body in golden("charts.json")["bodies"]]
        for chart in CHARTS:
            prior = [[1, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]]
            there = self.convert("heft", chart, bodies, prior=prior)
            self.assertEqual(there["status"], ["ok"] * len(bodies))
            back = self.convert(chart, "heft", there["bodies"], prior=prior)
            for ours, theirs in zip(back["bodies"], bodies):
                self.assert_near(ours, theirs, 1e-12)

    def test_as_pinocchio_and_mujoco_hold_them(self):
        rng = random.Random(1)
        bodies = [random_body(rng) for _ in range(20)]
        path = self.bodies_file("bodies.json", bodies)
        theirs = ask_peer("bodies", path)
        for program in ("pinocchio", "mujoco"):
            ours = self.convert("heft", program, bodies)
            for one, other in zip(ours["bodies"], theirs[program]):
                self.assert_near(one, other, 1e-13)
        inertials = self.bodies_file("inertials.json", self.convert("heft", "mujoco", bodies)["bodies"])
        for one, other in zip(ask_peer("fullinertia", inertials), bodies):
            self.assert_near(one, other, 1e-9)

    def test_urdf_of_the_demo_arm_in_pinocchio(self):
        # <inertial> elements as they stand in a URDF file, by hand
        import xml.etree.ElementTree as ElementTree
        theirs = ask_peer("pinocchio", ARM)["inertias"]
        checked = 0
        for joint in ElementTree.parse(ARM).iter("joint"):
            name, child = joint.get("name"), joint.find("child").get("link")
            link = next(link for link in ElementTree.parse(ARM).iter("link") if link.get("name") == child)
            inertial = link.find("inertial")
            carries = any(other.find("parent").get("link") == child and other.get("type") == "fixed"
                          for other in ElementTree.parse(ARM).iter("joint"))
            if inertial is None or carries or name not in theirs:
                continue
            origin, tensor = inertial.find("origin"), inertial.find("inertia")
            if any(float(x) for x in (origin.get("rpy") or "0 0 0").split()):
                continue
            numbers = [float(inertial.find("mass").get("value")), *map(float, origin.get("xyz").split()),
                       *(float(tensor.get(k)) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))]
            self.assert_near(self.convert("urdf", "pinocchio", [numbers])["bodies"][0], theirs[name], 1e-12)
            checked += 1
        self.assertGreater(checked, 0)

    def test_every_convention_there_and_back(self):
        rng = random.Random(2)
        bodies = [random_body(rng) for _ in range(3)]
        prior = [random_body(rng)]
        for convention in PROGRAMS + CHARTS:
            there = self.convert("heft", convention, bodies, "--jacobian", prior=prior)
            back = self.convert(convention, "heft", there["bodies"], "--jacobian", prior=prior)
            for i, body in enumerate(bodies):
                self.assert_near(back["bodies"][i], body, 1e-12)
                J, K = there["jacobians"][i], back["jacobians"][i]
                for r in range(10):  # one is the inverse of the other
                    row = [sum(J[r][k] * K[k][c] for k in range(10)) for c in range(10)]
                    for c in range(10):
                        self.assertAlmostEqual(row[c], float(r == c), delta=1e-7)

    def test_status_of_rods_and_the_impossible(self):
        rod, impossible = [2, 0.1, 0, 0, 0.02, 0, 0, 0.02, 0, 0], [2, 0.1, 0, 0, 0.02, 0, 0, 0.02, 0, 0.2]
        answer = self.convert("urdf", "log_cholesky", [rod, impossible, [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]], "--jacobian")
        self.assertEqual(answer["status"], ["boundary", "impossible", "ok"])
        self.assertEqual([body is None for body in answer["bodies"]], [False, True, False])
        self.assertEqual([jacobian is None for jacobian in answer["jacobians"]], [True, True, False])
        manifold = self.convert("urdf", "manifold", [rod])
        self.assertEqual(manifold["status"], ["boundary"])
        self.assert_near(self.convert("manifold", "urdf", manifold["bodies"])["bodies"][0], rod, 1e-14)

    def test_scales_far_apart(self):
        bodies = [[s * s, 0, 0, 0, s ** 4, 0, 2 * s ** 4, 0, 0, 2.5 * s ** 4] for s in (1e-6, 1, 1e6)]
        for chart in ("log_cholesky", "manifold"):
            there = self.convert("heft", chart, bodies)
            self.assertEqual(there["status"], ["ok"] * 3)
            for ours, theirs in zip(self.convert(chart, "heft", there["bodies"])["bodies"], bodies):
                self.assert_near(ours[4:], theirs[4:], 1e-12)

    def refuse(self, content, says, remedy="", where=None, source="heft", target="urdf", flags=()):
        path = self.write("in.json", content)
        self.assert_refused(["convert", "--from", source, "--to", target, path, "--out", self.scratch / "out.json", *flags],
                            where or path, says, remedy)

    def test_refusals(self):
        body = [1, 0, 0, 0, 1, 0, 1, 0, 0, 1]
        good = json.dumps({"bodies": [body]})
        self.refuse("{", "is not JSON")
        self.refuse("[]", "has no list 'bodies'")
        self.refuse('{"bodies": []}', "has no bodies")
        path = self.scratch / "in.json"
        self.refuse('{"bodies": [[1, 2]]}', "has 2 numbers, but the heft convention needs 10", where=f"{path}: body 1")
        self.refuse('{"bodies": [["x"]]}', "number 1 is not a number", where=f"{path}: body 1")
        self.refuse(good.replace("[1,", "[1e999,"), "is not JSON")
        self.refuse(good.replace("[1,", "[null,"), "number 1 is not a number", where=f"{path}: body 1")
        self.refuse(good, "unknown convention 'pinochio'", "did you mean 'pinocchio'?", where="--from", source="pinochio")
        self.refuse(good, "unknown convention 'usd'", where="--to", target="usd")
        self.refuse(good, "is missing", where="--prior", target="exponential_at_prior")
        for prior in ([1, 0, 0, 0, 0, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 1, 0, 1, 0, 0, 1]):
            path = self.bodies_file("prior.json", [prior])
            self.refuse(good, "not positive definite", where=f"{path}: body 1", target="exponential_at_prior",
                        flags=("--prior", path))
        path = self.bodies_file("prior.json", [body, body])
        self.refuse(good, "has 2 bodies, but the input has 1", where=path, target="exponential_at_prior", flags=("--prior", path))
        point = json.dumps({"bodies": [[1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1]]})
        self.refuse(point, "quaternion", where=f"{self.scratch / 'in.json'}: body 1", source="manifold")
        self.assert_refused(["convert", "--from", "heft", "--to", "urdf", self.scratch / "none.json", "--out",
                             self.scratch / "out.json"], self.scratch / "none.json", "cannot be opened")
        path = self.bodies_file("same.json", [body])
        self.assert_refused(["convert", "--from", "heft", "--to", "urdf", path, "--out", path], path, "would be overwritten")

    def test_quaternions_that_are_not_unit(self):
        point = [1, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3]
        straight = self.convert("manifold", "heft", [point])["bodies"][0]
        where = f"{self.scratch / 'in.json'}: body 1"
        for factor, length in ((0, "0"), (1 + 2e-6, "1.000002"), (-3, "3"), (1e200, "inf")):
            bent = point[:4] + [factor * x for x in point[4:8]] + point[8:]
            self.refuse(json.dumps({"bodies": [bent]}), f"has the length {length} instead of 1", "divide it by its length", where=where,
                        source="manifold")
        # the last digits of a file are no reason to refuse it, nor do they stretch the body; and q and -q are one turn
        for factor in (1 + 5e-7, -1):
            bent = point[:4] + [factor * x for x in point[4:8]] + point[8:]
            self.assert_near(self.convert("manifold", "heft", [bent])["bodies"][0], straight, 1e-15)

    def test_equal_and_nearly_equal_axes(self):
        """A ball, a disc and bodies whose second moments differ by less than rounding have a point on the manifold that maps back, and no
        Jacobian where it does not exist."""
        def about(lx, ly, lz):
            return [2, 0.3, -0.1, 0.2, ly + lz, 0, 0, lx + lz, 0, lx + ly]
        apart = (0, 2 ** -52, 1e-14, 1e-10, 1e-6)
        bodies = [about(1, 1 + e, 1) for e in apart] + [about(1, 1 + e, 0.3) for e in apart] + [about(0.2, 1, 1 + e) for e in apart]
        for target in CHARTS:
            there = self.convert("urdf", target, bodies, "--jacobian", prior=[[1, 0, 0, 0, 2, 0, 2, 0, 0, 2]])
            self.assertEqual(there["status"], ["ok"] * len(bodies))
            back = self.convert(target, "urdf", there["bodies"], "--jacobian", prior=[[1, 0, 0, 0, 2, 0, 2, 0, 0, 2]])
            for i, body in enumerate(bodies):
                self.assert_near(back["bodies"][i], body, 1e-13)
                self.assertIsNotNone(back["jacobians"][i])  # of the body by the point, always
                if target != "manifold":
                    self.assertIsNotNone(there["jacobians"][i])
                elif i >= 5 and apart[i % 5] > 1e-12:  # x and z are equal in the first five
                    J, K, e = there["jacobians"][i], back["jacobians"][i], apart[i % 5]
                    for r in range(10):
                        for c in range(10):
                            self.assertAlmostEqual(sum(J[r][k] * K[k][c] for k in range(10)), float(r == c), delta=1e-13 / e)
                else:
                    self.assertIsNone(there["jacobians"][i], body)

    def test_twelve_orders_of_magnitude_between_bodies_and_in_one(self):
        rod = [3, 0.3, 0, 0, 2, 0, 0, 2, 0, 4e-12]  # second moments 2e-12, 2e-12, 2 about the center of mass
        rng = random.Random(7)
        ones = [random_body(rng) for _ in range(4)]
        bodies = [[s * x for x in body] for body in ones for s in (1e-12, 1, 1e12)]
        prior = [ones[0]]
        for target in CHARTS + PROGRAMS:
            there = self.convert("heft", target, bodies, prior=prior)
            self.assertEqual(there["status"], ["ok"] * len(bodies), target)
            back = self.convert(target, "heft", there["bodies"], prior=prior)
            for ours, theirs in zip(back["bodies"], bodies):
                self.assert_near(ours, theirs, 1e-12)
        for target in ("log_cholesky", "manifold"):
            there = self.convert("urdf", target, [rod])
            self.assertEqual(there["status"], ["ok"], target)
            back = self.convert(target, "urdf", there["bodies"])["bodies"][0]
            self.assert_near(back, rod, 1e-12)

    def test_bodies_without_mass_or_with_too_little(self):
        nothing, no_mass = [0] * 10, [0, 0, 0, 0, 1, 0, 1, 0, 0, 1]
        moment_alone, hardly = [0, 0.1, 0, 0, 1, 0, 1, 0, 0, 1], [1e-310, 1, 0, 0, 1, 0, 1, 0, 0, 1]
        negative = [-1, 0, 0, 0, 1, 0, 1, 0, 0, 1]
        for target in CHARTS + PROGRAMS:
            answer = self.convert("heft", target, [nothing, no_mass, moment_alone, hardly, negative], "--jacobian",
                                  prior=[[1, 0, 0, 0, 1, 0, 1, 0, 0, 1]])
            self.assertEqual(answer["status"], ["boundary"] * 2 + ["impossible"] * 3, target)
            for body, jacobian in zip(answer["bodies"], answer["jacobians"]):
                self.assertTrue(body is None or None not in body, target)  # numbers, or none of them
                self.assertTrue(jacobian is None or body is not None, target)
            if target in CHARTS:
                self.assertEqual(answer["bodies"][2:], [None] * 3)
                self.assertEqual(answer["bodies"][0] is None, target != "manifold")
        back = self.convert("manifold", "heft", self.convert("heft", "manifold", [no_mass])["bodies"])
        self.assertEqual(back["status"], ["boundary"])
        self.assert_near(back["bodies"][0], no_mass, 1e-15)

    def test_what_is_said_to_be_in_another_convention(self):
        """Numbers of one convention, read as another's, are an implausible body."""
        body = [2, 0.1, 0, 0, 0.02, 0, 0.03, 0, 0, 0.04]
        source, out = self.bodies_file("bodies.json", [body]), self.scratch / "khalil.json"
        done = run_heft("convert", "--from", "urdf", "--to", "khalil", source, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        last = self.scratch / "last.json"
        for wrong in ("heft", "urdf", "manifold"):
            self.assert_refused(["convert", "--from", wrong, "--to", "heft", out, "--out", last], out, "in the convention 'khalil'",
                                "--from khalil")
        self.assert_refused(["distance", source, out], out, "in the convention 'khalil'", "heft convert")
        self.assert_refused(["convert", "--from", "heft", "--to", "exponential_at_prior", source, "--prior", out, "--out", last], out,
                            "in the convention 'khalil'", "heft convert")
        self.refuse(json.dumps({"convention": "usd", "bodies": [body]}), "in the convention 'usd'", "heft convert --help")
        self.refuse(json.dumps({"convention": 7, "bodies": [body]}), "that is not a string", "string")
        named = dict(zip(("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"), body))
        result = json.dumps({"bodies": [{"parameters": named}]})
        self.refuse(result, "in the convention 'heft'", "--from heft", where=f"{self.scratch / 'in.json'}: body 1", source="urdf")
        for alike in ("heft", "pinocchio"):
            self.assertEqual(self.convert_text(result, alike, "heft")["bodies"], [body])
        for first, second in (("urdf", "sdf"), ("pinocchio", "heft")):
            text = json.dumps({"convention": first, "bodies": [body]})
            self.assert_near(self.convert_text(text, second, first)["bodies"][0], body, 1e-15)


class Distance(ChartsTestCase):
    def distance(self, a, b):
        out = self.scratch / "distance.json"
        done = run_heft("distance", self.bodies_file("a.json", a), self.bodies_file("b.json", b), "--json", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(out.read_text()), done.stdout

    def test_golden_pairs(self):
        file = golden("charts.json")
        bodies = file["bodies"]
        a = [bodies[pair["pi"]]["pi"] for pair in file["pairs"]]
        b = [bodies[pair["prior"]]["pi"] for pair in file["pairs"]]
        found, _ = self.distance(a, b)
        reverse, _ = self.distance(b, a)
        for i, pair in enumerate(file["pairs"]):
            tolerance = max(1e-12, 1e-15 * max(max(l) / min(l) for l in (bodies[pair[k]]["eigenvalues_of_J"]
                                                                         for k in ("pi", "prior"))))
            for ours, theirs in (("affine_invariant", "geodesic_distance"), ("entropic_ab", "bregman_divergence"),
                                 ("pullback", "frobenius_prior_term")):
                self.assertAlmostEqual(found[ours][i] / pair[theirs], 1, delta=tolerance)
            self.assertAlmostEqual(reverse["entropic_ba"][i] / pair["bregman_divergence"], 1, delta=tolerance)

    def test_where_there_is_none(self):
        body, point = [1, 0, 0, 0, 1, 0, 1, 0, 0, 1], [1, 0.1, 0, 0, 0, 0, 0.01, 0, 0, 0.01]
        found, printed = self.distance([point, body, [-1] + body[1:]], [body, point, body])
        self.assertEqual([found[key][0] is None for key in ("affine_invariant", "entropic_ab", "entropic_ba", "pullback")],
                         [True, True, True, False])
        self.assertEqual([found["pullback"][i] for i in (1, 2)], [None, None])
        self.assertIn("infinite", printed)

    def test_result_of_identification(self):
        result = self.identify()
        path = self.scratch / "result" / "result.json"
        out = self.scratch / "distance.json"
        done = run_heft("distance", path, path, "--json", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(json.loads(out.read_text())["pullback"]), len(result["bodies"]))
        # and how far every body is from its prior
        order = ["m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"]
        found, _ = self.distance([[body["parameters"][k] for k in order] for body in result["bodies"]],
                                 [[body["prior"][k] for k in order] for body in result["bodies"]])
        for body, distance in zip(result["bodies"], found["affine_invariant"]):
            self.assertAlmostEqual(body["distance_to_prior"], distance, delta=1e-9 * distance)

    def test_refusals(self):
        body = [1, 0, 0, 0, 1, 0, 1, 0, 0, 1]
        a, b = self.bodies_file("a.json", [body] * 3), self.bodies_file("b.json", [body] * 2)
        self.assert_refused(["distance", a, b], b, "has 2 bodies")
        short = self.bodies_file("short.json", [[1, 2, 3]])
        self.assert_refused(["distance", a, short], f"{short}: body 1", "has 3 numbers instead of 10")
        self.assert_refused(["distance", a, b, "--json", a], a, "would be overwritten")


class Rows(ChartsTestCase):
    KINDS = ["torque", "kinetic", "potential", "power", "momentum", "coriolis_transpose", "gravity", "world_wrench", "world_gravity",
             "world_momentum"]

    def rows(self, robot, states, kind, *flags):
        out = self.scratch / "rows.npy"
        done = run_heft("rows", "--robot", robot, "--states", write_npy(self.scratch / "states.npy", states), "--kind", kind,
                        "--out", out, *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_npy(out)

    def states(self, n, floating=False):
        rng = random.Random(4)

        def base(pose):
            if not floating:
                return []
            if not pose:
                return [rng.gauss(0, 1) for _ in range(6)]
            quaternion = [rng.gauss(0, 1) for _ in range(4)]
            norm = math.sqrt(sum(x * x for x in quaternion))
            return [rng.gauss(0, 1) for _ in range(3)] + [x / norm for x in quaternion]
        return [[x for part in range(3) for x in base(part == 0) + [rng.gauss(0, 1 + part) for _ in range(n)]]
                for _ in range(4)]

    def assert_rows_of_pinocchio(self, floating):
        states = self.states(7, floating)
        request = self.write("states.json", json.dumps({"states": states, "floating": floating}))
        theirs = ask_peer("mechanics", ARM, request)
        for kind in self.KINDS:
            shape, numbers = self.rows(ARM, states, kind, *(["--floating"] if floating else []))
            expected = [x for state in theirs[kind] for row in state for x in row]
            self.assertEqual(shape, (4, len(theirs[kind][0]), len(theirs[kind][0][0])))
            # Pinocchio sums wrenches of many bodies in one frame: 1e-12 of the largest
            self.assert_near(list(numbers), expected, 1e-12)

    def test_as_pinocchio_says(self):
        self.assert_rows_of_pinocchio(False)

    def test_as_pinocchio_says_of_a_floating_base(self):
        self.assert_rows_of_pinocchio(True)

    def test_torque_is_rows_times_parameters_of_a_table(self):
        # the same states as a table with names, in another order of columns
        states = self.states(7)
        names = [f"{what}_joint_{i}" for what in ("q", "qd", "qdd") for i in range(1, 8)]
        order = list(range(20, -1, -1))
        lines = [",".join(names[k] for k in order)] + [",".join(repr(state[k]) for k in order) for state in states]
        table = self.write("states.csv", "\n".join(lines) + "\n")
        out = self.scratch / "table.npy"
        done = run_heft("rows", "--robot", ARM, "--states", table, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read_npy(out), self.rows(ARM, states, "torque"))
        one = self.rows(ARM, states, "torque", "--threads", "1")
        self.assertEqual(one, self.rows(ARM, states, "torque", "--threads", "3"))

    def test_refusals(self):
        states = write_npy(self.scratch / "s.npy", self.states(7))
        base = ["rows", "--robot", ARM, "--states", states, "--out", self.scratch / "r.npy"]
        self.assert_refused([*base, "--kind", "momentun"], "--kind", "unknown kind of rows 'momentun'", "momentum")
        narrow = write_npy(self.scratch / "n.npy", self.states(6))
        base[4] = narrow
        self.assert_refused(base, "states", "names 21 columns", "q_joint_1")
        missing = self.states(7)
        missing[2][5] = math.nan
        base[4] = write_npy(self.scratch / "m.npy", missing)
        self.assert_refused(base, f"{base[4]}[2]: q_joint_6", "is missing or not finite")
        base[4] = write_npy(self.scratch / "f.npy", [[2.0] * 40])
        self.assert_refused([*base[:-1], self.scratch / "r.npy", "--floating"], f"{base[4]}[0]", "quaternion")
        base[4] = states
        self.assert_refused([*base[:-1], self.scratch / "no" / "r.npy"], self.scratch / "no" / "r.npy", "cannot be written")
        self.assert_refused([*base[:-1], states], states, "would be overwritten")
