"""`heft check robot.urdf`: healthy robots without a word, and each of their broken twins named for its fault.

A defect is a function that breaks one thing of a healthy robot; the findings that are not notes must then be
exactly those listed, each at the link or joint that was broken, at a line inside that element.
"""

import json
import math
import pathlib
import re

from healthy_robots import TENSOR, Urdf, healthy_robots
from heft_program import HeftTestCase, ask_peer, run_heft

INERTIA, MASS, ORIGIN = "inertial/inertia", "inertial/mass", "inertial/origin"


class CheckCase(HeftTestCase):
    def setUp(self):
        super().setUp()
        self.robots = healthy_robots(self.scratch)

    def check(self, path, *flags, exit_code=None):
        """The findings of one run as (name, subject, severity, where), and the process."""
        out = self.scratch / "findings.json"
        done = run_heft("check", path, "--json", out, *flags)
        self.assert_no_crash(done.stderr + done.stdout)
        report = json.loads(out.read_text())
        errors = sum(f["severity"] == "error" for f in report["findings"])
        self.assertEqual(report["errors"], errors)
        self.assertEqual(done.returncode, exit_code if exit_code is not None else int(errors > 0), done.stderr)
        for finding in report["findings"]:
            self.assertIn(finding["name"], done.stdout)
            self.assertTrue(finding["what"] and finding["remedy"] and finding["unit"])
        return report["findings"], done

    def broken(self, robot, break_it):
        urdf = Urdf(self.robots[robot])
        break_it(urdf)
        path = self.scratch / "broken.urdf"
        urdf.write(path)
        return path

    def assert_named(self, defects):
        """`defects`: (robot, what breaks it, {(name, subject), ..})."""
        for robot, break_it, expected in defects:
            with self.subTest(robot=robot, expected=sorted(expected)):
                path = self.broken(robot, break_it)
                findings, _ = self.check(path)
                found = {(f["name"], f["subject"]) for f in findings if f["severity"] != "note"}
                self.assertEqual(found, expected, [f["what"] for f in findings])
                for finding in findings:
                    self.assert_place(path, finding)

    def assert_place(self, path, finding):
        line = int(finding["where"].rsplit(":", 1)[1])
        before = pathlib.Path(path).read_text().splitlines()[:line]
        owner = [found.group(1) for found in (re.search(r'<(?:link|joint) name="([^"]+)"', text) for text in before)
                 if found][-1]
        self.assertEqual(owner, finding["subject"], f"line {line} is not in {finding['subject']}")


class HealthyRobots(CheckCase):
    def test_healthy_robots_have_no_findings(self):
        for name, path in self.robots.items():
            with self.subTest(name):
                findings, done = self.check(path, "--strict")
                self.assertEqual(findings, [])
                self.assertIn("0 errors, 0 warnings, 0 notes", done.stdout)

    def test_healthy_robot_is_not_changed(self):
        fixed = self.scratch / "fixed.urdf"
        for name, path in self.robots.items():
            done = run_heft("check", path, "--fix", fixed)
            self.assertIn("0 changes", done.stdout)
            self.assertEqual([n.attrib for n in Urdf(fixed).root.iter()], [n.attrib for n in Urdf(path).root.iter()], name)


class BrokenMasses(CheckCase):
    def test_masses(self):
        self.assert_named([
            ("arm", lambda u: u.put("forearm", MASS, value=-2.1), {("mass-negative", "forearm")}),
            ("arm", lambda u: u.put("forearm", MASS, value=0), {("mass-zero-with-tensor", "forearm")}),
            ("arm", lambda u: u.remove("forearm", MASS), {("mass-missing", "forearm")}),
            ("arm", lambda u: u.remove("forearm", INERTIA), {("tensor-missing", "forearm")}),
            ("arm", lambda u: u.put("forearm", MASS, value="heavy"), {("not-a-number", "forearm")}),
            ("arm", lambda u: (u.scale("forearm", MASS, 1000, "value"),
                               u.scale("forearm", INERTIA, 1000, *TENSOR)), {("mass-in-grams", "forearm")}),
            ("gantry", lambda u: (u.scale("quill", MASS, 1000, "value"),
                                  u.scale("quill", INERTIA, 1000, *TENSOR)), {("mass-in-grams", "quill")}),
            ("gantry", lambda u: (u.scale("quill", MASS, 15, "value"),
                                  u.scale("quill", INERTIA, 15, *TENSOR)), {("density-too-high", "quill")}),
            ("crane", lambda u: (u.scale("jib", MASS, 0.01, "value"),
                                 u.scale("jib", INERTIA, 0.01, *TENSOR)), {("density-too-low", "jib")}),
            ("biped", lambda u: u.remove("left_foot", "inertial"), {("leaf-without-mass", "left_foot")}),
        ])


