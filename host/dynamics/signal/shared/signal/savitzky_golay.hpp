// Savitzky-Golay smoothing: replaces every value by that of the polynomial fitted to its neighbors
// [Savitzky, Golay 1964]. The first and last half windows use the polynomials of the first and last
// window, like scipy.signal.savgol_filter with mode "interp". Threads: stateless; safe to call from
// several threads.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

/// Returns the projection onto polynomials of `order` < `window`, window x window. Row k is the fit
/// at position k of the window; the middle row contains the smoothing weights.
Eigen::MatrixXd savitzky_golay_projection(int window, int order);

/// Smooths `signal`, at least one window long, in place. `scratch` is resized as needed.
void smooth_savitzky_golay(const Eigen::MatrixXd& projection, Eigen::Ref<Eigen::ArrayXd> signal,
                           Eigen::ArrayXd& scratch);

}  // namespace heft
#pragma GCC visibility pop
