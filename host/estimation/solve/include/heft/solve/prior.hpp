// What is believed about the bodies before the data: a reference inertia per body, how deviations
// are measured and what they cost (FORMULAS 2 and 3). Pure numbers: at weight w the metric prior
// charges 4 w for doubling a body.
//
//   metric      w |J0^-1/2 J J0^-1/2 - 1|_F^2
//   entropic    w (tr(J0^-1 J) - 4 - log det(J0^-1 J))
//   euclidean   w |x - x0|^2
//   diagonal    w sum_k d_k (x_k - x0_k)^2
//   none        0
//
// summed over bodies; x are the ten SI numbers of a body and J its pseudo-inertia, x0 and J0 those
// of its reference. The metric prior is the default. The euclidean one is badly conditioned and
// there for comparison [Wensing 2018]. Without a prior the problem is solved on the identifiable
// subspace: the data decide what they see (up to the rank cut of least_squares.hpp), and along the
// other directions every point within the constraints is as good, which Problem::notes and
// Solution::reason say. Threads: any number of threads may call, each with objects of its own; what
// is const may be shared.
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

enum class PriorKind { none, euclidean, diagonal, metric, entropic };

/// A body whose reference was not that of a real object, and what stands there instead.
struct PriorRepair {
  int body = 0;      ///< index among the bodies of the layout
  std::string what;  ///< in plain words
};

struct PriorOptions {
  PriorKind kind = PriorKind::metric;
  double weight = 1e-2;  ///< w
  double ridge = 1e-3;   ///< weight of (r_k x_k)^2 on every extra column, r_k the rms of the column
  /// Explicit priors by body name, in place of the model's.
  std::map<std::string, BodyParameters> references;
  /// Bodies of unknown mass: the data decide them where they can, since their prior counts
  /// kUnknownShare of the others'. It lies around the reference or the model's inertia; where there
  /// is none, around a ball of 1 kg and 5 cm at the origin of the body.
  std::set<std::string> unknown;
  /// d_k of the diagonal prior by body name; default 1 / x0_k^2, entries near zero measured by the
  /// body's size.
  std::map<std::string, BodyParameters> diagonal;
};

/// What the prior of an unknown body counts, of what it would.
inline constexpr double kUnknownShare = 1e-4;

/// What is believed about a body besides the prior, as something other than the robot file says it
/// (FORMULAS 10); in the objective: weight |L0^-1 (J - J_value) L0^-T|_F^2. The value need not be
/// that of a real body.
struct BodyBelief {
  BodyParameters value = BodyParameters::Zero();
  double weight = 0;  ///< 0: nothing
};

/// The same of an extra column besides the ridge: weight (x - value)^2.
struct ColumnBelief {
  double value = 0;   ///< in the column's unit
  double weight = 0;  ///< 1 / unit^2; 0: nothing
};

struct Prior {
  PriorKind kind = PriorKind::metric;
  double weight = 1e-2;
  double ridge = 1e-3;
  std::vector<BodyParameters> references;  ///< J0 of every body, positive definite unless the body
                                           ///< is held
  std::vector<bool> held;                ///< body without mass in the model: stays at its reference
  std::vector<BodyParameters> diagonal;  ///< d_k of every body, for the diagonal prior
  std::vector<PriorRepair> repairs;      ///< what was replaced or held
  std::vector<double> share = {};        ///< of the weight, of every body; empty: all of it
  std::vector<BodyBelief> bodies = {};   ///< of every body; empty: nothing more is believed
  std::vector<ColumnBelief> columns = {};  ///< of every extra column; empty: nothing is believed of
                                           ///< them

  double weight_of(int body) const { return share.empty() ? weight : weight * share[body]; }
  /// Whether anything is believed of bodies as a whole.
  bool has_weight() const { return kind != PriorKind::none; }
};

/// Prior around the given references, one per body of the layout. A reference that cannot be
/// inverted (zero tensor, point mass, impossible tensor) has the eigenvalues of its covariance
/// about the center of mass raised to max(0.02 of the largest, m (1 cm)^2); a body without mass is
/// held unless options.references names it, or options.unknown. Fails on NaN, negative mass, an
/// explicit reference that is not positive definite, a name that no body has, or an unknown body
/// under the entropic prior, which has one weight for all.
Result<Prior> make_prior(const ParameterLayout& layout,
                         const std::vector<BodyParameters>& references,
                         const PriorOptions& options = {});

/// The same around the inertias of the model (Body::prior).
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
