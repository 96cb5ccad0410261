// Checks the consistency of the motion columns of a log.
#pragma once

#include "heft/payload/samples.hpp"

namespace heft::payload {

/// Motion as logged: w, wd, gravity and a, three columns each, for samples in the order of
/// `samples`.
struct LoggedMotion {
  Eigen::ArrayXXd w, wd, gravity, a;
};

/// Checks for gravity of varying magnitude; w that does not rotate it (dg/dt = -w x g) or is in
/// degrees; wd that differs from dw/dt in magnitude or sign, or is missing; a that includes
/// gravity.
std::vector<PayloadDoubt> doubts_about_motion(const WrenchSamples& samples,
                                              const LoggedMotion& motion);

/// Checks for rows treated as poses at rest that follow each other quickly while gravity (samples x
/// 3) rotates.
std::vector<PayloadDoubt> doubts_about_rest(const Eigen::ArrayXd& time,
                                            const Eigen::ArrayXXd& gravity);

}  // namespace heft::payload
