#include "conditioning/memory_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <numbers>
#include <optional>

namespace heft {

namespace {

constexpr const char* kFunctions[] = {"lag", "filter", "hysteresis"};
constexpr const char* kForms = "lag(x, seconds), filter(x, hertz) or hysteresis(x, width)";

constexpr double kMostRows = 1e15;  ///< longer than any segment

class Lag : public ColumnMemory {
 public:
  explicit Lag(double seconds) : seconds_(seconds) {}
  void reset() override { values_.clear(); }
  double advance(double x, double, double, double period_s) override {
    const double rows = std::min(seconds_ / period_s, kMostRows);
    const auto whole = static_cast<std::size_t>(rows);
    values_.push_front(x);
    if (values_.size() > whole + 2) values_.pop_back();
    const auto before = [&](std::size_t row) { return values_[std::min(row, values_.size() - 1)]; };
    const double part = rows - static_cast<double>(whole);
    return (1 - part) * before(whole) + part * before(whole + 1);
  }
  std::unique_ptr<ColumnMemory> clone() const override { return std::make_unique<Lag>(*this); }

 private:
  double seconds_;
  std::deque<double> values_;  ///< newest first
};

class Filter : public ColumnMemory {
 public:
  explicit Filter(double cutoff_hz) : cutoff_hz_(cutoff_hz) {}
  void reset() override { z_.reset(); }
  double advance(double x, double, double, double period_s) override {
    const double kept = std::exp(-2 * std::numbers::pi * cutoff_hz_ * period_s);
    z_ = z_ ? x + kept * (*z_ - x) : x;
    return *z_;
  }
  std::unique_ptr<ColumnMemory> clone() const override { return std::make_unique<Filter>(*this); }

 private:
  double cutoff_hz_;
  std::optional<double> z_;
};

class Hysteresis : public ColumnMemory {
 public:
  explicit Hysteresis(double width) : width_(width) {}
  void reset() override { z_ = 0, last_.reset(); }
  double advance(double x, double, double, double) override {
    if (last_) z_ = std::clamp(z_ + (x - *last_) / width_, -1.0, 1.0);
    last_ = x;
    return z_;
  }
  std::unique_ptr<ColumnMemory> clone() const override {
    return std::make_unique<Hysteresis>(*this);
  }

 private:
  double width_, z_ = 0;
  std::optional<double> last_;
};

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Finds the parenthesis that opens the first call of a function, and its name.
struct FoundCall {
  std::string function;
  std::size_t begin = std::string::npos, open = std::string::npos;
};

FoundCall first_call(const std::string& text) {
  FoundCall first;
  for (const std::string function : kFunctions)
    for (std::size_t at = text.find(function); at != std::string::npos;
         at = text.find(function, at + 1)) {
      const std::size_t open = text.find_first_not_of(" \t", at + function.size());
      if ((at > 0 && is_name(text[at - 1])) || open == std::string::npos || text[open] != '(')
        continue;
      if (at < first.begin) first = {function, at, open};
      break;
    }
  return first;
}

/// Finds the parenthesis that closes the one at `open`, and the last comma at its level.
struct CallEnds {
  std::size_t comma = std::string::npos, close = std::string::npos;
};

CallEnds ends_of(const std::string& text, std::size_t open) {
  CallEnds ends;
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ',' && depth == 1) ends.comma = at;
    if (text[at] == ')' && --depth == 0) {
      ends.close = at;
      break;
    }
  }
  return ends;
}

/// Returns the positive number that makes up the whole text; empty for other texts.
std::optional<double> positive_number(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool is_whole =
      end != text.c_str() && std::string(end).find_first_not_of(" \t") == std::string::npos;
  if (!is_whole || !(number > 0) || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::size_t index_of(const MemoryCall& call, std::vector<MemoryCall>& calls) {
  const auto found = std::find(calls.begin(), calls.end(), call);
  if (found != calls.end()) return static_cast<std::size_t>(found - calls.begin());
  calls.push_back(call);
  return calls.size() - 1;
}

}  // namespace

std::string memory_function_names() {
  std::string names;
  for (const char* function : kFunctions)
    names += (names.empty() ? "" : " ") + std::string(function);
  return names;
}

std::string memory_variable(std::size_t index) {
  return fmt::format("memory__{}", index);
}

Result<std::string> without_memory_calls(const std::string& text, const std::string& where,
                                         std::vector<MemoryCall>& calls) {
  std::string rest = text;
  for (FoundCall found = first_call(rest); !found.function.empty(); found = first_call(rest)) {
    const auto [comma, close] = ends_of(rest, found.open);
    if (close == std::string::npos || comma == std::string::npos)
      return Error{where, found.function + " needs two arguments in parentheses", kForms};
    const auto parameter = positive_number(rest.substr(comma + 1, close - comma - 1));
    if (!parameter)
      return Error{where,
                   fmt::format("the second argument of {}, '{}', is not a positive number",
                               found.function, rest.substr(comma + 1, close - comma - 1)),
                   kForms};
    HEFT_TRY(input, without_memory_calls(rest.substr(found.open + 1, comma - found.open - 1), where,
                                         calls));
    const std::size_t index = index_of({found.function, input, *parameter}, calls);
    rest = rest.substr(0, found.begin) + memory_variable(index) + rest.substr(close + 1);
  }
  return rest;
}

std::unique_ptr<ColumnMemory> make_memory_function(const MemoryCall& call) {
  if (call.function == "lag") return std::make_unique<Lag>(call.parameter);
  if (call.function == "filter") return std::make_unique<Filter>(call.parameter);
  return std::make_unique<Hysteresis>(call.parameter);
}

}  // namespace heft
