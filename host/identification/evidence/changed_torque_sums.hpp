// Sums of the training excerpt without a fault that changes torques alone, at several sizes. Only
// the triangles of its channels differ from those of the excerpt as it is. Products of rows are
// summed once while their weights stay the same, which rows beside unused ones do not at every
// size, and rows pass no low-pass.
#pragma once

#include <Eigen/Core>
#include <map>
#include <vector>

#include "faults/fault.hpp"
#include "heft/moments/moments.hpp"
#include "profile.hpp"

namespace heft {

class ChangedTorqueSums {
 public:
  /// Whether sums can be made in this way: rows that are filtered, with their torques, cannot.
  static bool suits(const HypothesisInput& input, const Fault& fault);

  /// Both must outlive this object; the profile must know its sums as they are.
  ChangedTorqueSums(const Profile& profile, const Fault& fault)
      : profile_(profile), fault_(fault) {}

  /// Errors: those of the backend.
  Result<Moments> at(double size);

 private:
  /// A channel at some size: rows of every stretch, and the sums.
  struct Channel {
    std::vector<Eigen::ArrayXd> weights;
    std::vector<double> triangle;
    double num_rows = 0;

    bool has(const std::vector<ChannelRows>& rows) const;
  };
  Result<Done> sum(int channel, double lowpass_s, const std::vector<ChannelRows>& undone,
                   Channel& sums) const;
  /// Replaces the products with the torque.
  Result<Done> sum_torque(int channel, const std::vector<ChannelRows>& undone, Channel& sums) const;

  const Profile& profile_;
  const Fault& fault_;
  std::map<int, Channel> without_lowpass_;  ///< of the last size at which weights changed
};

}  // namespace heft
