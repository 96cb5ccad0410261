#include "sisters/family.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>

#include "base/parallel_for.hpp"
#include "outlying.hpp"
#include "solve/prior_term.hpp"

namespace heft {

using namespace sisters;  // what this file is made of

namespace {

constexpr int kRounds = 40;
constexpr int kRoundsInFile =
    10;  ///< in coordinates of the robot file; the others in those of the mean found by then
constexpr int kMostReleases = 3;  ///< times that all is learned again without what was released
constexpr std::size_t kSmallFleet =
    12;  ///< up to so many, the others are learned from by themselves for every robot

Result<Done> check(const FamilyModel& model, const std::vector<Sister>& sisters) {
  if (static_cast<int>(sisters.size()) < kFewestSisters)
    return Error{"sisters", fmt::format("{} robots are too few to learn from each other", sisters.size()),
                 fmt::format("give {} of one model, or no fleet.prior", kFewestSisters)};
  if (!prior_term(model.prior.kind).is_distance())
    return Error{"fleet.prior", "sisters need the metric prior", "leave estimation.prior as it is"};
  const int P = model.layout.num_parameters();
  for (const Sister& sister : sisters) {
    const NormalEquations& all = sister.equations;
    if (all.G.rows() != P || all.b.size() != P || sister.least_squares.size() != P || !all.G.allFinite() ||
        !all.b.allFinite() || !sister.least_squares.allFinite() || !(all.num_rows > 0))
      return Error{"sisters", "moments are not finite, or of another layout", "look for NaN in the logs"};
  }
  return Done{};
}

}  // namespace

struct Family::State {
  FamilyModel model;
  int num_threads = 1;
  std::vector<Sister> sisters;
  Coordinates coordinates;
  FamilyLayout family;
  std::vector<Member> members;
  Belief before_last, last;
  Sums sums;
  std::vector<Belief> others;                        ///< of every member, without it
  std::vector<double> typical;                       ///< ratio of a group's discrepancy
  std::vector<std::vector<double>> improbabilities;  ///< of what members were released for, by group

  /// Evidence of all.
  void look() {
    coordinates = make_coordinates(model, sisters);
    const auto n = static_cast<Eigen::Index>(coordinates.size());
    family = {.group = coordinates.group,
              .is_of_body = std::vector<bool>(coordinates.group.size(), false),
              .file = Eigen::VectorXd::Zero(n),
              .num_groups = static_cast<int>(coordinates.groups.size())};
    for (std::size_t b = 0; b < coordinates.first.size(); ++b) {
      if (coordinates.first[b] < 0) continue;
      // svec of the unit matrix: columns of the lower triangle of 4 x 4
      for (const int diagonal : {0, 4, 7, 9}) family.file[coordinates.first[b] + diagonal] = 1;
      std::fill_n(family.is_of_body.begin() + coordinates.first[b], 10, true);
    }
    members.resize(sisters.size());
    parallel_for(static_cast<std::int64_t>(sisters.size()), num_threads, [&](std::int64_t r, int) {
      const auto at = static_cast<std::size_t>(r);
      members[at].information = information_of(sisters[at], coordinates, model.rows_worth_one);
      members[at].released.resize(coordinates.groups.size(), false);
    });
  }

  Belief learned(const std::vector<Member>& from, Belief belief, Belief* before, Sums* of) const {
    for (int round = 0; round < kRounds; ++round) {
      if (before) *before = belief;
      belief = next_belief(family, from, belief, num_threads, of);
    }
    return belief;
  }

  /// Mean and scatter of all, then those of everybody's sisters.
  void learn() {
    last = learned(members, starting_belief(family), &before_last, &sums);
    others.resize(members.size());
    parallel_for(static_cast<std::int64_t>(members.size()), num_threads, [&](std::int64_t r, int) {
      const auto at = static_cast<std::size_t>(r);
      others[at] = members.size() > kSmallFleet ? belief_without(family, members[at], before_last, last, sums)
                                                : learned_without(at);
    });
  }

  /// From the start, since few robots would still see their own share in scatter that was learned with it.
  Belief learned_without(std::size_t index) const {
    std::vector<Member> rest;
    for (std::size_t r = 0; r < members.size(); ++r)
      if (r != index) rest.push_back(members[r]);
    Belief belief = starting_belief(family);
    for (int round = 0; round < kRounds; ++round) belief = next_belief(family, rest, belief, 1, nullptr);
    return belief;
  }

  /// Whether anything was.
  bool release() {
    std::vector<std::vector<Discrepancy>> all(members.size());
    parallel_for(static_cast<std::int64_t>(members.size()), num_threads, [&](std::int64_t r, int) {
      const auto at = static_cast<std::size_t>(r);
      all[at] = discrepancies(family, members[at], others[at]);
    });
    typical = typical_ratios(all);
    std::atomic<bool> has_released = false;
    parallel_for(static_cast<std::int64_t>(members.size()), num_threads, [&](std::int64_t r, int) {
      const auto at = static_cast<std::size_t>(r);
      if (release_strangers(family, others[at], typical, members[at], improbabilities[at]))
        has_released = true;
    });
    return has_released;
  }

