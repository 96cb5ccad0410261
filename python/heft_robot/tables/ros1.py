"""ROS 1 bags (rosbags), as an MCAP file with the same messages: the program decodes them."""

from __future__ import annotations

import struct
import zlib

from .._errors import HeftError, optional

_MAGIC = b"\x89MCAP0\r\n"
_CHUNK = 1 << 20
#: what has no numbers of joints, but most of the bytes
_SKIPPED = (
    "sensor_msgs/msg/Image",
    "sensor_msgs/msg/CompressedImage",
    "sensor_msgs/msg/PointCloud2",
    "sensor_msgs/msg/PointCloud",
    "sensor_msgs/msg/LaserScan",
    "nav_msgs/msg/OccupancyGrid",
    "theora_image_transport/msg/Packet",
)
_HEADER, _FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK_RECORD, _DATA_END = 1, 2, 3, 4, 5, 6, 15


def matches(path: str, head: bytes) -> bool:
    return head.startswith(b"#ROSBAG V")


def unpack(path: str, sink) -> None:
    rosbag1 = optional("rosbags.rosbag1", "a ROS 1 bag", "logs")
    try:
        with rosbag1.Reader(path) as reader:
            _write(path, reader, sink)
    except (HeftError, OSError):
        raise
    except Exception as error:
        raise HeftError(
            path,
            f"is a ROS 1 bag that cannot be read: {(str(error).splitlines() or ['?'])[0][:200]}",
            "if the recorder was killed, write its index again: rosbag reindex " + path,
        ) from error


def _write(path: str, reader, sink) -> None:
    connections = [one for one in reader.connections if one.msgtype not in _SKIPPED]
    if not connections:
        raise HeftError(path, "has no topics with numbers", "record the topics of joint states: rosbag record /joint_states")
    file = sink.file
    file.write(_MAGIC + _record(_HEADER, _text("ros1") + _text("heft")))
    chunk, begin = bytearray(), None
    ids = {}
    for connection in connections:
        ids[connection.id] = len(ids) + 1
        kind = connection.msgtype.replace("/msg/", "/")
        number = struct.pack("<H", ids[connection.id])
        chunk += _record(_SCHEMA, number + _text(kind) + _text("ros1msg") + _text(connection.msgdef.data))
        chunk += _record(_CHANNEL, number + number + _text(connection.topic) + _text("ros1") + _text(""))
    first = last = 0
    for connection, stamp, data in reader.messages(connections=connections):
        if begin is None:
            first, begin = stamp, True
        first, last = min(first, stamp), max(last, stamp)
        chunk += _record(_MESSAGE, struct.pack("<HIQQ", ids[connection.id], 0, stamp, stamp) + bytes(data))
        if len(chunk) >= _CHUNK:
            file.write(_chunk(first, last, bytes(chunk)))
            chunk, begin, last = bytearray(), None, 0
    file.write(_chunk(first, last, bytes(chunk)))
    file.write(_record(_DATA_END, bytes(4)) + _record(_FOOTER, bytes(20)) + _MAGIC)


def _chunk(first: int, last: int, content: bytes) -> bytes:
    return _record(
        _CHUNK_RECORD,
        struct.pack("<QQQI", first, last, len(content), zlib.crc32(content))
        + _text("")
        + struct.pack("<Q", len(content))
        + content,
    )


def _record(opcode: int, content: bytes) -> bytes:
    return struct.pack("<BQ", opcode, len(content)) + content


def _text(value: str) -> bytes:
    content = value.encode()
    return struct.pack("<I", len(content)) + content
