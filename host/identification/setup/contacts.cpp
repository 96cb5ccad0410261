#include "contacts.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "contact_states.hpp"
#include "setup/load.hpp"

namespace heft {

namespace {

Result<Done> check(const ContactSpec& contact, const Robot& robot, const BaseSource& base) {
  const std::string where = "contacts: " + contact.frame;
  if (!(contact.widen_s >= 0) || !(contact.widen_s <= 1))
    return Error{where, "widen_s must be between 0 and 1 s", "10 to 25 ms suit most flags"};
  if (!(contact.radius >= 0) || !std::isfinite(contact.radius))
    return Error{where, "radius must be a finite number of at least 0 m",
                 "give the sphere's radius"};
  if (contact.radius > 0 && contact.type != ContactType::point)
    return Error{where, "only a point contact has a radius", "remove radius, or set type: point"};
  if (contact.radius > 0 && robot.floating_base && base.pose.empty())
    return Error{where, "the lowest point of a sphere needs the orientation of the base",
                 "name its columns in base.pose, or set radius: 0"};
  const auto num_columns = contact.state.force.size();
  if (num_columns > 3)
    return Error{where, "state names " + std::to_string(num_columns) + " columns of force",
                 "name 1 to 3 columns of the log"};
  if (num_columns > 0 &&
      (!(contact.state.threshold > 0) || !std::isfinite(contact.state.threshold)))
    return Error{where, "the threshold of a force must be positive",
                 "give about a tenth of the force of a standing foot, in the unit of its columns"};
  return Done{};
}

std::vector<int> components_of(const ContactSpec& contact) {
  switch (contact.type) {
    case ContactType::point:
      return {0, 1, 2};
    case ContactType::plane:
      return {0, 1, 2, 3, 4, 5};
    case ContactType::line:
      break;
  }
  std::vector<int> components = {0, 1, 2};
  for (int axis = 0; axis < 3; ++axis)
    if (axis != static_cast<int>(contact.axis)) components.push_back(3 + axis);
  return components;
}

BlockFunction contact_function(const PlanPtr& plan, const PlacedContact& contact) {
  const ContactState& state = contact.spec.state;
  BlockFunction function{
      .where = "contacts: " + contact.spec.frame,
      .columns = state.column.empty() ? state.force : std::vector<std::string>{state.column},
      .signals = {},
      .apply = {}};
  for (int s = 0; s < contact.num_signals(); ++s)
    function.signals.push_back(contact.level_signal + s);
  function.apply = [plan, contact](const BlockInputs& inputs, Samples& block) -> Result<Done> {
    const bool is_flag = !contact.spec.state.column.empty();
    ComponentRows component_rows;
    for (Eigen::Index i = 0; i < block.size(); ++i) {
      block.signal(i, contact.level_signal) =
          is_flag ? inputs.logged(i, 0) : inputs.logged.row(i).matrix().norm();
      const Eigen::MatrixXd& rows =
          component_rows.at(*plan, contact.wrench, block, inputs.orientation, i);
      int signal = contact.first_signal;
      for (const int k : contact.components)
        for (const int c : contact.wrench.channels) block.signal(i, signal++) = rows(c, k);
    }
    return Done{};
  };
  return function;
}

/// 1 N for forces, a third of the distance from the base to the contacts for torques.
Eigen::VectorXd default_noise(const RegressorPlan& plan,
                              const std::vector<PlacedContact>& contacts) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(plan.robot.num_coordinates());
  double distance = 0;
  for (const PlacedContact& contact : contacts)
    distance += frame_rows(plan, contact.wrench.place.body, contact.wrench.place.X_body_link, zero)
                    .X_base_frame.translation()
                    .norm() /
                static_cast<double>(contacts.size());
  const double lever = distance > 0 ? distance / 3 : 1;
  Eigen::VectorXd noise = Eigen::VectorXd::Constant(plan.num_channels(), lever);
  for (int c = 0; c < plan.num_channels(); ++c) {
    const Channel& channel = plan.channels[static_cast<std::size_t>(c)];
    if (channel.coordinate < 0 && channel.angular.isZero(0)) noise[c] = 1;
  }
  return noise;
}

Result<Eigen::VectorXd> noise_of(const ModelOptions& options, const RegressorPlan& plan,
                                 const std::vector<PlacedContact>& contacts) {
  const std::vector<double>& given = options.channel_noise;
  if (given.empty()) return default_noise(plan, contacts);
  const bool is_valid =
      std::ranges::all_of(given, [](double s) { return s > 0 && std::isfinite(s); });
  if (!is_valid || std::ssize(given) != plan.num_channels())
    return Error{
        "load.noise",
        "must have " + std::to_string(plan.num_channels()) + " positive numbers, one per channel",
        "remove it: heft identify estimates it"};
  return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(given.data(), std::ssize(given)));
}

