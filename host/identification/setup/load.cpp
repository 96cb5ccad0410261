#include "setup/load.hpp"

#include <cctype>
#include <memory>

#include "heft/executor/executor.hpp"

namespace heft {

std::vector<double> inertia_of_file(const Robot& robot) {
  std::vector<double> inertia;
  for (const int body : make_parameter_layout(robot, {}).body_index)
    inertia.insert(inertia.end(), robot.bodies[body].prior.begin(), robot.bodies[body].prior.end());
  return inertia;
}

Result<std::function<Result<Eigen::ArrayXXd>(const Samples& block)>> make_load(
    const Robot& robot, const std::vector<Channel>& channels, const std::vector<double>& inertia) {
  HEFT_TRY(plan, make_regressor_plan(robot, channels, {}));
  const Eigen::VectorXd parameters =
      Eigen::Map<const Eigen::VectorXd>(inertia.data(), static_cast<Eigen::Index>(inertia.size()));
  if (parameters.size() != plan->layout.num_parameters())
    return Error{"load.inertia",
                 "has " + std::to_string(inertia.size()) + " numbers for " +
                     std::to_string(plan->layout.num_bodies()) + " bodies",
                 "give ten per body, or none"};
  // one thread, so that a load is the same bits wherever it is computed
  HEFT_TRY(made, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  const std::shared_ptr<Backend> backend = std::move(made);
  return std::function<Result<Eigen::ArrayXXd>(const Samples&)>(
      [plan, parameters, backend](const Samples& block) -> Result<Eigen::ArrayXXd> {
        Samples motion{.time = block.time,
                       .position = block.position,
                       .velocity = block.velocity,
                       .acceleration = block.acceleration,
                       .base_motion = block.base_motion};
        motion.signal.resize(block.size(), 0);
        const PredictJob job{plan.get(), &motion, &parameters};
        Eigen::ArrayXXd torque;
        HEFT_CHECK(backend->predict({&job, 1}, {&torque, 1}));
        return torque;
      });
}

bool holds_load(const std::string& expression) {
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = expression.find("load"); at != std::string::npos;
       at = expression.find("load", at + 1))
    if (at == 0 || !is_name(expression[at - 1])) return true;
  return false;
}

}  // namespace heft
