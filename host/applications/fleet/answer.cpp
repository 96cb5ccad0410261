#include "answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "files/json_writer.hpp"
#include "files/sha256.hpp"
#include "heft/config/module_options.hpp"
#include "heft/executor/executor.hpp"
#include "heft/log/several_files.hpp"
#include "heft/page/page.hpp"
#include "heft/report/report.hpp"
#include "history.hpp"
#include "identify/identify_gathered.hpp"
#include "page/write_document.hpp"
#include "population_answer.hpp"
#include "population_piece.hpp"
#include "readers/kept_rows.hpp"
#include "report/result_document.hpp"
#include "result_folder.hpp"
#include "windowed_log.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

using Kind = FleetStore::Kind;

/// Logs that keep their rows in memory once they are read.
std::vector<Log> read_once(std::vector<Log> logs) {
  const auto memory = std::make_shared<RowMemory>(kMaxKept);
  for (Log& log : logs) log = with_kept_rows(log, memory);
  return logs;
}

/// Moves out the samples of these rows' logs, in their order, and replaces the logs by those with
/// rows in memory; empty unless all are present.
std::vector<ConditionedLog> take_samples(LogsInMemory* read, const std::vector<FleetRow>& rows,
                                         std::vector<Log>& logs) {
  if (!read || rows.size() != logs.size() ||
      !std::ranges::all_of(rows, [&](const FleetRow& row) { return read->has(row); }))
    return {};
  std::vector<ConditionedLog> samples;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::optional<LogInMemory> log = read->take(rows[k]);
    if (!log) return {};  // the same log twice
    logs[k] = std::move(log->log);
    samples.push_back(std::move(log->samples));
  }
  return samples;
}

void set_clocks(const MatchedLogs& training, const MatchedLogs& validation,
                Identification& answer) {
  std::vector<ClockMatch>& clocks = answer.choices.clocks;
  clocks = training.clocks;
  clocks.insert(clocks.end(), validation.clocks.begin(), validation.clocks.end());
}

Result<Identification> identified(const AnswerInput& input, MadeLeaves leaves,
                                  const RobotSetup& robot, const std::string& robot_path,
                                  const std::optional<StoredPopulationPrior>& population,
                                  const FleetStore& store, const Progress& progress) {
  Configuration configuration = robot.configuration;
  configuration.backend.threads = input.num_threads;
  HEFT_TRY(training, windowed_logs(input.training, robot));
  HEFT_TRY(validation, windowed_logs(input.validation, robot));
  if (!robot.by_leaves) {  // bit-identical to heft identify on the same backend
    configuration.compares_cutoffs = false;
    HEFT_TRY(read, read_robot(robot_path, robot_options(configuration)));
    HEFT_TRY(executor, make_executor(backend_of(configuration, input.num_threads)));
    auto answer = identify_logs(std::move(read), training.logs, validation.logs, configuration,
                                progress, {}, input.device, std::move(executor));
    if (answer) set_clocks(training, validation, *answer);
    if (answer && answer->wave && input.device) input.device->complete(*answer->wave);
    return answer;
  }
  HEFT_CHECK(add_stretches(input.training, input.leaf_keys, leaves, robot, store, progress,
                           input.device, input.read.get()));
  std::vector<ConditionedLog> logs = take_logs(input.leaf_keys, leaves);
  use_kept_rows(input.leaf_keys, leaves, training.logs);
  if (logs.empty()) logs = take_samples(input.read.get(), input.training, training.logs);
  HEFT_TRY(data, training_data_of(input.training, input.leaf_keys, std::move(leaves), robot, store,
                                  progress, input.device));
  HEFT_TRY(executor, make_executor(robot.backend_of_sums(input.num_threads)));
  std::vector<Log> validation_logs = read_once(validation.logs);
  std::vector<ConditionedLog> held_out;
  if (robot.gathering.conditioning.rows == "torque")  // by which held-out logs are judged
    held_out = take_samples(input.read.get(), input.validation, validation_logs);
  IdentifyRequest request{.setup = robot.setup,
                          .training_logs = training.logs,
                          .validation_logs = std::move(validation_logs),
                          .gathering = robot.gathering,
                          .estimation = estimation_options(configuration),
                          .executor = std::move(executor),
                          .gathers_evidence = configuration.estimation.seek_faults,
                          .gathers_traces = input.writes_page,
                          .progress = progress};
  request.estimation.solver = input.solver;
  if (population)
    HEFT_CHECK(
        use_population_prior(*population, data.moments, request.setup.prior, request.estimation));
  SampleSource source(request.training_logs, request.setup.model, request.gathering,
                      request.gathering.max_samples);
  source.keep_nothing();
  source.condition_by(input.device);
  if (!logs.empty()) source.hold(std::move(logs));
  auto answer =
      identify_gathered(std::move(data), request, source, input.device, std::move(held_out));
  if (answer && answer->wave) {
    input.device->complete(*answer->wave);
    answer->wave->chosen_because = kDeviceIsRequested;
  }
  if (answer && population) put_intervals(*population, *answer);
  if (answer) set_clocks(training, validation, *answer);
  return answer;
}

/// Adds the name of a log and those of its files.
void add_names(const std::string& path, const std::string& digest,
               std::vector<std::pair<std::string, std::string>>& files) {
  files.emplace_back(path, digest);
  const std::vector<std::string> members = files_of_log(path);
  for (std::size_t k = 0; k < members.size() && members.size() > 1; ++k)
    files.emplace_back(members[k], fmt::format("{} file {}", digest, k + 1));
}

/// A text with file names replaced by their digests.
std::string named_by_digest(std::string text,
                            const std::vector<std::pair<std::string, std::string>>& files) {
  for (const auto& [path, sha256] : files)
    for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos; at += sha256.size())
      text.replace(at, path.size(), sha256);
  return text;
}

