#include "predict/common_rows.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "files/json_text.hpp"
#include "heft/log/several_files.hpp"
#include "predict/identified_model.hpp"
#include "predict/predicted_blocks.hpp"
#include "readers/log_part.hpp"
#include "report/result_document.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kStretches = 40;  ///< of all logs together

/// A log on which a model was evaluated.
struct HeldOut {
  std::string path, sha256;
  LogPart part;
};

std::vector<HeldOut> held_out_logs(const Json& result) {
  std::vector<HeldOut> logs;
  for (const Json& log : result.at("logs").at("validation")) {
    const LogPart whole;
    HeldOut held_out{
        log.at("path"), "", {log.value("from_s", whole.from_s), log.value("to_s", whole.to_s)}};
    for (const Json& input : result.at("provenance").at("inputs"))
      if (input.at("path") == log.at("path")) held_out.sha256 = input.at("sha256");
    logs.push_back(std::move(held_out));
  }
  return logs;
}

bool are_same(const std::vector<HeldOut>& a, const std::vector<HeldOut>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const HeldOut& one, const HeldOut& other) {
                      return one.sha256 == other.sha256 && one.part.from_s == other.part.from_s &&
                             one.part.to_s == other.part.to_s;
                    });
}

bool have_same_channels(const RegressorPlan& a, const RegressorPlan& b) {
  return std::equal(
      a.channels.begin(), a.channels.end(), b.channels.begin(), b.channels.end(),
      [](const Channel& one, const Channel& other) { return one.name == other.name; });
}

/// For every sample, squares over the used torques, including known ones.
struct Squares {
  std::vector<double> error2, torque2;
};

/// Empty if the file has changed since it was held out.
Result<std::optional<Squares>> squares_of(const IdentifiedModel& model,
                                          const Configuration& conditioned,
                                          const std::vector<HeldOut>& logs,
                                          const Progress& progress) {
  Configuration configuration = model.configuration;
  configuration.log = conditioned.log;
  configuration.conditioning = conditioned.conditioning;
  Squares squares;
  const auto append = [&](const Samples& block, const Eigen::ArrayXXd& predicted) -> Result<Done> {
    const Eigen::ArrayXXd used = (block.weight != 0).cast<double>();
    const Eigen::ArrayXXd measured = block.known_torque.size() > 0
                                         ? Eigen::ArrayXXd(block.torque + block.known_torque)
                                         : block.torque;
    const Eigen::ArrayXd error2 = (used * (block.torque - predicted)).square().rowwise().sum(),
                         torque2 = (used * measured).square().rowwise().sum();
    squares.error2.insert(squares.error2.end(), error2.begin(), error2.end());
    squares.torque2.insert(squares.torque2.end(), torque2.begin(), torque2.end());
    return Done{};
  };
  for (const HeldOut& log : logs) {
    for (const std::string& path : files_of_log(log.path))
      if (std::error_code ignored; !std::filesystem::exists(path, ignored))
        return std::optional<Squares>();
    const Log part = part_of(log.path, log.part, "identify again");
    HEFT_TRY(read,
             predict_blocks(model.model, configuration, model.parameters, part, append, progress));
    if (read.sha256 != log.sha256) return std::optional<Squares>();
  }
  return std::optional<Squares>(std::move(squares));
}

std::vector<double> by_stretches(const std::vector<double>& samples) {
  std::vector<double> sums(std::min(kStretches, samples.size()), 0.0);
  for (std::size_t k = 0; k < samples.size(); ++k)
    sums[k * sums.size() / samples.size()] += samples[k];
  return sums;
}

/// Empty if the rows differ.
std::optional<CommonRows> common_rows(const Squares& a, const Squares& b) {
  constexpr double kSame = 1e-6;  // the torques that a model knows are computed by its own
                                  // expressions
  if (a.error2.size() != b.error2.size()) return std::nullopt;
  CommonRows rows{by_stretches(a.error2), by_stretches(b.error2), by_stretches(a.torque2)};
  const std::vector<double> other = by_stretches(b.torque2);
  for (std::size_t k = 0; k < other.size(); ++k)
    if (!(std::abs(other[k] - rows.torque2[k]) <= kSame * std::max(other[k], rows.torque2[k])))
      return std::nullopt;
  return rows;
}

}  // namespace

Result<std::vector<CommonRows>> predict_common_rows(const std::string& result_a,
                                                    const std::string& result_b,
                                                    const Progress& progress) {
  HEFT_TRY(json_a, read_result_document(result_a));
  HEFT_TRY(json_b, read_result_document(result_b));
  std::vector<HeldOut> logs;
  try {
    logs = held_out_logs(json_a);
    if (logs.empty() || !are_same(logs, held_out_logs(json_b))) return std::vector<CommonRows>{};
  } catch (const Json::exception& e) {
    return Error{result_a + ", " + result_b, "one of them is not a valid result:" + complaint_of(e),
                 "identify again"};
  }
  HEFT_TRY(a, read_identified_model(result_a));
  HEFT_TRY(b, read_identified_model(result_b));
  if (!have_same_channels(*a.model.plan, *b.model.plan)) return std::vector<CommonRows>{};
  std::vector<CommonRows> all;
  for (const Configuration* conditioned : {&a.configuration, &b.configuration}) {
    HEFT_TRY(of_a, squares_of(a, *conditioned, logs, progress));
    HEFT_TRY(of_b, squares_of(b, *conditioned, logs, progress));
    if (!of_a || !of_b) return std::vector<CommonRows>{};
    const auto rows = common_rows(*of_a, *of_b);
    if (!rows) return std::vector<CommonRows>{};
    all.push_back(*rows);
  }
  return all;
}

}  // namespace heft
