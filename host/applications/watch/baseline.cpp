#include "watch/baseline.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "files/json_text.hpp"
#include "files/whole_file.hpp"
#include "heft/version.hpp"
#include "report/result_document.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLeastResults = 3;
constexpr double kLevel = 0.975;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr char kRemedy[] = "give the fleet.json that heft fleet run wrote for robots of this model";

double number_at(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_number() ? found->get<double>()
                                                                       : kNan;
}

const Json* list_at(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_array() ? &*found : nullptr;
}

std::string text_at(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>()
                                                                       : "";
}

int index_of(const ParameterLayout& layout, std::string_view name) {
  for (int k = 0; k < layout.num_parameters(); ++k)
    if (layout.name(k) == name) return k;
  return -1;
}

/// The watched robot, which all results of a baseline must match.
struct Watched {
  const ParameterLayout& layout;
  std::string robot;
};

/// Masses and columns of a result in the layout; the others are NaN.
Result<Eigen::VectorXd> values_of(const Json& result, const std::string& path,
                                  const Watched& watched) {
  const ParameterLayout& layout = watched.layout;
  if (const std::string robot = text_at(result, "robot"); robot != watched.robot)
    return Error{path, fmt::format("belongs to the robot '{}', not '{}'", robot, watched.robot),
                 kRemedy};
  const Json *bodies = list_at(result, "bodies"), *columns = list_at(result, "columns");
  if (!bodies || !columns) return Error{path, "has no bodies and columns", kRemedy};
  Eigen::VectorXd values = Eigen::VectorXd::Constant(layout.num_parameters(), kNan);
  int num_known = 0;
  const auto put = [&](const std::string& name, double value) {
    if (const int k = index_of(layout, name); k >= 0) values[k] = value, ++num_known;
  };
  for (const Json& body : *bodies)
    if (body.is_object() && body.contains("parameters"))
      put(text_at(body, "name") + ".m", number_at(body["parameters"], "m"));
  for (const Json& column : *columns) put(text_at(column, "name"), number_at(column, "value"));
  const auto num_named = static_cast<int>(bodies->size() + columns->size());
  if (num_known != num_named || num_known != layout.num_bodies() + layout.num_columns())
    return Error{path, "belongs to a robot with other bodies or columns than the watched one",
                 kRemedy};
  return values;
}

/// The intervals of a result, NaN where it has none.
void put_intervals(const Json& result, const ParameterLayout& layout, Eigen::VectorXd& lower,
                   Eigen::VectorXd& upper) {
  lower = upper = Eigen::VectorXd::Constant(layout.num_parameters(), kNan);
  const auto uncertainty = result.find("uncertainty");
  const Json* parameters =
      uncertainty != result.end() ? list_at(*uncertainty, "parameters") : nullptr;
  if (!parameters) return;
  for (const Json& parameter : *parameters) {
    const Json* interval = list_at(parameter, "interval");
    const int k = index_of(layout, text_at(parameter, "name"));
    if (k < 0 || !interval || interval->size() != 2) continue;
    if (!(*interval)[0].is_number() || !(*interval)[1].is_number()) continue;
    lower[k] = (*interval)[0].get<double>(), upper[k] = (*interval)[1].get<double>();
  }
}

Error other_version(const std::string& path, const std::string& version) {
  return Error{path, fmt::format("was written by version '{}', not '{}'", version, kVersion),
               "run heft fleet run again with this version"};
}

Result<std::vector<Eigen::VectorXd>> values_of_fleet(const Json& fleet, const std::string& path,
                                                     const Watched& watched) {
  if (const std::string version = text_at(fleet, "version"); version != kVersion)
    return other_version(path, version);
  const Json* robots = list_at(fleet, "robots");
  if (!robots) return Error{path, "has no robots", kRemedy};
  const auto folder = std::filesystem::path(path).parent_path();
  std::vector<Eigen::VectorXd> values;
  for (const Json& robot : *robots) {
    const std::string result = text_at(robot, "result");
    if (text_at(robot, "state") != "done" || result.empty()) continue;
    const std::string file = (folder / result).string();
    HEFT_TRY(document, read_result_document(file));
    HEFT_TRY(of_robot, values_of(document, file, watched));
    values.push_back(std::move(of_robot));
  }
  if (values.size() < kLeastResults)
    return Error{path,
                 fmt::format("has {} finished results; a baseline needs at least {}", values.size(),
                             kLeastResults),
                 "identify more robots of the fleet, or give the result.json of one robot"};
  return values;
}

/// Sets the prediction interval for another robot.
void put_spread(const std::vector<Eigen::VectorXd>& values, WatchBaseline& baseline) {
  const auto n = static_cast<double>(values.size());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(values[0].size()), squares = mean;
  for (const Eigen::VectorXd& value : values) mean += value / n;
  for (const Eigen::VectorXd& value : values) squares += (value - mean).cwiseAbs2();
  const double factor = student_quantile(kLevel, n - 1) * std::sqrt((1 + 1 / n) / (n - 1));
  const Eigen::VectorXd half = factor * squares.cwiseSqrt();
  baseline.lower = mean - half, baseline.upper = mean + half;
  baseline.num_results = static_cast<int>(values.size());
}

}  // namespace

Result<WatchBaseline> read_watch_baseline(const std::string& path, const std::string& result,
                                          const IdentifiedModel& model) {
  const ParameterLayout& layout = model.model.plan->layout;
  WatchBaseline baseline;
  HEFT_TRY(own, read_result_document(result));
  const Watched watched{layout, text_at(own, "robot")};
  Eigen::VectorXd lower, upper;
  put_intervals(own, layout, lower, upper);
  baseline.half_width = 0.5 * (upper - lower);
  HEFT_TRY(text, read_file_whole(result_path_of(path), kLargestResult));
  const Json json = parse_json<Json>(text);
  if (json.is_object() && text_at(json, "schema") == "heft-fleet-1") {
    HEFT_TRY(values, values_of_fleet(json, path, watched));
    put_spread(values, baseline);
    return baseline;
  }
  if (!json.is_object() || text_at(json, "schema").rfind("heft-result-", 0) != 0)
    return Error{path, "is neither fleet.json nor result.json of this version of heft", kRemedy};
  HEFT_TRY(document, read_result_document(path));
  if (const auto values = values_of(document, path, watched); !values) return values.error();
  put_intervals(document, layout, baseline.lower, baseline.upper);
  baseline.num_results = 1;
  return baseline;
}

BaselineVerdict verdict_on(const WatchBaseline& baseline, int parameter, double value, double lower,
                           double upper) {
  const double least = baseline.lower[parameter], most = baseline.upper[parameter];
  if (value >= least && value <= most) return BaselineVerdict::within;
  return upper < least || lower > most ? BaselineVerdict::left : BaselineVerdict::unresolved;
}

int parameter_of_change(const ParameterLayout& layout, std::string_view what) {
  constexpr std::string_view kPayload = "payload ";
  if (what.substr(0, kPayload.size()) == kPayload)
    return index_of(layout, std::string(what.substr(kPayload.size())) + ".m");
  return index_of(layout, what);
}

}  // namespace heft
