// The size of a fault at which the objective is least: parabolas through the three sizes nearest to
// the least.
#pragma once

#include <vector>

#include "profile.hpp"

namespace heft {

class SizeSearch {
 public:
  SizeSearch(const Profile& profile, const Fault& fault) : profile_(&profile), fault_(&fault) {}

  /// `first_guess` is another size than 0. Errors: those of Profile::explain.
  Result<Done> run(const Explained& as_it_is, double first_guess);

  /// The same from a guess that is about one step off, however far from none it is.
  Result<Done> run_near(const Explained& as_it_is, double guess);

  const Explained& best() const;
  const Explained& nothing_undone() const;

  /// Second derivative of the objective at the best size.
  double curvature() const;
  /// The best size is at an end of what is looked for: no estimate.
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
  std::vector<Explained> tried_;  ///< by increasing size
};

}  // namespace heft
