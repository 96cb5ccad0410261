#include "dates.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>

namespace heft {

namespace {

/// Reads exactly `digits` digits at `at`, and steps behind them.
bool read_number(const std::string& text, std::size_t& at, int digits, int& value) {
  value = 0;
  for (int k = 0; k < digits; ++k, ++at) {
    if (at >= text.size() || text[at] < '0' || text[at] > '9') return false;
    value = 10 * value + (text[at] - '0');
  }
  return true;
}

bool read_character(const std::string& text, std::size_t& at, char character) {
  if (at >= text.size() || text[at] != character) return false;
  ++at;
  return true;
}

}  // namespace

std::optional<double> date_of(const std::string& text) {
  std::size_t at = 0;
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!read_number(text, at, 4, year) || !read_character(text, at, '-') || !read_number(text, at, 2, month) ||
      !read_character(text, at, '-') || !read_number(text, at, 2, day))
    return {};
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return {};
  double seconds = 86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (at == text.size()) return seconds;
  if (text[at] != 'T' && text[at] != ' ') return {};
  ++at;
  if (!read_number(text, at, 2, hour) || !read_character(text, at, ':') ||
      !read_number(text, at, 2, minute) || hour > 24 || minute > 59)
    return {};
  if (read_character(text, at, ':')) {
    if (!read_number(text, at, 2, second) || second > 60) return {};
    if (read_character(text, at, '.')) {
      double unit = 0.1;
      const std::size_t first = at;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, unit /= 10)
        seconds += unit * (text[at] - '0');
      if (at == first) return {};
    }
  }
  seconds += 3600.0 * hour + 60.0 * minute + second;
  if (at == text.size() || text.substr(at) == "Z") return seconds;
  const double sign = text[at] == '+' ? 1 : text[at] == '-' ? -1 : 0;
  if (sign == 0) return {};
  ++at;
  int zone_hour = 0, zone_minute = 0;
  if (!read_number(text, at, 2, zone_hour)) return {};
  (void)read_character(text, at, ':');
  if (at < text.size() && !read_number(text, at, 2, zone_minute)) return {};
  if (at != text.size()) return {};
  return seconds - sign * (3600.0 * zone_hour + 60.0 * zone_minute);
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string date_text(double seconds) {
  const auto whole = std::chrono::seconds(static_cast<std::int64_t>(std::floor(seconds)));
  const std::chrono::sys_seconds time{whole};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

}  // namespace heft
