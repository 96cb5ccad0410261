// By which options two sets of training data were gathered differently.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// An option, as the YAML file names it, in two records: "conditioning.lowpass_hz: 12".
struct OptionDifference {
  std::string ours, theirs;
};

/// Options of two records (TrainingData::options) by which samples and rows differ: those of the
/// sections robot, log and conditioning (but the rotors' path), the columns, the known torques and
/// the sensors. What one of them does not name is no difference.
std::vector<OptionDifference> option_differences(const std::string& ours,
                                                 const std::string& theirs);

}  // namespace heft
#pragma GCC visibility pop
