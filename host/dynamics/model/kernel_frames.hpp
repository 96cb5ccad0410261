// Kernel frames of a robot's bodies: origin and z axis from the joint, x axis from the next joint
// outward.
#pragma once

#include <vector>

#include "heft/model/regressor_plan.hpp"

namespace heft {

/// Returns one frame per body. Every rotation R between two frames is Rz(a) Rx(twist) Rz(b). A
/// frame that is free to rotate about its z absorbs the `a` of its largest branch; the joint's own
/// angle absorbs every `b`.
std::vector<KernelFrame> kernel_frames(const Robot& robot);

}  // namespace heft
