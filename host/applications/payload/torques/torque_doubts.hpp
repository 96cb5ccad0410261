// Doubts about a payload weighed by joint torques.
#pragma once

#include "payload/by_torques.hpp"

namespace heft::payload {

/// Error: a mass that is negative beyond its uncertainty.
Result<Done> refuse_negative(double mass, double standard_error, const std::string& link);

/// Checks a result with its answer, channels and intervals.
std::vector<PayloadDoubt> doubts_about_torques(const KnownRobot& robot, const PayloadResult& result,
                                               std::size_t num_blocks);

}  // namespace heft::payload
