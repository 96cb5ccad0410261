// Selects the doubts that a reader must act on if several share one cause.
#pragma once

#include <string>
#include <vector>

#include "doubts.hpp"

namespace heft::doubts {

/// Removes or downgrades symptoms of a serious doubt that names a cause, until it is fixed or
/// accepted; merges serious doubts of one kind about several joints or logs.
void leave_one_line_a_cause(const std::vector<std::string>& accepted, List& list);

}  // namespace heft::doubts
