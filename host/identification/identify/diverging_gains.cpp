#include "diverging_gains.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "model/least_travel.hpp"
#include "training/reported_run.hpp"

namespace heft {

namespace {

/// Returns which coordinates move in a log.
Result<std::vector<bool>> moving_in(const Log& log, const Setup& setup,
                                    const IdentifyRequest& request) {
  const std::vector<Coordinate>& coordinates = setup.plan().robot.coordinates;
  SampleSource source({log}, setup.model, request.gathering, request.gathering.max_samples);
  source.keep_nothing();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Eigen::ArrayXd low = Eigen::ArrayXd::Constant(std::ssize(coordinates), kInfinite), high = -low;
  const auto widen = [&](int, const Samples& block) -> Result<Done> {
    if (block.size() == 0) return Done{};
    low = low.min(block.position.colwise().minCoeff().transpose());
    high = high.max(block.position.colwise().maxCoeff().transpose());
    return Done{};
  };
  HEFT_CHECK(reported_run(source, widen, request.progress, "looking for joints at rest"));
  std::vector<bool> moves;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    moves.push_back(high[at] - low[at] >= least_travel(coordinates[k]));
  }
  return moves;
}

/// Logs with a payload in which nothing moves, and joints that move in no log.
struct AtRest {
  std::vector<std::string> logs;
  std::vector<bool> coordinates;
};

Result<AtRest> at_rest(const IdentifyRequest& request, const Setup& setup) {
  AtRest found;
  found.coordinates.assign(setup.plan().robot.coordinates.size(), true);
  for (const Log& log : request.training_logs) {
    HEFT_TRY(moves, moving_in(log, setup, request));
    bool any = false;
    for (std::size_t k = 0; k < moves.size(); ++k) {
      any = any || moves[k];
      found.coordinates[k] = found.coordinates[k] && !moves[k];
    }
    if (!any && setup.model.derived_of(log.name()).payload) found.logs.push_back(log.name());
  }
  return found;
}

std::vector<std::string> joints_with_gain(const RegressorPlan& plan,
                                          const std::vector<bool>& coordinates) {
  std::vector<std::string> joints;
  for (const Column& column : plan.layout.columns) {
    if (column.effect != ColumnEffect::gain) continue;
    const Channel& channel = plan.channels[static_cast<std::size_t>(column.terms.front().channel)];
    if (coordinates[static_cast<std::size_t>(channel.coordinate)])
      joints.push_back(column.joints.front());
  }
  return joints;
}

}  // namespace

Error diverging_gains(const IdentifyRequest& request, const ModelOptions& model, double change) {
  Error error{
      "columns: gain",
      fmt::format("the gains do not converge: the last round changes them by {:.2g}", change),
      "reduce sd, add a log with a weighed payload (payloads), or limit gain to joints: [..]"};
  const auto setup = with_model(request.setup, model);
  if (!setup) return setup.error();
  const auto found = at_rest(request, *setup);
  if (!found) return found.error();
  if (!found->logs.empty()) {
    error.what +=
        fmt::format("; no joint moves in {}, logged with a payload", fmt::join(found->logs, ", "));
    error.remedy = "record the payload in motion (heft excite), or remove the log and its payload";
    return error;
  }
  const std::vector<std::string> joints = joints_with_gain(setup->plan(), found->coordinates);
  if (joints.empty()) return error;
  error.what += fmt::format("; joints at rest in all logs, perhaps held by brakes: {}",
                            fmt::join(joints, ", "));
  error.remedy =
      fmt::format("move these joints, or exclude their torques: joints: {{exclude: [{}]}}",
                  fmt::join(joints, ", "));
  return error;
}

}  // namespace heft
