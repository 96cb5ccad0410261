// A motion by coefficients, its value, its limits and their derivatives: one evaluation, and one
// adjoint sweep for all derivatives. One Scorer is used by one thread at a time.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "channel_rows.hpp"
#include "clearance_term.hpp"
#include "information.hpp"
#include "limits.hpp"
#include "objective.hpp"

namespace heft::excite {

/// Multipliers of the augmented Lagrangian, of the upper and the lower side of every limit at every
/// sample; columns are kind after kind, coordinate after coordinate, and then of couplings, kind
/// after kind.
struct Multipliers {
  Eigen::ArrayXXd upper, lower;    ///< stride x num_ratios()
  ClearanceMultipliers clearance;  ///< if the task has spheres
  double mu = 10;
};

/// All that scoring reads and that does not change with the motion.
struct Task {
  const Information* information = nullptr;
  const Limits* limits = nullptr;
  const Objective* objective = nullptr;
  MotionShape shape;
  int num_samples = 200;      ///< at i duration / num_samples
  Eigen::ArrayXXd tightness;  ///< kNumLimitKinds x coordinates: factor on the sizes of limits,
                              ///< about 1
  const SpherePairs* spheres = nullptr;  ///< of what must not meet; none: nothing is looked at
  Eigen::VectorXd wanted;                ///< distance that every group of them keeps [m]
};

class Scorer {
 public:
  explicit Scorer(const Task& task);

  /// Objective plus the augmented Lagrangian of the limits, if there are multipliers; `gradient`,
  /// if given, takes the derivatives by the coefficients. Infinite if the motion has no
  /// information.
  double value(const Eigen::MatrixXd& coefficients, const Multipliers* multipliers,
               Eigen::MatrixXd* gradient);

  // of the motion of the last value
  const Eigen::MatrixXd& information() const { return G_; }
  double objective() const { return objective_; }
  /// Largest |value| / limit of all limits at the samples.
  double worst();
  /// The same of every limit, kNumLimitKinds x coordinates; 0 where there is none.
  Eigen::ArrayXXd extremes();
  Multipliers no_multipliers() const;
  /// l <- max(0, l + mu (h - 1)) on both sides.
  void raise(Multipliers& multipliers);

 private:
  Eigen::Index num_ratios() const {
    return kNumLimitKinds * n_ + kTorque * task_.limits->couplings.count();
  }
  double time_of(int sample) const { return sample * task_.shape.duration / task_.num_samples; }

  /// Values of Phi at all samples, as many a sample: behind those that count, zeros.
  struct BasisTable {
    int width = 0;
    std::vector<int> first;
    std::vector<double> values;

    BasisColumns columns() const;
  };
  using PaddedRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void move(int order);
  void put_ratios();
  /// Of couplings, whose first column is `at`.
  void put_coupling_ratios(Eigen::Index at);
  double penalty(const Multipliers& multipliers, Eigen::ArrayXXd& upper_slope,
                 Eigen::ArrayXXd& lower_slope) const;
  void put_slopes(const Eigen::ArrayXXd& upper, const Eigen::ArrayXXd& lower,
                  Eigen::ArrayXXd (&by_motion)[4], ChannelRows::Bars& bars) const;

  Task task_;
  std::optional<ClearanceTerm> clearance_;
  const Kernels& kernels_;
  ChannelRows rows_;
  int n_;  ///< coordinates, which are channels
  BasisTable basis_[4];
  std::vector<bool> counts_;  ///< whether a sample tells anything
  bool all_count_ = true;
  Eigen::ArrayXXd motion_[4];  ///< q, qd, qdd, jerk: stride x coordinates
  Eigen::ArrayXXd ratio_[2];   ///< value / limit of the upper and the lower sides, as Multipliers
  Eigen::MatrixXd G_;
  double objective_ = 0;
  PaddedRows coefficients_, slope_;  ///< of the last value
  bool has_ratios_ = false;          ///< of them
};

}  // namespace heft::excite
