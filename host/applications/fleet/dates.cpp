#include "dates.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>

#include "readers/iso_stamp.hpp"

namespace heft {

std::optional<double> date_of(const std::string& text) {
  constexpr std::size_t kDay = 10, kMinutes = 16;  // lengths of 2026-11-22 and 2026-11-22T06:00
  std::string stamp = text;
  if (text.size() == kDay)
    stamp += "T00:00:00";
  else if (text.size() >= kMinutes && (text.size() == kMinutes || text[kMinutes] != ':'))
    stamp.insert(kMinutes, ":00");
  const auto found = parse_iso_stamp(stamp);
  if (!found) return {};
  return static_cast<double>(found->seconds) + found->fraction;
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
