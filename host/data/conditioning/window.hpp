// Conditions a window of uniform raw rows into samples: smooths, differentiates, decimates,
// subtracts known torques and sets weights.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "conditioning/expressions.hpp"
#include "conditioning/log_columns.hpp"
#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/model/samples.hpp"
#include "heft/signal/smoother.hpp"
#include "memory_signals.hpp"
#include "rows/row_kind.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

using FlagArray = Eigen::Array<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;

/// Reasons for dropped rows: the keys of DroppedRows.
namespace dropped_because {
inline const std::string kRepeatedStamp = "repeated time stamp";
inline const std::string kNotANumber = "not a number";
inline const std::string kShortSegment = "segment too short";
inline const std::string kEdge = "edge of segment";
inline const std::string kClipped = "clipped torque";
inline const std::string kDeadBand = "dead band";
}  // namespace dropped_because

/// Conditioning parameters of a log, the same for all windows.
struct ConditioningPlan {
  ConditioningOptions options;
  LogColumns columns;
  int num_coordinates = 0;
  std::vector<int> channel_coordinates;  ///< per channel; -1: a wrench
  double period = 0;                     ///< of the uniform rows [s]
  int trim = 0;                          ///< rows dropped at either end
  Smoother motion;
  Smoother torque;     ///< also for log columns in expressions
  Smoother dead_band;  ///< for the velocity that the dead band tests
  const RowKind* rows = nullptr;
  Smoother row_lowpass;  ///< for rows computed from the motion around them, without filter_rows

  /// Wrenches whose effect is removed from rows; null: none.
  std::shared_ptr<const UnknownWrenches> unknown_wrenches = nullptr;
  int contact_reach = 0;  ///< rows around a row that determine whether these wrenches act

  Eigen::Isometry3d X_root_frame = Eigen::Isometry3d::Identity();  ///< of the base's columns
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< in the world [m/s^2], for poses

  /// Number of rows by which the motion of a sample is shifted earlier, and per channel by which
  /// its torque is shifted later; usually fractional. A delay common to all channels is applied to
  /// the motion.
  double motion_delay = 0;
  std::vector<double> torque_delay = {};

  double longest_delay() const {
    double longest = std::abs(motion_delay);
    for (const double delay : torque_delay) longest = std::max(longest, std::abs(delay));
    return std::ceil(longest);
  }

  /// Number of rows after which noise is independent: the width of the widest filter applied to
  /// rows.
  int reach() const { return std::max({motion.reach(), torque.reach(), row_lowpass.reach()}); }

  /// Whether motion and torque use the same filter.
  bool has_one_lowpass() const { return options.torque_cutoff_hz() == options.lowpass_hz; }

  int num_channels() const { return static_cast<int>(channel_coordinates.size()); }
};

/// Uniform raw rows, including guards, and which of them to keep: first, first + step, ..
struct RawWindow {
  Eigen::Ref<const Eigen::ArrayXd> time;
  Eigen::Ref<const Eigen::ArrayXXd> values;  ///< rows x LogColumns::num_values, finite
  Eigen::Ref<const FlagArray> flags;         ///< rows x LogColumns::num_torques
  Eigen::Index first = 0;
  Eigen::Index num_kept = 0;
  Eigen::Index step = 1;
};

/// Error: a number of the block is not finite.
Result<Done> check_finite(const Samples& block);

class WindowConditioner {
 public:
  WindowConditioner(const ConditioningPlan& plan, Expressions& expressions)
      : plan_(plan),
        expressions_(expressions),
        memories_(expressions.memories(), expressions.calls()) {}

  /// Returns the kept rows, conditioned; adds rows of weight 0 to `dropped`. Errors: expressions,
  /// overflow.
  Result<Samples> condition(const RawWindow& window, DroppedRows& dropped);

  /// Advances columns and functions with memory over all rows of the window, before `condition`.
  /// The arguments are those of MemorySignals::advance. Error: a value that is not finite.
  Result<Done> advance_memories(const RawWindow& window, Eigen::Index begin, Eigen::Index end,
                                Eigen::Index next_first);

  /// Error: a lag that the segment is too short for.
  Result<Done> check_lags(double segment_s) const;

 private:
  using Signal = Eigen::Map<const Eigen::ArrayXd>;  // one value over the whole window
  using KeptRows = Eigen::Map<const Eigen::ArrayXd, 0, Eigen::InnerStride<>>;

  void smooth(const RawWindow& window);
  Signal smoothed(const RawWindow& window, int value) const;
  Signal derivative(const Signal& signal, Eigen::ArrayXd& memory) const;
  static KeptRows kept(const RawWindow& window, const Signal& signal);
  static void keep_later(const RawWindow& window, const Signal& signal, double rows,
                         Eigen::Ref<Eigen::ArrayXd> values);
  void find_speed(const RawWindow& window);
  Result<Samples> condition_states(const RawWindow& window);
  Result<Samples> condition_for_filtered_rows(const RawWindow& window);
  Result<Done> add_motion_around(const RawWindow& window, Samples& block);
  Result<Done> add_unknown_wrenches(const RawWindow& window, UnfilteredMotion& motion,
                                    Samples& block);
  void condition_motion(const RawWindow& window, Samples& block);
  void condition_base(const RawWindow& window, Samples& block);
  void base_from_imu(const RawWindow& window, Eigen::ArrayXXd& motion);
  void base_from_poses(const RawWindow& window, Eigen::ArrayXXd& motion);
  Eigen::ArrayXXd base_orientation(const RawWindow& window) const;
  void condition_torque(const RawWindow& window, Samples& block);
  void weigh(const RawWindow& window, Samples& block, DroppedRows& dropped);

  const ConditioningPlan& plan_;
  Expressions& expressions_;
  MemorySignals memories_;
  Eigen::ArrayXXd smoothed_, lanes_;        // values of the window, and those being smoothed
  Eigen::ArrayXXd work_;                    // signals tested by the dead band
  Eigen::ArrayXd velocity_, acceleration_;  // one column at a time
  Eigen::ArrayXXd speed_;  // kept rows x coordinates, for the dead band; empty without one
};

}  // namespace heft
