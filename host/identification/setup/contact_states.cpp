#include "contact_states.hpp"

#include <algorithm>
#include <limits>

#include "linalg/minimum_norm.hpp"

namespace heft {

namespace {

// shares of the robot's weight that a foot's residual force must exceed to start, and to go on
constexpr double kTouches = 0.08, kStillTouches = 0.04;

using States = std::vector<char>;

/// Force of every automatic contact that explains the residuals of the joints best [N], if contacts
/// with known states act as stated. Torques at contacts count as zero, and the six equations of the
/// base are not used: with them, forces on two soles are as many as the equations of a small biped.
class ResidualForces {
 public:
  ResidualForces(const ContactJudge& judge, const std::vector<bool>& measured,
                 const std::vector<States>& known)
      : judge_(judge), known_(known) {
    for (std::size_t c = 0; c < measured.size(); ++c)
      used_.push_back(measured[c] && judge.is_joint[c] ? 1 : 0);
  }

  Eigen::VectorXd at(const Samples& around, const Eigen::ArrayXXd& reference, Eigen::Index row) {
    const auto num_channels = static_cast<Eigen::Index>(used_.size());
    const Eigen::Map<const Eigen::ArrayXd> factor(used_.data(), num_channels);
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(num_channels, kForces * std::ssize(judge_.contacts));
    std::vector<Eigen::Index> first;
    Eigen::Index count = 0;
    for (std::size_t f = 0; f < judge_.contacts.size(); ++f) {
      const PlacedContact& contact = judge_.contacts[f];
      first.push_back(count);
      const bool may_act =
          contact.spec.state.is_automatic() || known_[f][static_cast<std::size_t>(row)] != 0;
      if (!may_act) continue;
      for (int k = 0; k < kForces; ++k, ++count)
        put(contact.direction(k), around, row, J.col(count));
    }
    // torque = load - J'f
    const Eigen::VectorXd residual =
        (factor * (reference.row(row) - around.torque.row(row)).transpose()).matrix();
    const Eigen::VectorXd f = minimum_norm_solution(J.leftCols(count), residual);
    Eigen::VectorXd forces = Eigen::VectorXd::Zero(std::ssize(judge_.contacts));
    for (std::size_t c = 0; c < judge_.contacts.size(); ++c)
      if (judge_.contacts[c].spec.state.is_automatic())
        forces[static_cast<Eigen::Index>(c)] = f.segment<3>(first[c]).norm();
    return forces;
  }

 private:
  static constexpr int kForces = 3;  ///< the first components of every contact

  void put(const UnknownDirection& direction, const Samples& around, Eigen::Index row,
           Eigen::Ref<Eigen::VectorXd> column) const {
    for (std::size_t k = 0; k < direction.channels.size(); ++k) {
      const int c = direction.channels[k];
      column[c] = around.signal(row, direction.first_signal + static_cast<int>(k)) *
                  used_[static_cast<std::size_t>(c)];
    }
  }

  const ContactJudge& judge_;
  const std::vector<States>& known_;
  std::vector<double> used_;  ///< 1 for measured joints
};

States states_of(const PlacedContact& contact, const Samples& around) {
  constexpr double kFlag = 0.5;
  const ContactState& state = contact.spec.state;
  const double threshold = state.force.empty() ? kFlag : state.threshold;
  States states(static_cast<std::size_t>(around.size()), 0);
  for (Eigen::Index i = 0; i < around.size(); ++i)
    states[static_cast<std::size_t>(i)] = around.signal(i, contact.level_signal) > threshold;
  return states;
}

/// States of all automatic contacts, from their forces in order of time.
Result<Done> judge_by_residuals(const ContactJudge& judge, const Samples& around,
                                const std::vector<bool>& measured, std::vector<States>& states) {
  HEFT_TRY(reference, judge.reference(around));
  ResidualForces forces(judge, measured, states);
  for (Eigen::Index i = 0; i < around.size(); ++i) {
    const Eigen::VectorXd force = forces.at(around, reference, i);
    for (std::size_t f = 0; f < judge.contacts.size(); ++f) {
      if (!judge.contacts[f].spec.state.is_automatic()) continue;
      const bool acted = i > 0 && states[f][static_cast<std::size_t>(i) - 1] != 0;
      const double share = force[static_cast<Eigen::Index>(f)] / judge.weight;
      states[f][static_cast<std::size_t>(i)] = share > (acted ? kStillTouches : kTouches);
    }
  }
  return Done{};
}

/// Extends every contact at both ends.
States widened(const States& states, const Eigen::ArrayXd& time, double by_s) {
  constexpr double kRounding = 1e-9;
  States wide(states.size(), 0);
  for (const bool forward : {true, false}) {
    double last = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < states.size(); ++k) {
      const std::size_t i = forward ? k : states.size() - 1 - k;
      const double t = (forward ? 1 : -1) * time[static_cast<Eigen::Index>(i)];
      if (states[i] != 0) last = t;
      if (t - last <= by_s + kRounding) wide[i] = 1;
    }
  }
  return wide;
}

void put(const PlacedContact& contact, const States& states, Samples& around) {
  const Eigen::Index num_directions = contact.num_signals() - 1;
  for (Eigen::Index i = 0; i < around.size(); ++i) {
    const bool acts = states[static_cast<std::size_t>(i)] != 0;
    around.signal(i, contact.level_signal) = acts ? 1 : 0;
    if (!acts) around.signal.row(i).segment(contact.first_signal, num_directions) = 0;
  }
}

}  // namespace

Result<Done> ContactJudge::operator()(Samples& around, const std::vector<bool>& measured) const {
  std::vector<States> states;
  bool any_automatic = false;
  for (const PlacedContact& contact : contacts) {
    states.push_back(states_of(contact, around));
    any_automatic = any_automatic || contact.spec.state.is_automatic();
  }
  if (any_automatic) HEFT_CHECK(judge_by_residuals(*this, around, measured, states));
  for (std::size_t f = 0; f < contacts.size(); ++f)
    put(contacts[f], widened(states[f], around.time, contacts[f].spec.widen_s), around);
  return Done{};
}

}  // namespace heft
