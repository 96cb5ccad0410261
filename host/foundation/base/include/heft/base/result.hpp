// Value or error, and the progress of long calls. The library never prints, never exits and never
// throws across its interface: a function that can fail returns Result<T>, whose Error says where
// the problem is, what is wrong and how to fix it. Threads: plain values; concurrent reads are
// safe, a writer needs exclusive access. A Progress is called only on the thread that made the long
// call.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>

namespace heft {

/// Why a call failed, in words for the user.
struct Error {
  std::string where;     ///< location: file, file:line, file:line: column name, or an option;
                         ///< may be empty
  std::string what;      ///< what is wrong, in the user's terms
  std::string remedy;    ///< how to fix it; may be empty
  bool is_stop = false;  ///< true if nothing is wrong: the caller canceled the call (Progress)

  /// Returns "where: what", followed by "  remedy: .." on its own line: the form that the tools
  /// print.
  std::string message() const {
    std::string text = where.empty() ? what : where + ": " + what;
    return remedy.empty() ? text : text + "\n  remedy: " + remedy;
  }
};

/// Either a value or the Error that prevented it. The accessors require the state that they access.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<T>(state_); }
  const T& value() const& { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// The value of a `Result<Done>`, which has nothing to return: `return Done{};`
using Done = std::monostate;

/// Evaluates `expression`, a Result. On error, returns the error from the enclosing function;
/// otherwise binds `name` to the value.
#define HEFT_TRY(name, expression)                  \
  auto name##_result = (expression);                \
  if (!name##_result) return name##_result.error(); \
  auto& name = *name##_result

/// Does the same for a Result whose value is not needed.
#define HEFT_CHECK(expression) \
  if (auto result_ = (expression); !result_) return result_.error()

/// Callback of a long call, invoked on the thread that made the call with the current stage and the
/// completed fraction (0 to 1). Returns true to continue. After `false` the call soon returns
/// stopped(); it leaves no files behind, changes no existing file and leaves the objects passed to
/// it unchanged.
using Progress = std::function<bool(const std::string& stage, double fraction)>;

/// Returns the error of a canceled call; Error::is_stop is set.
inline Error stopped() {
  return Error{"", "stopped before the end", "run it again to get a result", true};
}

/// Reports progress if a callback is set. Error: stopped().
inline Result<Done> report_progress(const Progress& progress, const std::string& stage,
                                    double fraction) {
  if (progress && !progress(stage, fraction)) return stopped();
  return Done{};
}

}  // namespace heft
