// Value or error, and the progress of long calls. The library never prints, never throws across its
// interface and never exits: a function that can fail on its input returns Result<T>, whose Error
// says where, what is wrong and how to fix it. Threads: plain values: share them for reading; a
// thread that changes one must own it. A Progress is called on the thread that made the long call,
// and on no other.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>

namespace heft {

struct Error {
  std::string where;   ///< place: file, file:line, file:line: column, or the name of an option; may
                       ///< be empty
  std::string what;    ///< what is wrong, in the user's words
  std::string remedy;  ///< what to do about it; may be empty
  bool is_stop = false;  ///< nothing is wrong: the caller requested the end (Progress)

  /// "where: what", then "  remedy: .." on a line of its own: the form in which tools print it.
  std::string message() const {
    std::string text = where.empty() ? what : where + ": " + what;
    return remedy.empty() ? text : text + "\n  remedy: " + remedy;
  }
};

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

/// Success without a value: `return Done{};`
using Done = std::monostate;

/// Evaluates `expression`, a Result; returns its error from the enclosing function, else binds
/// `name` to the value inside it.
#define HEFT_TRY(name, expression)                  \
  auto name##_result = (expression);                \
  if (!name##_result) return name##_result.error(); \
  auto& name = *name##_result

/// The same for Results whose value is not needed.
#define HEFT_CHECK(expression) \
  if (auto result_ = (expression); !result_) return result_.error()

/// Hears from a long call, on the thread that made it, what is being done and how much of it, 0 to
/// 1; answers whether to go on. After `false` the call ends soon, with stopped(), leaves no file
/// behind and touches none; every object that it was given is as it was.
using Progress = std::function<bool(const std::string& stage, double fraction)>;

/// The error of a call whose Progress said no: Error::is_stop.
inline Error stopped() {
  return Error{"", "stopped before the end", "call again for an answer", true};
}

/// Tells who listens, if anybody does. Error: stopped().
inline Result<Done> report_progress(const Progress& progress, const std::string& stage,
                                    double fraction) {
  if (progress && !progress(stage, fraction)) return stopped();
  return Done{};
}

}  // namespace heft
