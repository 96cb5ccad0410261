#include "beliefs.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "files/name_hint.hpp"
#include "heft/setup/setup.hpp"
#include "heft/solve/least_squares.hpp"
#include "heft/solve/prior.hpp"
#include "linalg/factorizations.hpp"
#include "signal_columns.hpp"

namespace heft::excite {

namespace {

/// Prior size of friction and rotors, relative to the joint's limits, where the robot file has
/// none.
constexpr double kFrictionOfEffort = 0.02, kRotorOfEffort = 0.05, kUnlimitedEffort = 10;

constexpr int kStates = 600;  ///< at which expressions are evaluated

/// Covariance of a body's ten parameters in the metric of its prior: the inverse of H_ij = tr(J^-1
/// E_i J^-1 E_j) / s^2.
Eigen::Matrix<double, 10, 10> body_covariance(const BodyParameters& reference, double deviation) {
  const Eigen::Matrix4d inverse = pseudo_inertia(reference).inverse();
  std::vector<Eigen::Matrix4d> turned;
  for (int i = 0; i < 10; ++i)
    turned.emplace_back(inverse * pseudo_inertia(BodyParameters::Unit(i)));
  Eigen::Matrix<double, 10, 10> H;
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      H(i, j) = (turned[i] * turned[j]).trace() / (deviation * deviation);
  const Eigen::Matrix<double, 10, 1> scale = H.diagonal().array().sqrt().inverse();
  const Eigen::Matrix<double, 10, 10> unit = scale.asDiagonal() * H * scale.asDiagonal();
  return scale.asDiagonal() * unit.llt().solve(Eigen::Matrix<double, 10, 10>::Identity()) *
         scale.asDiagonal();
}

/// A body without mass in the file counts as one gram.
BodyParameters speck() {
  constexpr double kMass = 1e-3, kRadius = 0.01;
  BodyParameters speck = BodyParameters::Zero();
  speck[core::kMass] = kMass;
  speck[core::kIxx] = speck[core::kIyy] = speck[core::kIzz] = 0.4 * kMass * kRadius * kRadius;
  return speck;
}

double value_of(const std::map<std::string, double>& values, const std::string& joint,
                double otherwise) {
  const auto found = values.find(joint);
  return found == values.end() ? otherwise : found->second;
}

Result<Done> check_names(const std::map<std::string, double>& values, const Robot& robot,
                         const char* option) {
  std::vector<std::string> joints;
  for (const Coordinate& coordinate : robot.coordinates) joints.push_back(coordinate.name);
  for (const auto& [joint, value] : values) {
    if (std::find(joints.begin(), joints.end(), joint) == joints.end())
      return Error{option, "the robot has no movable joint '" + joint + "'",
                   name_hint(joint, joints, "it has")};
    if (!(value > 0) || !std::isfinite(value))
      return Error{
          option,
          "the value of " + joint + " must be positive and finite, not " + number_text(value),
          "write a positive number"};
  }
  return Done{};
}

class BeliefMaker {
 public:
  BeliefMaker(const RegressorPlan& plan, const Limits& limits, const BeliefOptions& options)
      : plan_(plan), limits_(limits), options_(options) {}

  Result<Beliefs> make(const TrainingData* known, std::vector<std::string>& notes) {
    HEFT_CHECK(check());
    const int size = plan_.layout.num_parameters();
    beliefs_.covariance = Eigen::MatrixXd::Zero(size, size);
    beliefs_.parameters = Eigen::VectorXd::Zero(size);
    beliefs_.samples_per_second = options_.samples_per_second;
    HEFT_CHECK(put_bodies(notes));
    HEFT_TRY(signals, SignalColumns::make(plan_));
    if (!signals.empty()) {
      HEFT_TRY(sizes, signals.sizes(random_states(limits_, kStates)));
      signal_sizes_ = sizes;
    }
    put_columns();
    put_noise(notes);
    if (known != nullptr) HEFT_CHECK(add_known(*known, notes));
    return beliefs_;
  }

 private:
  Result<Done> check() const {
    HEFT_CHECK(check_names(options_.noise, plan_.robot, "beliefs.noise"));
    HEFT_CHECK(check_names(options_.viscous, plan_.robot, "beliefs.viscous"));
    HEFT_CHECK(check_names(options_.coulomb, plan_.robot, "beliefs.coulomb"));
    HEFT_CHECK(check_names(options_.rotor, plan_.robot, "beliefs.rotor"));
    return Done{};
  }

  Result<Done> put_bodies(std::vector<std::string>& notes) {
    HEFT_TRY(prior, make_prior(plan_.layout, plan_.robot));
    for (int b = 0; b < plan_.layout.num_bodies(); ++b) {
      const BodyParameters reference = prior.held[b] ? speck() : prior.references[b];
      beliefs_.covariance.block<10, 10>(10 * b, 10 * b) =
          body_covariance(reference, options_.relative_inertia);
      beliefs_.parameters.segment<10>(10 * b) = prior.held[b] ? BodyParameters::Zero() : reference;
    }
    for (const PriorRepair& repair : prior.repairs)
      notes.push_back(plan_.layout.bodies[repair.body] + ": " + repair.what);
    return Done{};
  }

