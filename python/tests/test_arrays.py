"""Input arrays: read in place, converted with a note, or rejected with the name of the argument."""
import ctypes
import gc
import threading
import time
import tracemalloc
import warnings
import weakref

import numpy as np
import pytest

import heft_robot as heft
from conftest import LENGTH, MASS, Swing, without_timings


def moment(result):
    return result.bodies["bob"].parameters[1]


class LibraryMemory:
    """The largest growth of memory allocated by malloc in the whole process, relative to the least seen before. A thread samples it, also
    the start: what is freed meanwhile, such as a lock on which a thread waits, does not hide an allocation."""

    class Figures(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]

    def __enter__(self):
        self.mallinfo2 = ctypes.CDLL(None).mallinfo2
        self.mallinfo2.restype = self.Figures
        self.least, self.most, self.done = None, 0, threading.Event()
        self.watcher = threading.Thread(target=self.watch)
        gc.collect()
        self.watcher.start()
        while self.least is None:
            time.sleep(0.001)
        return self

    def given_out(self):
        figures = self.mallinfo2()
        return figures.uordblks + figures.hblkhd  # in the heap, and mapped by itself

    def watch(self):
        self.least = self.given_out()
        while not self.done.wait(0.0005):
            now = self.given_out()
            self.least = min(self.least, now)
            self.most = max(self.most, now - self.least)

    def __exit__(self, *_):
        self.done.set()
        self.watcher.join()


@pytest.mark.parametrize("order", ["C", "F"])
def test_nothing_is_copied(pendulum, order):
    """Addresses are the caller's, and neither Python nor the library allocates as much as half a column while the whole log is summed; a
    copy made on purpose shows that the test would detect one."""
    rows = 4_000_000
    swing = Swing(rows)
    q, tau = (np.array(np.column_stack([x]), order=order) for x in (swing.q, swing.tau))
    heft.moments(pendulum, heft.Log(swing.t[:1000], q[:1000], tau[:1000]))  # what is made once and kept
    with warnings.catch_warnings(), LibraryMemory() as library:
        warnings.simplefilter("error")
        tracemalloc.start()
        log = heft.Log(swing.t, q, tau)
        heft.moments(pendulum, log, progress=False)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    for held, given in ((log._arrays["t"], swing.t), (log._arrays["q"], q), (log._arrays["tau"], tau)):
        assert held.__array_interface__["data"][0] == given.__array_interface__["data"][0]
    assert peak < 8 * rows / 2
    assert library.most < 8 * rows / 2
    with LibraryMemory() as library:
        time.sleep(0.1)  # the first LibraryMemory is freed
        copied = swing.t.copy()
        time.sleep(0.1)
    assert library.most >= copied.nbytes


def test_what_is_read_is_what_lies_there(pendulum, swing):
    """The library sees values written after the Log was made: it has no copy."""
    q = swing.q.copy()
    log = heft.Log(swing.t, q, swing.tau)
    before = heft.moments(pendulum, log).normal_equations()[0]
    q *= 0.5
    assert np.abs(heft.moments(pendulum, log).normal_equations()[0] - before).max() > 0.1 * np.abs(before).max()
    q[:] = swing.q
    assert np.array_equal(heft.moments(pendulum, log).normal_equations()[0], before)


def test_arrays_live_as_long_as_the_log(pendulum):
    swing = Swing(5000)
    array = np.array(swing.q)
    alive = weakref.ref(array)
    log = heft.Log(swing.t, array, swing.tau)
    del array, swing.q
    gc.collect()
    assert alive() is not None
    expected = np.sin(3 * swing.t) + 0.5 * np.cos(5 * swing.t)
    assert np.array_equal(log.read(["q1"])["q1"], expected)
    del log
    gc.collect()
    assert alive() is None


def test_views_keep_their_owner(pendulum, swing):
    result = heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau))
    view = result.parameters
    expected = view.copy()
    assert not view.flags.owndata and not view.flags.writeable
    del result
    gc.collect()
    heft.identify(pendulum, heft.Log(swing.t, swing.q, 2 * swing.tau))  # takes the memory if it was let go
    assert np.array_equal(view, expected)


@pytest.mark.parametrize("strided", [lambda x: np.repeat(x, 3)[::3], lambda x: x[::-1].copy()[::-1]])
def test_strides_are_read_in_place(pendulum, swing, strided):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log = heft.Log(swing.t, strided(swing.q), strided(swing.tau))
    plain = heft.Log(swing.t, swing.q, swing.tau)
    assert moment(heft.identify(pendulum, log)) == moment(heft.identify(pendulum, plain))


