// Amplitude spectral density of streamed signals, by Welch's method with half-overlapping windows.
//
//   S(f) = 2 / (f_s sum w^2) mean |sum_k w_k e_k exp(-2 pi i f k / f_s)|^2        density = sqrt(S)
//
// with the Hann window w. Source: P. D. Welch, IEEE Trans. Audio Electroacoust. 15 (1967).
#pragma once

#include <Eigen/Core>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Densities of several series.
class Spectrum {
 public:
  explicit Spectrum(int num_series) : pending_(num_series), power_(num_series) {}

  /// Adds the next samples, one column per series. A new segment starts a new window.
  void push(int segment, const Eigen::ArrayXd& time, const Eigen::ArrayXXd& values);

  /// Ends the stream. If no window was complete, uses a shorter one for the last segment.
  void finish();

  /// Returns the frequencies [Hz], a few hundred values evenly spaced in the logarithm of the
  /// frequency; empty if the stream was too short.
  std::vector<double> frequencies() const;
  /// Returns the density of one series at these frequencies [unit / sqrt(Hz)]; empty if the stream
  /// was too short.
  std::vector<double> density(int series) const;

 private:
  void add_window(int length);
  std::vector<int> groups() const;

  int segment_ = -1;
  double period_ = 0;  ///< [s]
  int length_ = 0;     ///< samples per window in power_
  int num_windows_ = 0;
  std::vector<std::vector<double>> pending_;  ///< samples of the incomplete window
  std::vector<std::vector<double>> power_;    ///< sum over the windows
  std::vector<double> hann_;                  ///< the last window's weights
  double hann2_ = 0;                          ///< their sum of squares
};

}  // namespace heft
#pragma GCC visibility pop
