// Forces on feet as series over the samples: measured ones, and those of contacts without a sensor.
//
// The latter are the wrenches f that explain the torques of a sample best, after all else is
// predicted (core/null_space.hpp):
//
//   min_f sum_c ((tau_c - Y_c x + (J'f)_c) / s_c)^2
//
// with Y_c x the prediction without contacts. If the torques do not determine f, it is the
// shortest.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/setup/setup.hpp"
#include "heft/traces/traces.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Computes the series of all feet of a model: for every foot its components, and for contacts
/// their states with and without the margin.
class FootSeries {
 public:
  explicit FootSeries(std::vector<FootSignals> feet) : feet_(std::move(feet)) {}

  int num_series() const;

  /// Returns num_samples x num_series(). `unexplained`: measured torque minus the prediction
  /// without contacts, num_samples x num_channels.
  Eigen::ArrayXXd of(const Samples& block, const Eigen::ArrayXXd& unexplained) const;

  /// Returns the forces of a row of of(), 3 per foot, zero out of contact.
  Eigen::ArrayXXd forces(const Eigen::ArrayXXd& series) const;
  int num_feet() const { return static_cast<int>(feet_.size()); }

  /// Returns a foot's traces without envelopes, and the number of its series.
  FootTraces description(int foot) const;
  int num_series_of(int foot) const;

 private:
  void set_unmeasured(const Samples& block, const Eigen::ArrayXXd& unexplained,
                      Eigen::ArrayXXd& series) const;

  std::vector<FootSignals> feet_;
};

}  // namespace heft
#pragma GCC visibility pop
