// What the entry functions share: bytes as a file in memory, small inputs, and properties of every
// reader's result.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "heft/base/result.hpp"
#include "heft/check/check.hpp"

namespace heft::fuzz {

/// Ends the process, so that fuzzer and replay report the input.
[[noreturn]] inline void fail(const std::string& complaint) {
  std::fprintf(stderr, "broken promise: %s\n", complaint.c_str());
  std::abort();
}

inline void require(bool holds, const char* promise) {
  if (!holds) fail(promise);
}

/// Bytes under a path of their own, without a disk.
class BytesFile {
 public:
  explicit BytesFile(std::string_view bytes)
      : descriptor_(::memfd_create("heft-fuzz", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "a file in memory can be made");
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      require(written > 0, "a file in memory can be written");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  BytesFile(const std::uint8_t* data, std::size_t size)
      : BytesFile(std::string_view(reinterpret_cast<const char*>(data), size)) {}
  ~BytesFile() { ::close(descriptor_); }
  BytesFile(const BytesFile&) = delete;
  BytesFile& operator=(const BytesFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// True for a value; an error must say what is wrong and how to fix it.
template <class T>
bool is_value(const Result<T>& result) {
  if (result) return true;
  if (result.error().what.empty() || result.error().remedy.empty())
    fail("an error says what and how to fix it: " + result.error().message());
  return false;
}

/// A report of the checks shows numbers, not what became of them.
inline void require_sound(const Result<CheckReport>& report) {
  if (!is_value(report)) return;
  for (const Finding& finding : report->findings) {
    if (!std::isfinite(finding.measure)) fail(finding.name + " has a measure that is no number");
    require(!finding.what.empty() && !finding.remedy.empty() && !finding.where.empty(),
            "a finding is whole");
  }
  require(!format_check(*report).empty(), "a report has a table");
}

}  // namespace heft::fuzz
