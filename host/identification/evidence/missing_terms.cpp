#include "evidence/missing_terms.hpp"

#include <algorithm>
#include <cmath>

namespace heft {

namespace {

constexpr double kWorthNaming = 0.1;  ///< share of all squared errors
constexpr double kOfJoint = 0.1;      ///< and of a joint's own

/// The kinds of columns that are a function of a joint's own motion, rotor inertia first.
std::vector<const ColumnKind*> candidate_kinds() {
  std::vector<const ColumnKind*> candidates;
  for (const ColumnKind& kind : column_kinds())
    if (!kind.make_memory && kind.feature != core::Feature::signal) candidates.push_back(&kind);
  std::ranges::stable_partition(candidates, [](const ColumnKind* kind) {
    return kind->effect == ColumnEffect::rotor_inertia;
  });
  return candidates;
}

/// Regressor of a column of this kind.
Eigen::ArrayXd feature_of(const ColumnKind& kind, const Samples& s, Eigen::Index k) {
  switch (kind.feature_of(kind.default_width)) {
    case core::Feature::one:
      return Eigen::ArrayXd::Ones(s.size());
    case core::Feature::position:
      return s.position.col(k);
    case core::Feature::velocity:
      return s.velocity.col(k);
    case core::Feature::acceleration:
      return s.acceleration.col(k);
    case core::Feature::sign_velocity:
      return s.velocity.col(k).sign();
    case core::Feature::tanh_velocity:
      return (s.velocity.col(k) / kind.default_width).tanh();
    case core::Feature::signal:
      break;
  }
  return Eigen::ArrayXd::Zero(s.size());
}

bool has_column(const RegressorPlan& plan, std::string_view kind, const std::string& joint) {
  return std::any_of(
      plan.layout.columns.begin(), plan.layout.columns.end(), [&](const Column& column) {
        return column.kind == kind &&
               std::find(column.joints.begin(), column.joints.end(), joint) != column.joints.end();
      });
}

/// The inertia of a rotor that the robot file or a rotor file describes.
bool has_rotor(const RegressorPlan& plan, int coordinate) {
  return std::any_of(plan.robot.bodies.begin(), plan.robot.bodies.end(), [&](const Body& body) {
    return body.is_rotor && body.coordinate == coordinate;
  });
}

bool is_in_model(const RegressorPlan& plan, const ColumnKind& candidate, const Channel& channel) {
  const bool is_inertia = candidate.effect == ColumnEffect::rotor_inertia;
  return has_column(plan, candidate.name, channel.name) ||
         (is_inertia && has_rotor(plan, channel.coordinate));
}

struct Explained2 {
  double explained = 0, all = 0;  ///< squared errors
};

Explained2 explained_by(const ColumnKind& candidate, const std::vector<Samples>& stretches,
                        const std::vector<Eigen::ArrayXXd>& residuals, Eigen::Index channel,
                        Eigen::Index coordinate) {
  double ef = 0, ff = 0, ee = 0;
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    const Eigen::ArrayXd e = residuals[s].col(channel);
    const Eigen::ArrayXd f = e.isNaN().select(0.0, feature_of(candidate, stretches[s], coordinate));
    const Eigen::ArrayXd used = e.isNaN().select(0.0, e);
    ef += (used * f).sum();
    ff += f.square().sum();
    ee += used.square().sum();
  }
  const bool is_possible = ff > 0 && (ef > 0 || !candidate.is_nonnegative);
  return {is_possible ? ef * ef / ff : 0, ee};
}

}  // namespace

std::vector<MissingTerm> missing_terms(const RegressorPlan& plan,
                                       const std::vector<Samples>& stretches,
                                       const std::vector<Eigen::ArrayXXd>& residuals) {
  std::vector<MissingTerm> terms;
  if (plan.robot.floating_base || plan.whitened_from) return terms;
  double all = 0;
  for (const Eigen::ArrayXXd& e : residuals) all += e.isNaN().select(0.0, e).square().sum();
  for (const ColumnKind* kind : candidate_kinds()) {
    const ColumnKind& candidate = *kind;
    MissingTerm term{.kind = std::string(candidate.name)};
    for (std::size_t c = 0; c < plan.channels.size(); ++c) {
      const Channel& channel = plan.channels[c];
      if (channel.coordinate < 0 || is_in_model(plan, candidate, channel)) continue;
      const Explained2 found = explained_by(candidate, stretches, residuals,
                                            static_cast<Eigen::Index>(c), channel.coordinate);
      if (!(found.explained > kOfJoint * found.all)) continue;
      term.joints.push_back(channel.name);
      term.share += found.explained / all;
    }
    if (term.share > kWorthNaming) terms.push_back(std::move(term));
  }
  const bool begins_with_rotor =
      !terms.empty() &&
      find_column_kind(column_kinds(), terms.front().kind)->effect == ColumnEffect::rotor_inertia;
  std::stable_sort(terms.begin() + (begins_with_rotor ? 1 : 0), terms.end(),
                   [](const MissingTerm& a, const MissingTerm& b) { return a.share > b.share; });
  return terms;
}

}  // namespace heft
