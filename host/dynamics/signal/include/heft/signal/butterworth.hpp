// Butterworth low-pass as second-order sections, run forward and backward: no phase, twice the
// order.
//
// Bilinear transform with the cut-off prewarped, one section per pole pair, of unit gain at rest:
//
//   K    = tan(pi fc / fs)
//   zeta = sin(pole angle)
//   H(z) = K^2 (1 + z^-1)^2 / ((1 + 2 zeta K + K^2) + 2 (K^2 - 1) z^-1 + (1 - 2 zeta K + K^2) z^-2)
//
// Ends are padded by odd reflection and the states start at rest on the first padded value
// (Gustafsson 1996 approximated), with the same padding length as scipy.signal.sosfiltfilt.
// Threads: functions without memory: any number of threads may call them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/signal/biquad.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Low-pass of `order` >= 1 with the cut-off as a share of the sampling rate, 0 < cutoff < 0.5.
std::vector<Biquad> butterworth_lowpass(int order, double cutoff);

/// Samples that the slowest pole of the filter needs to fall to e^-36 < 3e-16: beyond that distance
/// a sample does not change another. For order 4 about 36 / (w_c sin(pi/8)) seconds (FORMULAS 7).
int decay_samples(int order, double cutoff);

/// Samples padded at each end: 3 (order + 1). A signal must be longer than that.
int padding_samples(int order);

/// Filters `signal` in place, forward then backward. `scratch` is resized as needed.
void filter_forward_backward(const std::vector<Biquad>& sections, int padding,
                             Eigen::Ref<Eigen::ArrayXd> signal, Eigen::ArrayXd& scratch);

/// The same in place for signals side by side, a row each and a column a sample, each as if it were
/// alone, to the last bit: kSignalLanes x (samples + 2 padding), with room for the padding before
/// and behind the samples.
void filter_forward_backward(const std::vector<Biquad>& sections, int padding,
                             Eigen::ArrayXXd& padded);

/// filtered = columns, each as if it were alone, to the last bit; as many columns at a time as
/// there are lanes. `scratch` is resized as needed.
void filter_columns_forward_backward(const std::vector<Biquad>& sections, int padding,
                                     const Eigen::Ref<const Eigen::ArrayXXd>& columns,
                                     Eigen::Ref<Eigen::ArrayXXd> filtered,
                                     Eigen::ArrayXXd& scratch);

}  // namespace heft
#pragma GCC visibility pop
