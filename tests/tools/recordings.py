"""Writes recordings of messages without packages: CDR, ROS 1 and JSON messages, MCAP files, ROS 2 bag folders. Compressed data are frames
of stored blocks, which lz4 and zstd read like any others."""

import json
import math
import pathlib
import sqlite3
import struct
import zlib

MAGIC = b"\x89MCAP0\r\n"

JOINT_STATE = """# This is a message that holds data to describe the state of a set of torque controlled joints.
std_msgs/Header header

string[] name  # "name" of each
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""

JOINT_STATE_ROS1 = JOINT_STATE.split("=" * 80)[0].replace("std_msgs/Header header", "Header header") + """
================================================================================
MSG: std_msgs/Header
uint32 seq
time stamp
string frame_id
"""

JOINT_STATE_IDL = """================================================================================
IDL: sensor_msgs/msg/JointState
// generated from rosidl_adapter/resource/msg.idl.em
#include "std_msgs/msg/Header.idl"

module sensor_msgs {
  module msg {
    @verbatim (language="comment", text=
      "a comment with ; and { and }" "\\n" "another")
    struct JointState {
      std_msgs::msg::Header header;

      sequence<string> name;
      sequence<double> position;
      sequence<double> velocity;
      sequence<double> effort;
    };
  };
};

================================================================================
IDL: std_msgs/msg/Header
module std_msgs {
  module msg {
    struct Header {
      builtin_interfaces::msg::Time stamp;
      string frame_id;
    };
  };
};