class BrokenTensors(CheckCase):
    def test_placeholders(self):
        self.assert_named([
            ("arm", lambda u: u.put_tensor("wrist", [0] * 6), {("tensor-zero", "wrist")}),
            ("arm", lambda u: u.put_tensor("wrist", [1, 0, 0, 1, 0, 1]), {("tensor-default", "wrist")}),
            ("biped", lambda u: u.put_tensor("pelvis", [1e-3, 0, 0, 1e-3, 0, 1e-3]), {("tensor-default", "pelvis")}),
            # 0.3 kg as a cube of one meter
            ("arm", lambda u: (u.put("wrist", MASS, value=0.3), u.put_tensor("wrist", [0.05, 0, 0, 0.05, 0, 0.05])),
             {("tensor-default", "wrist")}),
            ("arm", lambda u: [u.put_tensor(name, u.tensor("elbow")) for name in ("shoulder", "forearm", "wrist")],
             {("tensor-copied", name) for name in ("elbow", "shoulder", "forearm", "wrist")}),
        ])

    def test_impossible(self):
        self.assert_named([
            # next to no mass is a note; a tensor that no body has is an error all the same
            ("arm", lambda u: [u.scale("gripper", "inertial/mass", 1e-7, "value"),
                               u.put_tensor("gripper", [1e-9, 0, 0, 1e-9, 0, 3e-9])],
             {("placeholder-impossible", "gripper")}),
            ("arm", lambda u: u.scale("elbow", INERTIA, 3, "izz"), {("triangle-inequality", "elbow")}),
            # in kg mm^2, and no body in any unit: --fix, which knows the unit, would make nothing possible of it by that alone
            ("arm", lambda u: (u.scale("elbow", INERTIA, 3, "izz"), u.scale("elbow", INERTIA, 1e6, *TENSOR)),
             {("triangle-inequality", "elbow")}),
            ("arm", lambda u: u.scale("elbow", INERTIA, -1, "iyy"), {("moment-negative", "elbow")}),
            ("biped", lambda u: u.scale("right_shank", INERTIA, 2.5, "ixx"),
             {("triangle-inequality", "right_shank"), ("mirror-moments-differ", "left_shank")}),
            # ixx iyy izz ixy ixz iyz written into ixx ixy ixz iyy iyz izz
            ("arm", lambda u: u.put_tensor("elbow", [0.010224, 0.0037813, 0.010224, 0, 0, 0]),
             {("tensor-entries-swapped", "elbow")}),
            # a body whose products of inertia matter, with their signs as CAD programs print them
            ("arm", lambda u: u.put_tensor("elbow", [0.0102, 0.004, 0.004, 0.0102, 0.004, 0.0102]),
             {("products-sign", "elbow")}),
            ("arm", lambda u: u.shift_tensor("upper_arm_1", -1), {("tensor-shifted-twice", "upper_arm_1")}),
            ("arm", lambda u: u.put_tensor("gripper", [0.0004, 0, 0, 0.0011, 0, 0.0016]),
             {("impossible-by-rounding", "gripper")}),
        ])

    def test_other_readings(self):
        quarter_turn = [0.0, math.pi / 2, 0.0]
        self.assert_named([
            ("arm", lambda u: u.scale("forearm", INERTIA, 1e6, *TENSOR), {("tensor-unit-slip", "forearm")}),
            ("gantry", lambda u: u.scale("carriage", INERTIA, 1e9, *TENSOR), {("tensor-unit-slip", "carriage")}),
            ("hand", lambda u: u.scale("distal_1", INERTIA, 1e3, *TENSOR), {("tensor-unit-slip", "distal_1")}),
            ("gantry", lambda u: u.scale("quill", INERTIA, 1e-4, *TENSOR), {("tensor-too-small", "quill")}),
            # told by its products of inertia, without geometry
            ("arm", lambda u: u.shift_tensor("upper_arm_1", 1), {("tensor-about-link-origin", "upper_arm_1")}),
            ("arm", lambda u: u.shift_tensor("elbow", 1), {("tensor-about-link-origin", "elbow")}),
            # told by the geometry
            ("crane", lambda u: u.shift_tensor("jib", 1), {("tensor-about-link-origin", "jib")}),
            ("gantry", lambda u: u.put("quill", ORIGIN, rpy=quarter_turn), {("tensor-in-wrong-frame", "quill")}),
            ("crane", lambda u: u.put_tensor("jib", [u.tensor("jib")[k] for k in (3, 1, 2, 0, 4, 5)]),
             {("tensor-in-wrong-frame", "jib")}),
            ("gantry", lambda u: u.scale("carriage", INERTIA, 10, *TENSOR), {("spread-beyond-geometry", "carriage")}),
        ])


