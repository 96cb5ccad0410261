#include "identify/not_torque.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string_view>

#include "base/median.hpp"
#include "constrained_optimum.hpp"
#include "linalg/factorizations.hpp"

namespace heft {

namespace {

constexpr double kIsTorque = 0.5;  ///< correlation with the load above which a channel is a torque
constexpr double kNoLoad = 0.25;   ///< correlation below which the load is not in it
constexpr double kVisible = 1.5;   ///< load visible in a torque, relative to the rest of the column
constexpr double kUnexplained = 0.4;  ///< explained share of the variance below which a column is
                                      ///< no torque
constexpr double kStill = 0.01;       ///< share of the time in which a joint at rest moves
constexpr double kMoving = 0.5;       ///< share of the time in which such a joint moves
constexpr double kOfLargest = 0.05;   ///< load that must be in a column, relative to the largest
                                      ///< torque of a joint
constexpr double kFewestRows = 200;
constexpr double kRounding = 1e-10;   ///< of sums of squares that cancel
constexpr double kCauseErases = 0.5;  ///< of the error that is left if a fault is the cause

/// A channel's torque, compared with the load that bodies require.
struct Comparison {
  double load = 0;         ///< rms of L' [unit of the channel]
  double left = 0;         ///< s
  double correlation = 0;  ///< r
  double scale = 0;        ///< k
  double explained = 0;    ///< share of the variance about the mean that load and friction explain
  double moving = std::nan("");  ///< share of the time in which the joint moves; NaN: unknown
};

bool is_friction(const Column& column) {
  // a column with constants depends on a load
  return column.effect != ColumnEffect::gain && column.kind != "backdrive" &&
         column.constants.empty();
}

/// Columns of friction, offset, rotor and spring that enter a channel.
std::vector<int> own_columns(const ParameterLayout& layout, int channel) {
  std::vector<int> own;
  for (int k = 0; k < layout.num_columns(); ++k) {
    const Column& column = layout.columns[static_cast<std::size_t>(k)];
    const bool enters = std::ranges::any_of(
        column.terms, [&](const ColumnTerm& term) { return term.channel == channel; });
    if (enters && is_friction(column)) own.push_back(layout.column_index(k));
  }
  return own;
}

/// The sums of one channel, with the bodies of `x`.
class TorqueSums {
 public:
  TorqueSums(const Moments& moments, int channel)
      : layout_(moments.plan->layout),
        channel_(channel),
        rows_(moments.num_rows[static_cast<std::size_t>(channel)]),
        equations_(normal_equations(
            moments, Eigen::VectorXd::Unit(moments.plan->num_channels(), channel))) {}

  Comparison compare(const Eigen::VectorXd& x) const {
    Eigen::VectorXd bodies = x.head(layout_.num_parameters());
    bodies.tail(layout_.num_columns()).setZero();
    const Eigen::VectorXd of_load = equations_.G * bodies;
    const std::vector<int> own = own_columns(layout_, channel_);
    const Eigen::VectorXd load_own = of_load(own), torque_own = equations_.b(own);
    Eigen::VectorXd fitted(own.size()), torque_fit(own.size());
    if (!own.empty()) {
      const auto projection =
          Eigen::MatrixXd(equations_.G(own, own)).completeOrthogonalDecomposition();
      fitted = projection.solve(load_own);
      torque_fit = projection.solve(torque_own);
    }
    // of sums that cancel, rounding is no load
    const auto rest = [](double whole, double part) {
      return whole - part > kRounding * whole ? whole - part : 0;
    };
    const double load2 = rest(bodies.dot(of_load), load_own.dot(fitted)),
                 torque2 = rest(equations_.tau2, torque_own.dot(torque_fit)),
                 product = equations_.b.dot(bodies) - torque_own.dot(fitted);
    Comparison found;
    found.load = std::sqrt(load2 / rows_);
    found.scale = load2 > 0 ? product / load2 : 0;
    if (load2 > 0 && torque2 > 0) found.correlation = product / std::sqrt(load2 * torque2);
    const double left2 = torque2 * std::max(0.0, 1 - found.correlation * found.correlation);
    found.left = std::sqrt(left2 / rows_);
    double variance = equations_.tau2;
    for (int k = 0; k < layout_.num_columns(); ++k) {
      const Column& column = layout_.columns[static_cast<std::size_t>(k)];
      const int index = layout_.column_index(k);
      if (column.terms.size() != 1 || column.terms.front().channel != channel_) continue;
      if (column.effect == ColumnEffect::offset)
        variance -= equations_.b[index] * equations_.b[index] / rows_;
      if (column.terms.front().feature == core::Feature::tanh_velocity)
        found.moving = std::fmax(found.moving, equations_.G(index, index) / rows_);
    }
    found.explained = variance > kRounding * equations_.tau2 ? 1 - left2 / variance : 1;
    return found;
  }

