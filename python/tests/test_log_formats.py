"""Logs in formats that the program does not read itself: each written by the library that people use, and read as the same numbers as
the CSV. Tests of a format whose library is not installed skip."""

import gzip
import io
import json
import pickle
import struct
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest

import heft_robot as heft
from conftest import run_program

pytestmark = pytest.mark.filterwarnings("ignore::heft_robot.LogNote")


class Recorded:
    """The log of a simulated arm: its CSV, and its columns as read from there."""

    def __init__(self, path, robot):
        self.path = path
        self.columns = heft.read_log(path).read()
        self.joints = robot.joints
        self.t = self.columns["t"]
        self.q, self.tau = (np.column_stack([self.columns[f"{what}_{joint}"] for joint in robot.joints]) for what in ("q", "tau"))

    @property
    def numbered(self):
        """Columns t, q1, .., tau1, .. as matrices give them."""
        names = ["t", *(f"q{k + 1}" for k in range(7)), *(f"tau{k + 1}" for k in range(7))]
        return dict(zip(names, [self.t, *self.q.T, *self.tau.T]))


@pytest.fixture(scope="module")
def recorded(arm, tmp_path_factory):
    return Recorded(heft.simulate(arm, tmp_path_factory.mktemp("formats"), duration=4, rate=250, seed=3).train.name, arm)


@pytest.fixture(scope="module")
def bodies(arm, recorded):
    return heft.identify(arm, recorded.path).to_dict()["bodies"]


def same(path, columns):
    """Reads a log, whose columns are these and equal."""
    log = heft.read_log(path)
    assert log.name == str(path) and set(columns) <= set(log.columns), log.columns
    found = log.read(list(columns))
    for name, values in columns.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
    return log


def refused(path, *words):
    """A HeftError at the file, whose message holds these words."""
    with pytest.raises(heft.HeftError) as caught:
        heft.read_log(path).read()
    text = str(caught.value)
    assert caught.value.where.startswith(str(path)) and caught.value.remedy, text
    for word in words:
        assert word in text, text
    return caught.value


# --- tables ---


def write_parquet(recorded, path, **options):
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    parquet.write_table(arrow.table(recorded.columns), path, **options)
    return path


def write_npz(recorded, path):
    np.savez(path, t=recorded.t, q=recorded.q, tau=recorded.tau)
    return path


def test_identify_takes_a_path(arm, recorded, bodies, tmp_path):
    """Results are those of the CSV, to the last bit; the log keeps its name and its digest."""
    import hashlib

    path = write_npz(recorded, tmp_path / "log.npz")
    document = heft.identify(arm, str(path)).to_dict()
    assert document["bodies"] == bodies
    assert str(path) in json.dumps(document)
    assert hashlib.sha256(path.read_bytes()).hexdigest() in json.dumps(document)
    assert "/proc/" not in json.dumps(document)
    assert str(heft.check(arm, path)).replace(str(path), recorded.path) == str(heft.check(arm, recorded.path))


@pytest.mark.parametrize(
    "options", [{}, {"row_group_size": 100, "compression": "zstd"}, {"use_dictionary": False, "compression": "NONE"}]
)
def test_parquet(recorded, tmp_path, options):
    same(write_parquet(recorded, tmp_path / "log.parquet", **options), recorded.columns)