================================================================================
IDL: builtin_interfaces/msg/Time
module builtin_interfaces {
  module msg {
    struct Time {
      int32 sec;
      uint32 nanosec;
    };
  };
};
"""

WRENCH_STAMPED = """std_msgs/Header header
Wrench wrench
================================================================================
MSG: geometry_msgs/Wrench
Vector3 force
Vector3 torque
================================================================================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
""" + "=" * 80 + "\nMSG: std_msgs/Header" + JOINT_STATE.split("MSG: std_msgs/Header")[1]

MULTI_ARRAY = """std_msgs/MultiArrayLayout layout
float64[] data
================================================================================
MSG: std_msgs/MultiArrayLayout
MultiArrayDimension[] dim
uint32 data_offset
================================================================================
MSG: std_msgs/MultiArrayDimension
string label
uint32 size
uint32 stride
"""

DYNAMIC_JOINT_STATE = """std_msgs/Header header
string[] joint_names
control_msgs/InterfaceValue[] interface_values
================================================================================
MSG: control_msgs/InterfaceValue
string[] interface_names
float64[] values
""" + "=" * 80 + "\nMSG: std_msgs/Header" + JOINT_STATE.split("MSG: std_msgs/Header")[1]


class Cdr:
    """Numbers and texts in sequence. `form`: "xcdr1", "xcdr2" or "ros1"."""

    def __init__(self, form="xcdr1", big=False):
        self.form, self.order, self.bytes = form, ">" if big else "<", bytearray()
        head = {"xcdr1": 0, "xcdr2": 6, "ros1": None}[form]
        self.head = b"" if head is None else struct.pack(">HH", head | (not big), 0)

    def put(self, code, *values):
        size = struct.calcsize(code)
        alignment = 1 if self.form == "ros1" else min(size, 4 if self.form == "xcdr2" else 8)
        for value in values:
            self.bytes += bytes(-len(self.bytes) % alignment) + struct.pack(self.order + code, value)
        return self

    def text(self, value):
        raw = value.encode() + (b"" if self.form == "ros1" else b"\0")
        self.put("I", len(raw)).bytes += raw
        return self

    def numbers(self, values):
        return self.put("I", len(values)).put("d", *values)

    def texts(self, values):
        if self.form == "xcdr2":  # its size before it
            place = len(self.bytes) + -len(self.bytes) % 4
            self.put("I", 0)
        self.put("I", len(values))
        for value in values:
            self.text(value)
        if self.form == "xcdr2":
            struct.pack_into(self.order + "I", self.bytes, place, len(self.bytes) - place - 4)
        return self

    def header(self, nanoseconds):
        if self.form == "ros1":
            self.put("I", 0)
        return self.put("i", nanoseconds // 10**9).put("I", nanoseconds % 10**9).text("base")

    def done(self):
        return self.head + bytes(self.bytes)


def joint_state(nanoseconds, names, position, velocity=(), effort=(), **form):
    return Cdr(**form).header(nanoseconds).texts(names).numbers(position).numbers(velocity).numbers(effort).done()


def json_joint_state(nanoseconds, names, position, velocity=(), effort=()):
    stamp = {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9}
    return json.dumps({"header": {"stamp": stamp, "frame_id": "base"}, "name": names, "position": list(position),
                       "velocity": list(velocity), "effort": list(effort)}).encode()


def json_joints(nanoseconds, names, position, velocity=(), effort=()):
    """Foxglove's JointStates, one message per joint."""
    rows = {"position": position, "velocity": velocity, "effort": effort}
    joints = [{"name": name, **{key: values[k] for key, values in rows.items() if values}} for k, name in enumerate(names)]
    return json.dumps({"timestamp": {"sec": nanoseconds // 10**9, "nsec": nanoseconds % 10**9}, "joints": joints}).encode()


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def proto_bytes(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def proto_number(number, value):
    """A double; proto3 omits zeros."""
    return varint(number << 3 | 1) + struct.pack("<d", value) if value or math.copysign(1, value) < 0 else b""


def proto_set(files):
    """A FileDescriptorSet of (file, package, imports, {message: [(field, number, type)]}); type: "double", "string", "int64", or the
    name of a message; with * repeated."""
    kinds = {"double": 1, "int64": 3, "int32": 5, "string": 9}
    out = b""
    for name, package, imports, messages in files:
        file = proto_bytes(1, name.encode()) + proto_bytes(2, package.encode()) + b"".join(proto_bytes(3, i.encode()) for i in imports)
        for message, fields in messages.items():
            content = proto_bytes(1, message.encode())
            for field, number, kind in fields:
                label, kind = (3, kind[1:]) if kind.startswith("*") else (1, kind)
                of = varint(5 << 3) + varint(kinds[kind]) if kind in kinds else varint(5 << 3) + varint(11) + proto_bytes(6, f".{kind if '.' in kind else package + '.' + kind}".encode())
                content += proto_bytes(2, proto_bytes(1, field.encode()) + varint(3 << 3) + varint(number) + varint(4 << 3) + varint(label) + of)
            file += proto_bytes(4, content)
        out += proto_bytes(1, file + proto_bytes(12, b"proto3"))
    return out


TIME_PROTO = ("google/protobuf/timestamp.proto", "google.protobuf", [], {"Timestamp": [("seconds", 1, "int64"), ("nanos", 2, "int32")]})
STAMP = ("timestamp", 1, "google.protobuf.Timestamp")
QUANTITIES = ("position", "velocity", "effort")
ARRAYS_PROTO = proto_set([TIME_PROTO, ("arrays.proto", "heft", [TIME_PROTO[0]], {"JointStates": [
    STAMP, ("name", 2, "*string"), *((quantity, 3 + k, "*double") for k, quantity in enumerate(QUANTITIES))]})])
JOINTS_PROTO = proto_set([TIME_PROTO, ("joints.proto", "foxglove", [TIME_PROTO[0]], {
    "JointState": [("name", 1, "string"), *((quantity, 2 + k, "double") for k, quantity in enumerate(QUANTITIES))],
    "JointStates": [STAMP, ("joints", 2, "*JointState")]})])


def proto_stamp(nanoseconds):
    return proto_bytes(1, varint(1 << 3) + varint(nanoseconds // 10**9) + varint(2 << 3) + varint(nanoseconds % 10**9))


def proto_joint_state(nanoseconds, names, position, velocity=(), effort=()):
    return proto_stamp(nanoseconds) + b"".join(proto_bytes(2, name.encode()) for name in names) + b"".join(
        proto_bytes(3 + k, struct.pack(f"<{len(values)}d", *values)) for k, values in enumerate((position, velocity, effort)))


def proto_joints(nanoseconds, names, position, velocity=(), effort=()):
    return proto_stamp(nanoseconds) + b"".join(proto_bytes(2, proto_bytes(1, name.encode()) + b"".join(
        proto_number(2 + j, values[k]) for j, values in enumerate((position, velocity, effort)) if len(values)))
        for k, name in enumerate(names))


def wrench(nanoseconds, numbers):
    return Cdr().header(nanoseconds).put("d", *numbers).done()


def multi_array(numbers):
    return Cdr().put("I", 0).put("I", 0).numbers(numbers).done()


def dynamic_joint_state(nanoseconds, names, interfaces, values):
    cdr = Cdr().header(nanoseconds).texts(names).put("I", len(names))
    for row in values:
        cdr.texts(interfaces).numbers(row)
    return cdr.done()


def xxh32(data, seed=0):
    """xxHash of less than 16 bytes: the checksum in the header of an lz4 frame."""
    prime = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
    mask = 0xFFFFFFFF
    rotate = lambda x, k: ((x << k) | (x >> (32 - k))) & mask
    value = (seed + prime[4] + len(data)) & mask
    for byte in data:
        value = rotate((value + byte * prime[4]) & mask, 11) * prime[0] & mask
    value = (value ^ (value >> 15)) * prime[1] & mask
    value = (value ^ (value >> 13)) * prime[2] & mask
    return value ^ (value >> 16)


def lz4(data):
    head = bytes([0x60, 0x70])  # version 1, independent blocks; blocks of 4 MB
    frame = struct.pack("<I", 0x184D2204) + head + bytes([(xxh32(head) >> 8) & 0xFF])
    for at in range(0, len(data), 1 << 22):
        block = data[at:at + (1 << 22)]
        frame += struct.pack("<I", len(block) | 1 << 31) + block
    return frame + bytes(4)


def zstd(data):
    frame = struct.pack("<IB", 0xFD2FB528, 0xA0) + struct.pack("<I", len(data))  # one segment, its size in 4 bytes
    blocks = [data[at:at + (1 << 17)] for at in range(0, len(data), 1 << 17)] or [b""]
    for k, block in enumerate(blocks):
        frame += struct.pack("<I", (k + 1 == len(blocks)) | len(block) << 3)[:3] + block
    return frame


PACK = {"": bytes, "lz4": lz4, "zstd": zstd}


class Channel:
    def __init__(self, topic, kind, schema, encoding="cdr", schema_encoding="ros2msg"):
        self.topic, self.kind, self.schema = topic, kind, schema
        self.encoding, self.schema_encoding = encoding, schema_encoding

    @staticmethod
    def joint_states(topic="/joint_states"):
        return Channel(topic, "sensor_msgs/msg/JointState", JOINT_STATE)


def text(value):
    raw = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<I", len(raw)) + raw


def record(opcode, content):
    return struct.pack("<BQ", opcode, len(content)) + content


def mcap(channels, messages, chunk=100, compression="", summary=True, crc=True, repeats_schemas=True):
    """A file of channels and messages (channel index, log time, publish time, bytes); `chunk` messages per chunk, 0: outside chunks.
    Without a summary only the end follows the data."""
    schemas, described = b"", b""
    for k, channel in enumerate(channels):
        schemas += record(3, struct.pack("<H", k + 1) + text(channel.kind) + text(channel.schema_encoding) + text(channel.schema))
        described += record(4, struct.pack("<HH", k + 1, k + 1) + text(channel.topic) + text(channel.encoding) + text(""))
    definitions = schemas + described
    out = MAGIC + record(1, text("ros2") + text("tests"))
    records = [record(5, struct.pack("<HIQQ", k + 1, n, log, sent) + data)
               for n, (k, log, sent, data) in enumerate(messages)]
    if chunk == 0:
        out += definitions + b"".join(records)
    for begin in range(0, len(records) if chunk else 0, chunk or 1):
        piece = (definitions if begin == 0 else b"") + b"".join(records[begin:begin + chunk])
        times = [message[1] for message in messages[begin:begin + chunk]]
        packed = PACK[compression](piece)
        out += record(6, struct.pack("<QQQI", min(times), max(times), len(piece), zlib.crc32(piece) if crc else 0) +
                      text(compression) + struct.pack("<Q", len(packed)) + packed)
    out += record(15, struct.pack("<I", 0))
    start = len(out) if summary else 0
    if summary:
        times = [message[1] for message in messages]
        out += (definitions if repeats_schemas else described) + record(11, struct.pack("<QHIIIIQQI", len(messages), len(channels), len(channels), 0, 0, 0,
                                                    min(times), max(times), 0))
    footer = struct.pack("<BQQQ", 2, 20, start, 0)
    checksum = zlib.crc32(out[start:] + footer) if summary else 0
    return out + footer + struct.pack("<I", checksum) + MAGIC


def db3(path, channels, messages, packs=bytes):
    """A database of rosbag2's sqlite3 storage; `packs` compresses each message."""
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL)")
    base.execute("INSERT INTO schema VALUES (4, 'rolling')")
    base.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format "
                 "TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL, type_description_hash TEXT NOT NULL)")
    base.execute("CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, encoding TEXT NOT NULL, "
                 "encoded_message_definition TEXT NOT NULL, type_description_hash TEXT NOT NULL)")
    base.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, "
                 "data BLOB NOT NULL)")
    for k, channel in enumerate(channels):
        base.execute("INSERT INTO topics VALUES (?, ?, ?, ?, '', '')", (k + 1, channel.topic, channel.kind, channel.encoding))
        base.execute("INSERT INTO message_definitions(topic_type, encoding, encoded_message_definition, type_description_hash) "
                     "VALUES (?, ?, ?, '')", (channel.kind, channel.schema_encoding, channel.schema))
    base.executemany("INSERT INTO messages(topic_id, timestamp, data) VALUES (?, ?, ?)",
                     [(k + 1, log, packs(data)) for k, log, _, data in messages])
    base.commit()
    base.close()


def metadata(files, compression="", mode=""):
    """The parts of rosbag2's metadata.yaml that readers need."""
    lines = ["rosbag2_bagfile_information:", "  version: 9", "  storage_identifier: sqlite3", "  relative_file_paths:"]
    lines += [f"    - {pathlib.PurePath(file).name if '..' not in str(file) else file}" for file in files]
    lines += [f"  compression_format: \"{compression}\"", f"  compression_mode: \"{mode}\""]
    return "\n".join(lines) + "\n"
