// Population prior of the robots of one model: an empirical-Bayes prior from moments alone
// (FORMULAS 10).
//
// Inertia, friction and offsets of the robots scatter about a mean of the population. Mean and
// scatter are estimated from all robots together, and each robot gets the prior of the others. A
// robot that deviates too much in a body or kind of friction is an outlier: it gets no prior from
// the population and does not contribute to it in that body or kind. Threads: const functions are
// safe to call from several threads; learn() creates its own threads.
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

/// The data of one robot.
struct PopulationRobot {
  NormalEquations equations;      ///< weighted by 1 / s_c^2, in parameters of the layout
  Eigen::VectorXd least_squares;  ///< their solution, which determines the units of columns
};

/// The layout and prior that all robots of a population share.
struct PopulationModel {
  ParameterLayout layout;
  Prior prior;                ///< of the robot file, metric: used without other information
  double rows_worth_one = 1;  ///< kappa: number of rows of filtered noise that are worth one
                              ///< (pooled_rows_worth_one)
};

/// The prior of one robot from the population.
struct PopulationPrior {
  struct Body {
    BodyParameters mean;    ///< of the other robots; need not be physically consistent
    BodyParameters metric;  ///< of the robot file, with thin bodies made thicker: L L' = J measures
                            ///< deviations
    double deviation = 0;   ///< relative deviation of a robot from it, |L^-1 J L^-T - 1|_F per
                            ///< coordinate
  };
  struct Column {
    double value = 0, deviation = 0;  ///< in the column's unit
  };
  struct Release {
    std::string group;         ///< a body, or a kind of columns
    double improbability = 0;  ///< -log10 of the probability that a robot of the population
                               ///< deviates as much
  };
  std::vector<std::optional<Body>> bodies;     ///< empty: held
  std::vector<std::optional<Column>> columns;  ///< empty: no rows
  Eigen::VectorXd standard_error;  ///< per parameter, including the robot's own logs and the
                                   ///< uncertainty of the mean
  Eigen::VectorXd file_share;  ///< remaining fraction of its variance before any log, 0 to 1: the
                               ///< part determined by the robot file
  std::vector<Release> released;  ///< most improbable first
  int num_robots = 0;             ///< number of robots behind the mean

  /// Returns whether the robot does not belong to the population in some group. It is then
  /// identified without the population, and the numbers above are not valid.
  bool is_of_a_stranger() const { return !released.empty(); }
};

/// Minimum number of robots for a population prior.
inline constexpr int kMinPopulation = 4;

/// Mean and scatter of a population.
class Population {
 public:
  /// Estimates the population from robots with the layout of the model: 40 rounds of expectation
  /// maximization, repeated without released groups until these do not change, at most six times.
  /// Sums follow the order of the robots: equal robots in equal order give equal bits for any
  /// `num_threads`. Errors: fewer than kMinPopulation robots; a prior that is not metric; numbers
  /// that are not finite.
  static Result<Population> learn(PopulationModel model, std::vector<PopulationRobot> robots,
                                  int num_threads);
  Population(Population&&) noexcept;
  ~Population();

  /// Returns the prior of robot `index`, which is excluded from mean and scatter.
  PopulationPrior prior_of(std::size_t index) const;
  /// Returns the prior of a robot that is not part of the population. Errors: another layout;
  /// numbers that are not finite.
  Result<PopulationPrior> prior_of(const PopulationRobot& other) const;

 private:
  struct State;
  explicit Population(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns the prior of the convex problem with the population prior (FORMULAS 2): beliefs of
/// weight kappa / (N sigma_i^2) in the population mean, for columns as well. `population` must not
/// be that of a stranger. `equations` are those of the robot, weighted by 1 / s_c^2.
Prior with_population_prior(const Prior& own, const PopulationPrior& population,
                            const NormalEquations& equations, double rows_worth_one);

/// Returns kappa of a population from the blocks of each robot's equations: correlated noise
/// increases the scatter of the blocks' scores s_b = b_b - G_b x by kappa compared with G_b. The
/// blocks of every robot sum to its equations. At least 1; 1 without blocks.
double pooled_rows_worth_one(const std::vector<std::vector<NormalEquations>>& blocks);

}  // namespace heft
#pragma GCC visibility pop