 private:
  const ParameterLayout& layout_;
  int channel_;
  double rows_;
  NormalEquations equations_;
};

/// Rules about the size or the values of one torque: what a column that is no torque triggers.
constexpr std::string_view kOfValues[] = {
    "torque-dead",       "torque-copied", "torque-unit",  "torque-beyond-effort",
    "torque-motor-side", "torque-offset", "torque-delay", "torque-below-gravity"};

/// Warnings that explain a poor fit of one joint.
constexpr std::string_view kOfJoint[] = {"torque-saturated", "torque-jumps", "signal-spikes",
                                         "signal-stuck"};

bool is_one_of(const std::string& name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

template <class Predicate>
bool any_finding(const Identification& result, Predicate&& predicate) {
  return std::ranges::any_of(result.second_pass.evidence.logs, [&](const LogFindings& log) {
    return !log.held_out && std::ranges::any_of(log.findings, predicate);
  });
}

/// Whether another fault of the logs explains that the torques of `joints` do not contain the load.
bool has_other_cause(const Identification& result, const std::vector<std::string>& joints) {
  const Evidence& evidence = result.second_pass.evidence;
  if (any_finding(result, [](const Finding& finding) {
        return (finding.severity == Severity::error && !is_one_of(finding.name, kOfValues)) ||
               finding.name == "position-of-other-joint";
      }))
    return true;
  if (std::ranges::any_of(evidence.contacts,
                          [](const Contact& contact) { return contact.is_sure(); }))
    return true;
  // a factor or a filter of a column without load only removes it
  const auto hypothesis = std::ranges::find_if(evidence.hypotheses, [&](const Hypothesis& one) {
    return std::ranges::find(joints, one.joint) == joints.end();
  });
  return hypothesis != evidence.hypotheses.end() &&
         hypothesis->training_after < kCauseErases * hypothesis->training_before;
}

bool is_explained(const Identification& result, const std::string& joint) {
  return any_finding(result, [&](const Finding& finding) {
    return is_one_of(finding.name, kOfJoint) && finding.joint == joint;
  });
}

/// What a rule says about a joint's torque in every training log; empty if it does not.
std::string said_by(const char* rule, const Identification& result, const std::string& joint) {
  std::string what;
  for (const LogFindings& log : result.second_pass.evidence.logs) {
    if (log.held_out) continue;
    const auto found = std::ranges::find_if(log.findings, [&](const Finding& finding) {
      return finding.name == rule && finding.joint == joint;
    });
    if (found == log.findings.end()) return {};
    what = found->what;
  }
  return what;
}

/// Whether the joint hardly moves in some training log.
bool is_still(const Identification& result, const std::string& joint) {
  return any_finding(result, [&](const Finding& finding) {
    return finding.name == "joint-still" && finding.joint == joint;
  });
}

class Search {
 public:
  Search(const IdentifyRequest& request, const Identification& result,
         const std::vector<std::string>& kept)
      : request_(request), result_(result), plan_(result.plan()) {
    for (int c = 0; c < plan_.num_channels(); ++c) {
      const Channel& channel = plan_.channels[static_cast<std::size_t>(c)];
      const bool is_used = result.data.moments.num_rows[static_cast<std::size_t>(c)] >= kFewestRows;
      if (channel.coordinate < 0 || !is_used || std::ranges::find(kept, channel.name) != kept.end())
        continue;
      sums_.emplace(c, TorqueSums(result.data.moments, c));
    }
  }

  Result<std::vector<NotTorque>> run() {
    const std::vector<int> doubtful = in_doubt();
    std::vector<NotTorque> found;
    std::vector<std::string> joints;
    for (const int c : doubtful) joints.push_back(name(c));
    if (doubtful.empty() || has_other_cause(result_, joints)) return found;
    Eigen::VectorXd weights = result_.channel_weights;
    for (const int c : doubtful) weights[c] = 0;
    if (!(weights.maxCoeff() > 0)) return found;
    HEFT_TRY(without, constrained_optimum(
                          plan_.layout, normal_equations(result_.data.moments, weights),
                          result_.setup.prior, result_.setup.constraints, request_.estimation));
    for (const int c : doubtful)
      if (std::string why = why_not(c, sums_.at(c).compare(without.solution.x)); !why.empty())
        found.push_back({c, std::move(why), massless_bodies(c)});
    drop_originals(without.solution.x, found);
    if (2 * found.size() >= sums_.size()) found.clear();
    return found;
  }

 private:
  const std::string& name(int channel) const {
    return plan_.channels[static_cast<std::size_t>(channel)].name;
  }

  /// Returns the bodies that a channel's joint moves, if the model holds all of them without mass.
  std::vector<std::string> massless_bodies(int channel) const {
    const ParameterLayout& layout = plan_.layout;
    const int coordinate = plan_.channels[static_cast<std::size_t>(channel)].coordinate;
    std::vector<bool> moves(plan_.robot.bodies.size(), false);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < moves.size(); ++k) {
      const Body& body = plan_.robot.bodies[k];
      moves[k] = (coordinate >= 0 && body.coordinate == coordinate) ||
                 (body.parent >= 0 && moves[static_cast<std::size_t>(body.parent)]);
      if (!moves[k]) continue;
      const auto at = std::ranges::find(layout.body_index, static_cast<int>(k));
      if (at == layout.body_index.end()) continue;
      if (!result_.setup.prior.held[static_cast<std::size_t>(at - layout.body_index.begin())])
        return {};
      names.push_back(body.name);
    }
    return names;
  }

  Eigen::VectorXd of_file() const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(plan_.layout.num_parameters());
    for (int i = 0; i < plan_.layout.num_bodies(); ++i) {
      const int body = plan_.layout.body_index[static_cast<std::size_t>(i)];
      x.segment<core::kNumParameters>(core::kNumParameters * i) =
          plan_.robot.bodies[static_cast<std::size_t>(body)].prior;
    }
    return x;
  }

