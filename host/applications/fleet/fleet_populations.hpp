// Robots of one model whose configuration requests a population prior (fleet.prior), and that prior
// as a piece of the store.
//
// A population consists of all robots with equal robot file and options that have leaves. Its key
// depends on theirs, so one new log of one robot renews the priors and answers of all.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "population/population.hpp"
#include "resolved_robot.hpp"

namespace heft {

struct FleetPopulation {
  std::string model;  ///< the options that the robots share, as RobotSetup::answer_text
  std::string key;    ///< derived from model and roots
  std::vector<std::size_t> robots;  ///< indices into the plan, ordered by root; equal roots appear
                                    ///< once
  std::vector<std::string> roots;   ///< of the robots
  std::vector<std::pair<std::size_t, std::string>> everybody;  ///< index and root of every robot,
                                                               ///< including those with equal roots
  bool is_mapped = true;  ///< whether every log of every robot is mapped

  bool is_one() const { return static_cast<int>(robots.size()) >= kMinPopulation; }
};

/// The populations of a fleet. Filled robot by robot, then closed.
class FleetPopulations {
 public:
  /// `robot` lists its available leaves; `is_mapped`: no further leaf is pending.
  void add(std::size_t place, const ResolvedRobot& robot, bool is_mapped);
  void close();

  /// Returns the population of a robot; null if it requests none or belongs to none.
  const FleetPopulation* of(const ResolvedRobot& robot) const;
  const std::vector<FleetPopulation>& all() const { return populations_; }

 private:
  std::vector<FleetPopulation> populations_;
};

/// Returns whether any robot's configuration requests a population prior.
bool any_robot_uses_population_prior(const FleetPlan& plan, const FleetOptions& options);

/// Returns whether the robot's configuration requests a population prior and its answer supports
/// one.
bool uses_population_prior(const RobotSetup& robot);

/// Returns the key of a robot's prior in the store.
std::string population_prior_key(const std::string& population, const std::string& root);

/// Number of robots, the first of a population, used to estimate the correlation of rows of noise:
/// all of their leaves are read, and only the sums of the other robots.
inline constexpr std::size_t kMaxForCorrelation = 32;

/// Learns from the population's robots and stores the prior of each. `found`: the population's
/// robots, in its order. Errors: those of a robot's leaves; those of Population::learn; a full
/// disk; stopped().
Result<Done> make_population_priors(const FleetPopulation& population,
                                    const std::vector<ResolvedRobot>& found,
                                    const FleetStore& store, int num_threads,
                                    const Progress& progress);

/// Prior of a robot, and the noise model of its population.
struct StoredPopulationPrior {
  PopulationPrior prior;
  double rows_worth_one = 1;     ///< kappa
  Eigen::VectorXd most_weights;  ///< per channel
};

/// Error: missing from the store, or damaged.
Result<StoredPopulationPrior> read_population_prior(const FleetStore& store, const std::string& key,
                                                    const ParameterLayout& layout);

}  // namespace heft
