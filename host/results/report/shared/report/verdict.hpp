// The identified quantities, their accuracy, and the doubts: the top of the page, and the
// terminal's list of doubts.
#pragma once

#include <string>
#include <vector>

#include "heft/report/report.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The verdict in sentences.
struct Verdict {
  std::string identified;     ///< "7 bodies of demo_arm, and 21 friction and other terms."
  std::string accuracy;       ///< "On held-out data .."
  std::string reference;      ///< what the error can be compared with; empty if unknown
  std::string physics;        ///< whether the bodies are possible, with the certificate
  std::vector<Doubt> doubts;  ///< serious ones first; may be empty
  VerdictLevel level = VerdictLevel::red;
  std::string words;  ///< the level in words
};

/// Returns the verdict on an identification.
Verdict verdict(const Identification& identification);

}  // namespace heft
#pragma GCC visibility pop
