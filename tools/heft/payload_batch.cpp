// heft payload --batch M.csv: many payloads with one log each.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>

#include "base/parallel_for.hpp"
#include "executor/backend_choice.hpp"
#include "files/csv_table.hpp"
#include "files/json_text.hpp"
#include "files/whole_file.hpp"
#include "heft/payload/payload.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/payload_flags.hpp"
#include "tools/heft/print.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestManifest = std::size_t{64} << 20;
constexpr std::size_t kReadAhead = 1024;  // logs in memory, for a device

struct Item {
  std::string id, log, shape, where;
  std::optional<Error> error;  ///< in the row itself, which is not weighed
};

/// The outcome of one payload, whose result.json is written.
struct Outcome {
  std::string error;
  int exit_code = kBadInput;
  double mass = 0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  PayloadInterval mass_interval;
  std::vector<std::string> open_doubts;
};

bool is_plain_name(const std::string& id) {
  return !id.empty() && id != "." && id != ".." && id.size() <= 200 &&
         std::none_of(id.begin(), id.end(), [](unsigned char c) {
           return c == '/' || c == '\\' || c < 0x20 || c == 0x7F;
         });
}

/// The files of a log, whose paths in the manifest are relative to its folder.
std::string log_beside(const std::string& manifest, const std::string& log) {
  if (const std::string whole = path_beside(manifest, log); files_of_log(whole).size() == 1)
    return whole;
  std::string words;
  for (const std::string& path : files_of_log(log))
    words += (words.empty() ? "" : "+") + path_beside(manifest, path);
  return words;
}

Result<std::vector<Item>> read_manifest(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestManifest));
  CsvTable table(text);
  std::vector<std::string> header, fields;
  (void)table.next(header);
  const auto place = [&](const char* name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  const std::size_t id = place("id"), log = place("log"), shape = place("shape");
  if (id == header.size() || log == header.size())
    return Error{path + ":1", "has no column 'id' or no column 'log'",
                 "begin the file with the line id,log,shape"};
  std::vector<Item> items;
  std::set<std::string> ids;
  while (table.next(fields)) {
    const std::string where = path + ":" + std::to_string(table.line());
    if (table.is_open())
      return Error{where, "has an unclosed quote",
                   "end the field with a quote; double a quote within it"};
    if (fields.size() != header.size())
      return Error{
          where, fmt::format("has {} fields, but the header has {}", fields.size(), header.size()),
          "write one row per payload: id,log,shape"};
    if (!is_plain_name(fields[id])) {
      items.push_back(
          {.id = fields[id],
           .where = where,
           .error = Error{where, "has the id '" + fields[id] + "', which cannot name a folder",
                          "use letters, digits, - and _"}});
      continue;
    }
    if (!ids.insert(fields[id]).second)
      return Error{where, "the id '" + fields[id] + "' appears twice",
                   "give every payload a unique id"};
    if (fields[log].empty()) return Error{where, "has no log", "write the path of a log"};
    items.push_back({fields[id],
                     log_beside(path, fields[log]),
                     shape < fields.size() ? path_beside(path, fields[shape]) : "",
                     where,
                     {}});
  }
  if (items.empty())
    return Error{path, "has no payloads", "write one row per payload: id,log,shape"};
  return items;
}

/// Shapes by path, each read once.
using Shapes = std::map<std::string, Result<PayloadShape>>;

/// `ahead`: the answer of a device, if one solved it.
Result<Done> weigh_item(const Item& item, const PayloadFlags& flags, const PayloadInput& input,
                        const Shapes& shapes, std::optional<SolvedAhead>& ahead, Outcome& outcome) {
  if (item.error) return *item.error;
  const Result<PayloadShape>& shape = shapes.at(item.shape);
  if (!shape) return shape.error();
  const std::vector<Log> logs = {log_of_files(item.log)};
  HEFT_TRY(result, ahead ? weigh_and_accept(flags, input, *shape, logs, *std::move(ahead))
                         : weigh_and_accept(flags, input, *shape, logs));
  const fs::path folder = fs::path(flags.out) / "results" / item.id;
  HEFT_CHECK(make_folder(folder.string()));
  HEFT_CHECK(write_file_whole((folder / "result.json").string(), payload_json(result)));
  const BodyParameters& x = result.answer().parameters;
  outcome.mass = x[core::kMass];
  outcome.com = x.segment<3>(core::kMcx) / x[core::kMass];
  outcome.mass_interval = result.mass;
  for (const PayloadDoubt& doubt : result.doubts)
    if (doubt.serious && !doubt.accepted) outcome.open_doubts.push_back(doubt.id);
  outcome.exit_code = payload_exit_code(result);
  return Done{};
}

