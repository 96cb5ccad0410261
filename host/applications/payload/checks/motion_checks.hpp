// Whether the parts of a log's motion belong together.
#pragma once

#include "heft/payload/samples.hpp"

namespace heft::payload {

/// As logged: w, wd, gravity and a, three columns each, of samples in the order of `samples`.
struct LoggedMotion {
  Eigen::ArrayXXd w, wd, gravity, a;
};

/// Gravity of another size; w that does not turn it (dg/dt = -w x g) or that is in degrees; wd of
/// another size or sign than dw/dt, or that is missing; a that has gravity in it.
std::vector<PayloadDoubt> doubts_about_motion(const WrenchSamples& samples,
                                              const LoggedMotion& motion);

/// Rows that are taken for poses at rest, but follow each other quickly while gravity (samples x 3)
/// turns.
std::vector<PayloadDoubt> doubts_about_rest(const Eigen::ArrayXd& time,
                                            const Eigen::ArrayXXd& gravity);

}  // namespace heft::payload
