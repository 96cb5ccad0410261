#include "logged_names.hpp"

#include <algorithm>

#include "readers/column_guess.hpp"

namespace heft::check {

NamesByNumber logged_joint_names(const std::vector<std::string>& columns,
                                 const std::vector<std::string>& texts, const Robot& robot) {
  std::map<std::string, NamesByNumber> by_stem;
  for (std::size_t k = 0; k < std::min(columns.size(), texts.size()); ++k)
    if (const auto [stem, number] = stem_and_number(columns[k]); !texts[k].empty() && number)
      by_stem[stem][*number] = texts[k];
  for (const auto& [stem, names] : by_stem) {
    const bool has_all_joints = std::all_of(
        robot.coordinates.begin(), robot.coordinates.end(), [&](const Coordinate& joint) {
          return std::any_of(names.begin(), names.end(),
                             [&](const auto& one) { return one.second == joint.name; });
        });
    if (has_all_joints && std::ssize(names) > robot.num_coordinates()) return names;
  }
  return {};
}

std::vector<std::string> with_joint_names(std::vector<std::string> columns,
                                          const NamesByNumber& names) {
  for (std::string& column : columns) {
    const auto [stem, number] = stem_and_number(column);
    const auto name = number ? names.find(*number) : names.end();
    if (name == names.end()) continue;
    const std::size_t end = column.find_last_of("0123456789") + 1;
    const std::size_t begin = column.find_last_not_of("0123456789", end - 1) + 1;
    column.replace(begin, end - begin, "_" + name->second);
  }
  return columns;
}

}  // namespace heft::check