class BrokenPlaces(CheckCase):
    def test_places(self):
        self.assert_named([
            ("arm", lambda u: u.scale("forearm", ORIGIN, 1000, "xyz"), {("com-in-millimetres", "forearm")}),
            ("biped", lambda u: u.scale("pelvis", ORIGIN, 1000, "xyz"), {("com-in-millimetres", "pelvis")}),
            ("gantry", lambda u: u.put("quill", ORIGIN, xyz=[0.0, 0.02, 0.6]),
             {("com-outside-geometry", "quill"), ("spread-beyond-geometry", "quill")}),
            ("arm", lambda u: u.put("forearm", ORIGIN, xyz=[0.0, 0.0, -2.5]), {("com-beyond-reach", "forearm")}),
            ("hand", lambda u: u.find("proximal_0", "visual/geometry/mesh").attrib.pop("scale"),
             {("mesh-in-millimetres", "proximal_0")}),
        ])


class BrokenMirrors(CheckCase):
    def test_mirrors(self):
        self.assert_named([
            ("biped", lambda u: u.scale("left_foot", MASS, 1.2, "value"),
             {("mirror-mass-differs", "left_foot")}),
            ("biped", lambda u: u.put("right_thigh", ORIGIN, xyz=[0.01, 0.03, -0.17]),
             {("mirror-com-side", "left_thigh")}),
            ("biped", lambda u: u.put("right_thigh", ORIGIN, xyz=[0.01, -0.03, -0.10]),
             {("mirror-com-differs", "left_thigh")}),
            ("biped", lambda u: u.scale("left_shank", INERTIA, 0.6, *TENSOR), {("mirror-moments-differ", "left_shank")}),
            ("biped", lambda u: u.put("right_thigh", ORIGIN, rpy=[0.2, 0.1, 0.0]),
             {("mirror-products-side", "left_thigh")}),
        ])


class BrokenJoints(CheckCase):
    def test_joints(self):
        self.assert_named([
            ("arm", lambda u: u.put("joint_4", "axis", xyz="0 0 0"), {("axis-zero", "joint_4")}),
            ("arm", lambda u: u.put("joint_4", "axis", xyz="0 1 1"), {("axis-not-unit", "joint_4")}),
            ("arm", lambda u: u.remove("joint_4", "limit"), {("limit-missing", "joint_4")}),
            ("arm", lambda u: u.put("joint_4", "limit", lower=1.2, upper=-2.4), {("limits-inverted", "joint_4")}),
            ("arm", lambda u: u.put("joint_4", "limit", lower=-137.5, upper=68.75), {("limits-in-degrees", "joint_4")}),
            ("gantry", lambda u: u.put("z", "limit", lower=-300, upper=300), {("limits-in-millimetres", "z")}),
            ("arm", lambda u: u.put("joint_4", "limit", lower=0, upper=0), {("limits-without-range", "joint_4")}),
            ("arm", lambda u: u.put("joint_4", "limit", effort=-80), {("effort-negative", "joint_4")}),
            ("arm", lambda u: u.put("joint_4", "limit", effort=0), {("effort-zero", "joint_4")}),
            ("arm", lambda u: u.put("joint_4", "limit", velocity=-3), {("velocity-negative", "joint_4")}),
            ("arm", lambda u: u.put("joint_4", "limit", velocity=0), {("velocity-zero", "joint_4")}),
            ("biped", lambda u: u.put("left_knee", "dynamics", damping=-0.1), {("friction-negative", "left_knee")}),
            ("arm", lambda u: u.scale("joint_5", "origin", 1000, "xyz"), {("origin-in-millimetres", "joint_5")}),
            ("arm", lambda u: u.put("joint_5", "origin", rpy="-90 0 0"), {("angle-in-degrees", "joint_5")}),
            ("arm", lambda u: u.put("joint_5", "parent", link="nowhere"), {("structure", "joint_5")}),
        ])

    def test_rounded_right_angle_is_noted(self):
        findings, _ = self.check(self.broken("arm", lambda u: u.put("joint_5", "origin", rpy="-1.57 0 0")))
        self.assertEqual([(f["name"], f["subject"], f["severity"]) for f in findings],
                         [("angle-rounded", "joint_5", "note")])


