// Finds the size of a fault that minimizes the objective, by parabolas through the three sizes
// nearest to the minimum.
#pragma once

#include <optional>
#include <vector>

#include "changed_torque_sums.hpp"
#include "profile.hpp"

namespace heft {

class SizeSearch {
 public:
  SizeSearch(const Profile& profile, const Fault& fault);

  /// `first_guess` must not be 0. Errors: those of Profile::explain.
  Result<Done> run(const Explained& as_it_is, double first_guess);

  /// Does the same from a guess that is accurate to about one step, however far it is from zero.
  Result<Done> run_near(const Explained& as_it_is, double guess);

  /// Solves the excerpt with a fault of this size undone, as the search does.
  Result<Explained> explain(double size);

  const Explained& best() const;
  const Explained& nothing_undone() const;

  /// Returns the second derivative of the objective at the best size.
  double curvature() const;
  /// Whether the best size is at an end of the range, so there is no estimate.
  bool is_at_end() const;

 private:
  struct Three {
    std::size_t a, b, c;
  };
  Three around_least() const;
  Result<Done> begin(const Explained& as_it_is);
  Result<Done> refine();
  Result<Done> attempt(double size);
  bool is_new(double size) const;

  const Profile* profile_;
  const Fault* fault_;
  std::optional<ChangedTorqueSums> sums_;  ///< of faults that they suit
  std::vector<Explained> tried_;           ///< in order of size
};

}  // namespace heft
