// Rows of all channels of a block of samples, what follows from them, and the way back: torques, how uncertain they are, and
// the information G, by the motion.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "information.hpp"
#include "kernels.hpp"

namespace heft::excite {

class ChannelRows {
 public:
  /// Standard deviations of torques are made only if they are asked for. The information must outlive this.
  ChannelRows(const Information& information, int num_samples, bool with_deviations);

  Eigen::Index stride() const { return stride_; }  ///< samples, padding included
  int num_samples() const { return num_samples_; }
  int num_channels() const { return num_channels_; }

  /// Makes the rows of a motion; arrays are stride x coordinates, padding any finite numbers, and stay until add_gradient.
  void set(const Eigen::ArrayXXd& position, const Eigen::ArrayXXd& velocity,
           const Eigen::ArrayXXd& acceleration);

  /// Torques of the rows, and their standard deviations.
  void put_torques();

  /// Of every channel at every sample after put_torques, stride x channels; zero in the padding.
  const Eigen::ArrayXXd& torque() const { return torque_; }
  const Eigen::ArrayXXd& deviation() const { return deviation_; }

  /// G += seconds / num_samples sum r_eff / s_c^2 y_c y_c' in the lower triangle, over the samples that count; all do if
  /// `counts` is empty.
  void add_information(double seconds, const std::vector<bool>& counts, Eigen::MatrixXd& G);

  /// Begins the derivatives of a number by the rows: those of its slope by the G of add_information.
  void set_bars(double seconds, const Eigen::MatrixXd& slope);
  /// Adds those by a channel's torque and its standard deviation, stride each; `by_deviation` may be empty.
  void add_bars(int channel, const Eigen::ArrayXd& by_torque, const Eigen::ArrayXd& by_deviation);
  /// Adds the derivatives by the motion, stride x coordinates.
  void add_gradient(Eigen::ArrayXXd& position, Eigen::ArrayXXd& velocity,
                    Eigen::ArrayXXd& acceleration) const;

 private:
  using Block = Eigen::Map<Eigen::ArrayXXd>;
  Block block(std::vector<double>& columns, int c) const {
    return {columns.data() + first_[c] * stride_, stride_, first_[c + 1] - first_[c]};
  }
  int width(int c) const { return first_[c + 1] - first_[c]; }
  void put_deviation(int c);

  const Information& information_;
  const RegressorPlan& plan_;
  const Kernels& kernels_;
  int num_samples_, num_channels_;
  Eigen::Index stride_;
  std::vector<int> first_;                 ///< column of every channel's row, and after the last
  std::vector<Eigen::MatrixXd> variance_;  ///< of the columns of every channel
  MotionColumns motion_{};
  std::vector<double> rows_, counted_, spread_, bars_, gram_;
  bool all_count_ = true;
  Eigen::ArrayXXd torque_, deviation_;
};

}  // namespace heft::excite
