// Decodes Protocol Buffers messages with the recording's descriptors (a FileDescriptorSet).
//
// Fields omitted by proto3 because they are zero become zero. Array elements are named as in other
// encodings; elements that are messages with a text field "name" use its value.
#include <fmt/format.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/dynamic_message.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/readable_text.hpp"
#include "cdr_decoder.hpp"
#include "leaf_tree.hpp"
#include "message_type.hpp"

namespace heft::bags {

namespace {

namespace proto = google::protobuf;
using Texts = std::vector<std::string>;
using Kind = proto::FieldDescriptor::CppType;

/// Collects errors about missing descriptors instead of printing them.
class Complaints final : public proto::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element,
                const proto::Message* /*descriptor*/, ErrorLocation /*location*/,
                const std::string& message) override {
    if (first_.empty()) first_ = readable(file + ": " + element + ": " + message);
  }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

bool is_number(Kind kind) {
  return kind != Kind::CPPTYPE_STRING && kind != Kind::CPPTYPE_MESSAGE;
}

double number_in(const proto::Message& message, const proto::FieldDescriptor& field) {
  const proto::Reflection& of = *message.GetReflection();
  switch (field.cpp_type()) {
    case Kind::CPPTYPE_DOUBLE:
      return of.GetDouble(message, &field);
    case Kind::CPPTYPE_FLOAT:
      return of.GetFloat(message, &field);
    case Kind::CPPTYPE_INT32:
      return of.GetInt32(message, &field);
    case Kind::CPPTYPE_INT64:
      return static_cast<double>(of.GetInt64(message, &field));
    case Kind::CPPTYPE_UINT32:
      return of.GetUInt32(message, &field);
    case Kind::CPPTYPE_UINT64:
      return static_cast<double>(of.GetUInt64(message, &field));
    case Kind::CPPTYPE_BOOL:
      return of.GetBool(message, &field) ? 1 : 0;
    case Kind::CPPTYPE_ENUM:
      return of.GetEnumValue(message, &field);
    default:
      return std::nan("");
  }
}

double number_in(const proto::Message& message, const proto::FieldDescriptor& field, int k) {
  const proto::Reflection& of = *message.GetReflection();
  switch (field.cpp_type()) {
    case Kind::CPPTYPE_DOUBLE:
      return of.GetRepeatedDouble(message, &field, k);
    case Kind::CPPTYPE_FLOAT:
      return of.GetRepeatedFloat(message, &field, k);
    case Kind::CPPTYPE_INT32:
      return of.GetRepeatedInt32(message, &field, k);
    case Kind::CPPTYPE_INT64:
      return static_cast<double>(of.GetRepeatedInt64(message, &field, k));
    case Kind::CPPTYPE_UINT32:
      return of.GetRepeatedUInt32(message, &field, k);
    case Kind::CPPTYPE_UINT64:
      return static_cast<double>(of.GetRepeatedUInt64(message, &field, k));
    case Kind::CPPTYPE_BOOL:
      return of.GetRepeatedBool(message, &field, k) ? 1 : 0;
    case Kind::CPPTYPE_ENUM:
      return of.GetRepeatedEnumValue(message, &field, k);
    default:
      return std::nan("");
  }
}

bool has_text(const proto::FieldDescriptor& field) {
  return field.cpp_type() == Kind::CPPTYPE_STRING;
}

std::string label(const std::string& text) {
  return readable(first_of_text(text, kLongestName));
}

/// The name arrays of a message, which name the elements of its other arrays.
std::optional<Texts> names_in(const proto::Message& message) {
  for (const std::string_view key : kFieldsOfNames) {
    const proto::FieldDescriptor* field =
        message.GetDescriptor()->FindFieldByName(std::string(key));
    if (field == nullptr || !field->is_repeated() || !has_text(*field)) continue;
    const proto::Reflection& of = *message.GetReflection();
    const int size = of.FieldSize(message, field);
    if (static_cast<std::size_t>(size) > kLongestArray) return std::nullopt;
    Texts names;
    for (int k = 0; k < size; ++k) names.push_back(label(of.GetRepeatedString(message, field, k)));
    return names;
  }
  return std::nullopt;
}

/// The text field "name" of a message.
std::optional<std::string> own_name(const proto::Message& message) {
  const proto::FieldDescriptor* field = message.GetDescriptor()->FindFieldByName("name");
  if (field == nullptr || field->is_repeated() || !has_text(*field)) return std::nullopt;
  const std::string text = message.GetReflection()->GetString(message, field);
  if (text.empty()) return std::nullopt;
  return label(text);
}

Step step_of(const proto::Message& message, const proto::FieldDescriptor& field, int k,
             const Texts* names) {
  if (names != nullptr) return {Step::Kind::label, (*names)[static_cast<std::size_t>(k)]};
  if (field.cpp_type() == Kind::CPPTYPE_MESSAGE)
    if (const auto name = own_name(message.GetReflection()->GetRepeatedMessage(message, &field, k)))
      return {Step::Kind::label, *name};
  return {Step::Kind::index, std::to_string(k)};
}

/// The names, if there is one per element of the array.
const Texts* names_for(int size, const Texts* names) {
  return names != nullptr && names->size() == static_cast<std::size_t>(size) ? names : nullptr;
}

class ProtobufDecoder final : public Decoder {
 public:
  explicit ProtobufDecoder(const Topic& topic)
      : where_("topic " + topic.name), type_name_(topic.type), pool_(&files_, &complaints_) {}

