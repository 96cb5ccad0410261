// Outliers: robots that differ from the population of their model more than its robots differ from
// each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answer_record.hpp"

namespace heft {

struct Outlier {
  std::size_t robot = 0;
  std::string quantity, unit;
  double value = 0, median = 0;
  double sigma = 0;  ///< (value - median) / (1.4826 median absolute deviation), signed
};

/// Finds outliers in the records of answers. Robots with equal bodies, columns and references form
/// a population if there are at least eight. Masses and columns count only if their own interval
/// excludes the population median; held-out errors always count. Returns those beyond
/// `least_sigma`, largest first.
std::vector<Outlier> outliers_of(const std::vector<std::optional<AnswerRecord>>& records,
                                 double least_sigma = 4);

/// "robot 417: coulomb joint_3 4.2 sigma above the population median"
std::string words_of(const Outlier& outlier, const std::string& robot_id);

}  // namespace heft
