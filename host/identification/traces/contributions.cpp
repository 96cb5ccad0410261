#include "traces/contributions.hpp"

#include "rows/filtered_prediction.hpp"
#include "rows/projected_rows.hpp"

namespace heft {

Contributions::Contributions(const RegressorPlan& plan, const Eigen::VectorXd& parameters)
    : plan_(plan), all_(parameters) {
  const ParameterLayout& layout = plan.layout;
  bodies_ = columns_ = rotors_ = rotor_bodies_ = Eigen::VectorXd::Zero(parameters.size());
  for (int i = 0; i < layout.num_bodies(); ++i) {
    const int first = layout.index(i, core::kMass);
    const auto of_body = parameters.segment<core::kNumParameters>(first);
    bodies_.segment<core::kNumParameters>(first) = of_body;
    if (!plan.robot.bodies[layout.body_index[i]].is_rotor) continue;
    rotors_.segment<core::kNumParameters>(first) = of_body;
    rotor_bodies_.segment<core::kNumParameters>(first) = of_body;
    has_rotors_ = true;
  }
  for (int j = 0; j < layout.num_columns(); ++j) {
    const int k = layout.column_index(j);
    const bool reflected = layout.columns[j].effect == ColumnEffect::rotor_inertia;
    (reflected ? rotors_ : columns_)[k] = parameters[k];
    (reflected ? has_rotors_ : has_columns_) = true;
  }
  names_ = {"inertia", "gravity"};
  if (has_columns_) names_.push_back(kFriction);
  if (has_rotors_) names_.push_back("rotors");
}

Result<std::vector<Eigen::ArrayXXd>> Contributions::split(const Samples& block,
                                                          const Eigen::ArrayXXd& predicted,
                                                          Backend& backend) const {
  if (has_unknown_wrenches(block)) return split_without_contacts(block, backend);
  const Samples rest = at_rest(block);
  std::vector<PredictJob> jobs = {{&plan_, &rest, &bodies_}};
  if (has_columns_) jobs.push_back({&plan_, &block, &columns_});
  if (has_rotors_) {
    jobs.push_back({&plan_, &block, &rotors_});
    jobs.push_back({&plan_, &rest, &rotor_bodies_});
  }
  std::vector<Eigen::ArrayXXd> torques(jobs.size());
  HEFT_CHECK(predict_as_measured(backend, jobs, torques));
  if (has_rotors_) {
    torques[torques.size() - 2] -= torques.back();
    torques.pop_back();
  }
  Eigen::ArrayXXd inertia = predicted;
  for (const Eigen::ArrayXXd& torque : torques) inertia -= torque;
  torques.insert(torques.begin(), inertia);
  return torques;
}

// Forces at contacts are not contributions of the robot.
Result<std::vector<Eigen::ArrayXXd>> Contributions::split_without_contacts(const Samples& block,
                                                                           Backend& backend) const {
  const Samples free = without_unknown_wrenches(block);
  const PredictJob job{&plan_, &free, &all_};
  Eigen::ArrayXXd predicted;
  HEFT_CHECK(predict_as_measured(backend, {&job, 1}, {&predicted, 1}));
  return split(free, predicted, backend);
}

}  // namespace heft
