// heft watch: samples of a working robot from standard input or a growing file, lines of JSON on
// standard output, and a page.
#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <memory>
#include <string>

#include "config/device_options.hpp"
#include "heft/config/configuration.hpp"
#include "predict/identified_model.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/configuration_flags.hpp"
#include "tools/heft/input_lines.hpp"
#include "tools/heft/live_view.hpp"
#include "tools/heft/number_checks.hpp"
#include "tools/heft/output_lines.hpp"
#include "tools/heft/watch_server.hpp"
#include "watch_stream/sample_lines.hpp"
#include "watch_stream/watch_stream.hpp"

namespace heft::tools {

namespace {

struct WatchFlags {
  std::string model, log, serve, baseline;
  double idle_s = 0;
  const CLI::Option* idle = nullptr;
  WatchStreamOptions stream;
  ConfigurationFlags configuration;
};

Error stopped_by_signal() {
  return Error{.where = "heft watch",
               .what = "was stopped by a signal",
               .remedy = "run it again to continue",
               .is_stop = true};
}

/// Returns the convention of the samples: that of the identification's logs, overridden by options
/// of section `log`, or that of a device.
Result<LogFormat> format_of_samples(const WatchFlags& flags, const IdentifiedModel& identified) {
  HEFT_TRY(given, flags.configuration.configuration());
  HEFT_TRY(over, flags.configuration.configuration_over(identified.configuration));
  Configuration& chosen = given.device.empty() ? over : given;
  // gravity and other robot options are those of the model
  chosen.robot = identified.configuration.robot;
  if (const auto fits = config::check_torque_meaning(chosen); !fits)
    return flags.configuration.located(fits.error());
  return chosen.log;
}

/// The page of a run: what it shows, and the server.
class LivePage {
 public:
  static Result<std::unique_ptr<LivePage>> start(const WatchFlags& flags,
                                                 const IdentifiedModel& identified) {
    HEFT_TRY(address, serve_address(flags.serve));
    HEFT_TRY(text, watch_page(flags.model, identified));
    auto page = std::make_unique<LivePage>(identified.model.plan->channels.size());
    HEFT_TRY(server, WatchServer::start(address, text, page->view_, identified));
    page->server_ = std::move(server);
    std::fprintf(stderr, "page: %s\n", page->server_->url().c_str());
    return page;
  }
  explicit LivePage(std::size_t num_channels) : view_(num_channels) {}
  ~LivePage() { view_.end(); }
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;

  void add_sample(double time, const Watcher& watcher) {
    if (watcher.num_samples() == num_samples_) return;
    num_samples_ = watcher.num_samples();
    view_.add_sample(time, watcher.measured(), watcher.predicted());
  }

  void add_line(const WatchLine& line) {
    view_.add_line(line);
    if (line.type == WatchLine::Type::error) ++totals_.num_errors;
    if (line.type == WatchLine::Type::change) {
      ++totals_.changes[line.what].count;
      totals_.changes[line.what].size = line.size;
    }
  }

  void set_totals(double time, const WatchStream& stream, long long num_dropped) {
    totals_.time = time;
    totals_.num_dropped = num_dropped;
    totals_.sample_times = stream.sample_times();
    totals_.num_samples = totals_.sample_times.count;
    if (const Watcher* const watcher = stream.watcher()) {
      totals_.error_relative = watcher->error_relative();
      totals_.answer = watcher->answer();
    }
    view_.set_totals(totals_);
  }

 private:
  LiveView view_;
  LiveTotals totals_;
  long long num_samples_ = 0;
  std::unique_ptr<WatchServer> server_;  // after what it shows
};

class WatchRun {
 public:
  WatchRun(InputLines input, WatchStream stream, std::unique_ptr<LivePage> page)
      : input_(std::move(input)), stream_(std::move(stream)), page_(std::move(page)) {}

  Result<Done> run(const IdentifiedModel& identified, const LogFormat& format,
                   const StopSignal& stop) {
    HEFT_CHECK(read_samples(identified, format, stop));
    const auto last = stream_.finish();
    if (!last) return stop.has_come() ? stopped_by_signal() : last.error();
    show(*last);
    output_.finish();
    print_totals();
    if (output_.has_failed()) return unwritten_output();
    return stop.has_come() ? Result<Done>(stopped_by_signal()) : Result<Done>(Done{});
  }

  bool is_certified() const { return stream_.is_certified(); }

 private:
  Result<Done> read_samples(const IdentifiedModel& identified, const LogFormat& format,
                            const StopSignal& stop) {
    std::string line;
    HEFT_TRY(found, input_.next(line));
    if (found != InputLines::Found::line && stop.has_come()) return stopped_by_signal();
    if (found != InputLines::Found::line)
      return Error{input_.name(), "is empty",
                   "send the names of the columns, then one line per sample"};
    HEFT_TRY(samples, SampleLines::make(line, identified, format, input_.name() + ":1"));
    while (!output_.is_closed()) {
      HEFT_TRY(next, input_.next(line));
      // an unfinished line may look complete
      if (next == InputLines::Found::end || next == InputLines::Found::unfinished) break;
      if (next == InputLines::Found::too_long || !samples.read(line)) {
        show(stream_.complain(
            "a line has a different number of columns than the header; it is skipped"));
        continue;
      }
      HEFT_CHECK(take(samples));
    }
    return Done{};
  }

