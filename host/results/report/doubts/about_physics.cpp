#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "doubts.hpp"
#include "option_names.hpp"
#include "summary_sentences.hpp"

namespace heft::doubts {

namespace {

constexpr double kHighPrice = 0.1;  ///< of the squared error, for being physical
// clean logs of small legs: prices of a tenth and more at errors up to 3 %, suspicious channels of
// 0.5 and 2.4 %; a geared wrist (UR10, friction is half of its torque) 6.6 %
constexpr double kLargeForPrice = 0.04;  ///< relative error of all torques
constexpr double kPoorChannel = 0.1;     ///< relative error of a channel
constexpr double kMassRatio = 0.27;      ///< log of the whole robot's mass over that of its file
constexpr double kToldByTorques = 0.5;   ///< share of that, in what the bodies make of torque
constexpr double kAbsurdMass = 0.02;     ///< of the mass in the file
constexpr double kHeavyBody = 0.01;      ///< of the robot: lighter ones are poorly known

/// A wrong unit or sign leaves a large error.
bool fits_poorly(const Identification& identification, int channel) {
  const ChannelErrors& errors =
      identification.answer().training.channels[static_cast<std::size_t>(channel)];
  return !(errors.rms_error <= kPoorChannel * errors.rms_torque);
}

void about_price(const Identification& identification, List& list) {
  if (!identification.optimum || !identification.optimum->price) return;
  const double price = identification.optimum->price->relative;
  if (!(price > kHighPrice)) return;
  const bool shows = identification.answer().training.overall_relative > kLargeForPrice;
  list.push_back({.id = "price-of-physics",
                  .serious = shows,
                  .words = fmt::format(
                      "Physical consistency raises the squared error by {:.0f} %{}.", 100 * price,
                      shows ? ": a torque is scaled wrongly, or the model is incomplete"
                            : ", which is small")});
  const RegressorPlan& plan = identification.plan();
  for (const int c : identification.optimum->suspicious_channels)
    list.push_back(
        {.id = "channel-suspicious",
         .serious = fits_poorly(identification, c),
         .joint = plan.channels[static_cast<std::size_t>(c)].name,
         .words = fmt::format(
             "Suspicious: {} is inconsistent with every physically consistent model; excluding "
             "it removes most of the constraint cost.",
             plan.channels[static_cast<std::size_t>(c)].name),
         .remedy = "Check its unit, sign and gear ratio, and whether it is a torque."});
}

/// Whether the prior is costly and held-out or training logs are predicted better almost without
/// it.
void about_price_of_prior(const Identification& identification, List& list) {
  constexpr double kHelps = 0.97;  // error left, relative
  const auto& reference = identification.second_pass.evidence.reference;
  if (!identification.optimum || !identification.optimum->price_of_prior || !reference) return;
  const double price = identification.optimum->price_of_prior->relative;
  if (!(price > kHighPrice) || !(reference->without_prior < kHelps) ||
      identification.choices.weight_of_prior)
    return;
  list.push_back(
      {.id = "price-of-prior",
       .words =
           fmt::format("The prior raises the squared error by {:.0f} %: with almost no prior, "
                       "the {} logs are predicted {} times as well.",
                       100 * price, identification.answer().validation ? "held-out" : "training",
                       two_digits(1 / reference->without_prior)),
       .remedy = "Try --prior-weight auto, which chooses the weight by cross-validation."});
}

/// The file's values of a body: the prior, unless it has no weight.
const BodyParameters& in_file(const Identification& identification, int body) {
  const auto& references = identification.setup.prior.references;
  if (body < static_cast<int>(references.size())) return references[static_cast<std::size_t>(body)];
  const RegressorPlan& plan = identification.plan();
  return plan.robot
      .bodies[static_cast<std::size_t>(plan.layout.body_index[static_cast<std::size_t>(body)])]
      .prior;
}

double mass_in_file(const Identification& identification, int body) {
  return in_file(identification, body)[core::kMass];
}

double mass_of_file(const Identification& identification) {
  double sum = 0;
  for (int i = 0; i < identification.plan().layout.num_bodies(); ++i)
    sum += mass_in_file(identification, i);
  return sum;
}

/// kTotalMass: the robot was weighed on a scale.
bool has_known_total(const Identification& identification) {
  const LinearConstraint known = total_mass(identification.plan().layout, 1);
  const auto& linear = identification.setup.constraints.linear;
  return std::any_of(linear.begin(), linear.end(),
                     [&](const LinearConstraint& one) { return one.terms == known.terms; });
}

/// Ratio of the torques of the result's bodies to those of the file's, in the training logs:
/// x0' G x / x0' G x0.
double torque_scale_of_bodies(const Identification& identification) {
  const ParameterLayout& layout = identification.plan().layout;
  const int num_inertial = core::kNumParameters * layout.num_bodies();
  const Eigen::MatrixXd G =
      normal_equations(identification.data.moments, identification.channel_weights)
          .G.topLeftCorner(num_inertial, num_inertial);
  Eigen::VectorXd of_file(num_inertial);
  for (int i = 0; i < layout.num_bodies(); ++i)
    of_file.segment<core::kNumParameters>(core::kNumParameters * i) = in_file(identification, i);
  const Eigen::VectorXd torques = G * of_file;
  return torques.dot(identification.answer().parameters.head(num_inertial)) / torques.dot(of_file);
}

void about_masses(const Identification& identification, List& list) {
  if (!identification.optimum) return;  // the impossible bodies of least squares show it
  const RegressorPlan& plan = identification.plan();
  const double whole = mass_of_file(identification);
  double found = 0, of_file = 0;
  for (int i = 0; i < plan.layout.num_bodies(); ++i) {
    const Body& body =
        plan.robot
            .bodies[static_cast<std::size_t>(plan.layout.body_index[static_cast<std::size_t>(i)])];
    const Prior& prior = identification.setup.prior;
    const bool unknown = prior.weight_of(i) <= kUnknownShare * prior.weight;
    if (body.is_rotor || identification.setup.prior.held[static_cast<std::size_t>(i)] || unknown)
      continue;
    const double mass = identification.answer().parameters[plan.layout.index(i, core::kMass)],
                 believed = mass_in_file(identification, i);
    found += mass;
    of_file += believed;
    if (believed > kHeavyBody * whole && mass < kAbsurdMass * believed)
      list.push_back(
          {.id = "mass-absurd",
           .serious = kSerious,
           .subject = plan.layout.bodies[static_cast<std::size_t>(i)],
           .words = fmt::format("{} would weigh {:.2g} kg, but the robot file says {:.3g} kg.",
                                plan.layout.bodies[static_cast<std::size_t>(i)], mass, believed),
           .remedy = fmt::format("Check units and signs of the torques; raise {}.",
                                 option_names::kPriorWeight)});
  }
  if (has_known_total(identification)) return;  // settled
  const double ratio = std::log(found / of_file);
  if (!(of_file > 0) || !(found > 0) || std::abs(ratio) < kMassRatio) return;
  // undetermined masses drift while the torques match the file's robot
  const bool is_told = std::log(torque_scale_of_bodies(identification)) / ratio > kToldByTorques;
  list.push_back(
      {.id = "total-scale",
       .serious = is_told,
       .words = fmt::format(
           "The total mass is {:.3g} kg, against {:.3g} kg in the robot file: {}.", found, of_file,
           is_told
               ? "no log can distinguish a different total mass from one scale error common to all "
                 "torques"
               : "the torques do not require this difference, and the motion hardly "
                 "determines masses"),
       .remedy = fmt::format(
           "Weigh the robot ({}), or {}.", option_names::kTotalMass,
           is_told ? "check the torque constants" : "train on a motion with more excitation")});
}

/// A payload whose mass and place were estimated; nothing if none was.
bool about_estimated_payload(const Identification& identification, List& list) {
  const auto& hypotheses = identification.second_pass.evidence.hypotheses;
  const auto payload = std::find_if(hypotheses.begin(), hypotheses.end(),
                                    [](const Hypothesis& h) { return h.id == "payload"; });
  if (payload == hypotheses.end()) return false;
  std::string yaml = payload->yaml;
  while (!yaml.empty() && yaml.back() == '\n') yaml.pop_back();
  list.push_back(
      {.id = "payload",
       .words = fmt::format("The robot file may lack a tool or a payload: {} of {:.3g} kg (95 % "
                            "{:.3g} to {:.3g}) explains why the result differs from the file "
                            "(log-likelihood ratio {:.3g}).",
                            "A" + payload->subject.substr(1), payload->value, payload->lower,
                            payload->upper, payload->gain_training),
       .remedy = "Add it to the robot file, or add to the configuration: " + yaml});
  return true;
}

/// A last body much heavier than in the file, on a robot that otherwise matches its file.
void about_payload(const Identification& identification, List& list) {
  constexpr double kMore = 0.5, kOfRobot = 0.03,
                   kAlike = 0.15;  // of the body's mass; of the robot's; of that of the rest
  if (!identification.optimum || about_estimated_payload(identification, list)) return;
  const RegressorPlan& plan = identification.plan();
  const ParameterLayout& layout = plan.layout;
  std::vector<bool> carries(plan.robot.bodies.size(), false);
  for (const Body& body : plan.robot.bodies)
    if (body.parent >= 0 && !body.is_rotor) carries[static_cast<std::size_t>(body.parent)] = true;
  const double whole = mass_of_file(identification);
  double found = 0;
  for (int i = 0; i < layout.num_bodies(); ++i)
    found += identification.answer().parameters[layout.index(i, core::kMass)];
  for (int i = 0; i < layout.num_bodies(); ++i) {
    const auto index = static_cast<std::size_t>(layout.body_index[static_cast<std::size_t>(i)]);
    const int mass = layout.index(i, core::kMass);
    if (carries[index] || plan.robot.bodies[index].is_rotor ||
        identification.optimum->uncertainty.is_set_by_prior(mass))
      continue;
    const double believed = mass_in_file(identification, i),
                 more = identification.answer().parameters[mass] - believed;
    const bool rest_is_alike = std::abs(found - more - whole) < kAlike * whole;
    if (!(more > kMore * believed) || !(more > kOfRobot * whole) || !rest_is_alike) continue;
    list.push_back(
        {.id = "payload",
         .words = fmt::format("{} weighs {:.2g} kg more than the robot file says, while the rest "
                              "agrees with it: the file may lack a tool or a payload.",
                              layout.bodies[static_cast<std::size_t>(i)], more),
         .remedy = "Add it to the robot file; heft payload --model identifies it separately."});
  }
}

}  // namespace

void about_physics(const Identification& identification, List& list) {
  if (!identification.answer().impossible_bodies.empty())
    list.push_back(
        {.id = "bodies-impossible",
         .serious = kSerious,
         .words = "A simulator will reject the physically impossible bodies.",
         .remedy = identification.optimum
                       ? "Set estimation.consistency: full, and leave estimation.margin at 1e-6."
                       : "Use the default solver."});
  if (identification.optimum && !identification.optimum->certificate.certified)
    list.push_back({.id = "not-certified",
                    .serious = kSerious,
                    .words = "The result has no certificate: " +
                             identification.optimum->certificate.verdict + "."});
  about_price(identification, list);
  about_price_of_prior(identification, list);
  about_masses(identification, list);
  about_payload(identification, list);
  const std::vector<std::string> bounding = bounding_words(identification);
  for (std::size_t k = 1; k < bounding.size(); ++k)  // 0: what is bounded
    list.push_back({.id = "mass-outside-shape", .words = sentence(bounding[k])});
}

}  // namespace heft::doubts
