#include "moments_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "files/json_text.hpp"
#include "files/json_writer.hpp"
#include "heft/core/sample_view.hpp"
#include "heft/robot/robot_document.hpp"
#include "heft/version.hpp"
#include "linalg/factorizations.hpp"
#include "model/regrouping.hpp"
#include "model/same_layout.hpp"
#include "robot_json.hpp"
#include "rows/whitening.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxStretches = std::size_t{1} << 20;

Json log_json(const LogSummary& log) {
  return json_object({{"path", log.path},
                      {"sha256", log.sha256},
                      {"rows", log.num_rows},
                      {"segments", log.num_segments},
                      {"duration_s", log.duration_s},
                      {"rate_hz", log.rate_hz},
                      {"jitter", log.jitter},
                      {"interpolated", log.num_interpolated},
                      {"samples", log.num_samples},
                      {"sample_period_s", log.sample_period_s},
                      {"filter_reach_s", log.filter_reach_s},
                      {"dropped", log.dropped}});
}

/// Reads a count; throws like Json if it is not a nonnegative integer.
template <class Integer>
Integer count_from(const Json& json) {
  const auto count = json.get_ref<const Json::number_unsigned_t&>();
  return static_cast<Integer>(
      std::min(count, static_cast<Json::number_unsigned_t>(std::numeric_limits<Integer>::max())));
}

DroppedRows dropped_from(const Json& json) {
  DroppedRows dropped;
  for (const auto& [reason, rows] : json.items()) dropped[reason] = count_from<std::int64_t>(rows);
  return dropped;
}

LogSummary log_from(const Json& json) {
  return {.path = json.at("path"),
          .sha256 = json.at("sha256"),
          .num_rows = count_from<std::int64_t>(json.at("rows")),
          .num_segments = count_from<int>(json.at("segments")),
          .duration_s = json.at("duration_s"),
          .rate_hz = json.at("rate_hz"),
          .jitter = json.at("jitter"),
          .num_interpolated = count_from<std::int64_t>(json.at("interpolated")),
          .num_samples = count_from<std::int64_t>(json.at("samples")),
          .sample_period_s = json.at("sample_period_s"),
          .filter_reach_s = json.at("filter_reach_s"),
          .dropped = dropped_from(json.at("dropped"))};
}

/// The structural columns of every body, and its kernel frame in its own and in its parent's, of
/// which W is made.
Json frames_json(const RegressorPlan& plan) {
  Json frames = Json::array();
  for (std::size_t b = 0; b < plan.bodies.size(); ++b)
    frames.push_back(json_object(
        {{"columns", static_cast<int>(plan.bodies[b].columns)},
         {"in_body", array_json(plan.kernel_frames[b].in_body.matrix().topRows<3>())},
         {"in_parent", array_json(plan.kernel_frames[b].in_parent.matrix().topRows<3>())}}));
  return frames;
}

Json layout_json(const RegressorPlan& plan) {
  Json parameters = Json::array(), channels = Json::array();
  for (int i = 0; i < plan.layout.num_parameters(); ++i) parameters.push_back(plan.layout.name(i));
  for (const std::vector<int>& columns : plan.channel_columns) channels.push_back(columns);
  return json_object({{"parameters", std::move(parameters)},
                      {"channel_columns", std::move(channels)},
                      {"frames", frames_json(plan)}});
}