  Result<Done> take(const SampleLines& sample) {
    const auto lines = stream_.push(sample.time(), sample.position(), sample.torque());
    if (!lines) return lines.error();
    if (std::isfinite(sample.time())) time_ = sample.time();
    if (page_ && stream_.watcher() != nullptr) page_->add_sample(time_, *stream_.watcher());
    show(*lines);
    return Done{};
  }

  void show(std::span<const WatchLine> lines) {
    for (const WatchLine& line : lines) {
      const bool is_state = line.type == WatchLine::Type::state;
      if (page_) page_->add_line(line);
      output_.put(line.text, is_state);
      if (is_state) stream_.set_dropped(output_.num_dropped());
      if (page_) page_->set_totals(time_, stream_, output_.num_dropped());
    }
  }

  void print_totals() {
    const SampleTimes times = stream_.sample_times();
    std::fprintf(stderr, "%lld samples, %.1f us each (median), %.1f us at 99.99 %%\n", times.count,
                 times.median_us, times.most_us);
    const long long num_answers = stream_.watcher()->answer().number;
    if (num_answers > 1 && stream_.solver_seconds() > 0)
      std::fprintf(stderr, "%lld answers, %.1f answers per second of CPU\n", num_answers - 1,
                   static_cast<double>(num_answers - 1) / stream_.solver_seconds());
    if (output_.num_dropped() > 0)
      std::fprintf(stderr, "%lld lines dropped, because nothing read them in time\n",
                   output_.num_dropped());
  }

  InputLines input_;
  OutputLines output_;
  WatchStream stream_;
  std::unique_ptr<LivePage> page_;
  double time_ = std::nan("");
};

Result<InputLines> input_of(const WatchFlags& flags, const StopSignal& stop) {
  if (!flags.log.empty()) return InputLines::follow(flags.log, flags.idle_s, stop);
  if (flags.idle->count() > 0)
    return Error{"--idle", "applies only with --log", "add --log FILE; standard input has an end"};
  return InputLines(&stop);
}

int run_watch(WatchFlags& flags) {
  const StopSignal stop;
  std::signal(SIGPIPE, SIG_IGN);
  const auto identified = read_identified_model(flags.model);
  if (!identified) return fail(identified.error());
  const auto format = format_of_samples(flags, *identified);
  if (!format) return fail(format.error());
  auto input = input_of(flags, stop);
  if (!input) return fail(input.error());
  flags.stream.source = input->name();
  if (!flags.baseline.empty()) {
    auto baseline = read_watch_baseline(flags.baseline, flags.model, *identified);
    if (!baseline) return fail(baseline.error());
    flags.stream.baseline.emplace(std::move(*baseline));
  }
  auto stream = WatchStream::make(*identified, flags.stream);
  if (!stream) return fail(stream.error());
  for (const std::string& doubt : identified->doubts)
    std::fprintf(stderr, "doubt about the model: %s\n", printable(doubt).c_str());
  std::unique_ptr<LivePage> page;
  if (!flags.serve.empty()) {
    auto started = LivePage::start(flags, *identified);
    if (!started) return fail(started.error());
    page = std::move(*started);
  }
  WatchRun run(std::move(*input), std::move(*stream), std::move(page));
  if (const auto done = run.run(*identified, *format, stop); !done) return fail(done.error());
  return run.is_certified() ? kSuccess : kNotCertified;
}

}  // namespace

void add_watch(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand(
      "watch", "monitor a working robot: certified parameters, and what changed");
  auto flags = std::make_shared<WatchFlags>();
  command
      ->add_option("--model", flags->model, "output directory of heft identify, or its result.json")
      ->required();
  command->add_option("--log", flags->log,
                      "CSV file that another program appends to: read to its end, then wait for "
                      "more; default: standard input");
  flags->idle =
      command
          ->add_option("--idle", flags->idle_s,
                       "end when --log has not grown for this time [s]; 0: wait for a signal")
          ->capture_default_str()
          ->check(not_negative());
  command
      ->add_option(
          "--forget", flags->stream.forget_s,
          "time constant with which older samples lose weight [s]; 0: all samples count equally")
      ->capture_default_str()
      ->check(not_negative());
  command
      ->add_option("--every", flags->stream.every,
                   "samples between lines of type state; 0: one line per second")
      ->capture_default_str()
      ->check(not_negative());
  command->add_option(
      "--snapshot", flags->stream.snapshot,
      "file to resume from if it exists, written every minute of samples and at the end");
  command->add_option(
      "--baseline", flags->baseline,
      "fleet.json of heft fleet run, or a result.json: states and changes say whether the "
      "parameters are within its bounds");
  command->add_option(
      "--serve", flags->serve,
      "PORT or ADDRESS:PORT of a page with live curves, bodies and changes, and of Prometheus "
      "metrics at /metrics; with PORT alone only this machine can read them; other addresses "
      "require the token in the printed URL; port 0: any free port");
  flags->configuration.add_to(*command, {}, {"log"});
  command->footer(
      "Samples are lines of CSV after a header with the columns of the logs that the model was identified from,\n"
      "or of --log.device NAME. Exit code 5: stopped by a signal; the snapshot is written.\n"
      "Examples:\n"
      "  heft watch --model result < log.csv\n"
      "  heft watch --model result --log today.csv --serve 8080\n"
      "  robot_logger | heft watch --model result --forget 60 --snapshot watch.bin");
  command->callback([flags, &run] { run = [flags] { return run_watch(*flags); }; });
}

}  // namespace heft::tools
