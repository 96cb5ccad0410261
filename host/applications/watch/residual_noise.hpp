// Noise of each channel's residuals: an AR(1) model whose variance and correlation are measured
// while the robot works.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace heft::watch {

class ResidualNoise {
 public:
  /// Starts with the identification's rms. `fade`: factor on the sums per step.
  ResidualNoise(Eigen::VectorXd expected_rms, double fade);

  /// Adds an error of a channel and the error one step before. Clips outliers at four deviations.
  void add(int channel, double error, double before);
  /// Forgets what was added.
  void restart();
  /// Computes correlation and scale from the sums.
  void update();

  double correlation(int channel) const { return correlation_[static_cast<std::size_t>(channel)]; }
  /// Standard deviation of a step's innovation.
  double scale(int channel) const { return scale_[static_cast<std::size_t>(channel)]; }

  template <class Archive>
  void visit(Archive& archive) {
    for (std::vector<double>* values :
         {&squares_, &products_, &counts_, &deviation_, &correlation_, &scale_})
      archive(*values);
  }

 private:
  Eigen::VectorXd expected_rms_;
  double fade_;
  std::vector<double> squares_, products_, counts_;  ///< of errors
  std::vector<double> deviation_, correlation_, scale_;
};

}  // namespace heft::watch