/// Reads a share of the manifest and solves it together. Leaves payloads that cannot be read or
/// solved to weigh_item, which reports why.
Result<std::vector<std::optional<SolvedAhead>>> solve_ahead(std::span<const Item> items,
                                                            const PayloadFlags& flags,
                                                            const PayloadInput& input,
                                                            const Shapes& shapes,
                                                            Executor& executor) {
  std::vector<std::optional<SolvedAhead>> ahead(items.size());
  parallel_for(static_cast<std::int64_t>(items.size()), flags.threads, [&](std::int64_t k, int) {
    const Item& item = items[static_cast<std::size_t>(k)];
    if (item.error || !shapes.at(item.shape)) return;
    auto read = read_logs({.logs = {log_of_files(item.log)},
                           .on_link = input.on_link,
                           .options = input.options,
                           .shape = {}});
    if (read) ahead[static_cast<std::size_t>(k)] = SolvedAhead{*std::move(read), {}};
  });
  std::vector<PayloadTask> tasks;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < items.size(); ++k)
    if (ahead[k])
      tasks.push_back({&ahead[k]->read.samples, &*shapes.at(items[k].shape)}), places.push_back(k);
  HEFT_TRY(answers, weigh_batch(tasks, input.options, executor, flags.threads));
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (answers[i].failure.empty())
      ahead[places[i]]->answer = std::move(answers[i]);
    else
      ahead[places[i]].reset();
  }
  return ahead;
}

Json item_json(const Item& item, const Outcome& outcome) {
  Json json = {{"id", item.id}, {"state", outcome.error.empty() ? "done" : "failed"}};
  if (!outcome.error.empty()) {
    json["error"] = outcome.error;
    return json;
  }
  json["mass"] = number_or_null(outcome.mass);
  json["com"] = {number_or_null(outcome.com.x()), number_or_null(outcome.com.y()),
                 number_or_null(outcome.com.z())};
  json["mass_interval"] = {number_or_null(outcome.mass_interval.low),
                           number_or_null(outcome.mass_interval.high)};
  json["certified"] = outcome.exit_code != kNotCertified;
  json["doubts"] = outcome.open_doubts;
  json["result"] = "results/" + item.id + "/result.json";
  return json;
}

std::string table_of(const std::vector<Item>& items, const std::vector<Outcome>& outcomes) {
  std::string text = "id,state,mass,com_x,com_y,com_z,mass_low,mass_high,certified,doubts\n";
  for (std::size_t k = 0; k < items.size(); ++k) {
    const Outcome& o = outcomes[k];
    if (o.error.empty())
      text += fmt::format("{},done,{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{}\n",
                          csv_field(items[k].id), o.mass, o.com.x(), o.com.y(), o.com.z(),
                          o.mass_interval.low, o.mass_interval.high, o.exit_code != kNotCertified,
                          fmt::join(o.open_doubts, " "));
    else
      text += csv_field(items[k].id) + ",failed,,,,,,,,\n";
  }
  return text;
}

/// The exit code of the worst payload.
int worst(const std::vector<Outcome>& outcomes) {
  const auto any = [&](int code) {
    return std::any_of(outcomes.begin(), outcomes.end(),
                       [&](const Outcome& o) { return o.exit_code == code; });
  };
  for (const int code : {kBadInput, kNotCertified, kOpenPayloadDoubt})
    if (any(code)) return code;
  return kSuccess;
}

}  // namespace