/// The plan of the file's description, with the file's W. Error if its layout of sums differs.
Result<PlanPtr> plan_from(const Json& layout, const PlanPtr& made, const std::string& path) {
  const auto differs = [&](const std::string& what) {
    return Error{path, "has a layout of sums that differs from this version of heft: " + what,
                 "use the version of heft that wrote it, or regenerate it from the logs"};
  };
  const Json& frames = layout.at("frames");
  if (frames.size() != made->bodies.size()) return differs("other bodies");
  const auto& columns = layout.at("channel_columns");
  if (columns.size() != made->channel_columns.size()) return differs("other channels");
  RegressorPlan plan = *made;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].get<std::vector<int>>() != plan.channel_columns[c])
      return differs("columns of channel '" + plan.channels[c].name + "'");
  for (std::size_t b = 0; b < plan.bodies.size(); ++b) {
    if (frames[b].at("columns") != static_cast<int>(plan.bodies[b].columns))
      return differs("columns of body '" + plan.robot.bodies[b].name + "'");
    read_array(frames[b].at("in_body"), plan.kernel_frames[b].in_body.matrix().topRows<3>());
    read_array(frames[b].at("in_parent"), plan.kernel_frames[b].in_parent.matrix().topRows<3>());
  }
  plan.regrouping = regrouping_matrix(plan);
  if (const double norm = plan.regrouping.norm(); !(norm < 1e100)) return differs("invalid frames");
  return std::make_shared<const RegressorPlan>(std::move(plan));
}

/// The record of the options without the number of threads, which does not affect the sums.
Json options_json(const std::string& record) {
  Json options = parse_json<Json>(record);
  if (!options.is_object()) return Json::object();
  if (options.contains("backend") && options["backend"].is_object())
    options["backend"]["threads"] = 0;
  return options;
}

Json unfinished_json(const UnfinishedMoments& sums) {
  Json trees = Json::array(), columns = Json::array();
  for (const std::vector<double>& tree : sums.trees) trees.push_back(!tree.empty());
  const auto describe = [&columns](const SampleArray&, const Eigen::ArrayXXd& numbers) {
    columns.push_back(numbers.size() > 0 ? numbers.cols() : 0);
  };
  for_each_array(sums.pending, describe, kEvaluatedArrays);
  return json_object(
      {{"fp32", sums.options.precision == core::Precision::fp32},
       {"channel_weights", array_json(sums.options.channel_weights)},
       {"covariance", array_json(sums.options.covariance)},
       {"most_stretches", sums.options.most_stretches},
       {"trees", trees},
       {"stretch_length", sums.stretch_length},
       {"segment", sums.segment},
       {"segment_begin", sums.segment_begin},
       {"has_row_stage", sums.has_row_stage ? Json(*sums.has_row_stage) : Json(nullptr)},
       {"pending_samples", sums.pending.size()},
       {"pending_columns", columns}});
}

bool is_positive_definite(const Eigen::MatrixXd& matrix) {
  return matrix.isApprox(matrix.transpose(), 1e-12) && matrix.llt().info() == Eigen::Success;
}

/// The structure of an unfinished sum and its plan, without numbers.
Result<Done> read_unfinished(const Json& json, const std::string& path,
                             DescribedContent& described) {
  UnfinishedMoments sums;
  PlanPtr& plan = described.content.data.plan;
  const int num_channels = plan->num_channels();
  if (json.at("fp32")) sums.options.precision = core::Precision::fp32;
  if (const auto most = json.find("most_stretches"); most != json.end())  // older files have none
    sums.options.most_stretches = count_from<int>(*most);
  if (const Json& weights = json.at("channel_weights"); !weights.empty()) {
    sums.options.channel_weights.resize(num_channels);
    read_array(weights, sums.options.channel_weights);
  }
  if (const Json& covariance = json.at("covariance"); !covariance.empty()) {
    sums.options.covariance.resize(num_channels, num_channels);
    read_array(covariance, sums.options.covariance);
    if (sums.options.is_summed() || !is_positive_definite(sums.options.covariance))
      return Error{path, "has an invalid covariance of channels", "regenerate it from the logs"};
    plan = whitened_plan(plan);
  }
  described.trees = json.at("trees").get<std::vector<bool>>();
  sums.stretch_length = count_from<std::int64_t>(json.at("stretch_length"));
  sums.segment = json.at("segment");
  sums.segment_begin = count_from<std::int64_t>(json.at("segment_begin"));
  if (const Json& stage = json.at("has_row_stage"); !stage.is_null())
    sums.has_row_stage = stage.get<bool>();
  described.num_pending = count_from<std::int64_t>(json.at("pending_samples"));
  described.pending_columns = json.at("pending_columns").get<std::vector<int>>();
  const auto is_width = [](int columns) { return columns >= 0 && columns <= 100000; };
  if (described.trees.size() > 62 || described.num_pending > core::kChunkSamples ||
      described.pending_columns.size() != kEvaluatedArrays.size() ||
      !std::all_of(described.pending_columns.begin(), described.pending_columns.end(), is_width))
    return Error{path, "has an unfinished sum of an invalid size", "regenerate it from the logs"};
  described.content.unfinished = std::move(sums);
  return Done{};
}

