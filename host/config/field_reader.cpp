#include "config/field_reader.hpp"

#include <algorithm>
#include <cmath>

#include "files/name_hint.hpp"

namespace heft::config {

std::string place_of(const std::string& file, const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  return mark.line < 0 || file.empty() ? file : file + ":" + std::to_string(mark.line + 1);
}

Result<YAML::Node> root_of(const std::string& text, const std::string& file) {
  const std::vector<YAML::Node> documents = YAML::LoadAll(text);
  if (documents.size() > 1)
    return Error{file, "holds " + std::to_string(documents.size()) + " YAML documents",
                 "remove the lines '---' between them"};
  return documents.empty() ? YAML::Node() : documents.front();
}

Error yaml_error(const YAML::Exception& thrown, const std::string& file) {
  return {thrown.mark.is_null() ? file : file + ":" + std::to_string(thrown.mark.line + 1),
          "is not valid YAML: " + thrown.msg, "mend the line, or the one before it"};
}

std::optional<Error> wrong_name(const YAML::Node& mapping, const std::vector<std::string>& known,
                                const std::string& noun, const std::string& file) {
  std::vector<std::string> given;
  for (const auto& entry : mapping) {
    const std::string& name = entry.first.Scalar();
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Error{place_of(file, entry.first), "there is no " + noun + " '" + name + "'",
                   name_hint(name, known, "there are")};
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
  return wrong_name(mapping_, known_, "option", where_);
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

bool FieldReader::decode(const YAML::Node& node, NumberOrAuto& value) {
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

// a list, or one name, stands for zeros
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
