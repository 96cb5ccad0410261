// The elementary functions that core/ needs, for plain scalars. Lane packs have their own
// overloads. Threads: stateless; safe to call from several threads.
#pragma once

#include <cmath>

#include "heft/core/platform.hpp"

namespace heft::core {

HEFT_HD void sin_cos(double x, double& sine, double& cosine) {
#if defined(__CUDA_ARCH__)
  ::sincos(x, &sine, &cosine);
#else
  sine = std::sin(x);
  cosine = std::cos(x);
#endif
}

HEFT_HD void sin_cos(float x, float& sine, float& cosine) {
#if defined(__CUDA_ARCH__)
  ::sincosf(x, &sine, &cosine);
#else
  sine = std::sin(x);
  cosine = std::cos(x);
#endif
}

/// a b + c, rounded once.
HEFT_HD double fused_multiply_add(double a, double b, double c) {
  return ::fma(a, b, c);
}
HEFT_HD float fused_multiply_add(float a, float b, float c) {
  return ::fmaf(a, b, c);
}

HEFT_HD double hyperbolic_tangent(double x) {
  return ::tanh(x);
}
HEFT_HD float hyperbolic_tangent(float x) {
  return ::tanhf(x);
}

HEFT_HD double exponential(double x) {
  return ::exp(x);
}
HEFT_HD float exponential(float x) {
  return ::expf(x);
}

HEFT_HD double logarithm(double x) {
  return ::log(x);
}
HEFT_HD float logarithm(float x) {
  return ::logf(x);
}

HEFT_HD double square_root(double x) {
  return ::sqrt(x);
}
HEFT_HD float square_root(float x) {
  return ::sqrtf(x);
}

/// x < 0 ? yes : no, without a branch if lanes differ; both are evaluated, and x = nan gives `no`.
HEFT_HD double if_negative(double x, double yes, double no) {
  return x < 0 ? yes : no;
}
HEFT_HD float if_negative(float x, float yes, float no) {
  return x < 0 ? yes : no;
}

template <class Scalar>
HEFT_HD Scalar sign(Scalar x) {
  return Scalar((x > Scalar(0)) - (x < Scalar(0)));
}

}  // namespace heft::core
