// Describes the faults of a motion as text.
#pragma once

#include <string>

#include "search.hpp"

namespace heft::excite {

std::string words_of(const LimitUse& use);
std::string words_of(const MinClearance& least);
/// Explains why a start is not feasible.
std::string words_of(const StartResult& result);

inline bool is_too_near(const MinClearance& least) {
  return least.value < least.wanted;
}

}  // namespace heft::excite
