// Inertial parameters of one body and their bijection with the pseudo-inertia.
//
//   J     = [[Sigma, h], [h', m]]
//   Sigma = 1/2 tr(I) 1 - I
//   I     = tr(Sigma) 1 - Sigma
//
// m is the mass, h the first moment and I the tensor, both about the origin of the body frame and
// in its axes. SI units. Source: [Wensing 2018]; FORMULAS 1. Threads: stateless; safe to
// call from several threads.
#pragma once

#include "heft/core/platform.hpp"

namespace heft::core {

/// Order of a body's ten parameters throughout Heft, the same as Pinocchio's.
enum Parameter : int {
  kMass,
  kMcx,
  kMcy,
  kMcz,
  kIxx,
  kIxy,
  kIyy,
  kIxz,
  kIyz,
  kIzz,
  kNumParameters
};

inline constexpr const char* kParameterNames[kNumParameters] = {"m",   "mcx", "mcy", "mcz", "Ixx",
                                                                "Ixy", "Iyy", "Ixz", "Iyz", "Izz"};
inline constexpr const char* kParameterUnits[kNumParameters] = {
    "kg", "kg m", "kg m", "kg m", "kg m^2", "kg m^2", "kg m^2", "kg m^2", "kg m^2", "kg m^2"};

/// Computes the symmetric 4x4 pseudo-inertia J (row-major) from the ten parameters pi.
template <class Scalar>
HEFT_HD void pseudo_inertia_from_parameters(const Scalar* pi, Scalar* J) {
  const Scalar half_trace = Scalar(0.5) * (pi[kIxx] + pi[kIyy] + pi[kIzz]);
  J[0] = half_trace - pi[kIxx];
  J[5] = half_trace - pi[kIyy];
  J[10] = half_trace - pi[kIzz];
  J[1] = J[4] = -pi[kIxy];
  J[2] = J[8] = -pi[kIxz];
  J[6] = J[9] = -pi[kIyz];
  J[3] = J[12] = pi[kMcx];
  J[7] = J[13] = pi[kMcy];
  J[11] = J[14] = pi[kMcz];
  J[15] = pi[kMass];
}

/// Computes the ten parameters pi from the upper triangle of the pseudo-inertia J; inverse of
/// pseudo_inertia_from_parameters.
template <class Scalar>
HEFT_HD void parameters_from_pseudo_inertia(const Scalar* J, Scalar* pi) {
  pi[kIxx] = J[5] + J[10];
  pi[kIyy] = J[0] + J[10];
  pi[kIzz] = J[0] + J[5];
  pi[kIxy] = -J[1];
  pi[kIxz] = -J[2];
  pi[kIyz] = -J[6];
  pi[kMcx] = J[3];
  pi[kMcy] = J[7];
  pi[kMcz] = J[11];
  pi[kMass] = J[15];
}

}  // namespace heft::core
