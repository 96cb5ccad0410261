// Two identified models on the same rows of the held-out logs.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/report/report.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The held-out logs of A, conditioned as A does and then as B does, predicted by both. Nothing
/// where the logs are no longer what they were, the two were held out from different ones, or their
/// torques are of different channels. Errors: those of read_identified_model and of conditioning;
/// stopped().
Result<std::vector<CommonRows>> predict_common_rows(const std::string& result_a,
                                                    const std::string& result_b,
                                                    const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
