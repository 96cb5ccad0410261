"""`heft check robot.urdf` on values that look like a fault but are none, and on small bodies."""

import json
import math
import re

from heft_program import ARM, HeftTestCase, demo_log, run_heft


def link(name, mass=None, tensor=None, xyz="0 0 0", shapes=""):
    inertial = "" if mass is None else (
        f'<inertial><origin xyz="{xyz}"/><mass value="{mass}"/><inertia '
        + " ".join(f'{n}="{v}"' for n, v in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), tensor)) + "/></inertial>")
    return f'<link name="{name}">{inertial}{shapes}</link>\n'


def solid(mass, x, y, z):
    """The tensor of a uniform box."""
    return [mass * (y * y + z * z) / 12, 0, 0, mass * (x * x + z * z) / 12, 0, mass * (x * x + y * y) / 12]


def box(x, y, z):
    return f'<collision><geometry><box size="{x} {y} {z}"/></geometry></collision>'


def joint(name, parent, child, xyz="0 0 0", kind="revolute", axis="0 0 1", more=""):
    limit = '<limit lower="-1" upper="1" effort="10" velocity="2"/>' if kind in ("revolute", "prismatic") else ""
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/>'
            + (f'<axis xyz="{axis}"/>' if axis else "") + limit + more + "</joint>\n")


def robot(*parts):
    return '<robot name="r">\n' + "".join(parts) + "</robot>\n"


class CheckUnits(HeftTestCase):
    def findings(self, text, *flags):
        path, out = self.write("robot.urdf", text), self.scratch / "findings.json"
        done = run_heft("check", path, "--json", out, *flags)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return [(f["severity"], f["name"], f["subject"]) for f in json.loads(out.read_text())["findings"]]

    def fixed(self, text):
        self.findings(text, "--fix", self.scratch / "fixed.urdf")
        return (self.scratch / "fixed.urdf").read_text()


class HeavyBases(CheckUnits):
    """A machine bed or mobile base may have any mass if mass and tensor agree, or if it is the root."""

    def bed(self, mass, tensor, more_links="", above="base"):
        arm = re.search(r"(?s)<robot.*?>(.*)</robot>", open(ARM).read()).group(1)
        arm = re.sub(r"(?s) *<(collision|visual)>.*?</\1>\n", "", arm)
        root = re.search(r'<parent link="([^"]+)"', arm).group(1)
        return robot(link("bed", mass, tensor, "0 0 -0.4"), more_links, joint("mount", "bed", root, kind="fixed", axis=""), arm)

    def test_bed_without_shapes(self):
        for mass in (300, 900, 4000):
            with self.subTest(mass):
                text = self.bed(mass, solid(mass, 1.2, 0.9, 0.8))
                self.assertEqual(self.findings(text), [])
                self.assertIn(f'value="{mass}"', self.fixed(text))

    def test_bed_with_a_small_tensor_is_left_alone(self):
        text = self.bed(900, solid(900, 0.1, 0.1, 0.1))
        self.assertNotIn("mass-in-grams", [name for _, name, _ in self.findings(text)])
        self.assertIn('value="900"', self.fixed(text))

    def test_mobile_base_on_sliding_joints(self):
        mass = 450
        text = robot(link("world"), link("x"), link("vehicle", mass, solid(mass, 1.1, 0.8, 0.5)),
                     joint("jx", "world", "x", kind="prismatic", axis="1 0 0"),
                     joint("jy", "x", "vehicle", kind="prismatic", axis="0 1 0"),
                     link("head", 2, solid(2, 0.1, 0.1, 0.1)), joint("pan", "vehicle", "head", "0 0 0.3"))
        self.assertEqual([f for f in self.findings(text) if f[0] != "note"], [])

    def test_grams_told_by_mass_and_tensor_are_found_and_fixed(self):
        for written in (solid(2100, 0.08, 0.08, 0.3), solid(2.1, 0.08, 0.08, 0.3)):  # both in grams, the mass alone
            with self.subTest(written):
                text = robot(link("base", 20, solid(20, 0.4, 0.4, 0.2)), joint("turn", "base", "arm", "0 0 0.2"),
                             link("arm", 2100, written), joint("bend", "arm", "tip", "0 0 0.3", axis="0 1 0"),
                             link("tip", 1, solid(1, 0.1, 0.1, 0.1)))
                self.assertEqual(self.findings(text), [("error", "mass-in-grams", "arm")])
                fixed = self.fixed(text)
                self.assertIn('value="2.1"', fixed)
                self.assertAlmostEqual(float(re.findall('izz="([^"]+)"', fixed)[1]), solid(2.1, 0.08, 0.08, 0.3)[5])
                self.assertEqual(self.findings(fixed), [])


