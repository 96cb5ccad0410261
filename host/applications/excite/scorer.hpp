// Scores a motion given by coefficients: objective, limits and their derivatives, from one
// evaluation and one adjoint sweep. Threads: one Scorer is used by one thread at a time.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "channel_rows.hpp"
#include "clearance_term.hpp"
#include "information.hpp"
#include "limits.hpp"
#include "motion_wave.hpp"
#include "objective.hpp"

namespace heft::excite {

/// Multipliers of the augmented Lagrangian for the upper and lower side of every limit at every
/// sample. Columns are ordered by kind, then coordinate, followed by couplings, by kind.
struct Multipliers {
  Eigen::ArrayXXd upper, lower;    ///< stride x num_ratios()
  ClearanceMultipliers clearance;  ///< if the task has spheres
  double mu = 10;
};

/// Constant input of scoring.
struct Task {
  const Information* information = nullptr;
  const Limits* limits = nullptr;
  const Objective* objective = nullptr;
  MotionShape shape;
  int num_samples = 200;      ///< at i duration / num_samples
  Eigen::ArrayXXd tightness;  ///< kNumLimitKinds x coordinates: factor on the sizes of limits,
                              ///< close to 1
  const SpherePairs* spheres = nullptr;  ///< bodies that must keep clear of each other; null: no
                                         ///< check
  Eigen::VectorXd wanted;                ///< minimum distance of every group [m]
  MotionWave* wave = nullptr;            ///< evaluates motions on a device; null: the CPU does
};

/// Values of the basis functions or of a derivative at all samples, the same number per sample;
/// zero-padded.
struct BasisTable {
  int width = 0;
  std::vector<int> first;
  std::vector<double> values;

  BasisColumns columns() const;
};
BasisTable basis_table(const Task& task, int order);

/// Whether each sample carries information.
std::vector<bool> counted_samples(const Task& task);

class Scorer {
 public:
  explicit Scorer(const Task& task);

  /// Returns the objective plus, with multipliers, the augmented Lagrangian of the limits;
  /// `gradient`, if given, receives the derivatives with respect to the coefficients. Infinite if
  /// the motion has no information, or if the device of a wave failed.
  double value(const Eigen::MatrixXd& coefficients, const Multipliers* multipliers,
               Eigen::MatrixXd* gradient);

  // the following refer to the motion of the last value
  double objective() const { return objective_; }
  /// Returns the largest |value| / limit of all limits at the samples.
  double worst();
  /// Returns the same for every limit, kNumLimitKinds x coordinates; 0 where there is no limit.
  Eigen::ArrayXXd extremes();
  Multipliers no_multipliers() const;
  /// l <- max(0, l + mu (h - 1)) on both sides.
  void raise(Multipliers& multipliers);

 private:
  Eigen::Index num_ratios() const {
    return kNumLimitKinds * n_ + kTorque * task_.limits->couplings.count();
  }
  using PaddedRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void move(int order);
  /// Evaluates the coefficients; false if they have no value.
  bool evaluate(const Eigen::MatrixXd& coefficients, Eigen::MatrixXd* slope);
  void put_ratios();
  /// For couplings, whose first column is `at`.
  void put_coupling_ratios(Eigen::Index at);
  double penalty(const Multipliers& multipliers, Eigen::ArrayXXd& upper_slope,
                 Eigen::ArrayXXd& lower_slope) const;
  void put_slopes(const Eigen::ArrayXXd& upper, const Eigen::ArrayXXd& lower,
                  Eigen::ArrayXXd (&by_motion)[4], ChannelRows::Bars& bars) const;

  Task task_;
  std::optional<ClearanceTerm> clearance_;
  const Kernels& kernels_;
  ChannelRows rows_;
  std::optional<MotionWave::Seat> seat_;  ///< takes the place of rows_
  int n_;  ///< number of coordinates, equal to the number of channels
  BasisTable basis_[4];
  std::vector<bool> counts_;  ///< whether a sample carries information
  bool all_count_ = true;
  Eigen::ArrayXXd motion_[4];           ///< q, qd, qdd, jerk: stride x coordinates
  Eigen::ArrayXXd torque_, deviation_;  ///< of a wave: stride x coordinates
  Eigen::ArrayXXd ratio_[2];  ///< value / limit of the upper and the lower sides, as Multipliers
  Eigen::MatrixXd G_;
  double objective_ = 0;
  PaddedRows coefficients_, slope_;  ///< for the last value
  bool has_ratios_ = false;          ///< whether ratio_ is current, and for a wave motion_
};

}  // namespace heft::excite