  /// Channels that do not contain the load of the answer or of the file, copies and their
  /// originals; sets scale and largest torque of the others.
  std::vector<int> in_doubt() {
    const Eigen::VectorXd file = of_file(), &answer = result_.answer().parameters;
    std::vector<int> doubtful;
    std::vector<double> scales;
    for (const auto& [c, sums] : sums_) {
      const Comparison by_answer = sums.compare(answer), by_file = sums.compare(file);
      const bool is_torque = by_answer.correlation > kIsTorque || by_file.correlation > kIsTorque;
      const bool is_raw = !said_by("torque-dead", result_, name(c)).empty() ||
                          !said_by("torque-copied", result_, name(c)).empty() || is_original(c);
      if (!is_torque || is_raw) {
        doubtful.push_back(c);
        continue;
      }
      scales.push_back(std::abs(by_answer.scale));
      largest_ = std::max(
          largest_, result_.answer().training.channels[static_cast<std::size_t>(c)].rms_torque);
    }
    // torques in amperes or percent contain less of the load in N m
    if (!scales.empty()) scale_ = std::min(1.0, median(std::move(scales)));
    return doubtful;
  }

  /// Returns why a channel is not a torque; empty if it may be one.
  std::string why_not(int channel, const Comparison& found) const {
    const std::string& joint = name(channel);
    if (is_explained(result_, joint)) return {};
    const std::string copied = said_by("torque-copied", result_, joint);
    if (!copied.empty() || is_original(channel)) return copied.empty() ? "has a copy" : copied;
    const std::string dead = said_by("torque-dead", result_, joint);
    const double visible = scale_ * found.load;
    // a small load is that of a prior: the other torques hardly determine it
    const bool is_large = visible > kOfLargest * largest_;
    if (!dead.empty()) return !is_still(result_, joint) || is_large ? dead : std::string();
    // the torque of a joint at rest contains static friction, or nothing if a brake holds it
    if (!(std::abs(found.correlation) < kNoLoad) || found.moving < kStill) return {};
    if (is_large && visible > kVisible * found.left)
      return fmt::format(
          "it does not contain the load that masses and other torques imply ({:.3g} {} rms without "
          "friction; correlation {:.2f})",
          found.load, plan_.channels[static_cast<std::size_t>(channel)].unit, found.correlation);
    if (found.moving > kMoving && found.explained < kUnexplained)
      return fmt::format("motion explains only {:.2g} % of its variance",
                         100 * std::max(0.0, found.explained));
    return {};
  }

