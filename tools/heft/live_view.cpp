#include "tools/heft/live_view.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace heft::tools {

namespace {

constexpr double kRowEvery = 0.04;        // s
constexpr long long kMostRows = 1500;     // a minute
constexpr std::size_t kMostEvents = 300;  // changes and errors
constexpr std::size_t kMostStates = 600;
constexpr std::chrono::milliseconds kPace(200);

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void LiveView::Recent::add(const std::string& text) {
  texts.push_back(text);
  if (texts.size() > most) texts.pop_front();
  ++count;
}

std::vector<std::string> LiveView::Recent::since(long long& cursor) const {
  const auto missed = static_cast<std::size_t>(count - std::exchange(cursor, count));
  const auto number = std::min(missed, texts.size());
  return {texts.end() - static_cast<std::ptrdiff_t>(number), texts.end()};
}

LiveView::LiveView(std::size_t num_channels)
    : row_size_(1 + 2 * num_channels),
      rows_(static_cast<std::size_t>(kMostRows) * row_size_),
      last_row_(-std::numeric_limits<double>::infinity()),
      events_{kMostEvents},
      states_{kMostStates},
      newest_(clock_seconds()) {}

void LiveView::add_sample(double time, std::span<const double> measured,
                          std::span<const double> predicted) {
  newest_ = clock_seconds();
  // a clock that jumps back begins again
  if (time >= last_row_ && time < last_row_ + kRowEvery) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  last_row_ = time;
  double* row = rows_.data() + static_cast<std::size_t>(num_rows_++ % kMostRows) * row_size_;
  *row++ = time;
  row = std::copy(measured.begin(), measured.end(), row);
  std::copy(predicted.begin(), predicted.end(), row);
}

void LiveView::add_line(const WatchLine& line) {
  const std::lock_guard lock(mutex_);
  (line.type == WatchLine::Type::state ? states_ : events_).add(line.text);
}

void LiveView::set_totals(LiveTotals totals) {
  const std::lock_guard lock(mutex_);
  totals_ = std::move(totals);
}

void LiveView::end() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  has_ended_changed_.notify_all();
}

LiveView::News LiveView::wait_for_news(Cursor& cursor) const {
  std::unique_lock lock(mutex_);
  has_ended_changed_.wait_for(lock, kPace, [&] { return has_ended_; });
  News news;
  for (long long k = std::max(cursor.rows, num_rows_ - kMostRows); k < num_rows_; ++k) {
    const auto row = rows_.begin() + (k % kMostRows) * static_cast<std::ptrdiff_t>(row_size_);
    news.rows.insert(news.rows.end(), row, row + static_cast<std::ptrdiff_t>(row_size_));
  }
  cursor.rows = num_rows_;
  news.events = events_.since(cursor.events);
  news.states = states_.since(cursor.states);
  if (totals_.answer.number > cursor.answer) {
    cursor.answer = totals_.answer.number;
    news.answer = totals_.answer;
  }
  news.has_ended = has_ended_;
  return news;
}

LiveTotals LiveView::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

double LiveView::idle_s() const {
  return clock_seconds() - newest_;
}

}  // namespace heft::tools
