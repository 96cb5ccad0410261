// Where errors of the device's parts come from (Error::where).
#pragma once

namespace heft::cuda {

inline constexpr char kMomentsBackend[] = "backend cuda";
inline constexpr char kBatchOnCuda[] = "batch on cuda";
inline constexpr char kConditioningOnCuda[] = "conditioning on cuda";
inline constexpr char kCusolver[] = "cuSOLVER";

}  // namespace heft::cuda
