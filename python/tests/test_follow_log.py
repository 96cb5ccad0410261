"""follow-log: rows of an MCAP file while it grows, as the whole file has them, and files that are refused."""
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

import heft_robot as heft
from conftest import SOURCE
from heft_robot.follow import follow_rows

sys.path.insert(0, str(SOURCE / "tests" / "tools"))
import recordings  # noqa: E402

START, STEP, JOINTS = 1_771_234_567_000_000_000, 4_000_000, ["shoulder", "elbow"]
COLUMNS = ["t", "q_shoulder", "q_elbow", "tau_shoulder", "tau_elbow"]


def recording(count=1000, **options):
    """Bytes of joint states, after some of a topic without numbers of joints."""
    channels = [recordings.Channel("/counts", "std_msgs/msg/Float64MultiArray", recordings.MULTI_ARRAY), recordings.Channel.joint_states()]
    messages = [(0, START, START, recordings.multi_array([1.0, 2.0]))] * 150  # more than a chunk
    for k in range(count):
        stamp = START + k * STEP
        messages.append((1, stamp + 300_000, stamp, recordings.joint_state(stamp, JOINTS, [k, 2 * k], [], [-k, 0.1 * k])))
    return recordings.mcap(channels, messages, **options)


def rows_of(count=1000):
    k = np.arange(count)
    return np.column_stack([k * STEP / 1e9, k, 2 * k, -k, 0.1 * k])


