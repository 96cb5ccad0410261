// Savitzky-Golay smoothing: every value is replaced by that of the polynomial fitted to its
// neighbors [Savitzky, Golay 1964]. The first and last half window are read off the polynomials of
// the first and last window, as by scipy.signal.savgol_filter with mode "interp". Threads:
// functions without memory: any number of threads may call them.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

/// window x window: the projection onto polynomials of `order` < `window`. Row k is the fit at
/// place k of the window; the middle row holds the smoothing weights.
Eigen::MatrixXd savitzky_golay_projection(int window, int order);

/// Smooths `signal`, at least one window long, in place. `scratch` is resized as needed.
void smooth_savitzky_golay(const Eigen::MatrixXd& projection, Eigen::Ref<Eigen::ArrayXd> signal,
                           Eigen::ArrayXd& scratch);

}  // namespace heft
#pragma GCC visibility pop
