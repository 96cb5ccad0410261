"""Files for controllers, read again as their documents say: what each compensates with is the wrench of the point masses.

The payload is seven point masses on a sensor that sits turned and shifted on the flange, whose motion is logged. Every force is a sum
over the masses; nothing here knows of moments but the formulas of the readers:

libfranka, robot.h: setLoad(mass, F_x_Cload from flange to center of mass, load_inertia column-major), robot_state.h: I_load with
respect to the center of mass. Universal Robots, Script Manual: set_target_payload(m, cog from the tool mount, [Ixx, Iyy, Izz, Ixy, Ixz,
Iyz] with origin in the CoG, axes of the tool flange). ros2_controllers, admittance_rule_impl.hpp: process_wrench_measurements.
geometry_msgs/msg/Inertia (Humble): tensor about the center of mass.
"""

import json
import math
import re
import sys
import xml.etree.ElementTree

from heft_program import SOURCE, HeftTestCase, run_heft

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import payload_log  # noqa: E402

cross, plus, times, transposed = payload_log.cross, payload_log.plus, payload_log.times, payload_log.transposed

# in the flange's frame [kg], [m]
MASSES = [(0.4, (0.02, 0.01, 0.1)), (0.3, (-0.05, 0.02, 0.12)), (0.2, (0.03, -0.06, 0.15)), (0.25, (0.0, 0.05, 0.2)),
          (0.15, (0.07, 0.03, 0.08)), (0.1, (-0.02, -0.03, 0.25)), (0.2, (0.04, 0.0, 0.18))]
SHIFT, TURN = (0.01, -0.02, 0.05), (0.1, -0.2, math.pi / 4)  # of the sensor on the flange: x, y, z; roll, pitch, yaw
R = payload_log.rotation(*reversed(TURN))  # sensor to flange
BIAS = (3.0, -2.0, 5.0, 0.1, -0.2, 0.3)
TOLERANCE = 1e-6  # [N], [N m]: logs have twelve digits


def pull_of_masses(w, wd, u):
    """What carries them: force, and torque about the flange's origin."""
    force, torque = [0.0] * 3, [0.0] * 3
    for mass, at in MASSES:
        f = [mass * x for x in plus(u, cross(wd, at), cross(w, cross(w, at)))]
        force, torque = plus(force, f), plus(torque, cross(at, f))
    return force, torque


def in_sensor(force, torque):
    """A wrench about the flange's origin, in its axes, as the sensor has it."""
    about_sensor = [n - x for n, x in zip(torque, cross(SHIFT, force))]
    return times(transposed(R), force) + times(transposed(R), about_sensor)


def pull_of_body(m, c, I, w, wd, u):
    """Newton and Euler, I about the center of mass."""
    force = [m * x for x in plus(u, cross(wd, c), cross(w, cross(w, c)))]
    return force, plus(cross(c, force), times(I, wd), cross(w, times(I, w)))


def symmetric(xx, xy, xz, yy, yz, zz):
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


