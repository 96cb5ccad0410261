// Decodes JSON messages. Arrays are named and numbered as in other encodings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/readable_text.hpp"
#include "cdr_decoder.hpp"
#include "leaf_tree.hpp"
#include "message_type.hpp"

namespace heft::bags {

namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

constexpr std::size_t kLargestJson = std::size_t{1} << 22;  ///< [byte] of a message, which takes up
                                                            ///< to 60 times as many in memory

/// The name arrays of an object, which name the elements of its other arrays.
std::optional<Texts> names_in(const Json& object) {
  for (const std::string_view key : kFieldsOfNames) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array()) continue;
    Texts names;
    for (const Json& item : *found) {
      if (!item.is_string() || names.size() >= kLongestArray) return std::nullopt;
      names.push_back(readable(first_of_text(item.get_ref<const std::string&>(), kLongestName)));
    }
    return names;
  }
  return std::nullopt;
}

/// An element by the name beside its array, by its own, or by its index.
Step step_of(const Json& array, std::size_t k, const Texts* names) {
  if (names != nullptr) return {Step::Kind::label, (*names)[k]};
  if (array[k].is_object())
    if (const auto name = array[k].find("name"); name != array[k].end() && name->is_string())
      return {Step::Kind::label,
              readable(first_of_text(name->get_ref<const std::string&>(), kLongestName))};
  return {Step::Kind::index, std::to_string(k)};
}

class JsonDecoder final : public Decoder {
 public:
  explicit JsonDecoder(const Topic& topic) : where_("topic " + topic.name) {}

  Result<Done> discover(std::string_view data) override {
    HEFT_TRY(message, parse(data));
    Path path;
    keep_labels(names_in(message).value_or(Texts()));
    discover(message, path, nullptr);
    if (stamp_seconds_ < 0) find_stamp();
    return Done{};
  }
  Result<Done> read(std::string_view data, double* numbers) override {
    HEFT_TRY(message, parse(data));
    std::fill_n(numbers, num_selected_, std::nan(""));
    keep_labels(names_in(message).value_or(Texts()));
    read(message, *tree_, nullptr, numbers);
    return Done{};
  }

 private:
  Result<Json> parse(std::string_view data) const {
    if (data.size() > kLargestJson)
      return Error{where_,
                   fmt::format("a JSON message takes {} bytes; at most {} are read", data.size(),
                               kLargestJson),
                   "record the topics that are needed, without this one"};
    Json message = Json::parse(data.begin(), data.end(), nullptr, false);
    if (message.is_object()) return message;
    return Error{where_, "a message is not a JSON object", "record it again"};
  }

  void discover(const Json& value, Path& path, const Texts* names) {
    if (path.size() > kDeepest) return;
    if (value.is_number() || value.is_boolean()) {
      add_leaf(path);
    } else if (value.is_object()) {
      const std::optional<Texts> own = names_in(value);
      if (own) names = &*own;
      for (const auto& [key, item] : value.items()) {
        if (key.size() > kLongestName) continue;
        path.push_back({Step::Kind::field, readable(key)});
        discover(item, path, names);
        path.pop_back();
      }
    } else if (value.is_array() && value.size() <= kLongestArray) {
      const Texts* labels = names != nullptr && names->size() == value.size() ? names : nullptr;
      for (std::size_t k = 0; k < value.size(); ++k) {
        path.push_back(step_of(value, k, labels));
        discover(value[k], path, names);
        path.pop_back();
      }
    }
  }

  // as deep as the tree
  void read(const Json& value, LeafNode& node, const Texts* names, double* numbers) {
    if (node.slot >= 0) {
      if (value.is_number()) numbers[node.slot] = value.get<double>();
      if (value.is_boolean()) numbers[node.slot] = value.get<bool>() ? 1 : 0;
    } else if (value.is_object()) {
      const std::optional<Texts> own = names_in(value);
      if (own) names = &*own;
      for (const auto& [key, child] : node.fields)
        if (const auto found = value.find(key); found != value.end())
          read(*found, *child, names, numbers);
    } else if (value.is_array() && value.size() <= kLongestArray) {
      const Texts* labels = names != nullptr && names->size() == value.size() ? names : nullptr;
      for (std::size_t k = 0; k < value.size(); ++k) {
        LeafNode* child = node.element(k, step_of(value, k, labels));
        if (child != nullptr) read(value[k], *child, names, numbers);
      }
    }
  }

  std::string where_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_json_decoder(const Topic& topic) {
  return std::unique_ptr<Decoder>(std::make_unique<JsonDecoder>(topic));
}

}  // namespace heft::bags