def test_parquet_of_lists_missing_numbers_and_times(recorded, tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    stamps = 1_771_234_567_000_000_000 + np.round(recorded.t * 1e9).astype(np.int64)
    q = recorded.q.copy()
    rows = [None if k == 7 else row for k, row in enumerate(q.tolist())]
    q[7] = np.nan
    table = arrow.table(
        {
            "time": arrow.array(stamps, arrow.timestamp("ns")),
            "mode": ["auto"] * len(stamps),
            "q": arrow.array(rows, arrow.list_(arrow.float64())),
            "tau": arrow.array(recorded.tau.tolist(), arrow.list_(arrow.float64(), 7)),
            "counts": arrow.array(np.arange(len(stamps), dtype=np.uint16)),
            "state": arrow.array([{"load": 0.5, "label": "x"}] * len(stamps)),
        }
    )
    parquet.write_table(table, tmp_path / "log.parquet")
    columns = {**{f"q{k + 1}": q[:, k] for k in range(7)}, **{f"tau{k + 1}": recorded.tau[:, k] for k in range(7)}}
    log = heft.read_log(tmp_path / "log.parquet", {"log": {"time": "time"}})
    found = log.read()
    for name, values in columns.items():
        np.testing.assert_array_equal(found[name], values)
    np.testing.assert_allclose(found["time"], recorded.t, atol=1e-9)
    assert found["state.load"][0] == 0.5 and found["counts"][-1] == len(stamps) - 1
    assert any("'mode', 'state.label'" in note for note in log.notes)


def test_parquet_of_pandas(recorded, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(
        {name: values for name, values in recorded.columns.items() if name != "t"},
        index=pandas.Timestamp("2026-03-01T08:00:00Z") + pandas.to_timedelta(recorded.t, "s"),
    )
    frame.to_parquet(tmp_path / "log.parquet")
    found = heft.read_log(tmp_path / "log.parquet").read()
    np.testing.assert_allclose(found["t"], recorded.t, atol=1e-8)
    np.testing.assert_array_equal(found["q_joint_1"], recorded.columns["q_joint_1"])


def test_bad_parquet(recorded, tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    whole = write_parquet(recorded, tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    refused(tmp_path / "cut.parquet", "Parquet", "copy it again")
    parquet.write_table(arrow.table({"a": ["x", "y"]}), tmp_path / "texts.parquet")
    refused(tmp_path / "texts.parquet", "no column of numbers")
    parquet.write_table(arrow.table({"t": arrow.array([], arrow.float64())}), tmp_path / "empty.parquet")
    refused(tmp_path / "empty.parquet", "no ")
    parquet.write_table(arrow.table({"t": [0.0, 1.0], "q1": [np.inf, 0.0]}), tmp_path / "infinite.parquet")
    refused(tmp_path / "infinite.parquet", "is infinite")


@pytest.mark.parametrize("form", ["feather", "uncompressed", "stream", "feather1"])
def test_arrow(recorded, tmp_path, form):
    arrow, feather = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.feather")
    table, path = arrow.table(recorded.columns), tmp_path / "log.arrow"
    if form == "stream":
        with arrow.OSFile(str(path), "wb") as file, arrow.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=100)
    elif form == "feather1":
        try:
            feather.write_feather(table, path, version=1)
        except Exception as error:
            pytest.skip(f"this pyarrow does not write it: {error}")
    else:
        feather.write_feather(table, path, compression="lz4" if form == "feather" else "uncompressed")
    same(path, recorded.columns)
    path.write_bytes(path.read_bytes()[: -len(path.read_bytes()) // 3])
    if form != "stream":
        refused(path, "Arrow")


def test_npz(recorded, tmp_path):
    same(write_npz(recorded, tmp_path / "log.npz"), recorded.numbered)
    np.savez_compressed(
        tmp_path / "turned.npz", t=recorded.t, q=recorded.q.T, tau=np.asfortranarray(recorded.tau), limits=np.ones((7, 2))
    )
    log = same(tmp_path / "turned.npz", recorded.numbered)
    assert any("'limits'" in note for note in log.notes)
    np.savez(tmp_path / "named.npz", t=recorded.t, q=recorded.q, tau=recorded.tau, joint_names=np.array(recorded.joints))
    same(tmp_path / "named.npz", recorded.columns)
    np.savez(tmp_path / "columns.npz", **recorded.columns)
    same(tmp_path / "columns.npz", recorded.columns)
    np.savez(tmp_path / "counts.npz", t=np.arange(10), q1=np.arange(10, dtype="f4"), tau1=np.arange(10, dtype=">i2"))
    same(tmp_path / "counts.npz", {"t": np.arange(10), "tau1": np.arange(10)})


def test_bad_npz(recorded, tmp_path):
    path = tmp_path / "log.npz"
    np.savez(path, t=recorded.t, q=recorded.q[:-1], tau=recorded.tau)
    refused(path, "q", f"has {len(recorded.t) - 1} rows", "equally long")
    np.savez(path, q=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    refused(path, "Python objects", "numpy.savez")
    whole = write_npz(recorded, path).read_bytes()
    path.write_bytes(whole[:-1000])
    refused(path, "again")
    path.write_bytes(whole[:2000] + bytes(1000) + whole[3000:])
    refused(path, "again")


def test_archives_that_unpack_to_more_than_they_hold(tmp_path):
    """A header that declares more than the archive holds, and an archive that declares 4 GB."""
    path = tmp_path / "log.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("t.npy", header.getvalue() + bytes(80))
    refused(path, "declares")
    content = bytearray(path.read_bytes())
    for magic, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        begin = content.index(magic) + at
        content[begin : begin + 4] = struct.pack("<I", 4_000_000_000)
    path.write_bytes(content)
    refused(path, "4.0 GB")


def test_compressed_csv(arm, recorded, tmp_path):
    import bz2
    import lzma

    text = open(recorded.path, "rb").read()
    for name, pack in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
        path = tmp_path / f"log.csv.{name}"
        path.write_bytes(pack(text))
        same(path, recorded.columns)
    path = tmp_path / "cut.csv.gz"
    path.write_bytes(gzip.compress(text)[:-100])
    refused(path, "breaks off")
    path.write_bytes(gzip.compress(text.replace(b"\n0.004,", b"\nfour,", 1)))
    error = refused(path, "four")
    assert "/proc/" not in str(error)


def test_options_hold_for_what_was_unpacked(arm, recorded, bodies, tmp_path):
    """log.time_unit and log.angle_unit apply as they do to CSV."""
    columns = {name: np.degrees(values) if name.startswith("q_") else values for name, values in recorded.columns.items()}
    columns["stamp"] = np.round(columns.pop("t") * 1e6)
    np.savez(tmp_path / "log.npz", **columns)
    config = {"log": {"time": "stamp", "time_unit": "us", "angle_unit": "deg"}}
    found = heft.identify(arm, heft.read_log(tmp_path / "log.npz", config)).to_dict()["bodies"]
    for one, two in zip(found, bodies):
        assert one["parameters"]["m"] == pytest.approx(two["parameters"]["m"], rel=1e-6)


# --- MATLAB, HDF5, netCDF ---


def test_matlab_before_7_3(recorded, tmp_path):
    io = pytest.importorskip("scipy.io")
    path = tmp_path / "log.mat"
    io.savemat(
        path,
        {"t": recorded.t[:, None], "q": recorded.q, "tau": recorded.tau.T, "note": "arm", "empty": np.zeros((0, 3))},
        do_compression=True,
    )
    same(path, recorded.numbered)
    io.savemat(path, {"log": {"t": recorded.t, "q": recorded.q, "tau": recorded.tau}})
    found = heft.read_log(path, {"log": {"time": "log/t"}}).read()
    np.testing.assert_array_equal(found["log/q7"], recorded.q[:, 6])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refused(path, "MAT-file")


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


@pytest.mark.parametrize("version", [1, 2])
def test_classic_netcdf(recorded, tmp_path, version):
    write_netcdf(recorded, classic_dataset(tmp_path / "log.nc", version))
    log = heft.read_log(tmp_path / "log.nc", {"log": {"time": "time"}})
    found = log.read()
    np.testing.assert_allclose(found["q3"], recorded.q[:, 2], rtol=1e-12)
    np.testing.assert_allclose(found["time"], recorded.t, atol=1e-12)
    assert np.isnan(found["tau3"][3]) and not np.isnan(found["tau3"][4])
    assert any("units are degrees" in note for note in log.notes)


@pytest.fixture
def h5py():
    return pytest.importorskip("h5py")


def converted(path, out):
    """What `convert-log` makes of a log, as columns."""
    done = run_program("convert-log", path, out)
    assert done.returncode == 0, done.stderr
    names = np.load(out).dtype.names
    return {name: np.load(out)[name] for name in names}


def test_matlab_7_3(h5py, recorded, tmp_path):
    """As `save -v7.3` writes: a user block, matrices on their side, empty ones as their size, structures as groups, texts as uint16."""
    path = tmp_path / "log.mat"
    with h5py.File(path, "w", userblock_size=512, libver="earliest") as file:
        group = file.create_group("log")
        for name, values in (("t", recorded.t[None]), ("q", recorded.q.T), ("tau", recorded.tau.T)):
            group.create_dataset(name, data=values).attrs["MATLAB_class"] = np.bytes_("double")
        empty = group.create_dataset("empty", data=np.array([0, 7], np.uint64))
        empty.attrs["MATLAB_class"], empty.attrs["MATLAB_empty"] = np.bytes_("double"), np.uint8(1)
        text = group.create_dataset("note", data=np.frombuffer("arm".encode("utf-16-le"), np.uint16)[:, None])
        text.attrs["MATLAB_class"] = np.bytes_("char")
        file.create_group("#refs#").create_dataset("a", data=np.zeros(3))
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")
    found = converted(path, tmp_path / "log.npy")
    assert [name for name in found if not name.startswith("log/")] == [] and "log/note" not in found and "log/empty" not in found
    for name, values in recorded.numbered.items():
        np.testing.assert_array_equal(found[f"log/{name}"], values)
    config = {"log": {"time": "log/t", "position": "log/q{i}", "torque": "log/tau{i}"}}
    by_the_program = heft.read_log(path, config).read(list(found))
    for name in found:
        np.testing.assert_array_equal(by_the_program[name], found[name])


@pytest.mark.parametrize("form", ["fixed", "table"])
def test_pandas_hdf5(h5py, recorded, tmp_path, form):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("tables")
    pandas.DataFrame(recorded.columns).to_hdf(tmp_path / "log.h5", key="log", format=form)
    found = converted(tmp_path / "log.h5", tmp_path / "log.npy")
    same(tmp_path / "log.h5", recorded.columns)  # by the program
    for name, values in recorded.columns.items():
        np.testing.assert_array_equal(found[name], values)


def test_hdf5_with_filters_texts_and_links(h5py, recorded, tmp_path):
    path = tmp_path / "log.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("stamp", data=[f"2026-03-01T08:00:{t:012.9f}Z" for t in recorded.t])
        file.create_dataset("q", data=recorded.q, compression="lzf")
        file.create_dataset("tau", data=recorded.tau.T, compression="lzf")
        file["again"] = h5py.SoftLink("/q")
        file["away"] = h5py.ExternalLink("other.h5", "/x")
    log = heft.read_log(path, {"log": {"time": "stamp"}})
    found = log.read()
    np.testing.assert_allclose(found["stamp"], recorded.t, atol=2e-9)
    np.testing.assert_array_equal(found["q4"], recorded.q[:, 3])
    np.testing.assert_array_equal(found["tau7"], recorded.tau[:, 6])
    np.testing.assert_array_equal(found["again1"], recorded.q[:, 0])


def test_netcdf4(h5py, recorded, tmp_path):
    """Degrees become rad because the file says so; a variable that is shorter than its dimension ends in missing numbers."""
    write_netcdf(recorded, netcdf4_dataset(tmp_path / "log.nc"))
    found = converted(tmp_path / "log.nc", tmp_path / "log.npy")
    by_the_program = heft.read_log(tmp_path / "log.nc", {"log": {"time": "time"}}).read(list(found))
    for name in found:
        np.testing.assert_array_equal(by_the_program[name], found[name])
    np.testing.assert_allclose(found["q3"], recorded.q[:, 2], rtol=1e-12)
    assert np.isnan(found["tau3"][3]) and not np.isnan(found["tau3"][4])
    with netcdf4_dataset(tmp_path / "short.nc") as file:
        file.createDimension("t", None)
        t, q, tau = (file.createVariable(name, "f8", ("t",)) for name in ("t", "q1", "tau1"))
        t[:], q[:90], tau[:] = np.arange(100), np.arange(90), np.arange(100)
    found = heft.read_log(tmp_path / "short.nc").read()
    assert len(found["q1"]) == 100 and np.isnan(found["q1"][90:]).all() and found["q1"][89] == 89


# --- LeRobot ---


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
    """Drives that report more than positions: one feature, whose names say what each number is."""
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
        ({"data_path": "../../etc/{chunk_index:03d}.parquet"}, "no path inside"),
        ({"data_path": "/etc/{chunk_index:03d}.parquet"}, "no path inside"),
        ({"data_path": "data/{chunk_index.__class__}.parquet"}, "no path inside"),
        ({"data_path": "data/{chunk_index:09999999999d}.parquet"}, "no path inside"),
        ({"data_path": "data/{episode_index:06d}.parquet"}, "episode_index"),
        ({"data_path": None}, "no path inside"),
        ({"fps": 0}, "fps"),
        ({"fps": "30"}, "fps"),
        ({"fps": float("nan")}, "fps"),
        ({"fps": 30}, "has steps of 0.004 s"),
        ({"total_frames": 5}, "says that there are 5 frames"),
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
    refused(tmp_path, "7 numbers a row, meta/info.json says 6")
    dataset.edit()
    (tmp_path / "data" / "chunk-000" / "file-000.parquet").unlink()
    refused(tmp_path, "is missing")
    (tmp_path / "meta" / "info.json").write_text("{")
    refused(tmp_path, "JSON")


# --- ROS 1 bags ---


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


# --- around ---


def test_logs_travel_by_their_path(recorded, tmp_path):
    log = pickle.loads(pickle.dumps(heft.read_log(write_npz(recorded, tmp_path / "log.npz"))))
    np.testing.assert_array_equal(log.read(["q1"])["q1"], recorded.q[:, 0])


def test_info_of_a_table(recorded, tmp_path):
    info = heft.log_info(write_npz(recorded, tmp_path / "log.npz"))
    topic = info["topics"][0]
    assert topic["name"] == str(tmp_path / "log.npz") and topic["messages"] == len(recorded.t) and "tau7" in topic["fields"]
    assert heft.log_info(recorded.path)["topics"][0]["rate_hz"] == pytest.approx(250)
    with pytest.raises(heft.HeftError) as caught:
        heft.log_info(tmp_path / "nothing.csv")
    assert "nothing.csv" in caught.value.where


def test_missing_package_names_the_command(recorded, tmp_path, monkeypatch):
    path = write_parquet(recorded, tmp_path / "log.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(heft.MissingPackage) as caught:
        heft.read_log(path)
    assert "pip install pyarrow" in caught.value.remedy and "pip install '.[logs]'" in caught.value.remedy


def test_the_programs_remedy_works(arm, recorded, tmp_path):
    """The program names a command; what the command writes is identified as the CSV is."""
    path = write_npz(recorded, tmp_path / "log.npz")
    robot = tmp_path / "arm.urdf"
    robot.write_text(arm._native.text if isinstance(arm._native.text, str) else arm._native.text.decode())
    done = run_program("identify", "--robot", robot, "--log", path, "--out", tmp_path / "out")
    words = done.stderr.split("python3 -m ")[1].split(";")[0].split()
    assert done.returncode == 1 and words[:2] == ["heft_robot", "convert-log"]
    assert subprocess.run([sys.executable, "-m", *words]).returncode == 0
    documents = []
    for log in (recorded.path, words[3]):
        run_program("identify", "--robot", robot, "--log", log, "--out", tmp_path / "out", check=True)
        documents.append(json.loads((tmp_path / "out" / "result.json").read_text())["bodies"])
    assert documents[0] == documents[1]


def test_convert_log(recorded, tmp_path):
    path = write_npz(recorded, tmp_path / "log.npz")
    assert run_program("convert-log", path, tmp_path / "log.csv").returncode == 0
    same(tmp_path / "log.csv", recorded.numbered)
    done = run_program("convert-log", path, tmp_path / "log.mcap")
    assert done.returncode == 1 and "becomes .csv or .npy" in done.stderr and not (tmp_path / "log.mcap").exists()
    done = run_program("convert-log", recorded.path, tmp_path / "log.npy")
    assert done.returncode == 1 and "heft reads CSV" in done.stderr
    done = run_program("convert-log", path, tmp_path / "none" / "log.npy")
    assert done.returncode == 1 and "cannot be written" in done.stderr
    assert run_program("convert-log").returncode == 2
    path.write_bytes(path.read_bytes()[:5000])
    assert run_program("convert-log", path, tmp_path / "log.csv").returncode == 1
    same(tmp_path / "log.csv", recorded.numbered)  # the file before is kept
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("form", ["npz", "parquet", "arrow", "mat", "nc", "bag", "csv.gz"])
def test_damaged_bytes_are_refused_or_read(recorded, tmp_path, form):
    """Bytes are changed, cut out and cut off, most of them where headers are: nothing but a HeftError comes of it."""
    path = tmp_path / f"log.{form}"
    if form == "npz":
        write_npz(recorded, path)
    elif form == "parquet":
        write_parquet(recorded, path)
    elif form == "arrow":
        pytest.importorskip("pyarrow.feather").write_feather(pytest.importorskip("pyarrow").table(recorded.columns), path)
    elif form == "mat":
        pytest.importorskip("scipy.io").savemat(path, {"log": {"t": recorded.t, "q": recorded.q}}, do_compression=True)
    elif form == "nc":
        write_netcdf(recorded, classic_dataset(path, 1))
    elif form == "bag":
        write_bag(path, recorded)
    else:
        path.write_bytes(gzip.compress(open(recorded.path, "rb").read()))
    whole, chance, refusals = path.read_bytes(), np.random.default_rng(5), 0
    for _ in range(40):
        content = bytearray(whole)
        for _ in range(chance.choice([1, 3])):
            at = int(chance.integers(min(len(content), 300)))
            at = at if chance.random() < 0.5 else len(content) - 1 - at
            change = chance.choice(["set", "ones", "remove", "cut"])
            if change == "set":
                content[at] = chance.integers(256)
            elif change == "ones":
                content[at : at + 8] = b"\xff" * 8
            elif change == "remove":
                del content[at : at + 5]
            elif len(content) > 2 * at:
                del content[len(content) - at - 1 :]
        path.write_bytes(content)
        try:
            heft.read_log(path, {"log": {"time": {"mat": "log/t", "nc": "time"}.get(form, "t")}})
        except heft.HeftError as error:
            refusals += 1
            assert error.what and "/proc/" not in str(error)
    assert refusals > 5
