#include "readers/iso_stamp.hpp"

#include <chrono>

namespace heft {

namespace {

/// Parses from the front of a text; has_failed() after a mismatch.
class Taker {
 public:
  explicit Taker(std::string_view text) : rest_(text) {}

  /// A number of exactly so many digits, `low` to `high`.
  int number(int digits, int low, int high) {
    int value = 0;
    for (int k = 0; k < digits; ++k) {
      if (!has_digit()) return fail();
      value = 10 * value + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value < low || value > high ? fail() : value;
  }

  bool one_of(std::string_view marks) {
    if (rest_.empty() || marks.find(rest_.front()) == std::string_view::npos) return false;
    taken_ = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }
  void need(std::string_view marks) {
    if (!one_of(marks)) fail();
  }
  char taken() const { return taken_; }  ///< by the last one_of that found something

  bool has_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
  bool is_done() const { return rest_.empty() && !has_failed_; }

  /// Digits behind a decimal mark, as many as there are.
  double decimals() {
    if (!has_digit()) fail();
    double value = 0, place = 1;
    for (; has_digit(); rest_.remove_prefix(1)) {
      place *= 10;
      value = 10 * value + (rest_.front() - '0');
    }
    return value / place;
  }

 private:
  int fail() {
    has_failed_ = true;
    return 0;
  }

  std::string_view rest_;
  char taken_ = 0;
  bool has_failed_ = false;
};

}  // namespace

std::optional<IsoStamp> parse_iso_stamp(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  if (text.size() > kLongest) return {};
  Taker taker(text);
  const int year = taker.number(4, 1, 9999);
  taker.need("-");
  const int month = taker.number(2, 1, 12);
  taker.need("-");
  const int day = taker.number(2, 1, 31);
  taker.need("T t");
  const int hour = taker.number(2, 0, 24);
  taker.need(":");
  const int minute = taker.number(2, 0, 59);
  taker.need(":");
  const int second = taker.number(2, 0, 60);
  const double fraction = taker.one_of(".,") ? taker.decimals() : 0;
  int east = 0;  // minutes
  if (taker.one_of("+-")) {
    const int sign = taker.taken() == '-' ? -1 : 1;
    east = 60 * taker.number(2, 0, 15);
    if (taker.one_of(":") || taker.has_digit()) east += taker.number(2, 0, 59);
    east *= sign;
  } else {
    taker.one_of("Zz");
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!taker.is_done() || !date.ok()) return {};
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return IsoStamp{((days * 24 + hour) * 60 + minute - east) * 60 + second, fraction};
}

}  // namespace heft
