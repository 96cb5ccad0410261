// Rows of momentum and energy in the columns of a plan. FORMULAS 4.
//
// core::MechanicsRows gives rows in all ten parameters of every body, Y; a plan uses fewer columns,
// Y_s with Y = Y_s W (RegressorPlan::regrouping). Quantities that sum to a torque lie in the row
// space of W, so Y_s = Y W^+.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/rows/backend.hpp"
#include "model/mechanics_tables.hpp"

namespace heft {

class MechanicsColumns {
 public:
  explicit MechanicsColumns(const RegressorPlan& plan);

  /// Factor per sample and kind of rows.
  struct Part {
    core::MechanicsRow kind;
    double factor;
  };

  /// Sets rows[c], num_samples x columns of channel first_channel + c, to the sum of the parts,
  /// which are kinds of channels, in the columns of bodies; sets extra columns to zero.
  void put_channels(const Samples& samples, const std::vector<Part>& parts, int first_channel,
                    int num_threads, std::vector<RowArray>& rows) const;

  /// Does the same for kinds with one row per state: num_samples x structural columns.
  void put_states(const Samples& samples, const std::vector<Part>& parts, RowArray& rows) const;

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Returns rows of samples from, from + 1, .. in all parameters, stacked by sample.
  void evaluate(const Samples& samples, const std::vector<Part>& parts, Eigen::Index from,
                Eigen::Index count, int rows_a_sample, Rows& full) const;

  const RegressorPlan& plan_;
  MechanicsTables tables_;
  int num_body_columns_, num_parameters_;  // of bodies
  Eigen::MatrixXd to_columns_;             // W^+ of bodies, parameters x structural columns
};

/// Returns the time derivative of every column of rows at uniform times `step` apart.
void differentiate_columns(double step, RowArray& rows);

/// For uniform times.
double step_of(const Samples& samples);

/// Returns the torque per unit of an extra column's unknown, sample by sample.
Eigen::ArrayXd feature_values(const core::FeatureEntry& feature, const Samples& samples);

}  // namespace heft
