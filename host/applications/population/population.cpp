#include "population/population.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/parallel_for.hpp"
#include "outlying.hpp"
#include "solve/prior_term.hpp"

namespace heft {

using namespace population;  // content of this file

namespace {

constexpr int kRounds = 40;
constexpr int kMaxReleases = 6;          ///< rounds of refitting without released robots
constexpr std::size_t kSmallFleet = 12;  ///< up to so many, the others are learned from by
                                         ///< themselves for every robot

Result<Done> check(const PopulationModel& model, const PopulationRobot& robot) {
  const int P = model.layout.num_parameters();
  const NormalEquations& all = robot.equations;
  if (all.G.rows() != P || all.G.cols() != P || all.b.size() != P ||
      robot.least_squares.size() != P || !all.G.allFinite() || !all.b.allFinite() ||
      !robot.least_squares.allFinite() || !(all.num_rows > 0))
    return Error{"fleet.prior", "moments are not finite, or belong to another layout",
                 "check the logs for NaN"};
  return Done{};
}

Result<Done> check(const PopulationModel& model, const std::vector<PopulationRobot>& robots) {
  if (static_cast<int>(robots.size()) < kMinPopulation)
    return Error{
        "fleet.prior",
        fmt::format("the number of robots, {}, is too small for a population "
                    "prior",
                    robots.size()),
        fmt::format("give at least {} of one model, or remove fleet.prior", kMinPopulation)};
  if (!prior_term(model.prior.kind).is_distance())
    return Error{"fleet.prior", "a population prior requires the metric prior",
                 "leave estimation.prior at its default"};
  for (const PopulationRobot& robot : robots) HEFT_CHECK(check(model, robot));
  return Done{};
}

}  // namespace

struct Population::State {
  PopulationModel model;
  int num_threads = 1;
  std::vector<PopulationRobot> robots;
  Coordinates coordinates;
  PopulationLayout population;
  std::vector<Member> members;
  Belief before_last, last;
  Sums sums;
  std::vector<Belief> others;                        ///< of every member, without it
  std::vector<Typical> typical;                      ///< discrepancies, by group
  std::vector<std::vector<double>> improbabilities;  ///< of what members were released for, by
                                                     ///< group

  /// Coordinates and layout of the population, and the data of all robots in them.
  void prepare_members() {
    coordinates = make_coordinates(model, robots);
    const auto n = static_cast<Eigen::Index>(coordinates.size());
    population = {.group = coordinates.group,
                  .is_of_body = std::vector<bool>(coordinates.group.size(), false),
                  .file = Eigen::VectorXd::Zero(n),
                  .num_groups = static_cast<int>(coordinates.groups.size())};
    for (std::size_t b = 0; b < coordinates.first.size(); ++b) {
      if (coordinates.first[b] < 0) continue;
      // svec of the unit matrix: columns of the lower triangle of 4 x 4
      for (const int diagonal : {0, 4, 7, 9}) population.file[coordinates.first[b] + diagonal] = 1;
      std::fill_n(population.is_of_body.begin() + coordinates.first[b], 10, true);
    }
    members.resize(robots.size());
    parallel_for(static_cast<std::int64_t>(robots.size()), num_threads, [&](std::int64_t r, int) {
      const auto at = static_cast<std::size_t>(r);
      members[at].information = information_of(robots[at], coordinates, model.rows_worth_one);
      members[at].released.resize(coordinates.groups.size(), false);
    });
  }

  /// Mean and scatter of all robots, then for each robot those of the others.
  void learn() {
    last = starting_belief(population);
    for (int round = 0; round < kRounds; ++round) {
      before_last = std::move(last);
      last = next_belief(population, members, before_last, num_threads, &sums);
    }
    others.resize(members.size());
    parallel_for(static_cast<std::int64_t>(members.size()), num_threads, [&](std::int64_t r, int) {
      const auto at = static_cast<std::size_t>(r);
      others[at] = members.size() > kSmallFleet
                       ? belief_without(population, members[at], before_last, last, sums)
                       : learned_without(at);
    });
  }

  /// Refits from the start: with few robots, scatter learned with a robot would retain its
  /// influence.
  Belief learned_without(std::size_t index) const {
    std::vector<Member> rest;
    for (std::size_t r = 0; r < members.size(); ++r)
      if (r != index) rest.push_back(members[r]);
    Belief belief = starting_belief(population);
    for (int round = 0; round < kRounds; ++round)
      belief = next_belief(population, rest, belief, 1, nullptr);
    return belief;
  }

  /// Reevaluates all robots with the current mean: outliers may have biased the mean against which
  /// a robot was released. Returns whether anything changed.
  bool release() {
    std::vector<Member> judged = members;
    std::vector<std::vector<Discrepancy>> all(members.size());
    parallel_for(static_cast<std::int64_t>(members.size()), num_threads, [&](std::int64_t r, int) {
      const auto at = static_cast<std::size_t>(r);
      judged[at].released.assign(coordinates.groups.size(), false);
      all[at] = discrepancies(population, judged[at], others[at]);
    });
    typical = typical_discrepancies(all);
    improbabilities.assign(members.size(), std::vector<double>(coordinates.groups.size()));
    std::atomic<bool> has_changed = false;
    parallel_for(static_cast<std::int64_t>(members.size()), num_threads, [&](std::int64_t r, int) {
      const auto at = static_cast<std::size_t>(r);
      release_strangers(population, others[at], typical, std::move(all[at]), judged[at],
                        improbabilities[at]);
      if (judged[at].released != members[at].released) has_changed = true;
    });
    members = std::move(judged);
    return has_changed;
  }