  /// The torque that a copy equals; negative: it is no copy of a torque.
  int original_of(int copy) const {
    const std::string what = said_by("torque-copied", result_, name(copy));
    for (const auto& [c, unused] : sums_)
      if (c != copy && what.ends_with("torque of " + name(c))) return c;
    return -1;
  }

  bool is_original(int channel) const {
    return std::ranges::any_of(
        sums_, [&](const auto& entry) { return original_of(entry.first) == channel; });
  }

  /// Of two equal columns keeps the one that contains more of its joint's load.
  void drop_originals(const Eigen::VectorXd& x, std::vector<NotTorque>& found) const {
    std::vector<int> torques;
    for (const NotTorque& one : found) {
      const int original = original_of(one.channel);
      if (original < 0) continue;
      const double by_copy = sums_.at(one.channel).compare(x).correlation,
                   by_original = sums_.at(original).compare(x).correlation;
      torques.push_back(by_copy > by_original ? one.channel : original);
    }
    std::erase_if(found, [&](const NotTorque& one) {
      return std::ranges::find(torques, one.channel) != torques.end();
    });
    for (NotTorque& one : found)
      if (one.why == "has a copy")
        for (const auto& [c, unused] : sums_)
          if (original_of(c) == one.channel)
            one.why = fmt::format("identical to the torque of {}", name(c));
  }

  const IdentifyRequest& request_;
  const Identification& result_;
  const RegressorPlan& plan_;
  std::map<int, TorqueSums> sums_;
  double scale_ = 1;    ///< of the load in the unit of the torques
  double largest_ = 0;  ///< rms of a torque
};

}  // namespace

Result<std::vector<NotTorque>> channels_without_torque(const IdentifyRequest& request,
                                                       const Identification& result,
                                                       const std::vector<std::string>& kept) {
  const Moments& moments = result.data.moments;
  const bool is_of_torques = request.gathering.conditioning.rows == "torque" &&
                             !moments.plan->whitened_from && !moments.is_summed() &&
                             moments.plan->num_channels() == result.plan().num_channels();
  if (!is_of_torques || request.estimation.is_least_squares() || !result.optimum)
    return std::vector<NotTorque>{};
  return Search(request, result, kept).run();
}

}  // namespace heft
