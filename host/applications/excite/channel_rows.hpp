// Rows of all channels for a block of samples, with torques, their uncertainty and the information
// G, and the derivatives of these with respect to the motion.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "information.hpp"
#include "kernels.hpp"
#include "signal_columns.hpp"

namespace heft::excite {

class ChannelRows {
 public:
  /// Standard deviations of torques are computed only if requested. The information must outlive
  /// this object.
  ChannelRows(const Information& information, int num_samples, bool with_deviations);

  Eigen::Index stride() const { return stride_; }  ///< number of samples, including padding
  int num_samples() const { return num_samples_; }
  int num_channels() const { return num_channels_; }

  /// Computes the rows of a motion. Arrays are stride x coordinates, with any finite numbers as
  /// padding, and must stay valid until add_gradient. `with_products` also accumulates products of
  /// rows while they are in the caches.
  void set(const Eigen::ArrayXXd& position, const Eigen::ArrayXXd& velocity,
           const Eigen::ArrayXXd& acceleration, bool with_products = false);

  /// Computes torques of the rows and their standard deviations.
  void put_torques();

  /// Values of every channel at every sample after put_torques, stride x channels; zero in the
  /// padding.
  const Eigen::ArrayXXd& torque() const { return torque_; }
  const Eigen::ArrayXXd& deviation() const { return deviation_; }

  /// G += seconds / num_samples sum r_eff / s_c^2 y_c y_c' in the lower triangle, over the counted
  /// samples; all if `counts` is empty.
  void add_information(double seconds, const std::vector<bool>& counts, Eigen::MatrixXd& G);

  /// Gradient with respect to the rows: through the G of add_information, and through torques.
  struct Bars {
    double seconds;
    const Eigen::MatrixXd& slope;
    Eigen::ArrayXXd by_torque, by_deviation;  ///< stride x channels; empty: no dependence
  };
  /// Adds the derivatives with respect to the motion, stride x coordinates.
  void add_gradient(const Bars& bars, Eigen::ArrayXXd& position, Eigen::ArrayXXd& velocity,
                    Eigen::ArrayXXd& acceleration);

 private:
  /// Rows of one channel, within columns of all channels, starting at a sample.
  ChannelColumns channel(double* values, Eigen::Index stride, int c) const {
    return {values + first_[c] * stride, stride, first_[c + 1] - first_[c]};
  }
  ChannelColumns channel(std::vector<double>& columns, int c, Eigen::Index sample = 0) const {
    return channel(columns.data() + sample, stride_, c);
  }
  int width(int c) const { return first_[c + 1] - first_[c]; }
  void add_products(std::vector<double>& rows, Eigen::Index begin, Eigen::Index count);
  /// Start of a feature's column within the rows of all channels.
  Eigen::Index place(const core::FeatureEntry& entry) const {
    return first_[entry.channel] + entry.column;
  }
  void put_signals(const Eigen::ArrayXXd& values, Eigen::Index begin, Eigen::Index count);
  void clear_products();

  const Information& information_;
  const RegressorPlan& plan_;
  const Kernels& kernels_;
  int num_samples_, num_channels_;
  Eigen::Index stride_;
  std::vector<int> first_;  ///< first column of every channel's row, and one past the last
  std::vector<Eigen::MatrixXd> variance_;  ///< for the columns of every channel
  std::vector<Eigen::VectorXd> reference_;
  MotionColumns motion_{};
  std::vector<double> rows_, counted_, spread_, bars_;
  std::vector<std::vector<double>> gram_;  ///< products of every channel, summed over samples
  bool has_products_ = false, all_count_ = true;
  Eigen::ArrayXXd torque_, deviation_;
  SignalColumns signals_;
  std::vector<core::FeatureEntry> signal_entries_;
};

}  // namespace heft::excite