def follow(path, *flags):
    return subprocess.Popen([sys.executable, "-m", "heft_robot", "follow-log", path, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def table(text):
    header, *lines = text.splitlines()
    return header.split(","), np.array([[float(word) for word in line.split(",")] for line in lines])


@pytest.mark.parametrize("chunk", [100, 0])
@pytest.mark.parametrize("compression", ["", "zstd", "lz4"])
def test_rows_arrive_while_the_file_grows(tmp_path, chunk, compression):
    whole, path = recording(chunk=chunk, compression=compression if chunk else ""), tmp_path / "growing.mcap"
    path.write_bytes(whole[:len(whole) // 3])
    with follow(path) as running:
        early = [running.stdout.readline() for _ in range(150)]  # before the file goes on
        with open(path, "ab") as file:
            for begin in range(len(whole) // 3, len(whole), len(whole) // 7):
                file.write(whole[begin:begin + len(whole) // 7])
                file.flush()
                time.sleep(0.05)
        rest, errors = running.stdout.read(), running.stderr.read()
    assert running.returncode == 0, errors
    names, rows = table("".join(early) + rest)
    assert names == COLUMNS
    np.testing.assert_array_equal(rows, rows_of())


def test_the_watcher_takes_them_from_a_pipe(result, arrays, tmp_path):
    t, q, tau = (array[:2000] for array in arrays)
    joints = heft.Watcher(result).joints
    messages = []
    for time_, position, torque in zip(t, q, tau):
        stamp = START + round(1e9 * time_)
        messages.append((0, stamp, stamp, recordings.joint_state(stamp, joints, position, [], torque)))
    (tmp_path / "log.mcap").write_bytes(recordings.mcap([recordings.Channel.joint_states()], messages))
    result.save(tmp_path / "model")
    with follow(tmp_path / "log.mcap") as running:
        done = subprocess.run([sys.executable, "-m", "heft_robot", "watch", "--model", tmp_path / "model", "--every", "500"], stdin=running.stdout,
                              capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and running.returncode == 0, done.stderr
    assert "2000 samples" in done.stderr and len(done.stdout.splitlines()) == 5


def test_it_ends_when_the_file_does_not_grow(tmp_path):
    path, whole = tmp_path / "cut.mcap", recording()
    path.write_bytes(whole[:len(whole) // 2])
    with follow(path, "--idle", "0.3") as running:
        text, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    rows = table(text)[1]
    assert 300 < len(rows) < 700
    np.testing.assert_array_equal(rows, rows_of(len(rows)))


def test_a_reader_that_ends_is_no_error(tmp_path):
    path = tmp_path / "long.mcap"
    path.write_bytes(recording(20000))
    with follow(path) as running:
        running.stdout.readline()
        running.stdout.close()
        assert running.wait(60) == 0 and running.stderr.read() == ""


@pytest.mark.parametrize("content, words", [(b"t,q1,tau1\n" * 10, "is not an MCAP file"), (None, "cannot be opened"),
                                            (recordings.mcap([recordings.Channel("/a", "std_msgs/msg/Float64MultiArray", recordings.MULTI_ARRAY)], [
                                                (0, START, START, recordings.multi_array([1.0]))]), "no messages of joint states"),
                                            (recordings.MAGIC + b"\x06" + b"\xff" * 2000, "is damaged")])
def test_what_is_refused(tmp_path, content, words):
    path = tmp_path / "file.mcap"
    if content is not None:
        path.write_bytes(content)
    with follow(path, "--idle", "0.3") as running:
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 1 and words in errors and str(tmp_path) in errors and "batch" not in errors


def chunks(*later, count=1000, size=50):
    """Bytes of chunks of joint states; `later`: channels that begin in the middle, each with a function of the stamp for its messages."""
    out, channels = recordings.MAGIC + recordings.record(1, recordings.text("ros2") * 2), []
    for begin in range(0, count, size):
        piece, stamps = b"", [START + k * STEP for k in range(begin, begin + size)]
        for channel in {0: [recordings.Channel.joint_states()], count // 2: [channel for channel, _ in later]}.get(begin, []):
            channels.append(channel)
            number = struct.pack("<H", len(channels))
            piece += recordings.record(3, number + recordings.text(channel.kind) + recordings.text(channel.schema_encoding) + recordings.text(channel.schema))
            piece += recordings.record(4, 2 * number + recordings.text(channel.topic) + recordings.text(channel.encoding) + recordings.text(""))
        for k, stamp in enumerate(stamps, begin):
            piece += message(1, stamp, recordings.joint_state(stamp, JOINTS, [k, 2 * k], [], [-k, 0.1 * k]))
            piece += b"".join(message(2 + c, stamp, make(stamp)) for c, (_, make) in enumerate(later) if len(channels) > 1)
        out += recordings.record(6, struct.pack("<QQQI", stamps[0], stamps[-1], len(piece), 0) + recordings.text("") + struct.pack("<Q", len(piece)) + piece)
    return out


def message(channel, stamp, data):
    return recordings.record(5, struct.pack("<HIQQ", channel, 0, stamp, stamp) + data)


WRENCHES = recordings.Channel("/wrench", "geometry_msgs/msg/WrenchStamped", recordings.WRENCH_STAMPED), lambda stamp: recordings.wrench(stamp, [1] * 6)


def test_the_time_is_that_of_the_topic_of_other_columns(tmp_path):
    (tmp_path / "log.mcap").write_bytes(chunks(WRENCHES))
    log, time_ = heft.read_log(tmp_path / "log.mcap"), rows_of()[:, 0]
    np.testing.assert_array_equal(log.read()["t"], time_)
    np.testing.assert_array_equal(log.read(["q_elbow", "t"])["t"], time_)
    np.testing.assert_array_equal(log.read(["t", "/wrench.wrench.force.x"])["t"], time_[:500])  # from its own first second
    assert len(log.read(["t"])["t"]) == 1000


@pytest.mark.parametrize("early", [1.0, 0.4])
def test_topics_that_begin_later_change_nothing(tmp_path, early):
    whole, path = chunks(WRENCHES), tmp_path / "growing.mcap"
    path.write_bytes(whole[:int(early * len(whole))])
    found = []
    for names, rows in follow_rows(path, idle=0.3):
        found.append(rows)
        assert names == COLUMNS
        if len(found) == 1 and early < 1:
            with open(path, "ab") as file:
                file.write(whole[int(early * len(whole)):])
    np.testing.assert_array_equal(np.vstack(found), rows_of())


def test_a_clock_that_goes_back_ends_it(tmp_path):
    channels, messages = [recordings.Channel.joint_states()], []
    for k in range(1000):
        stamp = START + k * STEP - (1_500_000_000 if k >= 600 else 0)
        messages.append((0, stamp, stamp, recordings.joint_state(stamp, JOINTS, [k, 2 * k], [], [-k, 0.1 * k])))
    whole, path = recordings.mcap(channels, messages, chunk=50), tmp_path / "growing.mcap"
    path.write_bytes(whole[:len(whole) // 2])
    rows = follow_rows(path)
    next(rows)
    with open(path, "ab") as file:
        file.write(whole[len(whole) // 2:])
    with pytest.raises(heft.HeftError, match="1.096 s older than those before"):
        for _ in rows:
            pass


def test_a_replaced_file_is_refused(tmp_path):
    path, whole = tmp_path / "growing.mcap", recording()
    path.write_bytes(whole[:len(whole) // 2])
    rows = follow_rows(path)
    next(rows)
    path.write_bytes(whole[:100])
    with pytest.raises(heft.HeftError, match="replaced or became shorter"):
        for _ in rows:
            pass


def test_wrong_command_lines():
    for words, code in ((["-h"], 0), ([], 105), (["a.mcap", "--idle", "-1"], 105), (["a.mcap", "--idel", "1"], 105)):
        done = subprocess.run([sys.executable, "-m", "heft_robot", "follow-log", *words], capture_output=True, text=True)
        assert done.returncode == code and "follow-log FILE.mcap" in done.stdout + done.stderr
