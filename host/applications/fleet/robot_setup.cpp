#include "robot_setup.hpp"

#include <fmt/format.h>

#include <utility>

#include "config/device_options.hpp"
#include "config/kept_joints.hpp"
#include "files/sha256.hpp"
#include "heft/config/module_options.hpp"
#include "heft/version.hpp"
#include "rows/row_kind.hpp"

namespace heft {

namespace {

constexpr std::size_t kMaxSetups = 64;
constexpr int kMaxUnknownsOnHost = 220;  ///< whose factor fits into the memory of a block
/// Stretches of a log, of which at least half exist: the 24 blocks of error bars in a robot's only
/// log. They make up most of a leaf.
constexpr int kFewStretches = 48;

/// The parts of a configuration that affect samples and rows, without local paths.
Configuration that_shapes_leaves(const Configuration& configuration) {
  Configuration shape = configuration;
  shape.robot.rotors_path.clear();
  shape.estimation = {};
  shape.selection = {};
  shape.backend = {.threads = 1};
  shape.backend.kind = configuration.backend.kind;
  shape.priors.clear();
  shape.fleet = {};
  return shape;
}

Configuration without_places(const Configuration& configuration) {
  Configuration nameless = configuration;
  nameless.robot.rotors_path.clear();
  nameless.estimation.package_folders.clear();
  return nameless;
}

std::string digest_of_robot(const Setup& setup) {
  const Robot& robot = setup.plan().robot;
  std::string text = sha256_of(robot.source_text) + sha256_of(robot.rotors_text);
  if (setup.ellipsoids)
    for (const MeshFile& mesh : setup.ellipsoids->meshes) text += mesh.sha256;
  return sha256_of(text);
}

std::string digest_of_plan(const RegressorPlan& plan) {
  std::string text;
  for (const Channel& channel : plan.channels) text += channel.name + " " + channel.unit + "\n";
  for (const std::string& body : plan.layout.bodies) text += body + "\n";
  for (const Column& column : plan.layout.columns) text += column.name + " " + column.unit + "\n";
  return sha256_of(text + fmt::format("{} {}\n", plan.num_structural_columns(), plan.packed_size));
}

Result<RobotSetup> make(const std::string& robot_path, Configuration configuration,
                        const Progress& progress) {
  configuration.backend.threads = 1;
  if (!configuration.excluded_stretches.empty())
    return Error{"log.exclude", "is not supported by heft fleet",
                 "write a row for every part of the log in the manifest, with start_s and end_s"};
  if (!configuration.supply_voltage.empty())
    return Error{"log.supply_voltage", "is not supported by heft fleet",
                 "multiply the torque columns by voltage / nominal voltage beforehand"};
  HEFT_CHECK(config::check_torque_meaning(configuration));
  HEFT_TRY(setup, read_setup(robot_path, configuration, progress));
  HEFT_CHECK(config::check_kept_joints(configuration, setup.plan().robot));
  RobotSetup made{.configuration = std::move(configuration), .setup = std::move(setup)};
  HEFT_TRY(backend, make_backend(made.backend_of_sums(1)));
  made.backend = std::move(backend);
  const Configuration& options = made.configuration;
  made.gathering = gather_options(options, made.setup.model);
  const RowKind* kind = find_row_kind(options.conditioning.rows);
  made.by_leaves = !made.gathering.weighting.needs_several_passes() &&
                   made.gathering.max_samples == 0 &&
                   options.selection.columns == ColumnChoice::given &&
                   projected_contacts(model_options(options)).empty() &&
                   !has_gain(model_options(options)) && options.payloads.empty() &&
                   !has_imu_unknowns(made.setup.plan().robot, model_options(options)) &&
                   !options.conditioning.chooses_lowpass && kind && !kind->mixes_channels;
  auto plan = std::make_shared<RegressorPlan>(*made.setup.model.plan);
  plan->robot.source = plan->robot.name + ".urdf";
  made.nameless_plan = std::move(plan);
  made.most_stretches = estimation_options(options).chooses_weight_of_prior
                            ? AccumulateOptions{}.most_stretches
                            : kFewStretches;
  Configuration shape = that_shapes_leaves(options);
  shape.load.inertia = made.setup.model.load_inertia;
  made.leaf_options = to_json(shape);
  const std::string robot = digest_of_robot(made.setup);
  std::string conditioned_by;
  if (made.conditions_on_device() && made.backend_of_sums(1).kind != BackendKind::cuda) {
    HEFT_TRY(device, make_backend(backend_of(options, 1)));
    conditioned_by = ", logs by " + device->description();
  }
  const std::string machine =
      fmt::format("moments 2\nnumerics {}\nbackend {}{}\nprecision fp64\n", kNumericsVersion,
                  made.backend->description(), conditioned_by);
  made.leaf_text = fmt::format("robot {}\noptions {}\nplan {}\nstretches {}\n{}", robot,
                               sha256_of(made.leaf_options), digest_of_plan(*made.nameless_plan),
                               made.most_stretches, machine);
  made.answer_text = fmt::format("robot {}\noptions {}\nversion {}\n{}", robot,
                                 sha256_of(options_text(options)), kVersion, machine);
  return made;
}

}  // namespace

BackendOptions backend_of(const Configuration& configuration, int num_threads) {
  BackendOptions options = configuration.backend;
  options.threads = num_threads;
  if (options.kind == BackendKind::automatic) options.kind = BackendKind::cpu;
  return options;
}

std::string options_text(const Configuration& configuration) {
  Configuration nameless = without_places(configuration);
  nameless.backend.threads = 1;
  return to_json(nameless);
}

std::string window_text(const FleetRow& row) {
  return row.has_window() ? fmt::format(" {} to {}", row.start_s, row.end_s) : "";
}

bool RobotSetup::conditions_on_device() const {
  return backend_of(configuration, 1).kind == BackendKind::cuda;
}

BackendOptions RobotSetup::backend_of_sums(int num_threads) const {
  BackendOptions options = backend_of(configuration, num_threads);
  if (setup.plan().layout.num_parameters() <= kMaxUnknownsOnHost) options.kind = BackendKind::cpu;
  return options;
}

std::string RobotSetup::leaf_key(const std::string& log_sha256, const FleetRow& row) const {
  const std::string format = row.format.empty() ? "" : " as " + row.format;
  return sha256_of("heft-fleet-leaf-1\nlog " + log_sha256 + window_text(row) + format + "\n" +
                   leaf_text);
}

Result<std::shared_ptr<const RobotSetup>> RobotSetups::of(const std::string& robot,
                                                          const std::string& config,
                                                          const Progress& progress) {
  {
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
      if (entry->robot == robot && entry->config == config) {
        entries_.splice(entries_.begin(), entries_, entry);
        return entries_.front().setup;
      }
    if (const auto entry = in_use_.find({robot, config}); entry != in_use_.end())
      if (auto setup = entry->second.lock()) {
        keep({robot, config, setup});
        return setup;
      }
  }
  HEFT_TRY(configuration, configuration_of_(config));
  HEFT_TRY(made, make(robot, std::move(configuration), progress));
  const auto shared = std::make_shared<const RobotSetup>(std::move(made));
  const std::lock_guard lock(mutex_);
  keep({robot, config, shared});
  return shared;
}

void RobotSetups::keep(Entry entry) {
  entries_.push_front(std::move(entry));
  if (entries_.size() <= kMaxSetups) return;
  const Entry& last = entries_.back();
  in_use_[{last.robot, last.config}] = last.setup;
  entries_.pop_back();
  std::erase_if(in_use_, [](const auto& known) { return known.second.expired(); });
}

}  // namespace heft
