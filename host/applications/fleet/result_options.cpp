#include "result_options.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "robot_setup.hpp"

namespace heft {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestDigest = 256;
constexpr std::size_t kShown = 16;  ///< digits of the options in a folder's name
constexpr std::chrono::milliseconds kPatience{2000}, kPause{20};

Error cannot_move(const std::string& path, const std::error_code& failure) {
  return {path, "cannot be set aside: " + failure.message(), "check that the store is writable"};
}

/// The options of results/; empty: no results yet, or results of a version that did not record
/// them.
std::string options_of(const FleetStore& store) {
  const auto text = read_file_whole(store.path("options"), kLongestDigest);
  return text ? text->substr(0, text->find('\n')) : "";
}

std::string folder_of(const FleetStore& store, const std::string& options) {
  return store.path("results-" + options.substr(0, kShown));
}

/// Moves the existing results aside under their options and restores those of these options.
Result<Done> change(const FleetStore& store, const std::string& from, const std::string& to) {
  std::error_code failure, ignored;
  const std::string results = store.path("results"), aside = folder_of(store, from);
  if (!from.empty() && fs::exists(results, ignored)) {
    for (const char* name : {"fleet.json", "fleet.csv", "fleet.html"})
      fs::rename(store.path(name), (fs::path(results) / name).string(), ignored);
    fs::remove_all(aside, ignored);
    fs::rename(results, aside, failure);
    if (failure) return cannot_move(results, failure);
  }
  if (const std::string own = folder_of(store, to); fs::exists(own, ignored)) {
    fs::rename(own, results, failure);
    if (failure) return cannot_move(own, failure);
    for (const char* name : {"fleet.json", "fleet.csv", "fleet.html"})
      fs::rename((fs::path(results) / name).string(), store.path(name), ignored);
  }
  if (!from.empty()) store.note("options", {{"from", from}, {"to", to}});
  return write_file_whole(store.path("options"), to + "\n");
}

}  // namespace

Result<std::string> digest_of_options(const FleetOptions& options) {
  HEFT_TRY(configuration, options.configuration_of(""));
  std::string text = "heft-fleet-options-1\n" + options_text(configuration);
  for (const std::string& id : options.accepted) text += "accepted " + id + "\n";
  return sha256_of(text);
}

Result<ResultOptions> ResultOptions::take(const FleetStore& store, const std::string& options) {
  const int handle = ::open(store.path("options.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (handle < 0)
    return Error{store.folder(), "cannot be written", "check that the store is writable"};
  ResultOptions taken(handle);
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    // a file system without locks: proceed as the only user
    const bool has_locks = ::flock(handle, LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK;
    if (options_of(store) == options) return taken;
    if (has_locks) (void)::flock(handle, LOCK_UN);
    if (!has_locks || ::flock(handle, LOCK_EX | LOCK_NB) == 0) {
      if (const std::string before = options_of(store); before != options)
        HEFT_CHECK(change(store, before, options));
      if (has_locks) (void)::flock(handle, LOCK_SH);
      return taken;
    }
    if (std::chrono::steady_clock::now() > give_up)
      return Error{store.folder(),
                   "is in use by a run with other options, and results/ would mix both",
                   "wait until that run ends, or give this run a separate store"};
    std::this_thread::sleep_for(kPause);
  }
}

ResultOptions::~ResultOptions() {
  if (handle_ >= 0) ::close(handle_);
}

}  // namespace heft
