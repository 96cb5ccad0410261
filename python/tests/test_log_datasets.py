"""LeRobot datasets and ROS 1 bags give the numbers of the CSV, or are rejected with the fault."""
import json

import numpy as np
import pytest

import heft_robot as heft
from log_files import bodies, recorded, refused, write_bag  # noqa: F401  fixtures, too

pytestmark = pytest.mark.filterwarnings("ignore::heft_robot.LogNote")


class Dataset:
    """A LeRobot dataset of two episodes, as LeRobot 0.6 writes it."""

    def __init__(self, folder, recorded, version="v3.0", fps=250, effort=True, varying=False, **info):
        self.arrow, self.parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        self.folder, self.recorded, self.half = folder, recorded, len(recorded.t) // 2
        features = {
            "observation.state": {"dtype": "float32", "shape": [7], "names": recorded.joints},
            "observation.effort": {"dtype": "float32", "shape": [7], "names": {"motors": recorded.joints}},
            "observation.images.top": {"dtype": "video", "shape": [480, 640, 3], "names": ["height", "width", "channel"]},
        }
        features |= {
            name: {"dtype": "int64", "shape": [1], "names": None}
            for name in ("frame_index", "episode_index", "index", "task_index")
        }
        features["timestamp"] = {"dtype": "float32", "shape": [1], "names": None}
        if not effort:
            del features["observation.effort"]
        path = (
            "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
            if version == "v3.0"
            else "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
        )
        self.info = {
            "codebase_version": version,
            "robot_type": "arm",
            "total_episodes": 2,
            "total_frames": 2 * self.half,
            "fps": fps,
            "chunks_size": 1000,
            "data_path": path,
            "features": features,
            **info,
        }
        rows = [range(self.half), range(self.half, 2 * self.half)]
        tables = [self.table(k, list(row), varying, effort) for k, row in enumerate(rows)]
        (folder / "meta" / "episodes" / "chunk-000").mkdir(parents=True)
        (folder / "data" / "chunk-000").mkdir(parents=True)
        (folder / "meta" / "info.json").write_text(json.dumps(self.info))
        if version == "v3.0":
            self.parquet.write_table(self.arrow.concat_tables(tables), folder / "data" / "chunk-000" / "file-000.parquet")
            episodes = {
                "episode_index": [0, 1],
                "length": [self.half] * 2,
                "data/chunk_index": [0, 0],
                "data/file_index": [0, 0],
                "dataset_from_index": [0, self.half],
                "dataset_to_index": [self.half, 2 * self.half],
            }
            self.parquet.write_table(self.arrow.table(episodes), folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet")
        else:
            for k, table in enumerate(tables):
                self.parquet.write_table(table, folder / "data" / "chunk-000" / f"episode_{k:06d}.parquet")
            (folder / "meta" / "episodes.jsonl").write_text(
                "".join(json.dumps({"episode_index": k, "length": self.half}) + "\n" for k in (0, 1))
            )

    def table(self, episode, rows, varying, effort):
        arrow = self.arrow
        kind = arrow.list_(arrow.float32()) if varying else arrow.list_(arrow.float32(), 7)
        frames = np.arange(len(rows))
        columns = {
            "observation.state": arrow.array(self.recorded.q[rows].astype("f4").tolist(), kind),
            "observation.effort": arrow.array(self.recorded.tau[rows].astype("f4").tolist(), kind),
            "timestamp": (frames / self.info["fps"]).astype("f4"),
            "frame_index": frames,
            "episode_index": np.full(len(rows), episode),
            "index": np.array(rows),
            "task_index": np.zeros(len(rows), int),
        }
        if not effort:
            del columns["observation.effort"]
        return arrow.table(columns)

    def edit(self, **info):
        (self.folder / "meta" / "info.json").write_text(json.dumps({**self.info, **info}))


@pytest.mark.parametrize("version", ["v2.1", "v3.0"])
@pytest.mark.parametrize("varying", [False, True])
def test_lerobot(arm, recorded, tmp_path, version, varying):
    dataset = Dataset(tmp_path, recorded, version, varying=varying)
    with pytest.warns(heft.LogNote, match="synthetic"):
        log = heft.read_log(tmp_path)
    found = log.read()
    half = dataset.half
    np.testing.assert_array_equal(found["q_joint_3"], recorded.q[: 2 * half, 2].astype("f4"))
    np.testing.assert_array_equal(found["tau_joint_7"], recorded.tau[: 2 * half, 6].astype("f4"))
    np.testing.assert_allclose(np.diff(found["t"][:half]), 1 / 250, atol=1e-12)
    assert found["t"][half] - found["t"][half - 1] >= 10, "episodes are segments"
    result = heft.identify(arm, tmp_path)
    assert result.certified


def test_lerobot_as_the_csv(arm, recorded, tmp_path):
    """One episode gives the numbers of a CSV of the same float32 numbers."""
    dataset = Dataset(tmp_path / "set", recorded)
    rows = slice(0, dataset.half)
    numbers = np.column_stack([np.arange(dataset.half) / 250, recorded.q[rows].astype("f4"), recorded.tau[rows].astype("f4")])
    names = ["t", *(f"q_{joint}" for joint in recorded.joints), *(f"tau_{joint}" for joint in recorded.joints)]
    np.savetxt(tmp_path / "log.csv", numbers, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    one = heft.identify(arm, tmp_path / "log.csv").to_dict()["bodies"]
    two = heft.identify(arm, tmp_path / "set", end_s=5).to_dict()["bodies"]
    assert one == two


def test_lerobot_names_with_suffixes(recorded, tmp_path):
    """Drives that report more than positions: one feature, whose names state the meaning of each number."""
    dataset = Dataset(tmp_path, recorded, effort=False)
    names = [f"{joint}.{what}" for joint in recorded.joints[:2] for what in ("pos", "vel", "torque")] + ["joint_1.temp"]
    dataset.info["features"]["observation.state"]["names"] = names
    dataset.edit()
    found = heft.read_log(tmp_path).read()
    assert {"q_joint_1", "qd_joint_2", "tau_joint_2", "observation.state.joint_1.temp"} <= set(found)


def test_lerobot_without_torque(recorded, tmp_path):
    Dataset(tmp_path, recorded, effort=False)
    refused(tmp_path, "without joint torques", "observation.effort")


@pytest.mark.parametrize(
    "info, words",
    [
        ({"data_path": "../../etc/{chunk_index:03d}.parquet"}, "not a path inside"),
        ({"data_path": "/etc/{chunk_index:03d}.parquet"}, "not a path inside"),
        ({"data_path": "data/{chunk_index.__class__}.parquet"}, "not a path inside"),
        ({"data_path": "data/{chunk_index:09999999999d}.parquet"}, "not a path inside"),
        ({"data_path": "data/{episode_index:06d}.parquet"}, "episode_index"),
        ({"data_path": None}, "not a path inside"),
        ({"fps": 0}, "fps"),
        ({"fps": "30"}, "fps"),
        ({"fps": float("nan")}, "fps"),
        ({"fps": 30}, "has steps of 0.004 s"),
        ({"total_frames": 5}, "declares 5 frames"),
        ({"features": []}, "features"),
        ({"codebase_version": "v1.6"}, "v1.6"),
    ],
)
def test_lerobot_whose_info_is_wrong(recorded, tmp_path, info, words):
    Dataset(tmp_path, recorded).edit(**info)
    refused(tmp_path, words)


def test_lerobot_whose_files_differ_from_its_info(recorded, tmp_path):
    dataset = Dataset(tmp_path, recorded)
    features = json.loads(json.dumps(dataset.info["features"]))
    features["observation.state"] |= {"shape": [6], "names": recorded.joints[:6]}
    dataset.edit(features=features)
    refused(tmp_path, "7 numbers per row, but meta/info.json declares 6")
    dataset.edit()
    (tmp_path / "data" / "chunk-000" / "file-000.parquet").unlink()
    refused(tmp_path, "listed in the dataset but missing")
    (tmp_path / "meta" / "info.json").write_text("{")
    refused(tmp_path, "JSON")


@pytest.mark.parametrize("compression", [None, "BZ2", "LZ4"])
def test_ros1_bag(arm, recorded, bodies, tmp_path, compression):
    """Joints in changing order, a second topic, no configuration: the numbers of the CSV."""
    path = write_bag(tmp_path / "log.bag", recorded, compression)
    found = heft.identify(arm, path).to_dict()["bodies"]
    for one, two in zip(found, bodies):
        assert one["parameters"] == pytest.approx(two["parameters"], rel=1e-6, abs=1e-7)
    info = heft.log_info(path)
    rates = {topic["name"]: topic["rate_hz"] for topic in info["topics"]}
    assert rates == pytest.approx({"/joint_states": 250, "/ft": 250})
    values = heft.read_log(path).read(["/ft.wrench.force.z"])["/ft.wrench.force.z"]
    np.testing.assert_array_equal(values, np.arange(len(recorded.t)))


def test_bad_ros1_bags(recorded, tmp_path):
    whole = write_bag(tmp_path / "log.bag", recorded).read_bytes()
    (tmp_path / "cut.bag").write_bytes(whole[: len(whole) // 2])
    refused(tmp_path / "cut.bag", "ROS 1 bag", "rosbag reindex")
