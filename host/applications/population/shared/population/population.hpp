// What robots of one model tell about each other: an empirical-Bayes prior, from moments alone
// (FORMULAS 10).
//
// Every robot's inertia, friction and offsets scatter about a mean of the population; mean and
// scatter are estimated from all robots together, and each robot gets the prior that the others
// make. A robot that does not fit in, in some body or kind of friction, is a stranger: it gets no
// prior from the population, and does not make it where it differs. Threads: any number of threads
// may call const functions; learn() makes threads of its own.
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
struct PopulationRobot {
  NormalEquations equations;      ///< weighted by 1 / s_c^2, in parameters of the layout
  Eigen::VectorXd least_squares;  ///< their solution, which gives columns their units
};

struct PopulationModel {
  ParameterLayout layout;
  Prior prior;                ///< of the robot file, metric: what holds without other information
  double rows_worth_one = 1;  ///< kappa: rows of filtered noise that are worth one
                              ///< (pooled_rows_worth_one)
};

/// The prior that the population gives a robot.
struct PopulationPrior {
  struct Body {
    BodyParameters mean;    ///< of the other robots; need not be that of a real body
    BodyParameters metric;  ///< of the robot file, thin sides rounded: L L' = J of it measures
                            ///< deviations
    double deviation = 0;   ///< of a robot from it, relative, as |L^-1 J L^-T - 1|_F per coordinate
  };
  struct Column {
    double value = 0, deviation = 0;  ///< in the column's unit
  };
  struct Release {
    std::string group;         ///< a body, or a kind of columns
    double improbability = 0;  ///< -log10 of the chance that a robot of the population differs as
                               ///< much
  };
  std::vector<std::optional<Body>> bodies;     ///< none: held
  std::vector<std::optional<Column>> columns;  ///< none: without rows
  Eigen::VectorXd standard_error;  ///< of every parameter, with the robot's own logs and what is
                                   ///< not known of the mean
  Eigen::VectorXd file_share;     ///< of its variance before any log that is left, 0 to 1: what the
                                  ///< robot file decides
  std::vector<Release> released;  ///< most improbable first
  int num_robots = 0;             ///< that made the mean

  /// In some group it does not belong to the population: it is answered as if alone, and of the
  /// numbers above none holds.
  bool is_of_a_stranger() const { return !released.empty(); }
};

/// Fewer robots than this make no population prior.
inline constexpr int kMinPopulation = 4;

class Population {
 public:
  /// Learns from these robots, whose layouts are that of the model: 40 rounds of expectation and
  /// maximization, again without what was released until that does not change, six times at most.
  /// The order of robots is that of all sums: equal robots in equal order give equal bits whatever
  /// `num_threads`. Errors: fewer than kMinPopulation; a prior that is not metric; numbers that are
  /// not finite.
  static Result<Population> learn(PopulationModel model, std::vector<PopulationRobot> robots,
                                  int num_threads);
  Population(Population&&) noexcept;
  ~Population();

  /// What the others say of robot `index`, which is left out of mean and scatter.
  PopulationPrior prior_of(std::size_t index) const;
  /// The prior of a robot that taught it nothing. Errors: another layout; numbers that are not
  /// finite.
  Result<PopulationPrior> prior_of(const PopulationRobot& other) const;

 private:
  struct State;
  explicit Population(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The prior of the convex problem that says so (FORMULAS 2): beliefs of weight kappa / (N
/// sigma_i^2) in the population mean, columns likewise. `population` must not be that of a
/// stranger. `equations`: of the robot, weighted by 1 / s_c^2.
Prior with_population_prior(const Prior& own, const PopulationPrior& population,
                            const NormalEquations& equations, double rows_worth_one);

/// kappa of a population, from the blocks of each robot's equations: rows whose noise is correlated
/// scatter the scores of blocks s_b = b_b - G_b x by kappa more than G_b says. Every robot's blocks
/// sum up to its equations. At least 1; 1 without blocks.
double pooled_rows_worth_one(const std::vector<std::vector<NormalEquations>>& blocks);

}  // namespace heft
#pragma GCC visibility pop