/// Includes the robot's source text for writing robot files. It must be of this robot.
Result<Done> check_document(const Robot& robot, const std::string& path) {
  if (robot.source_text.empty()) return Done{};
  RobotOptions options{.floating_base = robot.floating_base, .gravity = robot.gravity};
  for (const Body& body : robot.bodies)
    if (body.type == JointType::rigid && !body.joint.empty() && !body.is_rotor)
      options.separate_links.push_back(body.name);
  const auto locked = locked_joints_of(robot);
  if (locked) options.locked_joints = *locked;
  const auto of_text = read_robot_text(robot.source, robot.source_text, robot.rotors_text, options);
  const Error odd{path, "contains a robot file that differs from the robot it describes",
                  "regenerate it from the logs"};
  if (!of_text || of_text->num_bodies() != robot.num_bodies()) return odd;
  for (int b = 0; b < robot.num_bodies(); ++b) {
    const Body &mine = robot.bodies[b], &other = of_text->bodies[b];
    if (mine.name != other.name || mine.merged_links != other.merged_links ||
        mine.is_rotor != other.is_rotor)
      return odd;
  }
  return Done{};
}

Result<DescribedContent> content_from(const Json& json, const std::string& path) {
  HEFT_TRY(robot, robot_from(json.at("robot"), path));
  HEFT_CHECK(check_document(robot, path));
  HEFT_TRY(channels, channels_from(json.at("channels"), robot, path));
  HEFT_TRY(columns, columns_from(json.at("columns"), path));
  std::optional<BoundingEllipsoids> ellipsoids;
  if (const Json& described = json.at("ellipsoids"); !described.is_null()) {
    HEFT_TRY(read, ellipsoids_from(described, robot, path));
    ellipsoids = std::move(read);
  }
  auto made = make_regressor_plan(std::move(robot), channels, columns);
  if (!made)
    return Error{path + ": " + made.error().where, made.error().what,
                 "regenerate it from the logs"};
  HEFT_TRY(plan, plan_from(json.at("layout"), *made, path));

  DescribedContent described;
  TrainingData& data = described.content.data;
  data.plan = plan;
  data.options =
      json.at("options").get_ref<const Json::object_t&>().empty() ? "" : json.at("options").dump();
  data.ellipsoids = std::move(ellipsoids);
  data.written_by = json.at("heft");
  for (const Json& log : json.at("logs")) data.logs.push_back(log_from(log));
  data.disagreements = json.at("disagreements").get<std::vector<std::string>>();
  if (json.at("stretches").size() > kMaxStretches)
    return Error{path, "has more stretches than a file can have", "regenerate it from the logs"};
  for (const Json& samples : json.at("stretches"))
    described.stretch_samples.push_back(count_from<std::int64_t>(samples));
  if (const Json& unfinished = json.at("unfinished"); !unfinished.is_null()) {
    // rows are evaluated by the frames of this heft: they must be those of the sums
    if (const std::string difference = layout_difference(**made, *plan); !difference.empty())
      return Error{
          path,
          "cannot be continued by a version of heft other than the one that began: " + difference,
          "continue with the version of heft that wrote it, or regenerate it from the "
          "logs"};
    HEFT_CHECK(read_unfinished(unfinished, path, described));
  }
  return described;
}

}  // namespace

