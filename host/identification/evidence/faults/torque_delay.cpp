// Fault: torques that belong to the motion at another time: delayed by size seconds, for one
// channel or all, or by an additional size seconds per second if torque and motion have separate
// clocks.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "evidence/excerpt.hpp"
#include "fault.hpp"
#include "readers/option_yaml.hpp"
#include "signal/cubic_weights.hpp"

namespace heft {

namespace {

constexpr double kLongestDelay = 0.1;     ///< s
constexpr double kLongestOfOption = 0.5;  ///< s, that conditioning.torque_delay_s takes
constexpr double kStep = 0.004;           ///< s
constexpr double kMostOfShares = 1.25;    ///< that absolute weights of a cubic add up to

/// The largest delay for which stretches are long enough to lose it at both ends [s].
double longest_delay(const Excerpt& excerpt, double longest = kLongestDelay, double share = 0.15) {
  for (const Samples& stretch : excerpt.stretches)
    longest = std::min(longest, share * (stretch.time[stretch.size() - 1] - stretch.time[0]));
  return longest;
}

/// Interpolates linearly over unused rows: a row near rest is needed for a shifted torque.
void fill_unused(Eigen::ArrayXd& torque, Eigen::ArrayXd& weight) {
  Eigen::Index before = -1;
  for (Eigen::Index k = 0; k < torque.size(); ++k) {
    if (weight[k] == 0) continue;
    for (Eigen::Index gap = before + 1; before >= 0 && gap < k; ++gap) {
      const double share = static_cast<double>(gap - before) / static_cast<double>(k - before);
      torque[gap] = torque[before] + share * (torque[k] - torque[before]);
      weight[gap] = 1;
    }
    before = k;
  }
}

/// Cubic interpolation between four samples, at a time `rows` samples later.
struct LaterRows {
  Eigen::Index whole;
  std::array<double, 4> weights;

  explicit LaterRows(double rows)
      : whole(static_cast<Eigen::Index>(std::floor(rows))),
        weights(cubic_weights(rows - static_cast<double>(whole))) {}

  /// First and last sample that count, relative to a row.
  Eigen::Index first() const { return whole - 1 + std::distance(weights.begin(), first_used()); }
  Eigen::Index last() const {
    const auto used = std::find_if(weights.rbegin(), weights.rend(), is_used);
    return whole + 2 - std::distance(weights.rbegin(), used);
  }

 private:
  static bool is_used(double weight) { return weight != 0; }
  std::array<double, 4>::const_iterator first_used() const {
    return std::find_if(weights.begin(), weights.end(), is_used);
  }
};

/// Every `step`-th row of one channel as it is `later(sample)` samples later; rows less than
/// `margin` samples from an end weigh nothing. `fills`: torques of rows that are not used are
/// interpolated, so that all delays use the same rows.
template <class Later>
ChannelRows rows_later(const Samples& stretch, int channel, Eigen::Index margin, Eigen::Index step,
                       const Later& later, bool fills = false) {
  Eigen::ArrayXd filled_torque, filled_weight;
  if (fills) {
    filled_torque = stretch.torque.col(channel), filled_weight = stretch.weight.col(channel);
    fill_unused(filled_torque, filled_weight);
  }
  const double* const torque = fills ? filled_torque.data() : &stretch.torque(0, channel);
  const double* const weight = fills ? filled_weight.data() : &stretch.weight(0, channel);
  const Eigen::Index num_rows = (stretch.size() + step - 1) / step;
  ChannelRows changed{Eigen::ArrayXd::Zero(num_rows), Eigen::ArrayXd::Zero(num_rows)};
  for (Eigen::Index row = 0; row < num_rows; ++row) {
    const Eigen::Index k = row * step;
    if (k < margin || k + margin >= stretch.size()) continue;
    const LaterRows& rows = later(k);
    double value = 0, used = stretch.weight(k, channel);
    for (int j = 0; j < 4; ++j) {
      const Eigen::Index at = k + rows.whole - 1 + j;
      const double of_sample = rows.weights[static_cast<std::size_t>(j)];
      value += of_sample * torque[at];
      if (weight[at] == 0 && of_sample != 0) used = 0;
    }
    if (used == 0) continue;
    changed.weight[row] = used;
    changed.torque[row] = value;
  }
  return changed;
}

void put_rows(ChannelRows rows, int channel, Samples& stretch) {
  stretch.torque.col(channel) = rows.torque;
  stretch.weight.col(channel) = rows.weight;
}

Eigen::Index margin_of(const Samples& stretch, double longest) {
  return std::min(static_cast<Eigen::Index>(std::ceil(longest / period_of(stretch))) + 2,
                  stretch.size());
}

class TorqueDelay : public Fault {
 public:
  /// channel -1: all channels.
  TorqueDelay(int channel, int coordinate, std::string joint, double longest)
      : channel_(channel), coordinate_(coordinate), joint_(std::move(joint)), longest_(longest) {}