double weight_of(const std::vector<double>& inertia, const Eigen::Vector3d& gravity) {
  double mass = 0;
  for (std::size_t k = 0; k < inertia.size(); k += core::kNumParameters) mass += inertia[k];
  return mass * gravity.norm();
}

}  // namespace

std::vector<ContactSpec> projected_contacts(const ModelOptions& options) {
  std::vector<ContactSpec> projected;
  for (const ContactSpec& contact : options.contacts) {
    const bool is_measured = options.contact_forces == ContactForces::measured &&
                             std::ranges::any_of(options.wrenches, [&](const WrenchSpec& wrench) {
                               return wrench.frame == contact.frame;
                             });
    if (!is_measured) projected.push_back(contact);
  }
  return projected;
}

Result<std::vector<PlacedContact>> place_contacts(const Robot& robot,
                                                  const std::vector<Channel>& channels,
                                                  const ModelOptions& options) {
  std::vector<PlacedContact> placed;
  std::set<std::string> frames;
  for (const ContactSpec& contact : projected_contacts(options)) {
    HEFT_CHECK(check(contact, robot, options.base));
    if (!frames.insert(contact.frame).second)
      return Error{"contacts: " + contact.frame, "is given twice", "remove one"};
    HEFT_TRY(place, find_link(robot, contact.frame, "contacts: frame '" + contact.frame + "'"));
    WrenchSpec wrench{.name = contact.frame, .frame = contact.frame};
    wrench.columns.resize(6);
    wrench.radius = contact.radius;
    placed.push_back(
        {contact, {wrench, place, felt_by(robot, channels, place.body)}, components_of(contact)});
  }
  return placed;
}

void add_signals(PlacedContact& contact, DerivedSignals& derived) {
  contact.level_signal = static_cast<int>(derived.signals.size());
  contact.first_signal = contact.level_signal + 1;
  for (int s = 0; s < contact.num_signals(); ++s) {
    derived.signals.emplace_back();
    derived.signal_names.push_back("contacts: " + contact.spec.frame);
  }
}

FootSignals signals_of(const PlacedContact& contact, int index) {
  FootSignals foot = signals_of(contact.wrench);
  foot.components = contact.components;
  foot.contact = index;
  foot.level_signal = contact.level_signal;
  foot.state = contact.spec.state;
  foot.widen_s = contact.spec.widen_s;
  return foot;
}

Result<Done> project_contacts(const std::vector<PlacedContact>& contacts,
                              const ModelOptions& options, Model& model) {
  const RegressorPlan& plan = *model.plan;
  auto wrenches = std::make_shared<UnknownWrenches>();
  HEFT_TRY(noise, noise_of(options, plan, contacts));
  wrenches->noise = noise;
  ContactJudge judge{contacts, {}, {}, 0};
  for (const Channel& channel : plan.channels) judge.is_joint.push_back(channel.coordinate >= 0);
  for (const PlacedContact& contact : contacts) {
    model.derived.functions.push_back(contact_function(model.plan, contact));
    const auto first = static_cast<int>(wrenches->directions.size());
    const auto count = static_cast<int>(contact.components.size());
    wrenches->contacts.push_back({contact.spec.frame, contact.level_signal, first, count});
    for (int k = 0; k < count; ++k) wrenches->directions.push_back(contact.direction(k));
    wrenches->reach_s = std::max(wrenches->reach_s, contact.spec.widen_s);
    if (!contact.spec.state.is_automatic() || judge.reference) continue;
    const std::vector<double> inertia =
        options.load_inertia.empty() ? inertia_of_file(plan.robot) : options.load_inertia;
    HEFT_TRY(load, make_load(plan.robot, plan.channels, inertia));
    judge.reference = std::move(load);
    judge.weight = weight_of(inertia, plan.robot.gravity);
  }
  wrenches->set_states = std::move(judge);
  model.derived.unknown_wrenches = std::move(wrenches);
  return Done{};
}

}  // namespace heft
