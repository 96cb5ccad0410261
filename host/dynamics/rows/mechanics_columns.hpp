// Rows of momentum and energy in the columns of a plan's own rows. FORMULAS 4.
//
// core::MechanicsRows gives rows in all ten parameters of every body, Y; a plan sums fewer columns,
// Y_s with Y = Y_s W (RegressorPlan::regrouping). What adds up to a torque lies in W's rows, so
// that Y_s = Y W^+.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/rows/backend.hpp"
#include "model/mechanics_tables.hpp"

namespace heft {

class MechanicsColumns {
 public:
  explicit MechanicsColumns(const RegressorPlan& plan);

  /// Of one sample at a time: how much of the rows of a kind is added.
  struct Part {
    core::MechanicsRow kind;
    double factor;
  };

  /// rows[c], num_samples x columns of channel first_channel + c, becomes the sum of the parts,
  /// kinds of channels, in the columns of bodies; extra columns become zero.
  void put_channels(const Samples& samples, const std::vector<Part>& parts, int first_channel,
                    int num_threads, std::vector<RowArray>& rows) const;

  /// The same of kinds of one row a state: num_samples x structural columns.
  void put_states(const Samples& samples, const std::vector<Part>& parts, RowArray& rows) const;

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Rows of samples from, from + 1, .. in all parameters: those of a sample below each other.
  void evaluate(const Samples& samples, const std::vector<Part>& parts, Eigen::Index from,
                Eigen::Index count, int rows_a_sample, Rows& full) const;

  const RegressorPlan& plan_;
  MechanicsTables tables_;
  int num_body_columns_, num_parameters_;  // of bodies
  Eigen::MatrixXd to_columns_;             // W^+ of bodies, parameters x structural columns
};

/// The derivative along time of every column of rows at even times `step` apart.
void differentiate_columns(double step, RowArray& rows);

/// Of even times.
double step_of(const Samples& samples);

/// What one unit of an extra column's unknown adds to a torque, sample by sample.
Eigen::ArrayXd feature_values(const core::FeatureEntry& feature, const Samples& samples);

}  // namespace heft
