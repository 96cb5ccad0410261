// Prior knowledge of the bodies: a reference inertia per body, and the measure and cost of the
// distance from it (FORMULAS 2 and 3). Dimensionless: at weight w the metric prior charges 4 w for
// doubling a body.
//
//   metric      w |J0^-1/2 J J0^-1/2 - 1|_F^2
//   entropic    w (tr(J0^-1 J) - 4 - log det(J0^-1 J))
//   euclidean   w |x - x0|^2
//   diagonal    w sum_k d_k (x_k - x0_k)^2
//   none        0
//
// summed over bodies; x are the ten SI numbers of a body and J its pseudo-inertia, x0 and J0 those
// of its reference. The metric prior is the default. The euclidean prior is badly conditioned and
// is provided for comparison [Wensing 2018]. Without a prior the problem is solved on the
// identifiable subspace: the data determine the directions that they excite (up to the rank cut of
// least_squares.hpp), and along the other directions all points within the constraints are equally
// good, which Problem::notes and Solution::reason report. Threads: safe to call from several
// threads on separate objects; const objects may be shared.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The measure of the distance from the reference.
enum class PriorKind { none, euclidean, diagonal, metric, entropic };

/// A body whose reference was physically impossible, and the replacement.
struct PriorRepair {
  int body = 0;      ///< index among the bodies of the layout
  std::string what;  ///< description of the replacement
};

/// Kind, weights and references of a prior.
struct PriorOptions {
  PriorKind kind = PriorKind::metric;
  double weight = 1e-2;  ///< w
  double ridge = 1e-3;   ///< weight of (r_k x_k)^2 on every extra column, r_k the rms of the column
  /// Explicit references by body name; replace those of the model.
  std::map<std::string, BodyParameters> references;
  /// Bodies of unknown mass, determined by the data where possible: their prior has kUnknownShare
  /// of the weight of the others. It is centered on the reference or the model's inertia; if there
  /// is neither, on a ball of 1 kg and 5 cm at the origin of the body.
  std::set<std::string> unknown;
  /// d_k of the diagonal prior by body name; default 1 / x0_k^2, with entries near zero scaled by
  /// the body's size.
  std::map<std::string, BodyParameters> diagonal;
};

/// Weight of an unknown body's prior relative to that of a known body.
inline constexpr double kUnknownShare = 1e-4;

/// Knowledge of a body in addition to the prior, from another source than the robot file (FORMULAS
/// 10). Adds weight |L0^-1 (J - J_value) L0^-T|_F^2 to the objective. The value need not be
/// physically consistent.
struct BodyBelief {
  BodyParameters value = BodyParameters::Zero();
  double weight = 0;  ///< 0: no effect
};

/// Knowledge of an extra column in addition to the ridge: adds weight (x - value)^2.
struct ColumnBelief {
  double value = 0;   ///< in the column's unit
  double weight = 0;  ///< 1 / unit^2; 0: no effect
};

/// The prior of all unknowns of a layout.
struct Prior {
  PriorKind kind = PriorKind::metric;
  double weight = 1e-2;
  double ridge = 1e-3;
  std::vector<BodyParameters> references;  ///< J0 of every body, positive definite unless the body
                                           ///< is held
  std::vector<bool> held;  ///< true for bodies that are massless in the model: they stay at their
                           ///< reference
  std::vector<BodyParameters> diagonal;    ///< d_k of every body, for the diagonal prior
  std::vector<PriorRepair> repairs;        ///< references that were replaced or held
  std::vector<double> share = {};          ///< share of the weight per body; empty: 1 for all
  std::vector<BodyBelief> bodies = {};     ///< one per body; empty: no further knowledge
  std::vector<ColumnBelief> columns = {};  ///< one per extra column; empty: no further knowledge

  /// Returns the weight of a body's prior.
  double weight_of(int body) const { return share.empty() ? weight : weight * share[body]; }
  /// Returns whether the prior penalizes the bodies.
  bool has_weight() const { return kind != PriorKind::none; }
};

/// Weight of a gain's deviation from zero in units of its standard deviation: as much as the metric
/// prior charges by default for a body that is half as heavy again.
inline constexpr double kGainWeight = 1e-2;

/// Returns what is known of an extra column: by the prior or, of a gain, by its own standard
/// deviation.
ColumnBelief belief_of(const ParameterLayout& layout, const Prior& prior, int column);

/// Returns whether anything is known of a column.
bool has_column_beliefs(const ParameterLayout& layout, const Prior& prior);

/// Makes the prior around the given references, one per body of the layout. If a reference cannot
/// be inverted (zero tensor, point mass, impossible tensor), the eigenvalues of its covariance
/// about the center of mass are raised to max(0.02 of the largest, m (1 cm)^2). A massless body is
/// held unless options.references or options.unknown names it. Errors: NaN, negative mass, an
/// explicit reference that is not positive definite, an unknown body name, an unknown body under
/// the entropic prior, which has one weight for all bodies.
Result<Prior> make_prior(const ParameterLayout& layout,
                         const std::vector<BodyParameters>& references,
                         const PriorOptions& options = {});

/// Makes the prior around the inertias of the model (Body::prior).
Result<Prior> make_prior(const ParameterLayout& layout, const Robot& robot,
                         const PriorOptions& options = {});

template <>
struct EnumNames<PriorKind> {
  static constexpr EnumName<PriorKind> kList[] = {{PriorKind::metric, "metric"},
                                                  {PriorKind::entropic, "entropic"},
                                                  {PriorKind::euclidean, "euclidean"},
                                                  {PriorKind::diagonal, "diagonal"},
                                                  {PriorKind::none, "none"}};
};

}  // namespace heft
#pragma GCC visibility pop
