#include "evidence/missing_terms.hpp"

#include <algorithm>
#include <cmath>

namespace heft {

namespace {

constexpr double kWorthNaming = 0.1;  ///< share of all squared errors
constexpr double kOfJoint = 0.1;      ///< and of a joint's own

/// A kind of column, what it multiplies, and whether its unknown cannot be negative.
struct Candidate {
  const char* kind;
  Eigen::ArrayXd (*feature)(const Samples& samples, Eigen::Index coordinate);
  bool is_nonnegative;
};

constexpr double kCoulombWidth = 0.05;  // rad/s or m/s

constexpr Candidate kCandidates[] = {
    {"reflected_inertia",
     [](const Samples& s, Eigen::Index k) -> Eigen::ArrayXd { return s.acceleration.col(k); },
     true},
    {"coulomb",
     [](const Samples& s, Eigen::Index k) -> Eigen::ArrayXd {
       return (s.velocity.col(k) / kCoulombWidth).tanh();
     },
     true},
    {"viscous",
     [](const Samples& s, Eigen::Index k) -> Eigen::ArrayXd { return s.velocity.col(k); }, true},
    {"offset",
     [](const Samples& s, Eigen::Index) -> Eigen::ArrayXd {
       return Eigen::ArrayXd::Ones(s.size());
     },
     false},
    {"spring", [](const Samples& s, Eigen::Index k) -> Eigen::ArrayXd { return s.position.col(k); },
     false}};

bool has_column(const RegressorPlan& plan, const char* kind, const std::string& joint) {
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

bool is_in_model(const RegressorPlan& plan, const Candidate& candidate, const Channel& channel) {
  const bool is_inertia = candidate.kind == kCandidates[0].kind;
  return has_column(plan, candidate.kind, channel.name) ||
         (is_inertia && has_rotor(plan, channel.coordinate));
}

struct Explained2 {
  double explained = 0, all = 0;  ///< squared errors
};

Explained2 explained_by(const Candidate& candidate, const std::vector<Samples>& stretches,
                        const std::vector<Eigen::ArrayXXd>& residuals, Eigen::Index channel,
                        Eigen::Index coordinate) {
  double ef = 0, ff = 0, ee = 0;
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    const Eigen::ArrayXd e = residuals[s].col(channel);
    const Eigen::ArrayXd f = e.isNaN().select(0.0, candidate.feature(stretches[s], coordinate));
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
  for (const Candidate& candidate : kCandidates) {
    MissingTerm term{.kind = candidate.kind};
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
  if (!terms.empty() && terms.front().kind == kCandidates[0].kind)
    std::stable_sort(terms.begin() + 1, terms.end(),
                     [](const MissingTerm& a, const MissingTerm& b) { return a.share > b.share; });
  else
    std::stable_sort(terms.begin(), terms.end(),
                     [](const MissingTerm& a, const MissingTerm& b) { return a.share > b.share; });
  return terms;
}

}  // namespace heft
