// Bytes as a log of the small robot: conditioned in several ways, then checked.
#include "heft/check/check.hpp"
#include "tests/fuzz/small_robot.hpp"

namespace heft::fuzz {

namespace {

std::vector<CheckLogOptions> choices() {
  std::vector<CheckLogOptions> all(3);
  ConditioningOptions& plain = all[0].conditioning;
  plain.trim = 2;
  ConditioningOptions& logged = all[1].conditioning;
  logged.filter = FilterKind::savitzky_golay;
  logged.savgol_window = 7;
  logged.velocity = VelocitySource::logged;
  logged.resample_hz = 120;
  logged.trim = 0;
  ConditioningOptions& picky = all[2].conditioning;
  picky.torque_delay_s = 0.013;
  picky.dead_band = {0.01};
  picky.torque_limit = {40};
  picky.keep_every = 2;
  picky.trim = 1;
  picky.window = 16;
  all[2].model.known_torque = {{"swing", "load_swing * qd1"}};
  return all;
}

void condition(const std::string& path, const CheckLogOptions& options) {
  const auto model = make_model(small_robot(), options.model);
  if (!is_value(model)) return;
  const auto sink = [](int, const Samples& block) -> Result<Done> {
    require(block.position.allFinite() && block.velocity.allFinite() &&
                block.acceleration.allFinite() && block.torque.allFinite() &&
                block.weight.allFinite(),
            "conditioned samples are finite");
    return Done{};
  };
  const auto summary = condition_log(path,
                                     {model->plan->robot, model->plan->channels, options.log,
                                      options.conditioning, model->derived},
                                     sink);
  if (is_value(summary)) require(summary->num_samples > 0, "a log that is read has samples");
}

}  // namespace

}  // namespace heft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heft;
  static const std::vector<CheckLogOptions> choices = fuzz::choices();
  static const fuzz::BytesFile robot(fuzz::kSmallRobot);
  const fuzz::BytesFile log(data, size);
  for (const CheckLogOptions& options : choices) fuzz::condition(log.path(), options);
  fuzz::require_sound(check_log(robot.path(), log.path(), choices[0]));
  return 0;
}