  std::string id() const override { return "torque-delay"; }
  std::string joint() const override { return joint_; }
  std::string subject() const override {
    return "the torque of " + (joint_.empty() ? "all joints" : joint_);
  }
  std::string unit() const override { return "s"; }
  SizeRange range() const override { return {kStep, -longest_, longest_}; }
  bool changes_torque_alone() const override { return true; }
  int channel() const override { return channel_; }
  bool loses_rows() const override { return true; }
  // interpolation between samples averages white noise for shifts in either direction
  std::optional<double> control_size(double size) const override { return -size; }

  Samples undone(const Samples& stretch, double size) const override {
    Samples changed = stretch;
    for (int c = 0; c < static_cast<int>(stretch.torque.cols()); ++c)
      if (channel_ < 0 || c == channel_) put_rows(undone_rows(stretch, c, size, 1), c, changed);
    return changed;
  }
  ChannelRows undone_rows(const Samples& stretch, int channel, double size,
                          Eigen::Index step) const override {
    const LaterRows later(size / period_of(stretch));
    return rows_later(
        stretch, channel, margin_of(stretch, longest_), step,
        [&](Eigen::Index) -> const LaterRows& { return later; }, longest_ > kLongestDelay);
  }

  std::string yaml(double size, const HypothesisInput& input) const override {
    return option_yaml({"conditioning", "torque_delay_s", 0}, input.conditioning.torque_delay_s,
                       input.setup.plan().robot, [&](int k, double old) {
                         return coordinate_ < 0 || k == coordinate_ ? old + size : old;
                       });
  }

 private:
  int channel_, coordinate_;
  std::string joint_;
  double longest_;
};

/// Delays all torques by size (t - t0), where t0 is the start of the log: the clocks agree there.
class ClockDrift : public Fault {
 public:
  ClockDrift(std::vector<double> beginnings, double duration, double longest)
      : beginnings_(std::move(beginnings)), duration_(duration), longest_(longest) {}

  std::string id() const override { return "clock-drift"; }
  std::string joint() const override { return {}; }
  std::string subject() const override { return "the torque clock"; }
  std::string unit() const override { return "s/s"; }
  SizeRange range() const override {
    return {kStep / duration_, -longest_ / duration_, longest_ / duration_};
  }
  bool changes_torque_alone() const override { return true; }
  bool loses_rows() const override { return true; }
  // interpolation between samples averages white noise for shifts in either direction
  std::optional<double> control_size(double size) const override { return -size; }

  Samples undone(const Samples& stretch, double size) const override {
    Samples changed = stretch;
    const std::vector<LaterRows> later = later_rows(stretch, size, 1);  // the same for all channels
    for (int c = 0; c < static_cast<int>(stretch.torque.cols()); ++c)
      put_rows(undone_rows(stretch, c, later, 1), c, changed);
    return changed;
  }
  ChannelRows undone_rows(const Samples& stretch, int channel, double size,
                          Eigen::Index step) const override {
    return undone_rows(stretch, channel, later_rows(stretch, size, step), step);
  }

 private:
  /// One per `step` rows.
  std::vector<LaterRows> later_rows(const Samples& stretch, double size, Eigen::Index step) const {
    double begin = beginnings_.front();
    for (const double beginning : beginnings_)
      if (beginning <= stretch.time[0]) begin = std::max(begin, beginning);
    const double period = period_of(stretch);
    std::vector<LaterRows> later;
    later.reserve(static_cast<std::size_t>((stretch.size() + step - 1) / step));
    for (Eigen::Index k = 0; k < stretch.size(); k += step)  // held-out logs may last longer
      later.emplace_back(std::clamp(size * (stretch.time[k] - begin), -longest_, longest_) /
                         period);
    return later;
  }
  ChannelRows undone_rows(const Samples& stretch, int channel, const std::vector<LaterRows>& later,
                          Eigen::Index step) const {
    return rows_later(stretch, channel, margin_of(stretch, longest_), step,
                      [&](Eigen::Index k) -> const LaterRows& {
                        return later[static_cast<std::size_t>(k / step)];
                      });
  }

