// Possible changes of a robot, and the effect of a unit of each change on the torques.
//
//   coulomb, viscous, offset   tanh(qd / width), qd, 1 on the joint's channel
//   friction                   the first two of these together, named coulomb
//   gain                       the predicted torque on the joint's channel
//   zero                       -d tau / d q_joint on all channels
//   payload                    d tau / d (m, m c) of a link on all channels
//   gravity                    two directions perpendicular to gravity, on all channels
#pragma once

#include <string>
#include <vector>

#include "model/sample_view.hpp"
#include "sample_rows.hpp"
#include "watch/watcher.hpp"

namespace heft::watch {

enum class ChangeKind { coulomb, viscous, friction, offset, gain, zero, payload, gravity };

struct Hypothesis {
  ChangeKind kind;
  int index;             ///< channel, coordinate or body
  std::string what;      ///< "coulomb joint_3"
  int first, num_sizes;  ///< of its signatures
  int first_sum;         ///< in a block of sums (evidence.hpp)
  double least = 0;      ///< smallest size that is reported, in SI units
  double log_prior = 0;  ///< against the others
  int viscous = -1;      ///< of friction: the hypothesis of its second size
  /// Returns whether slow changes are tracked, not reported: friction and offsets.
  bool drifts() const {
    return kind == ChangeKind::coulomb || kind == ChangeKind::viscous ||
           kind == ChangeKind::friction || kind == ChangeKind::offset;
  }
};

class Hypotheses {
 public:
  Hypotheses(const WatchModel& model, const std::vector<char>& is_used);

  const std::vector<Hypothesis>& list() const { return list_; }
  int num_signatures() const { return static_cast<int>(unit_.size()); }
  int num_sums() const { return num_sums_; }
  /// Returns the SI size of one unit; expected changes are about one unit.
  double unit(int signature) const { return unit_[static_cast<std::size_t>(signature)]; }

  /// Returns whether the joint of a channel reverses within `reach_s`: there filtered dry friction
  /// differs from the dry friction of filtered motion.
  bool is_reversing(int channel, const double* velocity, const double* acceleration,
                    double reach_s) const;

  /// Computes the signatures at a state, num_signatures x num_channels, one row each, in these
  /// units. `rows` are those of the state.
  void evaluate(const SampleRows& rows, const double* position, const double* velocity,
                const double* acceleration, const double* predicted, double* signatures);

 private:
  struct Entry {
    int channel, place;  ///< in the channel's row
    double factor;
  };

  void add_friction(int joint, int channel, const WatchModel& model);
  void add(ChangeKind kind, int index, std::string what, std::vector<double> units, double least,
           double log_prior = 0);

  PlanPtr plan_;
  ChannelCoefficients coefficients_;
  std::vector<Hypothesis> list_;
  std::vector<double> unit_;
  int num_sums_ = 0;
  std::vector<double> width_;                ///< of coulomb by coordinate; 0: sign
  std::vector<char> is_dry_;                 ///< by coordinate: its model has dry friction
  std::vector<int> channel_of_;              ///< a coordinate's, or -1
  std::vector<std::vector<Entry>> entries_;  ///< of payload signatures, in their order
  SampleRows moved_;                         ///< rows at another state
  std::vector<double> position_;
  double across_[2][3] = {};  ///< unit vectors perpendicular to gravity
};

}  // namespace heft::watch
