// Options that differ between two sets of training data.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// The values of one option in two records, in the form of the YAML file: "conditioning.lowpass_hz:
/// 12".
struct OptionDifference {
  std::string ours, theirs;
};

/// Returns the differences that affect samples and rows between two records
/// (TrainingData::options): the sections robot, log and conditioning (except the rotors' path), the
/// columns, the known torques and the sensors. An option missing in one record is not a difference.
std::vector<OptionDifference> option_differences(const std::string& ours,
                                                 const std::string& theirs);

}  // namespace heft
#pragma GCC visibility pop
