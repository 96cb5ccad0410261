// Regressor rows of one sample, without allocation per call.
#pragma once

#include <vector>

#include "heft/model/regressor_plan.hpp"

namespace heft::watch {

class SampleRows {
 public:
  explicit SampleRows(PlanPtr plan);

  /// Computes the rows of all channels at a state, each with its `torque` last. `gravity` replaces
  /// the robot's: three numbers [m/s^2], or null.
  void evaluate(const double* position, const double* velocity, const double* acceleration,
                const double* torque, const double* gravity = nullptr);

  /// [structural columns | extra columns | torque] of a channel.
  const double* row(int channel) const { return rows_.data() + begin_[channel]; }
  int width(int channel) const { return begin_[channel + 1] - begin_[channel]; }

  /// Returns the torque of a channel for coefficients with the layout of the rows without torque.
  double product(int channel, const std::vector<std::vector<double>>& coefficients) const;

 private:
  PlanPtr plan_;
  core::TreeView tree_;
  std::vector<int> begin_;  ///< of every channel's row, and the end
  std::vector<double> rows_, workspace_;
};

}  // namespace heft::watch
