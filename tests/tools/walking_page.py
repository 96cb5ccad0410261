"""report.html of a robot that walks: forces on base and feet, contacts, and feet at the postures of the log."""

import csv
import json

import walking_robots
from browser import Tab, browser_path, shared_browser
from walking_contacts import FORCE, NO_SENSORS, contacts
from walking_robots import CONFIG, biped_log

GRAVITY = 9.81


class WalkingPage(walking_robots.WalkingRobot):
    def page(self, config):
        self.walk(config)
        self.path = self.scratch / "result" / "report.html"
        return json.loads(self.path.read_text(encoding="utf-8").split('id="data">')[1].split("</script>")[0])

    def logged(self, *names):
        """Columns of the held-out log."""
        with self.held_out.open(newline="") as file:
            rows = list(csv.DictReader(file))
        return [[float(row[name]) for row in rows] for name in names]

    def mean(self, envelope):
        """Between the extremes of every step, over the steps with rows."""
        both = zip(envelope["lower"], envelope.get("upper", envelope["lower"]))
        values = [(low + high) / 2 for low, high in both if low is not None]
        return sum(values) / len(values)

    def rms(self, envelope):
        values = [value for value in envelope["lower"] if value is not None]
        return (sum(value * value for value in values) / len(values))**0.5

    def test_forces_on_the_base_are_those_of_the_feet(self):
        """What feet exert carries the robot, and differs from what the bodies need by the error."""
        traces = self.page(CONFIG)["traces"]
        base = [channel for channel in traces["channels"] if channel.get("base")]
        self.assertEqual([channel["channel"] for channel in base], [f"base_{x}" for x in ("fx", "fy", "fz", "nx", "ny", "nz")])
        self.assertEqual([channel["unit"] for channel in base], ["N"] * 3 + ["N m"] * 3)
        weight = GRAVITY * biped_log.total_mass()
        # the trunk tilts a little, and biases of 7 N are within
        self.assertAlmostEqual(self.mean(base[2]["predicted"]) / weight, 1, delta=0.05)
        for channel in base:
            for exerted, needed, error in zip(*(channel[key]["lower"] for key in ("measured", "predicted", "residual"))):
                if exerted is not None and "upper" not in channel["measured"]:
                    self.assertAlmostEqual(exerted - needed, error, delta=1e-3 * weight)
            self.assertLess(self.rms(channel["residual"]), 0.03 * weight)

    def test_measured_forces_are_those_of_the_log(self):
        feet = self.page(CONFIG)["traces"]["feet"]
        self.assertEqual([(foot["name"], foot["frame"], foot["measured"]) for foot in feet],
                         [("left", "left_foot", True), ("right", "right_foot", True)])
        for foot in feet:
            self.assertEqual([part["component"] for part in foot["wrench"]], list(walking_robots.FORCES))
            for part in foot["wrench"]:
                [logged] = self.logged(f"{foot['name']}_{part['component']}")
                size = max(map(abs, logged))
                self.assertAlmostEqual(self.mean(part["envelope"]), sum(logged) / len(logged), delta=0.03 * size)

    def test_a_wrench_that_the_robot_exerts_is_turned(self):
        config = CONFIG.replace("bias: true\n", "bias: true\n    sign: -1\n", 1)
        left, right = self.page(config)["traces"]["feet"]
        [logged] = self.logged("left_fz")
        self.assertAlmostEqual(self.mean(left["wrench"][2]["envelope"]), -sum(logged) / len(logged), delta=5)

    def test_computed_forces_and_contacts_are_those_of_the_simulation(self):
        page = self.page(NO_SENSORS + contacts(FORCE))
        traces = page["traces"]
        for foot, side in zip(traces["feet"], ("left", "right")):
            self.assertEqual((foot["measured"], foot["state"], foot["widen_s"]), (False, "threshold", 0.025))
            force = foot["wrench"][2]["envelope"]
            logged = self.logged("t", *(f"{side}_{x}" for x in ("fx", "fy", "fz")))
            by_time = {round(row[0], 3): row[1:] for row in zip(*logged)}
            agree = checked = 0
            for k, time in enumerate(traces["time_s"]):
                row = by_time.get(round(time + traces["start_s"], 3))
                inside, wide = foot["in_contact_unwidened"]["lower"][k], foot["in_contact"]["lower"][k]
                self.assertLessEqual(inside, wide)
                if row is None or wide is None:
                    continue
                if wide == 0:
                    self.assertAlmostEqual(force["lower"][k], 0, delta=1e-9)
                checked += 1
                agree += inside == (sum(x * x for x in row)**0.5 > 20)
            self.assertGreater(checked, 50)
            self.assertGreater(agree, 0.97 * checked)  # the load crosses the threshold between two samples
        # one foot alone carries the robot, whose trunk shakes
        sizes = []
        for foot, other in (traces["feet"], traces["feet"][::-1]):
            parts = [part["envelope"]["lower"] for part in foot["wrench"][:3]]
            sizes += [sum(part[k]**2 for part in parts)**0.5 for k, wide in enumerate(other["in_contact"]["lower"])
                      if wide == 0 and parts[0][k] is not None]
        self.assertAlmostEqual(sum(sizes) / len(sizes) / (GRAVITY * biped_log.total_mass()), 1, delta=0.1)
        self.assertEqual([c["frame"] for c in page["results"][0]["contacts"]], ["left_foot", "right_foot"])

    def test_postures_have_feet_with_forces(self):
        skeleton = self.page(CONFIG)["skeleton"]
        self.assertEqual(skeleton["feet"], ["left", "right"])
        shanks = [k for k, body in enumerate(skeleton["bodies"]) if body["name"].endswith("shank")]
        weight, sums = GRAVITY * biped_log.total_mass(), []
        for posture in skeleton["postures"]:
            for foot, shank in zip(posture["feet"], shanks):
                # the sensor is fixed to the shank
                distance = sum((a - b)**2 for a, b in zip(foot[:3], posture["poses"][shank][:3]))**0.5
                self.assertAlmostEqual(distance, sum(x * x for x in biped_log.FOOT)**0.5, delta=1e-5)
            sums.append(sum(foot[5] for foot in posture["feet"]))
        self.assertAlmostEqual(sum(sums) / len(sums) / weight, 1, delta=0.1)

    def test_the_browser_draws_them(self):
        browser_path()  # skips aloud
        self.page(NO_SENSORS + contacts("auto"))
        for options in ({}, {"scheme": "dark", "width": 390, "height": 840, "phone": True}):
            tab = Tab(shared_browser(), self.path, **options)
            self.addCleanup(tab.close)
            tab.settle()
            self.assertEqual(tab.faults, [])
            sections = tab.run("[...document.querySelectorAll('main section')].map(s => s.id)")
            self.assertEqual(sections[1:5], ["torque", "base", "feet", "errors"])
            self.assertEqual(tab.run("document.querySelectorAll('#base figure').length"), 6)
            self.assertEqual(tab.run("document.querySelectorAll('#torque figure').length"), 6)
            # a bar for every foot, and one below its forces and torques
            bars = tab.run("[...document.querySelectorAll('#feet svg.zoom')].filter(n => n.querySelector('rect.strip.touch')).length")
            self.assertEqual(bars, 6)
            self.assertGreater(tab.run("document.querySelectorAll('#bodies circle.foot').length"), 3)
            self.assertEqual(tab.run("document.documentElement.scrollWidth"), options.get("width", 1100))
