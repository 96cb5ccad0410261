// Decodes messages in CDR (ROS 2) and in the format of ROS 1, by the definition of their type.
#include "cdr_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/readable_text.hpp"
#include "cdr_cursor.hpp"
#include "leaf_tree.hpp"
#include "message_type.hpp"

namespace heft::bags {

namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kFewSteps = std::size_t{1} << 16;  ///< that any message may take
constexpr std::size_t kStepsPerByte = 16;

class CdrDecoder final : public Decoder {
 public:
  CdrDecoder(const Topic& topic, MessageType type)
      : type_(std::move(type)),
        where_("topic " + topic.name),
        type_name_(topic.type),
        is_ros1_(topic.encoding == "ros1") {}

  void select(const std::vector<int>& leaves) override {
    Decoder::select(leaves);
    layout_.forget();
  }

  Result<Done> discover(std::string_view data) override {
    layout_.forget();
    HEFT_TRY(cursor, begin(data, kFewSteps + kStepsPerByte * data.size()));
    Path path;
    if (!discover(cursor, root(), path, nullptr, true)) return does_not_fit(cursor);
    // some writers pad to whole words
    constexpr std::size_t kPadding = 7;
    if (cursor.left() > kPadding)
      return Error{
          where_,
          fmt::format("a message has unread bytes, {} of {}, after the last field of '{}'",
                      cursor.left(), data.size(), type_name_),
          "the recorded type definition differs from the sender's: record again with the sender's "
          "definition"};
    if (stamp_seconds_ < 0) find_stamp();
    return Done{};
  }

  Result<Done> read(std::string_view data, double* numbers) override {
    // some fields are read twice; discovered fields are always readable
    constexpr std::size_t kTimesMore = 4;
    std::fill_n(numbers, num_selected_, std::nan(""));
    if (layout_.fits(data)) {
      layout_.read(data.data(), numbers);
      return Done{};
    }
    layout_.forget();
    HEFT_TRY(cursor, begin(data, kTimesMore * (kFewSteps + kStepsPerByte * data.size())));
    // a topic whose sizes change seldom repeats a layout
    if (data.size() == std::exchange(last_size_, data.size())) record_layout(data, cursor);
    numbers_ = numbers;
    if (!read(cursor, root(), *tree_, nullptr)) return does_not_fit(cursor);
    if (root().names >= 0 && tree_->names_version != labels_version_) {
      labels_ = tree_->names;
      labels_version_ = tree_->names_version;
    }
    if (cursor.layout != nullptr) layout_.end(cursor.swaps);
    return Done{};
  }

 private:
  const Structure& root() const { return structure(type_.root); }
  const Structure& structure(int index) const {
    return type_.structures[static_cast<std::size_t>(index)];
  }

  Result<CdrCursor> begin(std::string_view data, std::size_t most_steps);
  void record_layout(std::string_view data, CdrCursor& cursor) {
    layout_.begin(data);
    layout_.depend_on(data.data(), static_cast<std::size_t>(cursor.begin - data.data()));
    cursor.layout = &layout_;
  }
  Error does_not_fit(const CdrCursor& cursor) const {
    if (steps_ == 0)
      return {
          where_,
          fmt::format("a message of type '{}' nests too many arrays or empty structures to be read",
                      type_name_),
          "record the topics that are needed, without this one"};
    return {
        where_,
        fmt::format("a message ends within '{}', before byte {}", type_name_,
                    cursor.end - cursor.begin),
        "the recorded type definition differs from the sender's, or the message is damaged: record "
        "again"};
  }

  bool begin_structure(CdrCursor& cursor, const Structure& type, const char*& end) const;
  bool skip(CdrCursor& cursor, const Structure& type) const;
  bool skip(CdrCursor& cursor, const Field& field) const;
  bool skip_items(CdrCursor& cursor, const Field& field, std::uint32_t count) const;
  bool begin_array(CdrCursor& cursor, const Field& field, std::uint32_t& count) const;
  bool names_of(CdrCursor cursor, const Structure& type, std::size_t from, Texts& names) const;
  bool read_names(CdrCursor& cursor, const Field& field, Texts& names) const;

  bool discover(CdrCursor& cursor, const Structure& type, Path& path, const Texts* names,
                bool is_root);
  bool discover(CdrCursor& cursor, const Field& field, Path& path, const Texts* names);
  bool discover_item(CdrCursor& cursor, const Field& field, Path& path, const Texts* names);

