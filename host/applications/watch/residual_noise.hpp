// Noise of each channel's residuals: an AR(1) model whose variance and correlation are measured
// while the robot works.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace heft::watch {

class ResidualNoise {
 public:
  /// Begins with the identification's rms. `fade`: what is left of the sums after a step.
  ResidualNoise(Eigen::VectorXd expected_rms, double fade);

  /// Adds an error of a channel and the one a step before. Outliers count as four deviations.
  void add(int channel, double error, double before);
  /// Forgets what was added.
  void restart();
  /// Takes over what was measured.
  void update();

  double correlation(int channel) const { return correlation_[static_cast<std::size_t>(channel)]; }
  /// Deviation of what is new in a step.
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
