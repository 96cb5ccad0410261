#include "config/field_reader.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text.hpp"
#include "files/name_hint.hpp"

namespace heft::config {

std::string place_of(const std::string& file, const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  return mark.line < 0 || file.empty() ? file : file + ":" + std::to_string(mark.line + 1);
}

Result<YAML::Node> root_of(const std::string& text, const std::string& file) {
  const std::vector<YAML::Node> documents = YAML::LoadAll(text);
  if (documents.size() > 1)
    return Error{file, "contains " + std::to_string(documents.size()) + " YAML documents",
                 "remove the lines '---' between them"};
  return documents.empty() ? YAML::Node() : documents.front();
}

namespace {

bool is_quoted(const std::string& text) {
  return text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
         text.back() == text.front();
}

/// YAML of a list of plain or quoted texts; no list otherwise.
std::optional<YAML::Node> list_of_texts(const std::string& text) {
  try {
    const YAML::Node list = YAML::Load(text);
    const auto is_text = [](const YAML::Node& item) { return item.IsScalar(); };
    if (list.IsSequence() && std::all_of(list.begin(), list.end(), is_text)) return list;
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
  return std::nullopt;
}

// Items of [a, b] that YAML cannot read as texts, such as [{joint}_pos, %time].
YAML::Node split_at_commas(std::string_view items) {
  YAML::Node list(YAML::NodeType::Sequence);
  while (true) {
    const std::size_t comma = std::min(items.find(','), items.size());
    std::string item(trimmed(items.substr(0, comma)));
    if (is_quoted(item)) item = item.substr(1, item.size() - 2);
    list.push_back(YAML::Node(item));
    if (comma == items.size()) return list;
    items.remove_prefix(comma + 1);
  }
}

/// Whether the text at `at` would be misread by YAML.
bool needs_quotes(std::string_view line, std::size_t at) {
  constexpr std::string_view kMarks = "%@`*&!#";
  if (at >= line.size()) return false;
  if (line[at] != '{' && line[at] != '[') return kMarks.find(line[at]) != std::string_view::npos;
  const std::size_t close = line.find(line[at] == '{' ? '}' : ']', at);
  const std::size_t behind =
      close == std::string_view::npos ? close : line.find_first_not_of(" \t\r", close + 1);
  return behind != std::string_view::npos &&
         std::string_view(",]}#").find(line[behind]) == std::string_view::npos;
}

/// The value in a line that needs quotes; empty if there is none. Looks at the first 4 kB only,
/// because every bracket looks along the line.
std::string value_without_quotes(std::string_view line) {
  line = line.substr(0, 4096);
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char before = at > 0 ? line[at - 1] : ' ';
    const bool begins_value = line[at] != ' ' && (before == ' ' || before == '[') && at > 0;
    const std::size_t mark =
        begins_value ? line.find_last_not_of(" [", at - 1) : std::string_view::npos;
    const bool follows_mark = begins_value && (mark == std::string_view::npos
                                                   ? before == '['
                                                   : std::string_view(":,-[{").find(line[mark]) !=
                                                         std::string_view::npos);
    if (!follows_mark || !needs_quotes(line, at)) continue;
    std::string_view value = trimmed(line.substr(at, line.find_first_of(",", at) - at));
    return std::string(value.substr(0, 60));
  }
  return {};
}

std::string_view line_of(std::string_view text, int number) {
  for (; number > 0 && !text.empty(); --number)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

}  // namespace

YAML::Node text_of_flag(const std::string& value) {
  const bool is_list = value.size() >= 2 && value.front() == '[' && value.back() == ']';
  if (is_list) {
    if (const auto list = list_of_texts(value)) return *list;
    return split_at_commas(std::string_view(value).substr(1, value.size() - 2));
  }
  if (is_quoted(value)) {
    try {
      if (const YAML::Node text = YAML::Load(value); text.IsScalar()) return text;
    } catch (const YAML::Exception&) {
      return YAML::Node(value);
    }
  }
  return YAML::Node(value);
}

Error yaml_error(const YAML::Exception& thrown, const std::string& text, const std::string& file) {
  if (thrown.mark.is_null())
    return {file, "is not valid YAML: " + thrown.msg, "put text with special characters in quotes"};
  // the reader may notice one or two lines after the fault
  for (int line = thrown.mark.line; line >= std::max(0, thrown.mark.line - 2); --line)
    if (const std::string value = value_without_quotes(line_of(text, line)); !value.empty())
      return {file + ":" + std::to_string(line + 1), "is not valid YAML: " + thrown.msg,
              "put the text in quotes: '" + value + "'"};
  return {file + ":" + std::to_string(thrown.mark.line + 1), "is not valid YAML: " + thrown.msg,
          "fix the line, or the one before it; put text with any of { } [ ] # % * & ! @ or ': ' in "
          "quotes"};
}

std::optional<Error> wrong_name(const YAML::Node& mapping, const std::vector<std::string>& known,
                                const std::string& noun, const std::string& file) {
  std::vector<std::string> given;
  for (const auto& entry : mapping) {
    const std::string& name = entry.first.Scalar();
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Error{place_of(file, entry.first), "unknown " + noun + " '" + name + "'",
                   name_hint(name, known, "one of:")};
    if (std::find(given.begin(), given.end(), name) != given.end())
      return Error{place_of(file, entry.first), noun + " '" + name + "' is given twice",
                   "remove one of them"};
    given.push_back(name);
  }
  return std::nullopt;
}

std::string FieldReader::place(const YAML::Node& node) const {
  return place_of(where_, node);
}

std::optional<Error> FieldReader::finish() const {
  if (error_) return error_;
  if (auto error = wrong_name(mapping_, known_, "option", where_)) return error;
  return refusal_;
}

bool FieldReader::decode(const YAML::Node& node, std::optional<int>& value) {
  value.reset();
  int read = 0;
  if (node.IsScalar() && node.Scalar() == "auto") return true;
  if (!decode(node, read)) return false;
  value = read;
  return true;
}

bool FieldReader::decode(const YAML::Node& node, double& value) {
  double read = 0;
  if (!YAML::convert<double>::decode(node, read) || !std::isfinite(read)) return false;
  value = read;
  return true;
}

bool FieldReader::decode(const YAML::Node& node, std::optional<double>& value) {
  double read = 0;
  if (!decode(node, read)) return false;
  value = read;
  return true;
}

bool FieldReader::decode(const YAML::Node& node, std::optional<Range>& value) {
  Range read;
  if (!node.IsSequence() || node.size() != 2 || !decode(node[0], read.first) ||
      !decode(node[1], read.second))
    return false;
  value = read;
  return true;
}

bool FieldReader::decode(const YAML::Node& node, NumberOrRange& value) {
  NumberOrRange read;
  if (!(node.IsSequence() ? decode(node, read.range) : decode(node, read.number))) return false;
  value = read;
  return true;
}

bool FieldReader::decode(const YAML::Node& node, NumberOrAuto& value) {
  value.automatic = node.IsScalar() && node.Scalar() == "auto";
  return value.automatic || decode(node, value.value);
}

bool FieldReader::decode(const YAML::Node& node, NumberBesideAuto& value) {
  value.automatic = node.IsScalar() && node.Scalar() == "auto";
  return value.automatic || decode(node, value.value);
}

bool FieldReader::decode(const YAML::Node& node, TimeColumns& value) {
  std::vector<std::string> names;
  if (!decode(node, names) || names.empty() || names.size() > 2) return false;
  value.seconds = names.front();
  value.nanoseconds = names.size() > 1 ? names.back() : "";
  return names.size() < 2 || (!names.back().empty() && names.back() != names.front());
}

bool FieldReader::decode(const YAML::Node& node, JointChoice& value) {
  JointChoice read;
  if (!node.IsSequence()) {
    if (!decode(node, read.all)) return false;
  } else if (!decode(node, read.names)) {
    return false;
  }
  value = read;
  return true;
}

bool FieldReader::decode(const YAML::Node& node, LogTopics& value) {
  LogTopics read;
  if (!node.IsMap()) return false;
  for (const auto& entry : node) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
    auto* const role = name == "position"   ? &read.position
                       : name == "velocity" ? &read.velocity
                       : name == "torque"   ? &read.torque
                                            : nullptr;
    if (role == nullptr || !decode(entry.second, *role)) return false;
  }
  value = read;
  return true;
}

bool FieldReader::decode(const YAML::Node& node, std::string& value) {
  if (node.IsNull()) return value.clear(), true;
  if (!node.IsScalar()) return false;
  value = node.Scalar();
  return true;
}

bool FieldReader::decode(const YAML::Node& node, Eigen::Vector3d& value) {
  std::vector<double> numbers;
  if (!decode(node, numbers) || numbers.size() != 3) return false;
  value = Eigen::Vector3d(numbers[0], numbers[1], numbers[2]);
  return true;
}

// a list, or one name, means zeros
bool FieldReader::decode(const YAML::Node& node, std::map<std::string, double>& value) {
  std::map<std::string, double> read;
  if (node.IsMap()) {
    for (const auto& entry : node) {
      double number = 0;
      const bool is_new = entry.first.IsScalar() && !read.contains(entry.first.Scalar());
      if (!is_new || !decode(entry.second, number)) return false;
      read[entry.first.Scalar()] = number;
    }
  } else {
    std::vector<std::string> names;
    if (node.IsNull() || !decode(node, names)) return false;
    for (const std::string& name : names)
      if (name.empty() || !read.emplace(name, 0).second) return false;
  }
  value = read;
  return true;
}

template <class Item>
bool FieldReader::decode_list(const YAML::Node& node, std::vector<Item>& value) {
  std::vector<Item> read;
  if (node.IsScalar()) {
    if (read.emplace_back(); !decode(node, read.back())) return false;
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node)
      if (read.emplace_back(); !decode(item, read.back())) return false;
  } else {
    return false;
  }
  value = read;
  return true;
}

bool FieldReader::decode(const YAML::Node& node, std::vector<double>& value) {
  return decode_list(node, value);
}

bool FieldReader::decode(const YAML::Node& node, std::vector<std::string>& value) {
  return decode_list(node, value);
}

}  // namespace heft::config
