// What was identified, how well, and what to doubt: the top of the page, and the doubts of the
// terminal.
#pragma once

#include <string>
#include <vector>

#include "heft/report/report.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Verdict {
  std::string identified;     ///< "7 bodies of demo_arm, and 21 friction and other terms."
  std::string accuracy;       ///< "On held-out data .."
  std::string reference;      ///< what the error may be compared with; empty if that is not known
  std::string physics;        ///< whether the bodies are possible, and the proof
  std::vector<Doubt> doubts;  ///< serious ones first; may be empty
  VerdictLevel level = VerdictLevel::red;
  std::string words;  ///< the level in words
};

Verdict verdict(const Identification& identification);

}  // namespace heft
#pragma GCC visibility pop
