// Removes a barrier, a guard or a bound of a kernel, one at a time, and tests whether it is
// detected: by the checks, an Error, a result that differs from the CPU's, or a program that
// crashes or does not end. Every mutant runs in its own process.
//
//   device_mutants [--list] [--sample N --seed S] [--only NUMBER] [--of TEXT]
//
// --of: those whose line in the list has this text.
// Prints survivors and, last, "K of N mutants found" and how many others mutants.md lists. Exit
// code 1 if one survives that it does not list, or if fewer than 95 % of all are found.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/device_on_host/block/findings.hpp"
#include "tests/device_on_host/block/symbols.hpp"
#include "tests/device_on_host/device_work.hpp"
#include "tests/device_on_host/runtime/stand_in.hpp"

namespace heft::device_on_host {
namespace {

using testing::DeviceTask;
using testing::Numbers;

constexpr double kMinShare = 0.95;              // of all mutants
constexpr unsigned kMaxSeconds = 300;           // of one mutant, many times what all tasks take
constexpr std::uint64_t kMaxSteps = 5'000'000;  // basic blocks of one thread, of which tasks need
                                                // some thousands

struct Candidate {
  const Module* module;
  int number;
  const Mutant& what() const { return module->mutants[static_cast<std::size_t>(number)]; }
};

std::string text(const Candidate& candidate) {
  const Mutant& mutant = candidate.what();
  return std::string(mutant.kind) + " at " + mutant.place + " in " + plain_name(mutant.kernel);
}

/// A task, and the kernels that it launches.
struct Driver {
  DeviceTask task;
  std::set<std::string> kernels;
};

/// Ends the program if anything is wrong without mutants.
std::vector<Driver> make_drivers() {
  std::vector<Driver> drivers;
  std::vector<DeviceTask> tasks = testing::device_tasks();
  for (DeviceTask& task : testing::more_device_tasks()) tasks.push_back(std::move(task));
  for (DeviceTask& task : tasks) {
    set({.num_multiprocessors = 1, .most_blocks = 1});
    const Result<Numbers> result = task.run(1);
    if (!result.ok() || !task.is_right(*result) || !findings().empty()) {
      std::fprintf(
          stderr, "%s goes wrong without mutants: %s\n", task.name.c_str(),
          result.ok() ? "not the CPU's answer, or findings" : result.error().message().c_str());
      std::exit(2);
    }
    drivers.push_back({std::move(task), launched_kernels()});
  }
  return drivers;
}

/// In a child: 1 if a driver notices, else 0.
[[noreturn]] void run_with(const Candidate& candidate, const std::vector<Driver>& drivers) {
  alarm(kMaxSeconds);
  findings().print(false);
  findings().at_first([] { _exit(1); });
  for (const Driver& driver : drivers) {
    if (!driver.kernels.count(candidate.what().kernel)) continue;
    set({.threads = ThreadOrder::descending,
         .num_multiprocessors = 1,  // of one block: tasks follow each other in its memory
         .most_blocks = 1,
         .mutated_module = candidate.module,
         .removed_mutant = candidate.number,
         .most_steps = kMaxSteps});
    const Result<Numbers> result = driver.task.run(1);
    if (!result.ok() || !driver.task.is_right(*result)) _exit(1);
  }
  _exit(0);
}

/// Runs candidates in children, as many at a time as the machine has processors.
class Children {
 public:
  explicit Children(const std::vector<Driver>& drivers) : drivers_(drivers) {}

  /// Calls done(candidate, whether it is found) for each, in the order in which they end.
  template <class F>
  void run(const std::vector<Candidate>& candidates, const F& done) {
    const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
    for (const Candidate& candidate : candidates) {
      if (running_.size() == most) wait_for_one(done);
      start(candidate);
    }
    while (!running_.empty()) wait_for_one(done);
  }

 private:
  void start(const Candidate& candidate) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) {
      std::perror("fork");
      std::exit(2);
    }
    if (child == 0) run_with(candidate, drivers_);
    running_.emplace(child, candidate);
  }

  template <class F>
  void wait_for_one(const F& done) {
    int status = 0;
    const auto ended = running_.find(waitpid(-1, &status, 0));
    if (ended == running_.end()) return;
    done(ended->second, !WIFEXITED(status) || WEXITSTATUS(status) != 0);
    running_.erase(ended);
  }

  const std::vector<Driver>& drivers_;
  std::map<pid_t, Candidate> running_;
};

