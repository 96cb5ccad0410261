// Message types as structures of fields, from their definitions.
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

/// Returns the size of a number in bytes; 0 for other kinds.
inline constexpr std::uint8_t kBytesOfKind[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0, 0, 0};
inline std::size_t bytes_of(FieldKind kind) {
  return kBytesOfKind[static_cast<std::size_t>(kind)];
}

enum class ArrayKind : std::uint8_t { single, fixed, sequence };

/// Fields whose strings name the elements of neighboring arrays.
inline constexpr std::string_view kFieldsOfNames[] = {"name", "names", "joint_names",
                                                      "interface_names"};

/// Maximum length in bytes of a field name, or of a string that names an element.
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
  int names = -1;  ///< field that names the elements of neighboring arrays; -1: none
};

struct MessageType {
  std::vector<Structure> structures;
  int root = 0;
};

/// Parses a topic's schema (ros2msg, ros2idl, ros1msg). Errors: invalid text, types that are not
/// defined in it, that contain themselves, or that contain a type of unknown size.
Result<MessageType> message_type(const Topic& topic);

/// Structures by the full names of types, filled by the parser of a definition.
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

/// Returns the definition of a standard ROS 2 type ("package/Name") in the .msg language; empty if
/// it is unknown. rosbag2 databases before the storage format of ROS 2 Iron lack definitions.
std::string standard_type_text(const std::string& name);

/// Converts "package/msg/Name" or "package::msg::Name" to "package/Name".
std::string short_type_name(const std::string& scoped);

}  // namespace heft::bags
