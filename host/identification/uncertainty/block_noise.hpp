// Noise of an estimate, from the scatter of a dozen long blocks of the log.
//
// With G_b the weighted normal equations of block b, s_b its scores at the least-squares estimate
// and R the root of the pseudo-inverse of G = sum_b G_b (R R' = G^+, rank r), whitened
//
//   z_b = R' s_b     U_b = R' G_b R     k = sum_b |z_b|^2 / (r - sum_b |U_b|^2)
//
// k is the number of rows worth one, common to all directions; the subtracted term is the scatter
// that the fit itself removes. Noise that is slow, and errors of the model, which differ from
// motion to motion, look smaller to a fit of fewer blocks. With k_h the same number from separate
// fits of the halves, and l the part of their directions that fits leave, the variance is
// multiplied by
//
//   1 + (k / k_h - 1) (1 / l - 1) / (1 / l_h - 1)
//
// which extrapolates linearly from the halves by way of the whole to a fit that removes nothing. An
// estimate a's of a functional has the variance
//
//   a'Ga k q,     q = (n q_a + d mean q_a) / (n + d)
//   q_a = sum_b (a's_b)^2 / (k sum_b (a'G_b a - |R'G_b a|^2))
//
// q_a are ratios of single functionals with n degrees of freedom each [Satterthwaite 1946; Bell,
// McCaffrey 2002]. d, from the dispersion of all q_a, says how much the ratios have in common
// [Smyth 2004]: white noise makes them equal, noise slower than the motion does not.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <optional>
#include <vector>

#include "heft/moments/normal_equations.hpp"
#include "heft/uncertainty/uncertainty.hpp"

namespace heft {

/// Variances with their degrees of freedom.
struct Spread {
  Eigen::VectorXd variance, degrees;
};

/// The scatter of blocks about a least-squares estimate.
class BlockNoise {
 public:
  /// Merges the blocks in time order into about a dozen. `picked`, P x quantities, times `root`,
  /// quantities x r: R above; `parameters`: the least-squares estimate.
  BlockNoise(const std::vector<NormalEquations>& blocks, const Eigen::SparseMatrix<double>& picked,
             const Eigen::MatrixXd& root, const Eigen::VectorXd& parameters);

  /// Returns the variances of a's for the columns a of `functionals`, P x K, corrected for
  /// correlated neighbors and differing halves; infinite if no degrees of freedom are left. The
  /// last `num_columns` functionals have their own mean of ratios: friction sees other frequencies
  /// of the noise than inertia.
  Spread spread(const Eigen::MatrixXd& functionals, Eigen::Index num_columns) const;

  /// Returns k, the number of rows worth one, corrected for correlated neighbors and differing
  /// halves.
  double rows_worth_one() const;

  /// Returns k of other parts of the same data, such as channels, over rows_worth_one: 1 if their
  /// estimates differ as noise explains, more if the model is wrong in some of them [Birge 1932].
  /// 1 if the parts leave nothing to compare.
  double disagreement(const std::vector<NormalEquations>& parts) const;

  /// Returns the comparison of the first half of the blocks with the second; empty without noise or
  /// if the blocks leave nothing to compare.
  const std::optional<Calibration>& calibration() const { return calibration_; }

  /// Returns the comparison of one fit with separate fits of the halves; empty as above.
  const std::optional<SeparateFits>& separate_fits() const { return separate_fits_; }

 private:
  Spread with_mean_ratio(const Eigen::MatrixXd& functionals) const;
  void pool(const Eigen::SparseMatrix<double>& picked, const Eigen::MatrixXd& root);
  void compare_fits();
  void compare_halves();

  /// Sums over blocks of what a functional has in a block, a'G_b a, and of what the fit leaves.
  struct Information;
  Information information(const Eigen::MatrixXd& functionals) const;

  std::vector<NormalEquations> blocks_;
  Eigen::MatrixXd all_;                  ///< G, the sum of blocks
  Eigen::MatrixXd root_;                 ///< P x r
  Eigen::VectorXd parameters_;           ///< P, the estimate
  std::vector<Eigen::MatrixXd> shares_;  ///< r x r, U_b
  Eigen::MatrixXd scores_;               ///< P x blocks
  Eigen::MatrixXd whitened_;             ///< r x blocks, z_b
  double worth_one_ = 0;                 ///< k; infinite if the blocks leave no degrees of freedom
  double left_ = 0;                      ///< r - sum_b |U_b|^2
  double neighbors_ = 1;                 ///< factor of the variance by the correlation of neighbors
  double dependence_ = 1;                ///< that and noise that the fit absorbs, at least 1
  double halves_ = 1;                    ///< factor of standard errors by the difference of halves
  std::optional<Calibration> calibration_;
  std::optional<SeparateFits> separate_fits_;
};

}  // namespace heft