int run_payload_batch(const PayloadFlags& flags) {
  const auto input = payload_input_of(flags);
  if (!input) return fail(input.error());
  const auto items = read_manifest(flags.batch);
  if (!items) return fail(items.error());
  std::vector<std::string> inputs = payload_inputs_of(flags), outputs;
  for (const char* name : {"batch.json", "batch.csv"})
    outputs.push_back((fs::path(flags.out) / name).string());
  Shapes shapes;
  for (const Item& item : *items) {
    if (item.error) continue;
    for (const std::string& path : files_of_log(item.log)) inputs.push_back(path);
    inputs.push_back(item.shape);
    outputs.push_back((fs::path(flags.out) / "results" / item.id / "result.json").string());
    PayloadPriorOptions prior = input->options.prior;
    if (!item.shape.empty()) prior.mesh = item.shape;
    if (shapes.count(item.shape) == 0) shapes.emplace(item.shape, read_payload_shape(prior));
  }
  if (auto spared = refuse_overwriting_inputs(outputs, inputs); !spared)
    return fail(spared.error());
  if (auto made = make_folder(flags.out); !made) return fail(made.error());

  // a device does not solve logs with one body per stretch
  const bool has_stretches = input->options.finds_changes || !input->options.changes.empty();
  std::shared_ptr<Executor> executor;
  std::string chosen_because;
  if (flags.backend != BackendKind::cpu && !has_stretches) {
    auto chosen = choose_executor({.kind = flags.backend, .threads = flags.threads},
                                  {.problems = static_cast<double>(items->size()), .unknowns = 10});
    if (!chosen) return fail(chosen.error());
    if (chosen->executor->has_device()) executor = std::move(chosen->executor);
    chosen_because = std::move(chosen->because);
  }

  std::vector<Outcome> outcomes(items->size());
  TerminalProgress progress(flags.quiet);
  std::atomic<std::size_t> num_done{0};
  std::atomic<bool> is_stopped{false};
  const std::size_t share = executor ? kReadAhead : items->size();
  for (std::size_t begin = 0; begin < items->size() && !is_stopped; begin += share) {
    const std::span<const Item> some =
        std::span<const Item>(*items).subspan(begin, std::min(share, items->size() - begin));
    std::vector<std::optional<SolvedAhead>> ahead(some.size());
    if (executor) {
      auto solved = solve_ahead(some, flags, *input, shapes, *executor);
      if (!solved) return fail(solved.error());
      ahead = *std::move(solved);
    }
    parallel_for(
        static_cast<std::int64_t>(some.size()), flags.threads, [&](std::int64_t k, int thread) {
          if (is_stopped) return;
          const auto at = static_cast<std::size_t>(k);
          Outcome& outcome = outcomes[begin + at];
          if (const auto done = weigh_item(some[at], flags, *input, shapes, ahead[at], outcome);
              !done)
            outcome.error = done.error().message();
          ++num_done;
          if (thread == 0 && !progress("weighing", static_cast<double>(num_done) /
                                                       static_cast<double>(items->size())))
            is_stopped = true;
        });
  }
  if (is_stopped) return fail(stopped());

  Json json = {
      {"schema", "heft-payload-batch-1"}, {"objects", Json::array()}, {"solves", Json::array()}};
  if (executor)
    for (const SolveCount& count : executor->solved())
      json["solves"].push_back(
          {{"purpose", count.purpose}, {"by", count.by}, {"problems", count.problems}});
  if (!chosen_because.empty()) json["chosen_because"] = chosen_because;
  for (std::size_t k = 0; k < items->size(); ++k)
    json["objects"].push_back(item_json((*items)[k], outcomes[k]));
  const auto written = write_files_whole(
      {{outputs[0], json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"},
       {outputs[1], table_of(*items, outcomes)}});
  if (!written) return fail(written.error());
  std::size_t failed = 0, doubted = 0;
  for (std::size_t k = 0; k < items->size(); ++k) {
    failed += !outcomes[k].error.empty(), doubted += !outcomes[k].open_doubts.empty();
    if (!outcomes[k].error.empty())
      std::fprintf(stderr, "heft: %s: %s\n", printable((*items)[k].id).c_str(),
                   printable(outcomes[k].error).c_str());
    for (const std::string& doubt : outcomes[k].open_doubts)
      print("doubt:  " + (*items)[k].id + ": " + doubt + "\n");
  }
  std::printf("%zu payloads: %zu weighed, %zu of them in doubt, %zu failed\n%s\n%s\n",
              items->size(), items->size() - failed, doubted, failed, outputs[0].c_str(),
              outputs[1].c_str());
  return worst(outcomes);
}

}  // namespace heft::tools
