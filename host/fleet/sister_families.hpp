// Robots of one model whose configuration asks for a prior from sisters (fleet.prior), and that prior as a piece of the store.
//
// A family is made of all robots with equal robot file and options that have leaves. Its key is made of theirs, so one new log
// of one robot makes new priors and new answers for all.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "resolved_robot.hpp"
#include "sisters/family.hpp"

namespace heft {

struct SisterFamily {
  std::string model;                ///< what the robots share, as RobotSetup::answer_text
  std::string key;                  ///< of model and roots
  std::vector<std::size_t> robots;  ///< places in the plan, by their roots; equal roots once
  std::vector<std::string> roots;   ///< of the robots
  std::vector<std::pair<std::size_t, std::string>>
      everybody;          ///< place and root, those with equal roots, too
  bool is_mapped = true;  ///< no log of any robot waits to be mapped

  bool is_one() const { return static_cast<int>(robots.size()) >= kMinSisters; }
};

/// Who is whose sister. Filled robot by robot, then closed.
class SisterFamilies {
 public:
  /// `robot`: with the leaves that are there; `is_mapped`: others are not on their way.
  void add(std::size_t place, const ResolvedRobot& robot, bool is_mapped);
  void close();

  /// Of a robot; none if it asks for no sisters or has none.
  const SisterFamily* of(const ResolvedRobot& robot) const;
  const std::vector<SisterFamily>& all() const { return families_; }

 private:
  std::vector<SisterFamily> families_;
};

/// Whether any robot's configuration asks for sisters.
bool anybody_asks_for_sisters(const FleetPlan& plan, const FleetOptions& options);

/// Whether the robot's configuration asks for sisters and its answer can have them.
bool wants_sisters(const RobotSetup& robot);

/// Key of a robot's prior in the store.
std::string sister_prior_key(const std::string& family, const std::string& root);

/// So many robots of a family, the first, say how rows of its noise hang together: of these all leaves are read, of others the sum.
inline constexpr std::size_t kMaxForCorrelation = 32;

/// Learns from the family's robots and puts the prior of each into the store. `found`: of the family's robots, in its order.
/// Errors: those of a robot's leaves; of Family::learn; a full disk; stopped().
Result<Done> make_sister_priors(const SisterFamily& family, const std::vector<ResolvedRobot>& found,
                                const FleetStore& store, int num_threads, const Progress& progress);

/// A robot's prior, and what its family says of noise.
struct StoredSisterPrior {
  SisterPrior prior;
  double rows_worth_one = 1;     ///< kappa
  Eigen::VectorXd most_weights;  ///< of channels
};

/// Error: it is not there, or not as it was stored.
Result<StoredSisterPrior> read_sister_prior(const FleetStore& store, const std::string& key,
                                            const ParameterLayout& layout);

}  // namespace heft