class BroadBodies(CheckUnits):
    """Plates, tables and palms are larger than the distances between joints."""

    def test_plate(self):
        self.assertEqual(self.findings(robot(
            link("mount"), joint("screwed", "mount", "plate", "0 0 0.006", "fixed", ""),
            link("plate", shapes=box(0.126, 0.146, 0.012)), joint("top", "plate", "face", "0 0 0.006", "fixed", ""),
            link("face"))), [])

    def test_table_turntable_and_pan_tilt(self):
        ball = '<visual><geometry><sphere radius="0.4"/></geometry></visual>'
        disc = '<visual><geometry><cylinder radius="0.6" length="0.02"/></geometry></visual>'
        for shape, sides in ((box(2.4, 1.2, 0.03), (2.4, 1.2, 0.03)), (disc, (1, 1, 0.02)), (ball, (0.6, 0.6, 0.6))):
            with self.subTest(shape):
                self.assertEqual(self.findings(robot(
                    link("foot"), joint("turn", "foot", "top", "0 0 0.01", "continuous"),
                    link("top", 12, solid(12, *sides), shapes=shape))), [])
        # a camera head on a mast whose center of mass is far below the joints
        self.assertEqual(self.findings(robot(
            link("mast", 8, solid(8, 0.05, 0.05, 1.2), "0 0 -0.6"), joint("pan", "mast", "yoke", "0 0 0.02"),
            link("yoke", 0.3, solid(0.3, 0.06, 0.06, 0.04)), joint("tilt", "yoke", "camera", "0 0 0.03", axis="0 1 0"),
            link("camera", 0.4, solid(0.4, 0.08, 0.06, 0.05)))), [])

    def test_robot_far_from_the_world(self):
        self.assertEqual(self.findings(robot(
            link("world"), joint("place", "world", "base", "12 4 0", "fixed", ""), link("base", 1, solid(1, .1, .1, .05)),
            joint("pan", "base", "head", "0 0 0.05"), link("head", 0.5, solid(0.5, 0.08, 0.06, 0.05)))), [])


class SmallBodies(CheckUnits):
    def jaw(self, mass, factor):
        moment = solid(mass, 0.003, 0.003, 0.005)
        return robot(link("palm"), joint("slide", "palm", "jaw", kind="prismatic", axis="1 0 0"),
                     link("jaw", mass, [moment[0], 0, 0, moment[0], 0, factor * moment[0]], shapes=box(0.003, 0.003, 0.005)))

    def test_impossible_tensors_at_every_mass(self):
        for mass in (4.5e-6, 1e-4, 3e-4):
            with self.subTest(mass):
                self.assertEqual(self.findings(self.jaw(mass, 1)), [])
                for factor in (3, -0.25):
                    self.assertIn("error", [severity for severity, *_ in self.findings(self.jaw(mass, factor))])

    def test_insect_arm(self):
        parts = [link("base")]
        for k in range(6):
            parts += [link(f"l{k}", 2e-5, solid(2e-5, 0.002, 0.002, 0.004), "0 0 0.002", ""),
                      joint(f"j{k}", f"l{k - 1}" if k else "base", f"l{k}", "0 0 0.004", axis="0 1 0")]
        self.assertEqual(self.findings(robot(*parts)), [])

    def test_fix_keeps_a_small_body_small(self):
        text = self.fixed(self.jaw(1e-4, 3))
        moments = [float(re.search(f'{name}="([^"]+)"', text).group(1)) for name in ("ixx", "iyy", "izz")]
        self.assertLess(max(moments), 1e-9)
        self.assertLessEqual(max(moments), sum(moments) - max(moments))


class Sides(CheckUnits):
    def finger(self, name, y, length, mass):
        return [link(f"{name}_l1", mass, solid(mass, 0.012, 0.012, length)),
                joint(f"{name}_j1", "palm", f"{name}_l1", f"0.04 {y} 0.02", axis="0 1 0"),
                link(f"{name}_l2", mass / 2, solid(mass / 2, 0.01, 0.01, length / 2)),
                joint(f"{name}_j2", f"{name}_l1", f"{name}_l2", f"0 0 {length}", axis="0 1 0")]

    def test_fingers_of_one_palm_are_no_pair(self):
        fingers = [("ff", 0.033, 0.045, 0.02), ("mf", 0.011, 0.05, 0.025), ("rf", -0.011, 0.045, 0.02), ("lf", -0.033, 0.035, 0.012)]
        self.assertEqual(self.findings(robot(link("palm", 0.3, solid(0.3, 0.08, 0.09, 0.03)),
                                             *[part for finger in fingers for part in self.finger(*finger)]), "--strict"), [])

    def test_lower_and_rear_are_no_pair(self):
        self.assertEqual(self.findings(robot(
            link("body", 3, solid(3, 0.3, 0.2, 0.1)),
            link("l1", 0.5, solid(0.5, 0.05, 0.05, 0.2)), joint("j_l1", "body", "l1", "0 0 -0.1", axis="1 0 0"),
            link("r1", 0.8, solid(0.8, 0.05, 0.05, 0.3)), joint("j_r1", "body", "r1", "-0.1 0 0", axis="0 1 0"))), [])

    def test_two_arms_with_a_slip_are_still_found(self):
        for left, right, y in (("left_arm", "right_arm", 0.2), ("l1", "r1", 0.3), ("arm_L", "arm_R", 0.2), ("lf_leg", "rf_leg", 0.1)):
            with self.subTest(left):
                self.assertEqual(self.findings(robot(
                    link("torso", 10, solid(10, 0.2, 0.3, 0.5)),
                    link(left, 2, solid(2, 0.06, 0.06, 0.3)), joint("a", "torso", left, f"0.05 {y} 0.4", axis="0 1 0"),
                    link(right, 3, solid(2, 0.06, 0.06, 0.3)), joint("b", "torso", right, f"0.05 {-y} 0.4", axis="0 1 0"))),
                    [("warning", "mirror-mass-differs", left)])


