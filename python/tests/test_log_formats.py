"""Logs in formats that the program does not read itself, written by the usual library of each format: they have the same numbers as the
CSV. Tests of a format skip if its library is not installed."""

import gzip
import io
import json
import pickle
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import heft_robot as heft
from heft_robot import tables
from heft_robot.tables import _netcdf
from heft_robot.tables._sink import NpySink
from conftest import run_program
from log_files import (  # noqa: F401  fixtures, too
    bodies,
    classic_dataset,
    netcdf4_dataset,
    recorded,
    refused,
    same,
    write_bag,
    write_netcdf,
    write_npz,
    write_parquet,
)

pytestmark = pytest.mark.filterwarnings("ignore::heft_robot.LogNote")


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
    refused(tmp_path / "texts.parquet", "no numeric column")
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
    refused(path, "q", f"has {len(recorded.t) - 1} rows", "equal length")
    np.savez(path, q=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    refused(path, "Python objects", "numpy.savez")
    whole = write_npz(recorded, path).read_bytes()
    path.write_bytes(whole[:-1000])
    refused(path, "again")
    path.write_bytes(whole[:2000] + bytes(1000) + whole[3000:])
    refused(path, "again")


def test_archives_that_unpack_to_more_than_they_hold(tmp_path):
    """A header that declares more than the archive contains, and an archive that declares 4 GB."""
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
    refused(path, "truncated or damaged")
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
    """The columns that `convert-log` makes of a log."""
    done = run_program("convert-log", path, out)
    assert done.returncode == 0, done.stderr
    names = np.load(out).dtype.names
    return {name: np.load(out)[name] for name in names}


def test_matlab_file_that_ends_the_process_of_its_reader(tmp_path, monkeypatch):
    io = pytest.importorskip("scipy.io")
    from heft_robot.tables import matlab5

    path = tmp_path / "log.mat"
    io.savemat(path, {"t": np.arange(3.0)})
    monkeypatch.setattr(matlab5, "_CHILD", "import os; os.abort()")
    with pytest.raises(heft.HeftError, match="damaged MAT-file.*\n.*save it again"):
        heft.read_log(path)
    monkeypatch.setattr(matlab5, "_CHILD", "raise MemoryError")
    with pytest.raises(heft.HeftError, match="cannot be read: MemoryError"):
        heft.read_log(path)


@pytest.mark.parametrize("executable, frozen", [("", False), (None, False), ("/opt/simulator/bin/simulator", False), (sys.executable, True)])
def test_matlab_file_read_within_another_program(recorded, tmp_path, monkeypatch, executable, frozen):
    """Frozen or embedded, Python cannot start an interpreter: the other program would start again."""
    path = tmp_path / "log.mat"
    pytest.importorskip("scipy.io").savemat(path, {"t": recorded.t, "q": recorded.q})
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("started a process"))
    found = heft.read_log(path).read(["t", "q1"])
    assert np.array_equal(found["t"], recorded.t) and np.array_equal(found["q1"], recorded.q[:, 0])


def test_matlab_file_next_to_modules_of_equal_names(recorded, tmp_path, monkeypatch):
    """The reader's process imports nothing from the folder in which the caller works."""
    path = tmp_path / "log.mat"
    pytest.importorskip("scipy.io").savemat(path, {"t": recorded.t, "q": recorded.q})
    for name in ("json", "scipy", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    assert np.array_equal(heft.read_log(path).read(["t"])["t"], recorded.t)


def test_matlab_file_and_a_full_disk(tmp_path, monkeypatch):
    from heft_robot.tables import matlab5

    path = tmp_path / "log.mat"
    pytest.importorskip("scipy.io").savemat(path, {"t": np.arange(3.0)})
    full = "import numpy\ndef savez(*_, **__): raise OSError(28, 'No space left on device')\nnumpy.savez = savez\n"
    monkeypatch.setattr(matlab5, "_CHILD", matlab5._CHILD.replace("matlab5._read_to", full + "matlab5._read_to"))
    with pytest.raises(heft.HeftError, match="No space left on device.*\n.*TMPDIR"):
        heft.read_log(path)


def test_matlab_7_3(h5py, recorded, tmp_path):
    """A file like those of `save -v7.3`: a user block, transposed matrices, empty ones as their size, structures as groups, texts as
    uint16."""
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
    by_the_program = heft.read_log(path, config).read()
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
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["x"] = recorded.q
    log = heft.read_log(path, {"log": {"time": "stamp"}})
    found = log.read()
    np.testing.assert_allclose(found["stamp"], recorded.t, atol=2e-9)
    np.testing.assert_array_equal(found["q4"], recorded.q[:, 3])
    np.testing.assert_array_equal(found["tau7"], recorded.tau[:, 6])
    np.testing.assert_array_equal(found["again1"], recorded.q[:, 0])
    assert "away1" not in found and any("'away'" in note for note in log.notes)


def test_hdf5_groups_with_many_names(h5py, recorded, tmp_path):
    """Links that double with every level: small to write, but endless to follow."""
    path = tmp_path / "log.h5"
    with h5py.File(path, "w") as file:
        for name, values in (("t", recorded.t), ("q", recorded.q), ("tau", recorded.tau)):
            file.create_dataset(name, data=values, compression="lzf")
        group = file.create_group("g")
        for _ in range(30):
            inner = group.create_group("a")
            group["b"] = inner
            group = inner
    np.testing.assert_array_equal(heft.read_log(path).read()["q4"], recorded.q[:, 3])


def test_netcdf4(h5py, recorded, tmp_path):
    """Degrees become rad because the file declares them; a variable shorter than its dimension ends in missing numbers."""
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
    """The program names a command, and what the command writes is identified like the CSV."""
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
    assert run_program("convert-log").returncode == 105
    path.write_bytes(path.read_bytes()[:5000])
    assert run_program("convert-log", path, tmp_path / "log.csv").returncode == 1
    same(tmp_path / "log.csv", recorded.numbered)  # the file before is kept
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("form", ["npz", "parquet", "arrow", "mat", "nc", "bag", "csv.gz"])
def test_damaged_bytes_are_refused_or_read(recorded, tmp_path, form):
    """Bytes are changed, removed and truncated, mostly in headers: the only error is a HeftError."""
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


@pytest.mark.parametrize("units, seconds", [("days", 86400), ("hours since 2026-01-01", 3600), ("mins", 60), ("ms", 1e-3), ("s", 1)])
def test_netcdf_time_units(units, seconds):
    decoder = _netcdf.Decoder("time", {"units": units}, np.dtype("f8"), NpySink())
    assert decoder.decode(np.array([2.0])) == [2 * seconds]


@pytest.mark.parametrize("attributes", [{}, {"_FillValue": np.array([-9223372036854775806])}])
def test_netcdf_fill_of_64_bits(attributes):
    """Two neighbors of the fill value are the same number as a float, but not missing."""
    numbers = np.array([-9223372036854775806, -9223372036854775805, 3])
    found = _netcdf.Decoder("tick", attributes, numbers.dtype, NpySink()).decode(numbers)
    assert list(np.isnan(found)) == [True, False, False]


def test_a_full_disk_is_said_of_the_file_that_is_written(tmp_path, monkeypatch):
    np.savez(tmp_path / "log.npz", t=np.arange(9.0), q1=np.arange(9.0))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tables.CsvSink, "add", full)
    with pytest.raises(heft.HeftError, match="(?s)out.csv: cannot be written: No space left.*another disk"):
        tables.convert(str(tmp_path / "log.npz"), str(tmp_path / "out.csv"))
    assert not list(tmp_path.glob("out.csv*"))