  Result<Done> read_schema(const Topic& topic) {
    proto::FileDescriptorSet set;
    if (topic.schema_encoding != "protobuf" || !set.ParseFromString(topic.schema))
      return wrong_schema("is not a set of descriptors");
    for (const proto::FileDescriptorProto& file : set.file())
      if (!files_.Add(file)) return wrong_schema("defines '" + readable(file.name()) + "' twice");
    const proto::Descriptor* type = pool_.FindMessageTypeByName(topic.type);
    if (type == nullptr)
      return wrong_schema(complaints_.first().empty() ? "does not define the type"
                                                      : complaints_.first());
    message_.reset(factory_.GetPrototype(type)->New());
    return Done{};
  }

  Result<Done> discover(std::string_view data) override {
    HEFT_CHECK(parse(data));
    keep_labels(names_in(*message_).value_or(Texts()));
    Path path;
    discover(*message_, path, nullptr);
    if (stamp_seconds_ < 0) find_stamp();
    return Done{};
  }
  Result<Done> read(std::string_view data, double* numbers) override {
    HEFT_CHECK(parse(data));
    std::fill_n(numbers, num_selected_, std::nan(""));
    keep_labels(names_in(*message_).value_or(Texts()));
    read(*message_, *tree_, nullptr, numbers);
    return Done{};
  }

 private:
  Error wrong_schema(const std::string& what) const {
    return {where_, fmt::format("the schema of '{}' {}", type_name_, what),
            "record it again with the descriptors of the type and of all its imports"};
  }

  Result<Done> parse(std::string_view data) {
    if (data.size() <= kLargestMessage &&
        message_->ParsePartialFromArray(data.data(), static_cast<int>(data.size())))
      return Done{};
    return Error{
        where_, fmt::format("a message is not of type '{}', or is damaged", type_name_),
        "the recorded type definition differs from the sender's: record again with the sender's "
        "definition"};
  }

  void discover(const proto::Message& message, Path& path, const Texts* names) {
    if (path.size() > kDeepest) return;
    const std::optional<Texts> own = names_in(message);
    if (own) names = &*own;
    const proto::Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const proto::FieldDescriptor& field = *type.field(i);
      if (has_text(field) || field.name().size() > kLongestName) continue;
      path.push_back({Step::Kind::field, readable(field.name())});
      if (field.is_repeated())
        discover_array(message, field, path, names);
      else if (is_number(field.cpp_type()))
        add_leaf(path);
      else if (message.GetReflection()->HasField(message, &field))
        discover(message.GetReflection()->GetMessage(message, &field), path, names);
      path.pop_back();
    }
  }

  void discover_array(const proto::Message& message, const proto::FieldDescriptor& field,
                      Path& path, const Texts* names) {
    const int size = message.GetReflection()->FieldSize(message, &field);
    if (static_cast<std::size_t>(size) > kLongestArray) return;
    const Texts* labels = names_for(size, names);
    for (int k = 0; k < size; ++k) {
      path.push_back(step_of(message, field, k, labels));
      if (is_number(field.cpp_type()))
        add_leaf(path);
      else
        discover(message.GetReflection()->GetRepeatedMessage(message, &field, k), path, names);
      path.pop_back();
    }
  }

  // as deep as the tree
  void read(const proto::Message& message, LeafNode& node, const Texts* names, double* numbers) {
    const std::optional<Texts> own = names_in(message);
    if (own) names = &*own;
    const proto::Descriptor& type = *message.GetDescriptor();
    if (node.by_field.empty()) {
      node.by_field.assign(static_cast<std::size_t>(type.field_count()), nullptr);
      for (const auto& [name, child] : node.fields)
        if (const proto::FieldDescriptor* field = type.FindFieldByName(name))
          node.by_field[static_cast<std::size_t>(field->index())] = child.get();
    }
    for (int i = 0; i < type.field_count(); ++i) {
      LeafNode* child = node.by_field[static_cast<std::size_t>(i)];
      if (child == nullptr) continue;
      const proto::FieldDescriptor& field = *type.field(i);
      if (field.is_repeated())
        read_array(message, field, *child, names, numbers);
      else if (is_number(field.cpp_type()) && child->slot >= 0)
        numbers[child->slot] = number_in(message, field);
      else if (!is_number(field.cpp_type()) && message.GetReflection()->HasField(message, &field))
        read(message.GetReflection()->GetMessage(message, &field), *child, names, numbers);
    }
  }

  void read_array(const proto::Message& message, const proto::FieldDescriptor& field,
                  LeafNode& node, const Texts* names, double* numbers) {
    const int size = message.GetReflection()->FieldSize(message, &field);
    if (static_cast<std::size_t>(size) > kLongestArray) return;
    const Texts* labels = names_for(size, names);
    for (int k = 0; k < size; ++k) {
      LeafNode* child =
          node.element(static_cast<std::size_t>(k), step_of(message, field, k, labels));
      if (child == nullptr) continue;
      if (is_number(field.cpp_type()) && child->slot >= 0)
        numbers[child->slot] = number_in(message, field, k);
      else if (!is_number(field.cpp_type()))
        read(message.GetReflection()->GetRepeatedMessage(message, &field, k), *child, names,
             numbers);
    }
  }

  static constexpr std::size_t kLargestMessage = std::size_t{1} << 26;  ///< [byte]

  std::string where_, type_name_;
  Complaints complaints_;
  proto::SimpleDescriptorDatabase files_;
  proto::DescriptorPool pool_;
  proto::DynamicMessageFactory factory_{&pool_};
  std::unique_ptr<proto::Message> message_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_protobuf_decoder(const Topic& topic) {
  [[maybe_unused]] static const auto printed_before = proto::SetLogHandler(nullptr);  // errors are
                                                                                      // returned
  auto decoder = std::make_unique<ProtobufDecoder>(topic);
  HEFT_CHECK(decoder->read_schema(topic));
  return std::unique_ptr<Decoder>(std::move(decoder));
}

}  // namespace heft::bags
