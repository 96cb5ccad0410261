#include "message_layout.hpp"

#include <algorithm>
#include <cstring>

#include "cdr_cursor.hpp"

namespace heft::bags {

namespace {

constexpr std::size_t kMaxSpans = 4096;  ///< more cost as much as decoding
// elements with equal names share a slot, so that a message may have more runs than slots
constexpr std::size_t kMaxRuns = std::size_t{1} << 16;

}  // namespace

void MessageLayout::begin(std::string_view message) {
  message_ = message;
  size_ = message.size();
  spans_.clear();
  runs_.clear();
  is_known_ = false;
}

void MessageLayout::depend_on(const char* at, std::size_t size) {
  const auto offset = static_cast<std::size_t>(at - message_.data());
  if (!spans_.empty() && spans_.back().offset + spans_.back().size == offset)
    spans_.back().size += size;
  else if (spans_.size() <= kMaxSpans)
    spans_.push_back({offset, size, 0});
}

void MessageLayout::add_number(FieldKind kind, const char* at, int slot) {
  const auto offset = static_cast<std::size_t>(at - message_.data());
  if (!runs_.empty()) {
    Run& last = runs_.back();
    if (last.kind == kind && last.offset + last.count * bytes_of(kind) == offset &&
        last.slot + static_cast<int>(last.count) == slot) {
      ++last.count;
      return;
    }
  }
  if (runs_.size() <= kMaxRuns) runs_.push_back({kind, offset, 1, slot});
}

// Spans may overlap: names are read before and in their turn.
void MessageLayout::end(bool swaps) {
  swaps_ = swaps;
  is_known_ = spans_.size() <= kMaxSpans && runs_.size() <= kMaxRuns;
  if (!is_known_) return;
  std::sort(spans_.begin(), spans_.end(),
            [](const Span& a, const Span& b) { return a.offset < b.offset; });
  std::size_t count = 0;
  for (const Span& span : spans_) {
    if (count > 0 && span.offset <= spans_[count - 1].offset + spans_[count - 1].size) {
      Span& last = spans_[count - 1];
      last.size = std::max(last.size, span.offset + span.size - last.offset);
    } else {
      spans_[count++] = span;
    }
  }
  spans_.resize(count);
  bytes_.clear();
  for (Span& span : spans_) {
    span.place = bytes_.size();
    bytes_ += message_.substr(span.offset, span.size);
  }
}

bool MessageLayout::fits(std::string_view message) const {
  if (!is_known_ || message.size() != size_) return false;
  return std::all_of(spans_.begin(), spans_.end(), [&](const Span& span) {
    return std::memcmp(message.data() + span.offset, bytes_.data() + span.place, span.size) == 0;
  });
}

void MessageLayout::read(const char* message, double* numbers) const {
  CdrCursor cursor;
  cursor.swaps = swaps_;
  for (const Run& run : runs_) {
    const char* at = message + run.offset;
    double* const to = numbers + run.slot;
    if (run.kind == FieldKind::float64 && !swaps_) {
      std::memcpy(to, at, run.count * sizeof(double));
      continue;
    }
    for (std::size_t k = 0; k < run.count; ++k, at += bytes_of(run.kind))
      to[k] = cursor.number(run.kind, at);
  }
}

}  // namespace heft::bags
