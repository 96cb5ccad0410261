// Kernel frames of a robot's bodies: origin and z axis by the joint, x axis by the next joint
// outward.
#pragma once

#include <vector>

#include "heft/model/regressor_plan.hpp"

namespace heft {

/// One a body. Every rotation R between two frames is Rz(a) Rx(twist) Rz(b). A frame that may turn
/// about its z takes up the `a` of its largest branch; the joint's own angle takes up every `b`.
std::vector<KernelFrame> kernel_frames(const Robot& robot);

}  // namespace heft
