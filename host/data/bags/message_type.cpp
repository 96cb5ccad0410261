#include "message_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/readable_text.hpp"

namespace heft::bags {

namespace {

constexpr int kDeepestStructure = 24;
constexpr std::size_t kMaxFields = 1 << 14;  ///< of a type, with those of the structures that it
                                             ///< holds
constexpr std::size_t kLargestDefinition = std::size_t{1} << 20;  ///< [byte]

// an empty definition of ROS 2 takes a byte on the wire
constexpr const char* kEmptyMember = "structure_needs_at_least_one_member";

class Resolver {
 public:
  Resolver(const TypeText& text, bool is_ros1, std::string where)
      : is_ros1_(is_ros1), where_(std::move(where)) {
    for (const auto& structure : text.structures) known_.emplace(structure.name, &structure);
  }

  Result<MessageType> resolve(const std::string& root) {
    HEFT_TRY(index, add(root, root, 0));
    type_.root = index;
    return std::move(type_);
  }

 private:
  Result<int> add(const std::string& name, const std::string& user, int depth) {
    if (const auto done = done_.find(name); done != done_.end()) return done->second;
    if (depth > kDeepestStructure || ++num_structures_ > kMaxFields)
      return Error{where_,
                   fmt::format("'{}' contains itself, or nests structures {} deep", readable(name),
                               kDeepestStructure),
                   "no message has such a type: record it again"};
    Structure made;
    made.name = name;
    const auto found = known_.find(name);
    if (found != known_.end()) {
      made.extensibility = found->second->extensibility;
      for (const auto& [field, type] : found->second->fields) {
        made.fields.push_back(field);
        if (++num_fields_ > kMaxFields)
          return Error{where_, fmt::format("has more than {} fields", kMaxFields),
                       "record other topics"};
        if (field.name.size() > kLongestName)
          return Error{
              where_,
              fmt::format("'{}' has a field name of {} bytes", readable(name), field.name.size()),
              fmt::format("shorten it to at most {} bytes", kLongestName)};
        if (field.kind != FieldKind::structure) continue;
        HEFT_TRY(index, add(type, name, depth + 1));
        made.fields.back().structure = index;
      }
    } else if (name == "builtin_interfaces/Time" || name == "builtin_interfaces/Duration") {
      made.fields = {{"sec", FieldKind::int32}, {"nanosec", FieldKind::uint32}};
    } else {
      return Error{where_,
                   fmt::format("the schema doesn't define '{}', which '{}' contains",
                               readable(name), readable(user)),
                   "record it with complete message definitions"};
    }
    if (made.fields.empty() && !is_ros1_) made.fields = {{kEmptyMember, FieldKind::uint8}};
    made.names = field_of_names(made);
    type_.structures.push_back(std::move(made));
    return done_[name] = static_cast<int>(type_.structures.size()) - 1;
  }

  static int field_of_names(const Structure& structure) {
    for (const std::string_view name : kFieldsOfNames)
      for (std::size_t k = 0; k < structure.fields.size(); ++k)
        if (structure.fields[k].name == name && structure.fields[k].is_text_array())
          return static_cast<int>(k);
    return -1;
  }

  bool is_ros1_;
  std::string where_;
  std::map<std::string, const TypeText::NamedStructure*> known_;
  std::map<std::string, int> done_;
  MessageType type_;
  std::size_t num_structures_ = 0, num_fields_ = 0;
};

}  // namespace

std::string short_type_name(const std::string& scoped) {
  std::string name;
  for (std::size_t k = 0; k < scoped.size(); ++k) {
    const bool is_scope = scoped.compare(k, 2, "::") == 0;
    name += is_scope ? '/' : scoped[k];
    if (is_scope) ++k;
  }
  for (const std::string_view middle : {"/msg/", "/srv/", "/action/"})
    if (const std::size_t at = name.find(middle); at != std::string::npos)
      name.replace(at, middle.size(), "/");
  return name;
}

Result<MessageType> message_type(const Topic& topic) {
  const std::string where = "topic " + topic.name;
  if (topic.schema.empty()) {
    const std::string standard = standard_type_text(short_type_name(topic.type));
    if (standard.empty())
      return Error{
          where, fmt::format("the recording has no definition of its type '{}'", topic.type),
          "convert it to MCAP where the type is installed, which stores definitions: ros2 bag convert"};
    HEFT_TRY(known, read_msg_text(standard, topic.type, false, where));
    return Resolver(known, false, where).resolve(short_type_name(topic.type));
  }
  if (topic.schema.size() > kLargestDefinition)
    return Error{where,
                 fmt::format("the definition of its type takes {} bytes; at most {} are read",
                             topic.schema.size(), kLargestDefinition),
                 "record the topics that are needed, without this one"};
  const bool is_ros1 = topic.schema_encoding == "ros1msg";
  Result<TypeText> text = Error{};
  if (topic.schema_encoding == "ros2msg" || is_ros1)
    text = read_msg_text(topic.schema, topic.type, is_ros1, where);
  else if (topic.schema_encoding == "ros2idl")
    text = read_idl_text(topic.schema, where);
  else
    return Error{
        where,
        fmt::format("its schema is '{}', which is not supported", readable(topic.schema_encoding)),
        "convert the recording to ros2msg, ros2idl or ros1msg"};
  if (!text) return text.error();
  return Resolver(*text, is_ros1, where).resolve(short_type_name(topic.type));
}

}  // namespace heft::bags