  double effort(int k) const {
    return std::isfinite(limits_.effort[k]) ? limits_.effort[k] : kUnlimitedEffort;
  }

  /// Size of the factor of a column's unknown; of several expressions, the first that is not zero
  /// everywhere.
  double size_of(const Column& column) const {
    for (const ColumnTerm& term : column.terms)
      if (term.feature == core::Feature::signal && signal_sizes_[term.source] > 0)
        return signal_sizes_[term.source];
    return 1;
  }

  void put_columns() {
    for (int i = 0; i < plan_.layout.num_columns(); ++i) {
      const Column& column = plan_.layout.columns[i];
      const int k =
          column.terms.empty() ? 0 : plan_.channels[column.terms.front().channel].coordinate;
      const Coordinate& joint = plan_.robot.coordinates[std::max(k, 0)];
      double deviation = kFrictionOfEffort * effort(std::max(k, 0)) / size_of(column), value = 0;
      if (column.effect == ColumnEffect::damping) {
        deviation = value_of(options_.viscous, joint.name, deviation / limits_.size[kVelocity][k]);
        value = joint.damping;
      } else if (column.effect == ColumnEffect::dry_friction) {
        deviation = value_of(options_.coulomb, joint.name, deviation);
        value = joint.friction;
      } else if (column.effect == ColumnEffect::rotor_inertia) {
        deviation = value_of(options_.rotor, joint.name,
                             kRotorOfEffort * effort(k) / limits_.size[kAcceleration][k]);
      }
      const int at = plan_.layout.column_index(i);
      beliefs_.covariance(at, at) = deviation * deviation;
      beliefs_.parameters[at] = value;
    }
  }

  void put_noise(std::vector<std::string>& notes) {
    beliefs_.noise.resize(plan_.num_channels());
    for (int c = 0; c < plan_.num_channels(); ++c) {
      const int k = plan_.channels[c].coordinate;
      beliefs_.noise[c] = value_of(options_.noise, plan_.robot.coordinates[k].name,
                                   options_.noise_of_effort * effort(k));
      if (!std::isfinite(limits_.effort[k]) &&
          !options_.noise.contains(plan_.robot.coordinates[k].name))
        notes.push_back(plan_.robot.coordinates[k].name + ": noise as for an effort limit of " +
                        number_text(kUnlimitedEffort));
    }
  }

  /// Rows of logs are correlated: they count as this many independent rows per second.
  Result<Done> add_known(const TrainingData& known, std::vector<std::string>& notes) {
    HEFT_TRY(of_residuals, weights_of_residuals(known.moments, 3, 1e-7));
    double seconds = 0;
    for (const LogSummary& log : known.logs)
      seconds += static_cast<double>(log.num_samples) * log.sample_period_s;
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(plan_.num_channels());
    for (int c = 0; c < plan_.num_channels(); ++c) {
      const double rows = known.moments.num_rows[c];
      if (!(rows > 0) || !(of_residuals[c] > 0)) continue;
      const double independent =
          seconds > 0 ? std::min(1.0, options_.samples_per_second * seconds / rows) : 1.0;
      if (!options_.noise.contains(plan_.channels[c].name))
        beliefs_.noise[c] = 1 / std::sqrt(of_residuals[c]);
      weights[c] = independent / (beliefs_.noise[c] * beliefs_.noise[c]);
    }
    const Eigen::MatrixXd G = normal_equations(known.moments, weights).G;
    // (C^-1 + G)^-1 = C - C L (1 + L' C L)^-1 L' C without inverting C, whose entries differ by
    // many powers of ten
    const Eigen::VectorXd scale = beliefs_.covariance.diagonal().array().sqrt();
    const Eigen::MatrixXd C =
        scale.cwiseInverse().asDiagonal() * beliefs_.covariance * scale.cwiseInverse().asDiagonal();
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(C.rows(), C.cols());
    const Eigen::MatrixXd M =
        C.llt().solve(identity) + Eigen::MatrixXd(scale.asDiagonal() * G * scale.asDiagonal());
    const Eigen::LLT<Eigen::MatrixXd> factor(Eigen::MatrixXd(0.5 * (M + M.transpose())));
    if (factor.info() != Eigen::Success)
      return Error{"--known", "the moments are not positive definite",
                   "write them again with heft identify --moments"};
    beliefs_.covariance = scale.asDiagonal() * factor.solve(identity) * scale.asDiagonal();
    notes.push_back("known: " + number_text(seconds) +
                    " s of logs; the noise of every channel comes from their residuals");
    return Done{};
  }

  const RegressorPlan& plan_;
  const Limits& limits_;
  const BeliefOptions& options_;
  Eigen::VectorXd signal_sizes_;  ///< rms over states spread over the limits
  Beliefs beliefs_;
};

}  // namespace

Result<PlanPtr> make_excitation_plan(const Robot& robot, const BeliefOptions& options) {
  ModelOptions model;
  model.columns = options.columns;
  HEFT_TRY(made, make_model(robot, model));
  return made.plan;
}

Result<Beliefs> make_beliefs(const RegressorPlan& plan, const Limits& limits,
                             const BeliefOptions& options, const TrainingData* known,
                             std::vector<std::string>& notes) {
  return BeliefMaker(plan, limits, options).make(known, notes);
}

}  // namespace heft::excite