class PayloadControllers(HeftTestCase):
    def weigh(self, sign=1):
        names = "t,wx,wy,wz,alx,aly,alz,ax,ay,az,gx,gy,gz,fx,fy,fz,nx,ny,nz"
        lines = [names]
        for k in range(400):
            w, wd, a, g = payload_log.motion(k / 100)
            wrench = in_sensor(*pull_of_masses(w, wd, [x - y for x, y in zip(a, g)]))
            lines.append(",".join(f"{x:.12g}" for x in [k / 100, *w, *wd, *a, *g, *(sign * (x + b) for x, b in zip(wrench, BIAS))]))
        mounting = [*SHIFT, *TURN]
        log, config = self.write("log.csv", "\n".join(lines) + "\n"), self.write("p.yaml", f"payload: {{sign: {sign}, mounting: {mounting}}}")
        done = run_heft("payload", "--log", log, "--config", config, "--method", "wls", "--out", self.scratch / "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def text(self, name):
        return (self.scratch / "out" / name).read_text()

    def assert_near(self, found, expected):
        for x, y in zip(found, expected, strict=True):
            self.assertAlmostEqual(x, y, delta=TOLERANCE)

    def assert_moves_as_the_masses(self, m, c, I):
        """In the flange's frame."""
        for k in range(0, 400, 7):
            w, wd, a, g = payload_log.motion(k / 100)
            u = [x - y for x, y in zip(a, g)]
            self.assert_near(sum(pull_of_body(m, c, I, w, wd, u), []), sum(pull_of_masses(w, wd, u), []))

    def assert_moves_as_the_masses_on_the_sensor(self, m, c, I):
        for k in range(0, 400, 7):
            w, wd, a, g = payload_log.motion(k / 100)
            u = [x - y for x, y in zip(a, g)]
            of_sensor = plus(u, cross(wd, SHIFT), cross(w, cross(w, SHIFT)))
            turned = [times(transposed(R), v) for v in (w, wd, of_sensor)]
            self.assert_near(sum(pull_of_body(m, c, I, *turned), []), in_sensor(*pull_of_masses(w, wd, u)))

    def test_franka_has_the_load_in_the_flange(self):
        self.weigh()
        load = json.loads(self.text("payload_franka.json"))
        columns = load["load_inertia"]
        I = [[columns[3 * j + i] for j in range(3)] for i in range(3)]
        self.assert_moves_as_the_masses(load["load_mass"], load["F_x_Cload"], I)
        for words in ("setLoad", "column-major", "I_load"):
            self.assertIn(words, json.dumps(load))

    def test_universal_robots_has_it_in_the_flange(self):
        self.weigh()
        line = next(line for line in self.text("payload_ur.txt").splitlines() if not line.startswith("#"))
        m, cog, inertia = json.loads("[" + re.fullmatch(r"set_target_payload\((.*)\)", line).group(1) + "]")
        xx, yy, zz, xy, xz, yz = inertia
        self.assert_moves_as_the_masses(m, cog, symmetric(xx, xy, xz, yy, yz, zz))

    def test_ros_has_an_inertia_on_the_sensor(self):
        self.weigh()
        text = self.text("payload_ros2.yaml").split("\ninertia:\n")[1]
        number = lambda name: float(re.search(rf"\b{name}: ([^,}}\n]+)", text).group(1))
        I = symmetric(*(number("i" + axes) for axes in ("xx", "xy", "xz", "yy", "yz", "zz")))
        self.assert_moves_as_the_masses_on_the_sensor(number("m"), [number(axis) for axis in "xyz"], I)

    def test_a_urdf_has_a_link_on_the_sensor(self):
        self.weigh()
        inertial = xml.etree.ElementTree.fromstring(self.text("payload.urdf")).find("link/inertial")
        self.assertEqual(inertial.find("origin").get("rpy"), "0 0 0")
        c = [float(x) for x in inertial.find("origin").get("xyz").split()]
        I = symmetric(*(float(inertial.find("inertia").get("i" + axes)) for axes in ("xx", "xy", "xz", "yy", "yz", "zz")))
        self.assert_moves_as_the_masses_on_the_sensor(float(inertial.find("mass").get("value")), c, I)

    def test_the_admittance_controller_of_ros_takes_the_weight_off(self):
        for sign in (1, -1):
            with self.subTest(sign=sign):
                self.weigh(sign)
                text = self.text("payload_ros2.yaml")
                weight = [0, 0, -float(re.search(r"force: (.*)", text).group(1))]
                cog = json.loads(re.search(r"pos: (\[.*\])", text).group(1))
                # what the driver shows must be what the payload exerts: the file says so where the log had the opposite
                self.assertEqual("negate" in text, sign == 1)
                for k in range(0, 400, 23):
                    to_world = payload_log.orientation(k / 100)  # of the sensor
                    up = times(transposed(to_world), [0, 0, payload_log.GRAVITY])
                    at_rest = in_sensor(*pull_of_masses([0] * 3, [0] * 3, times(R, up)))
                    force, torque = times(to_world, [-x for x in at_rest[:3]]), times(to_world, [-x for x in at_rest[3:]])
                    self.assert_near([f - x for f, x in zip(force, weight)], [0] * 3)
                    self.assert_near([n - x for n, x in zip(torque, cross(times(to_world, cog), weight))], [0] * 3)
