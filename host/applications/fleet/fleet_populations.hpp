// Robots of one model whose configuration asks for a population prior (fleet.prior), and that prior
// as a piece of the store.
//
// A population is made of all robots with equal robot file and options that have leaves. Its key is
// made of theirs, so one new log of one robot makes new priors and new answers for all.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "population/population.hpp"
#include "resolved_robot.hpp"

namespace heft {

struct FleetPopulation {
  std::string model;                ///< what the robots share, as RobotSetup::answer_text
  std::string key;                  ///< of model and roots
  std::vector<std::size_t> robots;  ///< places in the plan, by their roots; equal roots once
  std::vector<std::string> roots;   ///< of the robots
  std::vector<std::pair<std::size_t, std::string>> everybody;  ///< place and root, those with equal
                                                               ///< roots, too
  bool is_mapped = true;  ///< no log of any robot waits to be mapped

  bool is_one() const { return static_cast<int>(robots.size()) >= kMinPopulation; }
};

/// The populations of a fleet. Filled robot by robot, then closed.
class FleetPopulations {
 public:
  /// `robot`: with the leaves that are there; `is_mapped`: others are not on their way.
  void add(std::size_t place, const ResolvedRobot& robot, bool is_mapped);
  void close();

  /// Of a robot; none if it asks for none, or is in none.
  const FleetPopulation* of(const ResolvedRobot& robot) const;
  const std::vector<FleetPopulation>& all() const { return populations_; }

 private:
  std::vector<FleetPopulation> populations_;
};

/// Whether any robot's configuration asks for a population prior.
bool any_robot_uses_population_prior(const FleetPlan& plan, const FleetOptions& options);

/// Whether the robot's configuration asks for a population prior and its answer can have one.
bool uses_population_prior(const RobotSetup& robot);

/// Key of a robot's prior in the store.
std::string population_prior_key(const std::string& population, const std::string& root);

/// So many robots of a population, the first, say how rows of its noise hang together: of these all
/// leaves are read, of others the sum.
inline constexpr std::size_t kMaxForCorrelation = 32;

/// Learns from the population's robots and puts the prior of each into the store. `found`: of the
/// population's robots, in its order. Errors: those of a robot's leaves; of Population::learn; a
/// full disk; stopped().
Result<Done> make_population_priors(const FleetPopulation& population,
                                    const std::vector<ResolvedRobot>& found,
                                    const FleetStore& store, int num_threads,
                                    const Progress& progress);

/// A robot's prior, and what its population says of noise.
struct StoredPopulationPrior {
  PopulationPrior prior;
  double rows_worth_one = 1;     ///< kappa
  Eigen::VectorXd most_weights;  ///< of channels
};

/// Error: it is not there, or not as it was stored.
Result<StoredPopulationPrior> read_population_prior(const FleetStore& store, const std::string& key,
                                                    const ParameterLayout& layout);

}  // namespace heft
