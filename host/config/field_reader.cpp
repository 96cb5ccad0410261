#include "host/config/field_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heft::config {

std::string place_of(const std::string& file, const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  return mark.line < 0 || file.empty() ? file : file + ":" + std::to_string(mark.line + 1);
}

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::string::npos;
  for (const std::string& candidate : candidates) {
    // Levenshtein distance, one row at a time
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = row[0]++;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t replaced = diagonal + (word[i] != candidate[j]);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
      }
    }
    if (row.back() < best_distance) best_distance = row.back(), best = candidate;
  }
  return best;
}

std::string FieldReader::place(const YAML::Node& node) const {
  return place_of(where_, node);
}

std::optional<Error> FieldReader::finish() const {
  if (error_) return error_;
  for (const auto& entry : mapping_) {
    const std::string name = entry.first.Scalar();
    if (std::find(known_.begin(), known_.end(), name) == known_.end())
      return Error{place(entry.first), "there is no option '" + name + "'",
                   "did you mean '" + nearest_name(name, known_) + "'?"};
  }
  return std::nullopt;
}

bool FieldReader::decode(const YAML::Node& node, double& value) {
  double read = 0;
  if (!YAML::convert<double>::decode(node, read) || !std::isfinite(read)) return false;
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

bool FieldReader::decode(const YAML::Node& node, std::vector<double>& value) {
  std::vector<double> read;
  if (node.IsScalar()) {
    read.resize(1);
    if (!decode(node, read[0])) return false;
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node)
      if (read.emplace_back(); !decode(item, read.back())) return false;
  } else {
    return false;
  }
  value = read;
  return true;
}

bool FieldReader::decode(const YAML::Node& node, std::vector<std::string>& value) {
  std::vector<std::string> read;
  if (node.IsScalar()) {
    read.push_back(node.Scalar());
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node)
      if (read.emplace_back(); !decode(item, read.back())) return false;
  } else {
    return false;
  }
  value = read;
  return true;
}

}  // namespace heft::config
