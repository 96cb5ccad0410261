// Types of messages as their definitions state them: structures of fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bags/recording.hpp"
#include "heft/base/result.hpp"

namespace heft::bags {

enum class FieldKind : std::uint8_t {
  boolean,
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  uint64,
  int64,
  float32,
  float64,
  text,
  wide_text,
  structure
};

/// Bytes of a number; 0 of what is no number.
inline constexpr std::uint8_t kBytesOfKind[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0, 0, 0};
inline std::size_t bytes_of(FieldKind kind) {
  return kBytesOfKind[static_cast<std::size_t>(kind)];
}

enum class ArrayKind : std::uint8_t { single, fixed, sequence };

/// Fields whose texts name the elements of the arrays beside them.
inline constexpr std::string_view kFieldsOfNames[] = {"name", "names", "joint_names",
                                                      "interface_names"};

/// Bytes of a field's name, or of a text that names an element, at most.
inline constexpr std::size_t kLongestName = 256;

struct Field {
  std::string name;
  FieldKind kind = FieldKind::uint8;
  ArrayKind array = ArrayKind::single;
  std::uint32_t count = 1;  ///< of a fixed array
  int structure = -1;       ///< index in MessageType::structures

  bool is_text_array() const { return kind == FieldKind::text && array != ArrayKind::single; }
};

enum class Extensibility : std::uint8_t { unstated, final, appendable, mutable_ };

struct Structure {
  std::string name;
  std::vector<Field> fields;
  Extensibility extensibility = Extensibility::unstated;
  int names = -1;  ///< the field that names the elements of the arrays beside it; -1: none
};

struct MessageType {
  std::vector<Structure> structures;
  int root = 0;
};

/// Of a topic's schema (ros2msg, ros2idl, ros1msg). Errors: what is no such text, types that are
/// not defined in it, that hold themselves or something without a size.
Result<MessageType> message_type(const Topic& topic);

/// Structures by the full names of types, filled by the parser of a text.
struct TypeText {
  struct NamedField {
    Field field;
    std::string type;  ///< of a structure
  };
  struct NamedStructure {
    std::string name;
    std::vector<NamedField> fields;
    Extensibility extensibility = Extensibility::unstated;
  };
  std::vector<NamedStructure> structures;
};

/// `type`: "sensor_msgs/msg/JointState". Names of structures are "package/Name".
Result<TypeText> read_msg_text(const std::string& text, const std::string& type, bool is_ros1,
                               const std::string& where);
Result<TypeText> read_idl_text(const std::string& text, const std::string& where);

/// Definition of a standard type ("package/Name") of ROS 2 in the .msg language; empty: it is not
/// among them. Databases of rosbag2 before the storage format of ROS 2 Iron have no definitions.
std::string standard_type_text(const std::string& name);

/// "package/Name" of "package/msg/Name" or "package::msg::Name".
std::string short_type_name(const std::string& scoped);

}  // namespace heft::bags