class NumbersThatNothingUses(CheckUnits):
    def test_axis_of_a_fixed_joint(self):
        arm = open(ARM).read()
        text = arm.replace("</robot>", link("extra") + joint("screwed", "gripper", "extra", kind="fixed", axis="100") + "</robot>")
        self.assertIn('link name="gripper"', text)
        self.assertEqual(self.findings(text), [("warning", "number-unused", "screwed")])
        path = self.scratch / "robot.urdf"
        for command in (["observe", path, "--dimensions"],
                        ["simulate", "--robot", path, "--duration", 1, "--held-out", 1, "--out", self.scratch / "s"],
                        ["identify", "--robot", path, "--log", demo_log("train.csv"), "--out", self.scratch / "i"]):
            done = run_heft(*command)
            self.assertIn(done.returncode, (0, 4), done.stderr)

    def test_range_of_a_continuous_joint(self):
        text = robot(link("base"), link("wheel", 1, solid(1, 0.2, 0.2, 0.05)),
                     joint("spin", "base", "wheel", kind="continuous", more='<limit lower="none" upper="" effort="1" velocity="1"/>'))
        self.assertEqual(self.findings(text), [("warning", "number-unused", "spin")])
        self.assertEqual(run_heft("observe", self.scratch / "robot.urdf").returncode, 0)

    def test_axis_of_a_joint_that_moves_is_an_error(self):
        text = robot(link("base"), link("wheel", 1, solid(1, 0.2, 0.2, 0.05)), joint("spin", "base", "wheel", kind="continuous", axis="100"))
        self.assertIn(("error", "not-a-number", "spin"), self.findings(text))


class XacroRemnants(CheckUnits):
    def test_expressions_in_attributes(self):
        wheel = link("wheel", 1, solid(1, 0.2, 0.2, 0.05))
        good = robot(link("base"), wheel, joint("spin", "base", "wheel", kind="continuous"))
        mesh = '<visual><geometry><mesh filename="$(find pkg)/wheel.stl"/></geometry></visual></link>'
        for old, new in (('xyz="0 0 0"', 'rpy="${pi/2} 0 0"'), ('mass value="1"', 'mass value="${m}"'),
                         ('link name="base"', 'link name="${prefix}base"'), ("</link>\n<joint", f"{mesh}\n<joint"),
                         ('robot name="r"', 'robot name="$(arg name)"')):
            with self.subTest(new):
                self.assertIn(old, good)
                text = good.replace(old, new, 1)
                self.assertEqual([(s, n) for s, n, _ in self.findings(text)], [("error", "structure")])
                path = self.scratch / "robot.urdf"
                line = text[:text.index("$")].count("\n") + 1
                self.assert_refused(["observe", path], f"{path}:{line}", "still contains xacro expressions", "xacro robot.xacro > robot.urdf")

    def test_dollars_alone_are_fine(self):
        self.assertEqual(self.findings(robot(link("base$"), link("wheel", 1, solid(1, 0.2, 0.2, 0.05)),
                                             joint("US$ {1}", "base$", "wheel", kind="continuous"))), [])


class MassOfZero(CheckUnits):
    def test_fix_leaves_no_tensor_without_mass(self):
        text = robot(link("base"), link("frame", 0, [1e-3, 0, 0, 1e-3, 0, 1e-3]), joint("turn", "base", "frame", kind="continuous"),
                     link("body", 1, solid(1, 0.1, 0.1, 0.1)), joint("next", "frame", "body", "0 0 0.1", kind="continuous"))
        self.assertIn(("error", "mass-zero-with-tensor", "frame"), self.findings(text))
        fixed = self.fixed(text)
        self.assertTrue(math.isclose(float(re.search('ixx="([^"]+)"', fixed).group(1)), 0))
        self.assertNotIn("mass-zero-with-tensor", [name for _, name, _ in self.findings(fixed)])