std::string description_of(const MomentsContent& content) {
  const TrainingData& data = content.data;
  const RegressorPlan& plan = data.plan->whitened_from ? *data.plan->whitened_from : *data.plan;
  Json stretches = Json::array(), logs = Json::array();
  for (const MomentStretch& stretch :
       content.unfinished ? content.unfinished->stretches : data.stretches)
    stretches.push_back(stretch.num_samples);
  for (const LogSummary& log : data.logs) logs.push_back(log_json(log));
  const Json json = json_object(
      {{"heft", kVersion},
       {"robot", robot_json(plan.robot)},
       {"channels", channels_json(plan.channels)},
       {"columns", columns_json(plan.layout.columns)},
       {"layout", layout_json(plan)},
       {"options", options_json(data.options)},
       {"ellipsoids", data.ellipsoids ? ellipsoids_json(*data.ellipsoids) : Json(nullptr)},
       {"logs", std::move(logs)},
       {"disagreements", data.disagreements},
       {"stretches", std::move(stretches)},
       {"unfinished", content.unfinished ? unfinished_json(*content.unfinished) : Json(nullptr)}});
  return json_text(json);
}

Result<DescribedContent> content_of(const std::string& description, const std::string& path) {
  const Json json = parse_json<Json>(description);
  const Error odd{path, "is not a valid moments file", "regenerate it from the logs"};
  if (json.is_discarded()) return odd;
  try {
    return content_from(json, path);
  } catch (const Json::exception& e) {
    return Error{path, odd.what + ":" + complaint_of(e), odd.remedy};
  }
}

std::size_t DescribedContent::num_numbers() const {
  const RegressorPlan& plan = *content.data.plan;
  const auto channels = static_cast<double>(plan.num_channels());
  auto size = static_cast<double>(plan.packed_size);
  if (content.unfinished)
    size = static_cast<double>(packed_size(plan, content.unfinished->options));
  double count = (1 + static_cast<double>(stretch_samples.size())) * (size + channels);
  const auto pending = static_cast<double>(num_pending);
  for (const bool is_there : trees) count += is_there ? size : 0;
  for (const int columns : pending_columns) count += columns * pending;
  if (content.unfinished && content.unfinished->has_row_stage.value_or(false) && num_pending > 0)
    for (const std::vector<int>& columns : plan.channel_columns)
      count += pending * (static_cast<double>(columns.size()) + 1);
  return count < 1e15 ? static_cast<std::size_t>(count) : std::numeric_limits<std::size_t>::max();
}

void DescribedContent::make_room() {
  TrainingData& data = content.data;
  const Eigen::VectorXd weights =
      content.unfinished ? content.unfinished->options.channel_weights : Eigen::VectorXd();
  const Moments zero = zero_moments(data.plan, weights);
  std::vector<MomentStretch> stretches;
  for (const std::int64_t samples : stretch_samples) stretches.push_back({zero, samples});
  data.moments = zero_moments(data.plan);
  if (!content.unfinished) {
    data.stretches = std::move(stretches);
    return;
  }
  UnfinishedMoments& sums = *content.unfinished;
  sums.total = zero;
  sums.stretches = std::move(stretches);
  for (const bool is_there : trees) sums.trees.emplace_back(is_there ? zero.packed.size() : 0);
  sums.pending.time.setZero(num_pending);
  for (std::size_t i = 0; i < pending_columns.size(); ++i)
    if (pending_columns[i] > 0)
      (sums.pending.*kEvaluatedArrays[i].member).resize(num_pending, pending_columns[i]);
  if (sums.has_row_stage.value_or(false) && num_pending > 0)
    for (const std::vector<int>& columns : data.plan->channel_columns)
      sums.pending_rows.emplace_back(num_pending, static_cast<Eigen::Index>(columns.size()) + 1);
}

}  // namespace heft