@pytest.mark.parametrize("dtype", ["float32", "int64", "int16", ">f8"])
def test_other_numbers_are_converted_with_a_note(swing, dtype):
    with pytest.warns(heft.ConversionNote, match="q is not float64"):
        log = heft.Log(swing.t, swing.q.astype(dtype), swing.tau)
    assert np.allclose(log.read(["q1"])["q1"], swing.q.astype(dtype).astype(float), rtol=0, atol=0)


def test_numbers_between_bytes_are_copied(swing):
    records = np.zeros(len(swing.t), dtype=[("flag", "u1"), ("q", "f8")])
    records["q"] = swing.q
    with pytest.warns(heft.ConversionNote, match="eight bytes"):
        log = heft.Log(swing.t, records["q"], swing.tau)
    assert np.array_equal(log.read(["q1"])["q1"], swing.q)


@pytest.mark.parametrize("wrong", [np.array(["a", "b"]), np.array([1j, 2]), np.array([None, 1.0])])
def test_what_is_no_number_is_refused_by_name(wrong):
    with pytest.raises(heft.HeftError) as error:
        heft.Log(np.arange(2.0), np.zeros(2), wrong)
    assert error.value.where == "tau" and error.value.remedy


def test_shapes_are_named(arm, swing):
    with pytest.raises(heft.HeftError) as error:
        heft.Log(swing.t, np.zeros((len(swing.t), 7)), np.zeros((9, 7)))
    assert error.value.where == "tau" and "(9, 7)" in error.value.what and f"({len(swing.t)}, 7)" in error.value.what
    with pytest.raises(heft.HeftError) as error:
        heft.identify(arm, heft.Log(swing.t, swing.q, swing.tau))
    assert f"({len(swing.t)}, 1)" in error.value.what and f"({len(swing.t)}, 7)" in error.value.what
    with pytest.raises(heft.HeftError, match=r"t: has shape \(2, 2\)"):
        heft.Log(np.zeros((2, 2)), np.zeros(2), np.zeros(2))


def test_rows_of_nan_are_gaps(pendulum, swing):
    q, tau = swing.q.copy(), swing.tau.copy()
    q[5000:5010] = np.nan
    tau[9000] = np.nan
    result = heft.identify(pendulum, heft.Log(swing.t, q, tau))
    assert result.to_dict()["dropped"]["not a number"] >= 1
    assert abs(moment(result) - MASS * LENGTH) < 0.01


def test_infinity_is_an_error_with_its_place(pendulum, swing):
    tau = swing.tau.copy()
    tau[123] = np.inf
    with pytest.raises(heft.HeftError, match=r"run 7\[123\]: tau1"):
        heft.identify(pendulum, heft.Log(swing.t, swing.q, tau, name="run 7"))


def test_named_columns_are_as_in_a_file(arm, simulation, arrays):
    """A dictionary, a data frame and an Arrow table give the file's result, and its errors."""
    table = simulation.train.read()
    tables = {"dictionary": table}
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    tables["pandas"] = pandas.DataFrame(table).assign(note="text")
    tables["arrow"] = pyarrow.table(table)
    expected = heft.moments(arm, simulation.train).normal_equations()
    for name, given in tables.items():
        G, b, tau2, rows = heft.moments(arm, given).normal_equations()
        assert np.array_equal(G, expected[0]) and np.array_equal(b, expected[1]) and rows == expected[3], name
    t, q, tau = arrays
    assert np.array_equal(heft.moments(arm, heft.Log(t, q, tau)).normal_equations()[0], expected[0])
    lacking = {key: value for key, value in table.items() if key != "tau_joint_3"}
    with pytest.raises(heft.HeftError) as error:
        heft.moments(arm, heft.Log.from_table(lacking, name="frame"))
    assert "tau_joint_3" in error.value.what and "the header has" in error.value.remedy
    with pytest.raises(heft.HeftError, match="no column 't'"):
        heft.moments(arm, heft.Log.from_table({key: value for key, value in table.items() if key != "t"}))


def test_arrow_columns_are_not_copied(swing):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"t": swing.t, "q1": swing.q, "tau1": swing.tau})
    from heft_robot.log import _columns

    address = table.column("q1").chunk(0).buffers()[1].address
    assert dict(_columns(table))["q1"].__array_interface__["data"][0] == address


def test_config_of_patterns_applies_to_arrays(pendulum, swing):
    """A configuration with a file's column names also works with arrays."""
    log = heft.Log(swing.t, swing.q, swing.tau)
    plain = heft.identify(pendulum, log)
    named = heft.identify(pendulum, log, config={"log": {"position": ["pos_{i}"], "torque": ["effort_{i}"]}})
    assert without_timings(plain.to_dict())["bodies"] == without_timings(named.to_dict())["bodies"]
