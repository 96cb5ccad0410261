// Names of columns taken apart: words, units, and the joint or the number that tells one joint's
// column from another's.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heft {

using Words = std::vector<std::string>;

/// Whether one of the words is wanted.
bool holds(const Words& words, const std::set<std::string_view>& wanted);

/// A name taken apart: what is left without the joint, the joint or a number in its place.
struct Parts {
  std::string stem;  ///< with '#' for the joint
  Words words;       ///< of the stem, without units
  std::string unit;
  int joint = -1;             ///< by its name
  std::optional<int> number;  ///< else: the last one in the name
};

/// A joint's name, and without the word joint.
std::vector<Words> names_of(const std::string& joint);

/// `joints`: names_of() of all joints.
Parts take_apart(const std::string& name, const std::vector<std::vector<Words>>& joints);

}  // namespace heft
