#include <cmath>

#include "causal_motion.hpp"
#include "heft/executor/executor.hpp"
#include "watch/watcher.hpp"
#include "watched_filter.hpp"

namespace heft {

Result<Moments> watched_sums(const WatchModel& model, const WatchOptions& options,
                             const Eigen::ArrayXXd& position, const Eigen::ArrayXXd& torque) {
  const RegressorPlan& plan = *model.model.plan;
  watch::CausalMotion motion(watch::cutoff_of(model, options), options.rate_hz,
                             plan.robot.num_coordinates(), plan.num_channels());
  const Eigen::Index count = std::max<Eigen::Index>(0, position.rows() - motion.num_settling() + 1);
  Samples samples;
  samples.time =
      Eigen::ArrayXd::LinSpaced(count, 0, static_cast<double>(count - 1) / options.rate_hz);
  samples.position.resize(count, position.cols());
  samples.velocity.resize(count, position.cols());
  samples.acceleration.resize(count, position.cols());
  samples.torque.resize(count, torque.cols());
  samples.weight.setOnes(count, torque.cols());
  for (int c = 0; c < plan.num_channels(); ++c)
    if (!watch::is_used(model, c)) samples.weight.col(c).setZero(), samples.torque.col(c).setZero();
  Eigen::Index row = 0;
  for (Eigen::Index i = 0; i < position.rows(); ++i) {
    const Eigen::VectorXd q = position.row(i).matrix(), tau = torque.row(i).matrix();
    if (!motion.push(q.data(), tau.data())) continue;
    for (Eigen::Index k = 0; k < position.cols(); ++k) {
      samples.position(row, k) = motion.position()[k];
      samples.velocity(row, k) = motion.velocity()[k];
      samples.acceleration(row, k) = motion.acceleration()[k];
    }
    for (Eigen::Index c = 0; c < torque.cols(); ++c)
      if (watch::is_used(model, static_cast<int>(c))) samples.torque(row, c) = motion.torque()[c];
    ++row;
  }
  HEFT_TRY(backend, make_backend());
  MomentAccumulator sums(model.model.plan, *backend);
  HEFT_CHECK(sums.push(0, samples));
  return sums.finish();
}

}  // namespace heft