class FixedRobots(CheckCase):
    """The output of --fix has no errors, and is as near to the file as reported."""

    def fix(self, robot, break_it):
        fixed = self.scratch / "fixed.urdf"
        done = run_heft("check", self.broken(robot, break_it), "--fix", fixed)
        findings, _ = self.check(fixed)
        self.assertEqual([f for f in findings if f["severity"] == "error"], [])
        return Urdf(fixed), done.stdout

    def assert_tensor(self, urdf, link, expected):
        for name, value, wanted in zip(TENSOR, urdf.tensor(link), expected):
            self.assertAlmostEqual(value, wanted, delta=1e-9 * max(map(abs, expected)), msg=name)

    def test_readings_are_undone(self):
        arm = Urdf(self.robots["arm"])
        for break_it in (lambda u: u.scale("forearm", INERTIA, 1e6, *TENSOR),
                         lambda u: u.scale("forearm", ORIGIN, 1000, "xyz"),
                         lambda u: (u.scale("forearm", MASS, 1000, "value"), u.scale("forearm", INERTIA, 1000, *TENSOR))):
            fixed, text = self.fix("arm", break_it)
            self.assertIn("forearm: ", text)
            self.assertAlmostEqual(fixed.numbers("forearm", ORIGIN, "xyz")[2], -0.1, delta=1e-12)
        fixed, _ = self.fix("arm", lambda u: u.shift_tensor("upper_arm_1", -1))
        self.assert_tensor(fixed, "upper_arm_1", arm.tensor("upper_arm_1"))

    def test_clipped_covariance_is_the_nearest(self):
        # diagonal tensor: Sigma's eigenvalues are its diagonal, ((b + c - a) / 2, ..); only the negative one moves
        fixed, text = self.fix("arm", lambda u: u.put_tensor("elbow", [0.010, 0, 0, 0.004, 0, 0.020]))
        spreads = [0.007, 0.013, 1e-3 * 0.013]
        self.assert_tensor(fixed, "elbow", [spreads[1] + spreads[2], 0, 0, spreads[0] + spreads[2], 0,
                                            spreads[0] + spreads[1]])
        self.assertIn("clipped", text)

    def test_point_gets_a_little_size(self):
        fixed, _ = self.fix("arm", lambda u: u.put_tensor("wrist", [0] * 6))
        self.assert_tensor(fixed, "wrist", [2 * 1.6e-6, 0, 0, 2 * 1.6e-6, 0, 2 * 1.6e-6])  # m (1 mm)^2 a side

    def test_fixed_robot_loads_in_a_peer(self):
        self.fix("arm", lambda u: u.scale("elbow", INERTIA, 3, "izz"))
        self.assertTrue(ask_peer("mujoco", self.scratch / "fixed.urdf")["inertias"])


class CheckProgram(CheckCase):
    def test_missing_file(self):
        path = self.scratch / "nowhere.urdf"
        self.assert_refused(["check", path], path, "cannot be opened", "check the path")

    def test_no_robot(self):
        self.assert_refused(["check"], "check", "no robot given", "heft check robot.urdf")

    def test_malformed_xml(self):
        path = self.write("bad.urdf", "<robot><link")
        done = run_heft("check", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("malformed XML", done.stderr)

    def test_unwritable_output(self):
        path = self.scratch / "nowhere" / "x"
        for flag in ("--json", "--fix"):
            done = run_heft("check", self.robots["arm"], flag, path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot be written", done.stderr)

    def test_strict_counts_warnings(self):
        path = self.broken("arm", lambda u: u.put_tensor("wrist", [0] * 6))
        self.check(path, exit_code=0)
        self.check(path, "--strict", exit_code=1)

    def test_mesh_that_is_not_there_is_noted(self):
        path = self.broken("hand", lambda u: [u.put("palm", f"{kind}/geometry/mesh", filename="package://lost/palm.stl")
                                              for kind in ("visual", "collision")])
        findings, _ = self.check(path)
        self.assertEqual([(f["name"], f["severity"]) for f in findings], [("meshes-unread", "note")])

    def test_package_path(self):
        lost = self.scratch / "elsewhere" / "lost" / "palm.stl"
        lost.parent.mkdir(parents=True)
        lost.write_bytes((self.scratch / "hand_description" / "meshes" / "palm.stl").read_bytes())
        path = self.broken("hand", lambda u: [u.put("palm", f"{kind}/geometry/mesh", filename="package://lost/palm.stl")
                                              for kind in ("visual", "collision")])
        findings, _ = self.check(path, "--package-path", self.scratch / "elsewhere")
        self.assertEqual(findings, [])

    def test_rules_are_listed(self):
        done = run_heft("check", "--rules")
        for name in ("triangle-inequality", "mass-in-grams", "limits-in-degrees"):
            self.assertIn(name, done.stdout)
