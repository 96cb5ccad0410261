// Rows of all channels of a block of samples, what follows from them, and the way back: torques,
// how uncertain they are, and the information G, by the motion.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "information.hpp"
#include "kernels.hpp"
#include "signal_columns.hpp"

namespace heft::excite {

class ChannelRows {
 public:
  /// Standard deviations of torques are made only if they are asked for. The information must
  /// outlive this.
  ChannelRows(const Information& information, int num_samples, bool with_deviations);

  Eigen::Index stride() const { return stride_; }  ///< samples, padding included
  int num_samples() const { return num_samples_; }
  int num_channels() const { return num_channels_; }

  /// Makes the rows of a motion; arrays are stride x coordinates, padding any finite numbers, and
  /// stay until add_gradient. `with_products`: and the sums of their products, while they are in
  /// the caches.
  void set(const Eigen::ArrayXXd& position, const Eigen::ArrayXXd& velocity,
           const Eigen::ArrayXXd& acceleration, bool with_products = false);

  /// Torques of the rows, and their standard deviations.
  void put_torques();

  /// Of every channel at every sample after put_torques, stride x channels; zero in the padding.
  const Eigen::ArrayXXd& torque() const { return torque_; }
  const Eigen::ArrayXXd& deviation() const { return deviation_; }

  /// G += seconds / num_samples sum r_eff / s_c^2 y_c y_c' in the lower triangle, over the samples
  /// that count; all do if `counts` is empty.
  void add_information(double seconds, const std::vector<bool>& counts, Eigen::MatrixXd& G);

  /// What a number changes with the rows: by its slope by the G of add_information, and by torques.
  struct Bars {
    double seconds;
    const Eigen::MatrixXd& slope;
    Eigen::ArrayXXd by_torque, by_deviation;  ///< stride x channels; empty: not by them
  };
  /// Adds the derivatives by the motion, stride x coordinates.
  void add_gradient(const Bars& bars, Eigen::ArrayXXd& position, Eigen::ArrayXXd& velocity,
                    Eigen::ArrayXXd& acceleration);

 private:
  /// Of a channel in columns of all channels that begin at some sample.
  ChannelColumns channel(double* values, Eigen::Index stride, int c) const {
    return {values + first_[c] * stride, stride, first_[c + 1] - first_[c]};
  }
  ChannelColumns channel(std::vector<double>& columns, int c, Eigen::Index sample = 0) const {
    return channel(columns.data() + sample, stride_, c);
  }
  int width(int c) const { return first_[c + 1] - first_[c]; }
  void add_products(std::vector<double>& rows, Eigen::Index begin, Eigen::Index count);
  /// Where the column of a feature begins, of rows of all channels.
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
  std::vector<int> first_;                 ///< column of every channel's row, and after the last
  std::vector<Eigen::MatrixXd> variance_;  ///< of the columns of every channel
  std::vector<Eigen::VectorXd> reference_;
  MotionColumns motion_{};
  std::vector<double> rows_, counted_, spread_, bars_;
  std::vector<std::vector<double>> gram_;  ///< sums of products of every channel
  bool has_products_ = false, all_count_ = true;
  Eigen::ArrayXXd torque_, deviation_;
  SignalColumns signals_;
  std::vector<core::FeatureEntry> signal_entries_;
};

}  // namespace heft::excite