/// Removes from the provenance what depends on the device, and on folders and threads of a machine;
/// adds the names of its files.
void make_canonical(Json& provenance, std::vector<std::pair<std::string, std::string>>& files) {
  if (provenance.contains("inputs"))
    for (const Json& input : provenance["inputs"])
      if (const std::string path = input.value("path", ""); !path.empty())
        add_names(path, "sha256:" + input.value("sha256", ""), files);
  provenance.erase("wave");
  if (!provenance.contains("options")) return;
  Json& options = provenance["options"];
  if (options.contains("robot")) options["robot"].erase("rotors");
  if (options.contains("estimation")) options["estimation"].erase("package_folders");
  if (options.contains("backend")) options["backend"].erase("threads");
}

/// The logs of every item of a list of options, which names them, by their keys.
template <class Item>
std::string text_of_named_logs(const char* list, const std::vector<Item>& items,
                               const std::vector<FleetRow>& rows,
                               const std::vector<std::string>& keys) {
  std::string text;
  for (std::size_t p = 0; p < items.size(); ++p)
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (std::ranges::any_of(items[p].logs, [&](const std::string& name) {
            return is_name_of_log(name, rows[k].log);
          }))
        text += fmt::format("{} {} {}\n", list, p, keys[k]);
  return text;
}

}  // namespace

std::string AnswerInput::key(const RobotSetup& robot) const {
  std::string text = std::string(kAnswerSchema) + "\ndata " + root + "\n";
  for (const std::string& key : validation_keys) text += "held out " + key + "\n";
  for (std::size_t k = 0; k < training.size(); ++k)
    if (!training[k].recorded.empty())
      text += "recorded " + leaf_keys[k] + " " + training[k].recorded + "\n";
  const Configuration& options = robot.configuration;
  text += text_of_named_logs("payload", options.payloads, training, leaf_keys);
  text += text_of_named_logs("payload", options.payloads, validation, validation_keys);
  text += text_of_named_logs("kind", options.log_kinds, training, leaf_keys);
  if (!population.empty()) text += "population 5 " + population + "\n";
  for (const std::string& id : accepted) text += "accepted " + id + "\n";
  return sha256_of(text + robot.answer_text);
}

std::string digest_of_result(const Json& result) {
  std::map<std::string, const Json*> members;  // the document in the order of its keys
  for (const auto& [key, value] : result.items())
    if (key != "timings" && key != "reading") members[key] = &value;
  std::vector<std::pair<std::string, std::string>> files;
  Json provenance;
  if (const auto found = members.find("provenance"); found != members.end()) {
    provenance = *found->second;
    make_canonical(provenance, files);
    found->second = &provenance;
  }
  // longer paths first: one may begin with another
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  const JsonForm form{.sorts_keys = true, .text_of = [&](const std::string& text) {
                        return named_by_digest(text, files);
                      }};
  std::string text = "{";
  for (const auto& [key, value] : members) {
    if (text.size() > 1) text += ',';
    append_json(key, {}, text);
    text += ':';
    append_json(*value, form, text);
  }
  return sha256_of(text + "}");
}

Result<Done> make_answer(const AnswerInput& input, MadeLeaves leaves, const RobotSetup& robot,
                         const std::string& robot_path, const std::string& directory,
                         const FleetStore& store, const Progress& progress) {
  const std::string key = input.key(robot);
  if (store.has(Kind::answer, key) && !stored_record(key, store)) {
    store.put_aside(Kind::answer, key);
    store.note("answer damaged", {{"key", key}, {"folder", directory}});
  }
  HEFT_TRY(population, population_prior_of(input, robot, store));
  HEFT_TRY(identification,
           identified(input, std::move(leaves), robot, robot_path, population, store, progress));
  // the result does not depend on the number of idle threads
  identification.second_pass.backend = robot.backend->description();
  identification.accepted = input.accepted;
  const auto lock = FolderLock::take(directory);
  if (!lock) return lock.error();
  if (has_answer(directory, key, input.writes_page, store)) return Done{};
  unseal_results(directory);
  const Json result = result_document(identification);
  const auto written =
      input.writes_page
          ? write_result(identification, directory, robot.configuration.estimation.package_folders)
          : write_document(identification, result, directory);
  if (!written) return written.error();
  if (identification.choices.columns) {
    HEFT_CHECK(write_chosen_configuration(robot.configuration,
                                          identification.choices.columns->chosen, directory));
  } else {
    remove_chosen_configuration(directory);
  }
  AnswerRecord record = AnswerRecord::of(result, digest_of_result(result));
  HEFT_TRY(days, days_of(input, robot, identification.data, store, progress));
  record.days = std::move(days);
  if (population) {
    record.population = {.robots = population->prior.num_robots};
    for (const auto& release : population->prior.released)
      record.population->released.push_back({release.group, release.improbability});
  }
  HEFT_CHECK(store.put_sealed(Kind::answer, key, record.text()));
  return seal_results(directory, key, input.writes_page);
}

std::optional<AnswerRecord> stored_record(const std::string& key, const FleetStore& store) {
  const auto text = store.sealed_text(Kind::answer, key);
  return text ? AnswerRecord::from_text(*text) : std::nullopt;
}

bool has_answer(const std::string& directory, const std::string& key, bool needs_page,
                const FleetStore& store) {
  return answer_record(directory, key, needs_page, store).has_value();
}

std::optional<AnswerRecord> answer_record(const std::string& directory, const std::string& key,
                                          bool needs_page, const FleetStore& store) {
  return holds_results(directory, key, needs_page) ? stored_record(key, store) : std::nullopt;
}

}  // namespace heft
