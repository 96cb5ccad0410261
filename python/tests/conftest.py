"""What tests share: the demo arm with simulated logs, and an oracle of rigid bodies that shares no code with Heft."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import heft_robot as heft

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ARM = SOURCE / "tools" / "demo" / "arm.urdf"
PENDULUM = """<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0.5 0 0"/><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" velocity="9" effort="60"/></joint>
</robot>
"""
MASS, LENGTH, GRAVITY = 2, 0.5, 9.81


class Swing:
    """A point mass on a rod about a horizontal axis, in closed form: tau = m l (l qdd - g cos q) + 0.3 qd."""

    def __init__(self, rows=20000):
        self.t = t = 0.002 * np.arange(rows)
        self.q = np.sin(3 * t) + 0.5 * np.cos(5 * t)
        self.qd = 3 * np.cos(3 * t) - 2.5 * np.sin(5 * t)
        self.qdd = -9 * np.sin(3 * t) - 12.5 * np.cos(5 * t)
        self.tau = MASS * LENGTH * (LENGTH * self.qdd - GRAVITY * np.cos(self.q)) + 0.3 * self.qd


@pytest.fixture(scope="session")
def pendulum():
    return heft.Robot.from_urdf_text(PENDULUM)


@pytest.fixture(scope="session")
def swing():
    return Swing()


@pytest.fixture(scope="session")
def arm():
    return heft.Robot.from_urdf(ARM)


@pytest.fixture(scope="session")
def simulation(arm, tmp_path_factory):
    return heft.simulate(arm, tmp_path_factory.mktemp("demo"), duration=12, held_out=5, rate=500)


@pytest.fixture(scope="session")
def arrays(arm, simulation):
    """t, q, tau of the simulated training log."""
    table = simulation.train.read()
    stacked = [np.column_stack([table[f"{what}_{joint}"] for joint in arm.joints]) for what in ("q", "tau")]
    return table["t"], *stacked


@pytest.fixture(scope="session")
def result(arm, simulation):
    return heft.identify(arm, simulation.train, simulation.held_out)


@pytest.fixture(scope="session")
def data():
    folder = os.environ.get("HEFT_DATA")
    if not folder or not pathlib.Path(folder).is_dir():
        pytest.skip("HEFT_DATA names no folder of real logs")
    return pathlib.Path(folder)


def without_timings(document):
    return {key: value for key, value in document.items() if key not in ("timings", "reading")}


def run_program(*words, **options):
    return subprocess.run([sys.executable, "-m", "heft_robot", *map(str, words)], capture_output=True, text=True, **options)
