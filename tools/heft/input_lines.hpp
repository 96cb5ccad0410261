// Lines of samples as they arrive: from standard input, or from a text file that another program is
// writing.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

#include "heft/base/result.hpp"
#include "tools/heft/stop_signal.hpp"

namespace heft::tools {

class InputLines {
 public:
  /// `too_long`: the rest of the line is skipped; `unfinished`: the input ended within a line.
  enum class Found { line, too_long, unfinished, end };
  static constexpr std::size_t kLongestLine = 1 << 16;

  /// Reads standard input. `stop` ends it; null: nothing but its end does.
  explicit InputLines(const StopSignal* stop = nullptr) : stop_(stop) {}

  /// Reads a file, then what is appended to it, until `stop` or until nothing has been appended for
  /// `idle_s` (0: for ever). Errors: a file that cannot be read or is not text.
  static Result<InputLines> follow(const std::string& path, double idle_s, const StopSignal& stop);

  InputLines(InputLines&& other) noexcept;
  InputLines& operator=(InputLines&&) = delete;
  ~InputLines();

  /// Reads the next line without its end. Errors: a file that became shorter or cannot be read.
  Result<Found> next(std::string& line);

  /// The name for errors: "standard input", or the path.
  const std::string& name() const { return name_; }

 private:
  Result<bool> refill();
  Result<bool> has_grown();

  static constexpr std::size_t kBufferSize = 1 << 16;
  const StopSignal* stop_;
  std::string name_ = "standard input";
  int file_ = 0;
  bool follows_ = false;
  double idle_s_ = 0;
  off_t num_read_ = 0;
  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(kBufferSize);
  bool skips_ = false;  ///< the rest of a line that is too long
  std::size_t at_ = 0, size_ = 0;
};

}  // namespace heft::tools
