#include "evidence/quiet_torque.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/median.hpp"
#include "windows.hpp"

namespace heft {

namespace {

constexpr std::size_t kLeastWindows = 3;  ///< in a row
constexpr float kStill = 0.1F;            ///< of the predicted change
constexpr float kAsked = 0.5F;            ///< of the usual change of the predicted torque
constexpr float kDescribed = 0.25F;       ///< of the predicted change, that the model misses in the
                                          ///< usual window

float rms_change(const Eigen::Ref<const Eigen::ArrayXd>& signal) {
  return static_cast<float>(std::sqrt((signal - signal.mean()).square().mean()));
}

}  // namespace

void QuietTorque::push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted) {
  if (block.size() < 2) return;
  const Eigen::Index rows = window_rows(block);
  for (Eigen::Index first = 0; first + rows <= block.size() && windows_.size() < kMaxWindows;
       first += rows) {
    Window window{segment,
                  block.time[first],
                  block.time[first + rows - 1],
                  Eigen::ArrayXf(predicted.cols()),
                  Eigen::ArrayXf(predicted.cols()),
                  Eigen::ArrayXf(predicted.cols())};
    for (Eigen::Index c = 0; c < predicted.cols(); ++c) {
      const bool used = (block.weight.col(c).segment(first, rows) != 0).all();
      window.measured[c] = used ? rms_change(block.torque.col(c).segment(first, rows))
                                : std::numeric_limits<float>::quiet_NaN();
      window.predicted[c] = rms_change(predicted.col(c).segment(first, rows));
      window.residual[c] =
          rms_change((block.torque.col(c) - predicted.col(c)).segment(first, rows));
    }
    windows_.push_back(std::move(window));
  }
}

bool QuietTorque::describes(const std::vector<const Window*>& windows, Eigen::Index channel) {
  std::vector<float> shares;
  for (const Window* window : windows)
    if (!std::isnan(window->measured[channel]))
      shares.push_back(window->residual[channel] / std::max(window->predicted[channel], 1e-30F));
  return !shares.empty() && median(std::move(shares)) < kDescribed;
}

std::vector<QuietStretch> QuietTorque::by_log(const std::vector<LogSummary>& logs,
                                              bool held_out) const {
  std::vector<QuietStretch> all;
  const std::vector<SegmentRange> segments = segments_of(logs);
  for (std::size_t l = 0; l < logs.size(); ++l) {
    const std::vector<const Window*> windows = windows_in(windows_, segments[l]);
    const Eigen::Index num_channels = windows.empty() ? 0 : windows[0]->predicted.size();
    for (Eigen::Index c = 0; c < num_channels; ++c) {
      std::vector<float> changes;
      for (const Window* window : windows) changes.push_back(window->predicted[c]);
      const float usual = median(std::move(changes));
      if (!describes(windows, c)) continue;
      std::size_t run = 0, num_asked = 0, longest = 0, end = 0;
      for (std::size_t w = 0; w < windows.size(); ++w) {
        const bool goes_on = w > 0 && windows[w]->segment == windows[w - 1]->segment;
        const bool still =
            windows[w]->measured[c] < kStill * std::max(windows[w]->predicted[c], usual);
        // a motion that pauses does not end the stretch, a torque that moves does
        const bool asked = windows[w]->predicted[c] > kAsked * usual;
        if (!goes_on || !still) run = num_asked = 0;
        if (!still || (!asked && run == 0)) continue;
        ++run;
        num_asked += asked ? 1 : 0;
        if (num_asked >= kLeastWindows && run > longest) longest = run, end = w + 1;
      }
      if (longest >= kLeastWindows)
        all.push_back({logs[l].path, held_out, static_cast<int>(c), windows[end - longest]->from_s,
                       windows[end - 1]->to_s});
    }
  }
  return all;
}

}  // namespace heft
