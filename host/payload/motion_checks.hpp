// Whether the parts of a log's motion belong together.
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// As logged: w, wd and gravity, three columns each, of samples in the order of `samples`.
struct LoggedMotion {
  Eigen::ArrayXXd w, wd, gravity;
};

/// Gravity of another size; w that does not turn it (dg/dt = -w x g) or that is in degrees; wd of another size or sign than dw/dt.
std::vector<PayloadDoubt> doubts_about_motion(const WrenchSamples& samples, const LoggedMotion& motion);

}  // namespace heft::payload
