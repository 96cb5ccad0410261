// What robots of one model tell about each other: an empirical-Bayes prior, from moments alone (FORMULAS 10).
//
// Every robot's inertia, friction and offsets scatter about a mean of the family; mean and scatter are estimated from all
// sisters together, and each robot gets the prior that the others make. A robot that does not fit in, in some body or kind of
// friction, is a stranger: it gets no prior from the family, and does not make it where it differs.
// Threads: any number of threads may call const functions; learn() makes threads of its own.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/moments/normal_equations.hpp"
#include "heft/solve/prior.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// What one robot's logs say.
struct Sister {
  NormalEquations equations;      ///< weighted by 1 / s_c^2, in parameters of the layout
  Eigen::VectorXd least_squares;  ///< their solution, which gives columns their units
};

struct FamilyModel {
  ParameterLayout layout;
  Prior prior;                ///< of the robot file, metric: what holds without other information
  double rows_worth_one = 1;  ///< kappa: rows of filtered noise that are worth one (pooled_rows_worth_one)
};

/// What the sisters of a robot say about it.
struct SisterPrior {
  struct Body {
    BodyParameters mean;    ///< of the sisters; need not be that of a real body
    BodyParameters metric;  ///< of the robot file, thin sides rounded: L L' = J of it measures deviations
    double deviation = 0;   ///< of a robot from it, relative, as |L^-1 J L^-T - 1|_F per coordinate
  };
  struct Column {
    double value = 0, deviation = 0;  ///< in the column's unit
  };
  struct Release {
    std::string group;         ///< a body, or a kind of columns
    double improbability = 0;  ///< -log10 of the chance that a sister differs as much
  };
  std::vector<std::optional<Body>> bodies;     ///< none: held
  std::vector<std::optional<Column>> columns;  ///< none: without rows
  Eigen::VectorXd
      standard_error;  ///< of every parameter, with the robot's own logs and what is not known of the mean
  Eigen::VectorXd
      file_share;  ///< of its variance before any log that is left, 0 to 1: what the robot file decides
  std::vector<Release> released;  ///< most improbable first
  int num_sisters = 0;            ///< that made the mean

  /// Somewhere it is none of the family's: it is answered as if alone, and of the numbers above none holds.
  bool is_of_a_stranger() const { return !released.empty(); }
};

/// Fewer robots than this have no family's prior.
inline constexpr int kMinSisters = 4;

class Family {
 public:
  /// Learns from these robots, whose layouts are that of the model: 40 rounds of expectation and maximisation, again without
  /// what was released until that does not change, six times at most. The order of sisters is that of all sums: equal sisters in equal
  /// order give equal bits whatever `num_threads`. Errors: fewer than kMinSisters; a prior that is not metric; numbers that are
  /// not finite.
  static Result<Family> learn(FamilyModel model, std::vector<Sister> sisters, int num_threads);
  Family(Family&&) noexcept;
  ~Family();

  /// What the others say of sister `index`, which is left out of mean and scatter.
  SisterPrior prior_of(std::size_t index) const;
  /// What the family says of a robot that taught it nothing. Errors: another layout; numbers that are not finite.
  Result<SisterPrior> prior_of(const Sister& other) const;

 private:
  struct State;
  explicit Family(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The prior of the convex problem that says so (FORMULAS 2): beliefs of weight kappa / (N sigma_i^2) in the sisters' mean, columns
/// likewise. `sisters` are none of a stranger's. `equations`: of the robot, weighted by 1 / s_c^2.
Prior prior_with_sisters(const Prior& own, const SisterPrior& sisters, const NormalEquations& equations,
                         double rows_worth_one);

/// kappa of a family, from the blocks of each robot's equations: rows whose noise is correlated scatter the scores of blocks
/// s_b = b_b - G_b x by kappa more than G_b says. Every robot's blocks sum up to its equations. At least 1; 1 without blocks.
double pooled_rows_worth_one(const std::vector<std::vector<NormalEquations>>& blocks);

}  // namespace heft
#pragma GCC visibility pop
