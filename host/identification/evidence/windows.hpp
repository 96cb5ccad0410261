// Windows of a log for which torque recorders store statistics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "evidence/excerpt.hpp"
#include "heft/log/log.hpp"

namespace heft {

constexpr double kWindow = 0.25;             ///< s
constexpr std::size_t kMaxWindows = 200000;  ///< half a day; later windows are ignored

/// Rows of a window.
inline Eigen::Index window_rows(const Samples& block) {
  return static_cast<Eigen::Index>(
      std::max(4.0, std::round(kWindow / std::max(period_of(block), 1e-9))));
}

/// Segments of a log, numbered consecutively over logs.
struct SegmentRange {
  int first = 0, end = 0;
  bool has(int segment) const { return segment >= first && segment < end; }
};

/// One per log.
inline std::vector<SegmentRange> segments_of(const std::vector<LogSummary>& logs) {
  std::vector<SegmentRange> ranges;
  for (int first = 0; const LogSummary& log : logs) {
    ranges.push_back({first, first + log.num_segments});
    first += log.num_segments;
  }
  return ranges;
}

/// Returns the segments of a log from windows that know their segment.
template <class Window>
std::vector<const Window*> windows_in(const std::vector<Window>& windows,
                                      const SegmentRange& segments) {
  std::vector<const Window*> found;
  for (const Window& window : windows)
    if (segments.has(window.segment)) found.push_back(&window);
  return found;
}

}  // namespace heft
