"""A simulated log and functions that write it in formats that the program does not read itself; skips without the library that writes
it."""
import numpy as np
import pytest

import heft_robot as heft


class Recorded:
    """The log of a simulated arm: its CSV and the columns read from it."""

    def __init__(self, path, robot):
        self.path = path
        self.columns = heft.read_log(path).read()
        self.joints = robot.joints
        self.t = self.columns["t"]
        self.q, self.tau = (np.column_stack([self.columns[f"{what}_{joint}"] for joint in robot.joints]) for what in ("q", "tau"))

    @property
    def numbered(self):
        """Columns t, q1, .., tau1, .. in the order of matrices."""
        names = ["t", *(f"q{k + 1}" for k in range(7)), *(f"tau{k + 1}" for k in range(7))]
        return dict(zip(names, [self.t, *self.q.T, *self.tau.T]))


@pytest.fixture(scope="module")
def recorded(arm, tmp_path_factory):
    return Recorded(heft.simulate(arm, tmp_path_factory.mktemp("formats"), duration=4, rate=250, seed=3).train.name, arm)


@pytest.fixture(scope="module")
def bodies(arm, recorded):
    return heft.identify(arm, recorded.path).to_dict()["bodies"]


def same(path, columns):
    """Reads a log and checks that its columns equal these."""
    log = heft.read_log(path)
    assert log.name == str(path) and set(columns) <= set(log.columns), log.columns
    found = log.read(list(columns))
    for name, values in columns.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
    return log


def refused(path, *words):
    """Expects a HeftError at the file whose message contains these words."""
    with pytest.raises(heft.HeftError) as caught:
        heft.read_log(path).read()
    text = str(caught.value)
    assert caught.value.where.startswith(str(path)) and caught.value.remedy, text
    for word in words:
        assert word in text, text
    return caught.value


def write_parquet(recorded, path, **options):
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    parquet.write_table(arrow.table(recorded.columns), path, **options)
    return path


def write_npz(recorded, path):
    np.savez(path, t=recorded.t, q=recorded.q, tau=recorded.tau)
    return path


def classic_dataset(path, version):
    return pytest.importorskip("scipy.io").netcdf_file(path, "w", version=version)


def netcdf4_dataset(path):
    return pytest.importorskip("netCDF4").Dataset(path, "w")


def write_netcdf(recorded, file):
    with file:
        file.createDimension("time", None)
        file.createDimension("joint", 7)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "milliseconds since 2026-03-01"
        q = file.createVariable("q", "f8", ("time", "joint"))
        q.units, q.scale_factor = "degrees", 0.5
        tau = file.createVariable("tau", "f8", ("time", "joint"))
        tau.missing_value = -999.0
        if hasattr(q, "set_auto_maskandscale"):
            q.set_auto_maskandscale(False)
            tau.set_auto_maskandscale(False)
        time[:], q[:] = recorded.t * 1e3, np.degrees(recorded.q) * 2
        numbers = recorded.tau.copy()
        numbers[3, 2] = -999.0
        tau[:] = numbers


def write_bag(path, recorded, compression=None, shuffled=True):
    rosbag1, typesys = pytest.importorskip("rosbags.rosbag1"), pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.ROS1_NOETIC)
    types = store.types
    writer = rosbag1.Writer(path)
    if compression:
        writer.set_compression(getattr(rosbag1.Writer.CompressionFormat, compression))
    with writer:
        joints = writer.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
        wrench = writer.add_connection("/ft", "geometry_msgs/msg/WrenchStamped", typestore=store)
        Vector = types["geometry_msgs/msg/Vector3"]
        for k, t in enumerate(recorded.t):
            stamp = 1_771_234_567_000_000_000 + round(t * 1e9)
            header = types["std_msgs/msg/Header"](k, types["builtin_interfaces/msg/Time"](stamp // 10**9, stamp % 10**9), "base")
            order = list(range(7))[::-1] if shuffled and k % 3 == 0 else list(range(7))
            message = types["sensor_msgs/msg/JointState"](
                header, [recorded.joints[j] for j in order], recorded.q[k, order], np.empty(0), recorded.tau[k, order]
            )
            writer.write(joints, stamp + 500_000, store.serialize_ros1(message, "sensor_msgs/msg/JointState"))
            force = types["geometry_msgs/msg/Wrench"](Vector(1.0, 2.0, float(k)), Vector(0.0, 0.0, 0.0))
            message = types["geometry_msgs/msg/WrenchStamped"](header, force)
            writer.write(wrench, stamp + 600_000, store.serialize_ros1(message, "geometry_msgs/msg/WrenchStamped"))
    return path
