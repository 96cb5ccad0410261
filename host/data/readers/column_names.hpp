// Splits names of columns into words, units, and the joint or number that distinguishes the columns
// of joints.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heft {

using Words = std::vector<std::string>;

/// Returns whether one of the words is in the list. A list of constants, unlike a set of them,
/// costs no memory.
bool holds(const Words& words, std::initializer_list<std::string_view> wanted);

/// A split name: the stem without the joint, and the joint or a number in its place.
struct Parts {
  std::string stem;  ///< with '#' for the joint
  Words words;       ///< of the stem, without units
  std::string unit;
  int joint = -1;             ///< if named
  std::optional<int> number;  ///< otherwise: the last number in the name
};

/// A joint's name, and the name without the word "joint".
std::vector<Words> names_of(const std::string& joint);

/// Returns the names of all joints. Names that begin with the same words are also those without
/// these words: panda_joint1 is joint1, which fits q_fer_joint1.
std::vector<std::vector<Words>> short_names_of(const std::vector<std::string>& joints);

/// `joints`: names_of() or short_names_of() all joints.
Parts take_apart(const std::string& name, const std::vector<std::vector<Words>>& joints);

}  // namespace heft
