// What was identified, how well, and what to doubt: the top of the page, and the doubts of the terminal.
#pragma once

#include <string>
#include <vector>

#include "heft/identify/estimate.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Doubt {
  std::string text;      ///< a sentence, with what to do about it where there is something to do
  bool serious = false;  ///< the answer may be wrong; otherwise: know it before you use a number
};

struct Verdict {
  std::string identified;     ///< "7 bodies of demo_arm, and 21 friction and other terms."
  std::string accuracy;       ///< "On held-out data .."
  std::string physics;        ///< whether the bodies are possible, and the proof
  std::vector<Doubt> doubts;  ///< serious ones first; may be empty
};

Verdict verdict(const Identification& identification);

}  // namespace heft
#pragma GCC visibility pop