  struct Labels {
    const Texts* texts;
    std::uint64_t version;
  };
  bool read(CdrCursor& cursor, const Structure& type, LeafNode& node, const Labels* labels);
  bool read(CdrCursor& cursor, const Field& field, LeafNode& node, const Labels* labels);
  bool read_kept_names(CdrCursor& cursor, const Field& field, LeafNode& node);
  const std::vector<LeafNode*>& elements(LeafNode& node, std::uint32_t count, const Labels* labels);
  void put(const CdrCursor& cursor, FieldKind kind, const char* at, int slot) {
    numbers_[slot] = cursor.number(kind, at);
    if (cursor.layout != nullptr) cursor.layout->add_number(kind, at, slot);
  }

  MessageType type_;
  std::string where_, type_name_;
  bool is_ros1_;
  double* numbers_ = nullptr;
  std::uint64_t last_version_ = 0;
  std::size_t steps_ = 0;      ///< left for the message
  MessageLayout layout_;       ///< of the last message
  std::size_t last_size_ = 0;  ///< [byte] of the last message whose layout was unknown
};

// The first two bytes identify the CDR representation.
Result<CdrCursor> CdrDecoder::begin(std::string_view data, std::size_t most_steps) {
  steps_ = most_steps;
  CdrCursor cursor;
  cursor.begin = cursor.at = data.data();
  cursor.end = data.data() + data.size();
  cursor.steps = &steps_;
  if (is_ros1_) {
    cursor.max_alignment = 1;
    cursor.is_ros1 = true;
    return cursor;
  }
  constexpr std::size_t kHead = 4;
  if (data.size() < kHead) return does_not_fit(cursor);
  const auto form = static_cast<unsigned>((static_cast<unsigned char>(data[0]) << 8) |
                                          static_cast<unsigned char>(data[1]));
  const bool is_little = (form & 1) != 0;
  cursor.swaps = is_little != (std::endian::native == std::endian::little);
  cursor.begin = cursor.at = data.data() + kHead;
  switch (form & ~1U) {
    case 0x00:
      break;
    case 0x06:
    case 0x10:
      cursor.is_version_2 = true;
      break;
    case 0x08:
    case 0x14:
      cursor.is_version_2 = cursor.is_delimited = true;
      break;
    default:
      return Error{
          where_,
          fmt::format(
              "its messages have the CDR representation {:#06x} (a parameter list, for mutable "
              "types), which is not supported",
              form),
          "record a final or appendable type, or convert the topic to CSV"};
  }
  if (cursor.is_version_2) cursor.max_alignment = 4;
  return cursor;
}

// An appendable structure is preceded by its size.
bool CdrDecoder::begin_structure(CdrCursor& cursor, const Structure& type, const char*& end) const {
  end = nullptr;
  if (!cursor.is_delimited || type.extensibility == Extensibility::final) return true;
  std::uint32_t size = 0;
  if (!cursor.count(size) || size > cursor.left()) return false;
  end = cursor.at + size;
  return true;
}

bool CdrDecoder::skip_items(CdrCursor& cursor, const Field& field, std::uint32_t count) const {
  if (const std::size_t size = bytes_of(field.kind); size > 0) {
    if (count == 0) return true;
    return cursor.align(size) && count <= cursor.left() / size && cursor.skip(count * size);
  }
  if (count > cursor.left()) return false;
  for (std::uint32_t k = 0; k < count; ++k) {
    std::string_view text;
    if (field.kind == FieldKind::text && !cursor.text(text)) return false;
    if (field.kind == FieldKind::wide_text) {
      constexpr std::size_t kWide = 4;  // as Fast CDR and Cyclone DDS write them
      std::uint32_t size = 0;
      if (!cursor.count(size) || size > cursor.left() / kWide || !cursor.skip(size * kWide))
        return false;
    }
    if (field.kind == FieldKind::structure && !skip(cursor, structure(field.structure)))
      return false;
  }
  return true;
}

// XCDR2 puts a size before arrays of non-primitive types, but not every writer does: it is a size
// if the array ends where it indicates.
bool CdrDecoder::begin_array(CdrCursor& cursor, const Field& field, std::uint32_t& count) const {
  count = field.count;
  const bool is_sequence = field.array == ArrayKind::sequence;
  if (field.array == ArrayKind::single) return true;
  if (cursor.is_version_2 && bytes_of(field.kind) == 0) {
    CdrCursor ahead = cursor;
    std::uint32_t size = 0, inside = field.count;
    if (ahead.count(size) && size <= ahead.left()) {
      const char* const end = ahead.at + size;
      const char* const first = ahead.at;
      if ((!is_sequence || ahead.count(inside)) && skip_items(ahead, field, inside) &&
          ahead.at == end) {
        cursor.at = first;
        if (is_sequence) cursor.at = first + 4;
        count = inside;
        return true;
      }
    }
  }
  return !is_sequence || cursor.count(count);
}

bool CdrDecoder::skip(CdrCursor& cursor, const Field& field) const {
  std::uint32_t count = 1;
  return cursor.spend_step() && begin_array(cursor, field, count) &&
         skip_items(cursor, field, count);
}

bool CdrDecoder::skip(CdrCursor& cursor, const Structure& type) const {
  const char* end = nullptr;
  if (!cursor.spend_step()) return false;
  if (!begin_structure(cursor, type, end)) return false;
  if (end != nullptr) {
    cursor.at = end;
    return true;
  }
  return std::all_of(type.fields.begin(), type.fields.end(),
                     [&](const Field& field) { return skip(cursor, field); });
}

bool CdrDecoder::read_names(CdrCursor& cursor, const Field& field, Texts& names) const {
  std::uint32_t count = 0;
  names.clear();
  if (!begin_array(cursor, field, count) || count > cursor.left()) return false;
  if (count > kLongestArray) return skip_items(cursor, field, count);
  for (std::uint32_t k = 0; k < count; ++k) {
    std::string_view text;
    if (!cursor.text(text)) return false;
    names.push_back(readable(first_of_text(text, kLongestName)));
  }
  return true;
}

/// Texts of the array of names of a structure, the cursor being before field `from`.
bool CdrDecoder::names_of(CdrCursor cursor, const Structure& type, std::size_t from,
                          Texts& names) const {
  const auto place = static_cast<std::size_t>(type.names);
  for (std::size_t k = from; k < place; ++k)
    if (!skip(cursor, type.fields[k])) return false;
  return read_names(cursor, type.fields[place], names);
}

bool CdrDecoder::discover(CdrCursor& cursor, const Structure& type, Path& path, const Texts* names,
                          bool is_root) {
  const char* end = nullptr;
  if (!cursor.spend_step()) return false;
  if (!begin_structure(cursor, type, end)) return false;
  Texts own;
  if (type.names >= 0) {
    if (!names_of(cursor, type, 0, own)) return false;
    names = &own;
    if (is_root && own != labels_) {
      labels_ = own;
      labels_version_ = ++last_version_;
    }
  }
  for (const Field& field : type.fields) {
    path.push_back({Step::Kind::field, field.name});
    if (!discover(cursor, field, path, names)) return false;
    path.pop_back();
  }
  if (end != nullptr) cursor.at = end;
  return true;
}

bool CdrDecoder::discover(CdrCursor& cursor, const Field& field, Path& path, const Texts* names) {
  if (!cursor.spend_step()) return false;
  const bool has_numbers = field.kind != FieldKind::text && field.kind != FieldKind::wide_text;
  if (field.array == ArrayKind::single && has_numbers)
    return discover_item(cursor, field, path, names);
  std::uint32_t count = 0;
  if (!begin_array(cursor, field, count)) return false;
  if (!has_numbers || count > kLongestArray) return skip_items(cursor, field, count);
  const bool is_named = names != nullptr && names->size() == count;
  for (std::uint32_t k = 0; k < count; ++k) {
    if (is_named)
      path.push_back({Step::Kind::label, (*names)[k]});
    else
      path.push_back({Step::Kind::index, std::to_string(k)});
    if (!discover_item(cursor, field, path, names)) return false;
    path.pop_back();
  }
  return true;
}

bool CdrDecoder::discover_item(CdrCursor& cursor, const Field& field, Path& path,
                               const Texts* names) {
  if (field.kind == FieldKind::structure)
    return discover(cursor, structure(field.structure), path, names, false);
  add_leaf(path);
  const std::size_t size = bytes_of(field.kind);
  return cursor.align(size) && cursor.skip(size);
}

// Names seldom change: reuse them if their bytes equal those of the previous message.
bool CdrDecoder::read_kept_names(CdrCursor& cursor, const Field& field, LeafNode& node) {
  if (!cursor.align(4)) return false;
  const std::string& raw = node.raw_names;
  if (!raw.empty() && cursor.left() >= raw.size() &&
      std::memcmp(cursor.at, raw.data(), raw.size()) == 0) {
    if (cursor.layout != nullptr) cursor.layout->depend_on(cursor.at, raw.size());
    cursor.at += raw.size();
    return true;
  }
  const char* const begin = cursor.at;
  if (!read_names(cursor, field, node.names)) return false;
  node.raw_names.assign(begin, cursor.at);
  if (cursor.layout != nullptr) cursor.layout->depend_on(begin, node.raw_names.size());
  node.names_version = ++last_version_;
  return true;
}

bool CdrDecoder::read(CdrCursor& cursor, const Structure& type, LeafNode& node,
                      const Labels* labels) {
  const char* end = nullptr;
  if (!cursor.spend_step()) return false;
  if (!begin_structure(cursor, type, end)) return false;
  if (node.by_field.empty()) {
    for (const Field& field : type.fields) {
      const auto child = node.fields.find(field.name);
      node.by_field.push_back(child == node.fields.end() ? nullptr : child->second.get());
    }
  }
  Labels own{};
  if (type.names >= 0) {
    const auto place = static_cast<std::size_t>(type.names);
    CdrCursor ahead = cursor;
    for (std::size_t k = 0; k < place; ++k)
      if (!skip(ahead, type.fields[k])) return false;
    if (!read_kept_names(ahead, type.fields[place], node)) return false;
    own = {&node.names, node.names_version};
    labels = &own;
  }
  for (std::size_t k = 0; k < type.fields.size(); ++k) {
    LeafNode* const child = node.by_field[k];
    if (static_cast<int>(k) == type.names) {
      if (!read_kept_names(cursor, type.fields[k], node)) return false;
    } else if (child == nullptr ? !skip(cursor, type.fields[k])
                                : !read(cursor, type.fields[k], *child, labels)) {
      return false;
    }
  }
  if (end != nullptr) cursor.at = end;
  return true;
}

const std::vector<LeafNode*>& CdrDecoder::elements(LeafNode& node, std::uint32_t count,
                                                   const Labels* labels) {
  const bool is_named = labels != nullptr && labels->texts->size() == count;
  const std::uint64_t version = is_named ? labels->version : 0;
  if (node.version == version && node.by_element.size() >= count) return node.by_element;
  node.version = version;
  node.by_element.assign(count, nullptr);
  for (std::uint32_t k = 0; k < count; ++k) {
    if (!is_named) {
      node.by_element[k] = node.element(k);
    } else if (const auto found = node.labels.find((*labels->texts)[k]);
               found != node.labels.end()) {
      node.by_element[k] = found->second.get();
    }
  }
  return node.by_element;
}

bool CdrDecoder::read(CdrCursor& cursor, const Field& field, LeafNode& node, const Labels* labels) {
  if (!cursor.spend_step()) return false;
  const std::size_t size = bytes_of(field.kind);
  if (field.array == ArrayKind::single) {
    if (field.kind == FieldKind::structure)
      return read(cursor, structure(field.structure), node, labels);
    if (size == 0 || node.slot < 0) return skip(cursor, field);
    if (!cursor.align(size) || cursor.left() < size) return false;
    put(cursor, field.kind, cursor.at, node.slot);
    cursor.at += size;
    return true;
  }
  std::uint32_t count = 0;
  if (!begin_array(cursor, field, count)) return false;
  if (count == 0) return true;
  if (count > kLongestArray || (size == 0 && field.kind != FieldKind::structure))
    return skip_items(cursor, field, count);
  const std::vector<LeafNode*>& nodes = elements(node, count, labels);
  if (size > 0) {
    if (!cursor.align(size) || count > cursor.left() / size) return false;
    for (std::uint32_t k = 0; k < count; ++k)
      if (nodes[k] != nullptr && nodes[k]->slot >= 0)
        put(cursor, field.kind, cursor.at + k * size, nodes[k]->slot);
    cursor.at += count * size;
    return true;
  }
  for (std::uint32_t k = 0; k < count; ++k)
    if (nodes[k] == nullptr ? !skip(cursor, structure(field.structure))
                            : !read(cursor, structure(field.structure), *nodes[k], labels))
      return false;
  return true;
}

}  // namespace

Result<std::unique_ptr<Decoder>> make_cdr_decoder(const Topic& topic) {
  HEFT_TRY(type, message_type(topic));
  return std::unique_ptr<Decoder>(std::make_unique<CdrDecoder>(topic, std::move(type)));
}

Result<std::unique_ptr<Decoder>> Decoder::make(const Topic& topic) {
  if (topic.encoding == "cdr" || topic.encoding == "ros1") return make_cdr_decoder(topic);
  if (topic.encoding == "json") return make_json_decoder(topic);
  const std::string where = "topic " + topic.name;
  if (topic.encoding == "protobuf") {
#ifdef HEFT_HAS_PROTOBUF
    return make_protobuf_decoder(topic);
#else
    return Error{where, "its messages are protobuf, which this build of Heft does not read",
                 "install libprotobuf-dev and build Heft again"};
#endif
  }
  return Error{
      where,
      fmt::format("its messages are encoded as '{}', which is not supported", topic.encoding),
      "record them as cdr, ros1, json or protobuf, or write the topic as CSV in PlotJuggler"};
}

}  // namespace heft::bags