  std::vector<double> beginnings_;  ///< of the training and the held-out logs, increasing [s]
  double duration_, longest_;
};

/// Stamps of the first and the last sample.
std::pair<double, double> span_of(const Excerpt& excerpt) {
  double from = std::numeric_limits<double>::infinity(), to = -from;
  for (const Samples& stretch : excerpt.stretches) {
    from = std::min(from, stretch.time[0]);
    to = std::max(to, stretch.time[stretch.size() - 1]);
  }
  return {from, to};
}

}  // namespace

namespace {

/// Delays of all joints, then of each.
void delays_up_to(double longest, const HypothesisInput& input, Faults& faults) {
  const RegressorPlan& plan = input.setup.plan();
  faults.push_back(std::make_unique<TorqueDelay>(-1, -1, "", longest));
  for (int c = 0; c < plan.num_channels(); ++c)
    if (const std::string joint = joint_of_channel(plan, c); !joint.empty())
      faults.push_back(std::make_unique<TorqueDelay>(
          c, plan.channels[static_cast<std::size_t>(c)].coordinate, joint, longest));
}

}  // namespace

namespace {

/// A period of stamps is known to rounding: a delay of whole rows is to read one.
double whole_if_almost(double rows) {
  constexpr double kRounding = 1e-9;
  const double whole = std::round(rows);
  return std::abs(rows - whole) < kRounding ? whole : rows;
}

}  // namespace

LaterTorques torques_later(const Samples& stretch, int channel, const ComparedDelays& compared) {
  const auto& [delays, longest, step] = compared;
  Eigen::ArrayXd torque = stretch.torque.col(channel), weight = stretch.weight.col(channel);
  fill_unused(torque, weight);
  const double period = period_of(stretch);
  const Eigen::Index margin = margin_of(stretch, longest);
  Eigen::Index begin = margin, end = stretch.size() - margin;
  Eigen::Index first_known = 0, end_known = stretch.size();
  while (first_known < end_known && weight[first_known] == 0) ++first_known;
  while (end_known > first_known && weight[end_known - 1] == 0) --end_known;
  std::vector<LaterRows> later;
  for (const double delay : delays) {
    later.emplace_back(whole_if_almost(delay / period));
    begin = std::max(begin, first_known - later.back().first());
    end = std::min(end, end_known - later.back().last());
  }
  LaterTorques found{.first = (begin + step - 1) / step};
  begin = found.first * step;
  if (end <= begin) return found;
  const Eigen::Index count = (end - 1 - begin) / step + 1;
  found.used = (stretch.weight.col(channel)(Eigen::seqN(begin, count, step)) != 0).cast<double>();
  const bool are_all_used = (found.used == 1).all();
  for (Eigen::Index k = first_known; k < end_known; ++k)
    found.largest = std::max(found.largest, kMostOfShares * std::abs(torque[k]));
  found.torque.resize(count, std::ssize(delays));
  // every step-th torque, from each of the first ones on: a delay's torques are consecutive
  std::vector<Eigen::ArrayXd> phases;
  for (Eigen::Index phase = 0; phase < step; ++phase)
    phases.emplace_back(torque(Eigen::seq(phase, stretch.size() - 1, step)));
  for (Eigen::Index d = 0; d < found.torque.cols(); ++d) {
    const auto& [whole, weights] = later[static_cast<std::size_t>(d)];
    auto sum = found.torque.col(d).array();
    bool is_first = true;
    for (int j = 0; j < 4; ++j)  // a delay of whole rows reads one
      if (const double share = weights[static_cast<std::size_t>(j)]; share != 0) {
        const Eigen::Index from = begin + whole + j - 1;
        const auto read = phases[static_cast<std::size_t>(from % step)].segment(from / step, count);
        if (!is_first) {
          sum += share * read;
        } else if (share == 1) {
          sum = read;
        } else {
          sum = share * read;
        }
        is_first = false;
      }
    if (!are_all_used) sum *= found.used;
  }
  return found;
}

void torque_delays(const HypothesisInput& input, Faults& faults) {
  const double longest = longest_delay(input.training);
  if (longest > 2 * kStep) delays_up_to(longest, input, faults);
}

void long_torque_delays(const HypothesisInput& input, Faults& faults) {
  // search the best size on both sides of it
  const double longest = longest_delay(input.training, kLongestOfOption + 2 * kStep, 0.21);
  if (longest > kLongestDelay) delays_up_to(longest, input, faults);
}

void clock_drifts(const HypothesisInput& input, Faults& faults) {
  const double longest = longest_delay(input.training);
  const auto [from, to] = span_of(input.training);
  constexpr double kShortest = 5;  // s
  if (!(longest > 2 * kStep && to - from > kShortest)) return;
  std::vector<double> beginnings{from};
  if (!input.held_out.stretches.empty()) beginnings.push_back(span_of(input.held_out).first);
  std::sort(beginnings.begin(), beginnings.end());
  faults.push_back(std::make_unique<ClockDrift>(std::move(beginnings), to - from, longest));
}

}  // namespace heft
