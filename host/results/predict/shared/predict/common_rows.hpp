// Compares two identified models on the same rows of the held-out logs.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/report/report.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the errors of both models on the held-out logs of A, conditioned with the options of A
/// and then with those of B. Empty if the logs have changed, the models have different held-out
/// logs, or their torques are of different channels. Errors: those of read_identified_model and of
/// conditioning; stopped().
Result<std::vector<CommonRows>> predict_common_rows(const std::string& result_a,
                                                    const std::string& result_b,
                                                    const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
