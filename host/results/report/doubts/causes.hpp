// Which of several doubts a reader has to act on, where one cause makes them all.
#pragma once

#include <string>
#include <vector>

#include "doubts.hpp"

namespace heft::doubts {

/// Symptoms of a serious doubt that names a cause are left out or made minor, until it is fixed or
/// accepted; serious doubts of one kind about several joints or logs are one.
void leave_one_line_a_cause(const std::vector<std::string>& accepted, List& list);

}  // namespace heft::doubts
