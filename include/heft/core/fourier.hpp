// One term of a Fourier series and its derivatives, written once for CPU and GPU. Threads:
// stateless; safe to call from several threads.
#pragma once

#include "heft/core/platform.hpp"

namespace heft::core {

template <class Scalar>
struct FourierTerm {
  Scalar position, velocity, acceleration;
};

/// a sin(w t) + b cos(w t) and its first two derivatives, from the given sine and cosine.
template <class Scalar>
HEFT_HD FourierTerm<Scalar> fourier_term(const Scalar& a, const Scalar& b, const Scalar& w,
                                         const Scalar& sine, const Scalar& cosine) {
  const Scalar value = a * sine + b * cosine;
  return {value, w * (a * cosine - b * sine), -(w * w * value)};
}

}  // namespace heft::core