std::vector<Candidate> candidates() {
  std::vector<Candidate> all;
  for (const Module* const module : modules())
    for (int k = 0; k < static_cast<int>(module->mutants.size()); ++k) all.push_back({module, k});
  return all;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

/// What mutants.md calls a mutant: kind, file and the line of the source, of a barrier with the
/// next one. Numbers of lines would not last.
std::string name_in_list(const Candidate& candidate) {
  const Mutant& mutant = candidate.what();
  const std::string place = mutant.place;  // "file:line:column", innermost first, " of " between
  const std::size_t last = place.rfind(" of ");
  const std::string outermost = last == place.npos ? place : place.substr(last + 4);
  const std::size_t colon = outermost.find(':');
  std::ifstream source(std::string(HEFT_SOURCE) + "/" + outermost.substr(0, colon));
  std::string line;
  for (int k = std::stoi(outermost.substr(colon + 1)); k > 0; --k) std::getline(source, line);
  std::string name =
      std::string(mutant.kind) + ' ' + outermost.substr(0, colon) + ' ' + trimmed(line);
  if (std::string(mutant.kind) == "barrier" && std::getline(source, line))
    name += ' ' + trimmed(line);
  return name;
}

/// Lines of mutants.md that begin with three words in backquotes: kind, file, line of the source.
std::set<std::string> listed() {
  std::set<std::string> names;
  std::ifstream list(std::string(HEFT_SOURCE) + "/tests/device_on_host/mutants.md");
  static const std::regex kEntry("- `([a-z]+)` `([^`]+)` `([^`]+)`.*");
  std::smatch parts;
  for (std::string line; std::getline(list, line);)
    if (std::regex_match(line, parts, kEntry))
      names.insert(parts.str(1) + ' ' + parts.str(2) + ' ' + parts.str(3));
  return names;
}

struct Arguments {
  bool lists = false;
  std::size_t sample = 0;  ///< 0: all
  std::uint64_t seed = 1;
  int only = -1;
  std::string of;

  bool is_whole() const { return sample == 0 && only < 0 && of.empty(); }
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int k = 1; k < argc; ++k) {
    const std::string name = argv[k];
    const auto word = [&] {
      if (++k == argc) {
        std::fprintf(stderr, "%s: what?\n", name.c_str());
        std::exit(2);
      }
      return argv[k];
    };
    const auto value = [&] { return std::strtoull(word(), nullptr, 10); };
    if (name == "--list") {
      arguments.lists = true;
    } else if (name == "--sample") {
      arguments.sample = value();
    } else if (name == "--seed") {
      arguments.seed = value();
    } else if (name == "--only") {
      arguments.only = static_cast<int>(value());
    } else if (name == "--of") {
      arguments.of = word();
    } else {
      std::fprintf(stderr,
                   "%s: expected --list, --sample N, --seed S, --only NUMBER or --of TEXT\n",
                   name.c_str());
      std::exit(2);
    }
  }
  return arguments;
}

int main_of(const Arguments& arguments) {
  std::vector<Candidate> chosen = candidates();
  if (!arguments.of.empty())
    std::erase_if(chosen, [&](const Candidate& c) {
      return text(c).find(arguments.of) == std::string::npos;
    });
  if (arguments.lists) {
    for (std::size_t k = 0; k < chosen.size(); ++k)
      std::printf("%zu %s\n", k, text(chosen[k]).c_str());
    return 0;
  }
  if (arguments.only >= 0) chosen = {chosen.at(static_cast<std::size_t>(arguments.only))};
  if (arguments.sample > 0 && arguments.sample < chosen.size()) {
    std::mt19937_64 random(arguments.seed);
    std::shuffle(chosen.begin(), chosen.end(), random);
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(arguments.sample), chosen.end());
  }
  const std::vector<Driver> drivers = make_drivers();
  const std::set<std::string> known = listed();
  std::size_t found = 0, known_survivors = 0;
  Children(drivers).run(chosen, [&](const Candidate& candidate, bool is_found) {
    found += is_found;
    if (is_found) return;
    const std::string name = name_in_list(candidate);
    const bool is_known = known.count(name) != 0;
    known_survivors += is_known;
    std::printf("survives%s: %s\n  %s\n", is_known ? ", as listed" : "", text(candidate).c_str(),
                name.c_str());
    std::fflush(stdout);
  });
  std::printf("%zu of %zu mutants found, %zu others stand in mutants.md\n", found, chosen.size(),
              known_survivors);
  // of a part of them the share says little
  const bool is_enough =
      !arguments.is_whole() ||
      static_cast<double>(found) >= kMinShare * static_cast<double>(chosen.size());
  return is_enough && found + known_survivors == chosen.size() ? 0 : 1;
}

}  // namespace
}  // namespace heft::device_on_host

int main(int argc, char** argv) {
  return heft::device_on_host::main_of(heft::device_on_host::parse(argc, argv));
}