  bool is_finite() const {
    const auto is = [](const Belief& belief) {
      return belief.mean.allFinite() && belief.covariance.allFinite() && belief.variance.allFinite();
    };
    return is(last) && std::all_of(others.begin(), others.end(), is);
  }

  SisterPrior prior(const Member& member, const Belief& belief, const std::vector<double>& improbability,
                    std::size_t num_sisters) const;
};

Family::Family(std::unique_ptr<State> state) : state_(std::move(state)) {}
Family::Family(Family&&) noexcept = default;
Family::~Family() = default;

Result<Family> Family::learn(FamilyModel model, std::vector<Sister> sisters, int num_threads) {
  HEFT_CHECK(check(model, sisters));
  auto state = std::make_unique<State>();
  state->model = std::move(model), state->sisters = std::move(sisters), state->num_threads = num_threads;
  state->look();
  state->learn();
  state->improbabilities.assign(state->members.size(), std::vector<double>(state->coordinates.groups.size()));
  for (int times = 0; times < kMostReleases && state->release(); ++times) state->learn();
  if (!state->is_finite())
    return Error{"sisters", "their logs leave no prior that is a finite number",
                 "look at what heft fleet check says of them, or take no fleet.prior"};
  return Family(std::move(state));
}

SisterPrior Family::State::prior(const Member& member, const Belief& belief,
                                 const std::vector<double>& improbability, std::size_t num_sisters) const {
  const ParameterLayout& layout = model.layout;
  SisterPrior made{.num_sisters = static_cast<int>(num_sisters)};
  const auto is_released = [&](int place) {
    return member.released[static_cast<std::size_t>(family.group[static_cast<std::size_t>(place)])];
  };
  const auto deviation = [&](int place) {
    return std::sqrt(belief.variance[family.group[static_cast<std::size_t>(place)]]);
  };
  for (int body = 0; body < layout.num_bodies(); ++body) {
    const int first = coordinates.first[static_cast<std::size_t>(body)];
    made.bodies.emplace_back();
    if (first >= 0 && !is_released(first))
      made.bodies.back() = {body_at(coordinates, first, layout.index(body, core::kMass), belief.mean),
                            coordinates.metric[static_cast<std::size_t>(body)], deviation(first)};
  }
  for (int k = 0; k < layout.num_columns(); ++k) {
    const int place = coordinates.column[static_cast<std::size_t>(k)];
    made.columns.emplace_back();
    if (place >= 0 && !is_released(place))
      made.columns.back() = {belief.mean[place] * coordinates.unit[k],
                             deviation(place) * coordinates.unit[k]};
  }
  for (std::size_t g = 0; g < improbability.size(); ++g)
    if (member.released[g]) made.released.push_back({coordinates.groups[g], improbability[g]});
  std::stable_sort(made.released.begin(), made.released.end(),
                   [](const auto& a, const auto& b) { return a.improbability > b.improbability; });

  // V + V D C D V; where it is released, the robot has what the file says for a prior, as wrong as the file is
  const Eigen::Index n = family.file.size();
  Eigen::VectorXd D(n), of_mean(n), before(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double variance = belief.variance[family.group[at]];
    const bool is_own = is_released(static_cast<int>(k));
    before[k] = family.is_of_body[at] ? belief.file_variance + variance : belief.covariance(k, k) + variance;
    D[k] = 1 / (is_own ? before[k] : variance);
    of_mean[k] = is_own ? 0 : D[k];
  }
  Eigen::MatrixXd A = member.information.H;
  A.diagonal() += D;
  const Eigen::MatrixXd V = A.llt().solve(Eigen::MatrixXd::Identity(n, n));
  const Eigen::MatrixXd VD = V * of_mean.asDiagonal();
  const Eigen::MatrixXd after = V + VD * belief.covariance * VD.transpose();
  const Eigen::MatrixXd& S = coordinates.S;
  const Eigen::VectorXd variance = (S * after).cwiseProduct(S).rowwise().sum();
  const Eigen::VectorXd at_first = S.cwiseAbs2() * before;
  made.standard_error = variance.cwiseMax(0).cwiseSqrt();
  made.file_share = Eigen::VectorXd::Ones(variance.size());
  for (Eigen::Index k = 0; k < variance.size(); ++k)
    if (at_first[k] > 0) made.file_share[k] = std::clamp(variance[k] / at_first[k], 0.0, 1.0);
  return made;
}

SisterPrior Family::prior_of(std::size_t index) const {
  const State& state = *state_;
  return state.prior(state.members[index], state.others[index], state.improbabilities[index],
                     state.members.size() - 1);
}

SisterPrior Family::prior_of(const Sister& other) const {
  const State& state = *state_;
  Member member{information_of(other, state.coordinates, state.model.rows_worth_one),
                std::vector<bool>(state.coordinates.groups.size(), false)};
  std::vector<double> improbabilities(member.released.size());
  release_strangers(state.family, state.last, state.typical, member, improbabilities);
  return state.prior(member, state.last, improbabilities, state.members.size());
}

}  // namespace heft