  bool is_finite() const {
    const auto is = [](const Belief& belief) {
      return belief.mean.allFinite() && belief.covariance.allFinite() &&
             belief.variance.allFinite();
    };
    return is(last) && std::all_of(others.begin(), others.end(), is);
  }

  PopulationPrior prior(const Member& member, const Belief& belief,
                        const std::vector<double>& improbability, std::size_t num_robots) const;
};

Population::Population(std::unique_ptr<State> state) : state_(std::move(state)) {}
Population::Population(Population&&) noexcept = default;
Population::~Population() = default;

Result<Population> Population::learn(PopulationModel model, std::vector<PopulationRobot> robots,
                                     int num_threads) {
  HEFT_CHECK(check(model, robots));
  auto state = std::make_unique<State>();
  state->model = std::move(model), state->robots = std::move(robots),
  state->num_threads = num_threads;
  state->prepare_members();
  state->learn();
  for (int times = 0; times < kMaxReleases && state->release(); ++times) state->learn();
  if (!state->is_finite())
    return Error{"fleet.prior", "the logs do not give a finite prior",
                 "check the logs with heft fleet check, or remove fleet.prior"};
  return Population(std::move(state));
}

PopulationPrior Population::State::prior(const Member& member, const Belief& belief,
                                         const std::vector<double>& improbability,
                                         std::size_t num_robots) const {
  const ParameterLayout& layout = model.layout;
  PopulationPrior made{
      .bodies = std::vector<std::optional<PopulationPrior::Body>>(coordinates.first.size()),
      .columns = std::vector<std::optional<PopulationPrior::Column>>(coordinates.column.size()),
      .standard_error = Eigen::VectorXd::Zero(layout.num_parameters()),
      .file_share = Eigen::VectorXd::Ones(layout.num_parameters()),
      .num_robots = static_cast<int>(num_robots)};
  for (std::size_t g = 0; g < improbability.size(); ++g)
    if (member.released[g]) made.released.push_back({coordinates.groups[g], improbability[g]});
  std::stable_sort(made.released.begin(), made.released.end(),
                   [](const auto& a, const auto& b) { return a.improbability > b.improbability; });
  if (made.is_of_a_stranger()) return made;

  const auto deviation = [&](int place) {
    return std::sqrt(belief.variance[population.group[static_cast<std::size_t>(place)]]);
  };
  for (int body = 0; body < layout.num_bodies(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    if (const int first = coordinates.first[b]; first >= 0)
      made.bodies[b] = {body_at(coordinates, first, layout.index(body, core::kMass), belief.mean),
                        coordinates.metric[b], deviation(first)};
  }
  for (int k = 0; k < layout.num_columns(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (const int place = coordinates.column[at]; place >= 0)
      made.columns[at] = {belief.mean[place] * coordinates.unit[k],
                          deviation(place) * coordinates.unit[k]};
  }

  // variance with the robot's own logs: V + V D C D V; without any: that of the mean and the
  // scatter about it
  const MemberShare share = share_of(population, member, belief);
  const Eigen::MatrixXd VD = share.V * share.D.asDiagonal();
  const Eigen::MatrixXd after = share.V + VD * belief.covariance * VD.transpose();
  Eigen::VectorXd before = share.D.cwiseInverse();
  for (Eigen::Index k = 0; k < before.size(); ++k)
    before[k] += population.is_of_body[static_cast<std::size_t>(k)] ? belief.file_variance
                                                                    : belief.covariance(k, k);
  const Eigen::MatrixXd& S = coordinates.S;
  const Eigen::VectorXd variance = (S * after).cwiseProduct(S).rowwise().sum();
  const Eigen::VectorXd at_first = S.cwiseAbs2() * before;
  made.standard_error = variance.cwiseMax(0).cwiseSqrt();
  for (Eigen::Index k = 0; k < variance.size(); ++k)
    if (at_first[k] > 0) made.file_share[k] = std::clamp(variance[k] / at_first[k], 0.0, 1.0);
  return made;
}

PopulationPrior Population::prior_of(std::size_t index) const {
  const State& state = *state_;
  return state.prior(state.members[index], state.others[index], state.improbabilities[index],
                     state.members.size() - 1);
}

Result<PopulationPrior> Population::prior_of(const PopulationRobot& other) const {
  const State& state = *state_;
  HEFT_CHECK(check(state.model, other));
  Member member{information_of(other, state.coordinates, state.model.rows_worth_one),
                std::vector<bool>(state.coordinates.groups.size(), false)};
  std::vector<double> improbabilities(member.released.size());
  release_strangers(state.population, state.last, state.typical,
                    discrepancies(state.population, member, state.last), member, improbabilities);
  return state.prior(member, state.last, improbabilities, state.members.size());
}

}  // namespace heft
