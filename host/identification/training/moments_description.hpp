// Description of the numbers in a moments file (docs/moments.md): robot, channels, columns, layout,
// options, logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heft/training/training_data.hpp"

namespace heft {

/// Content of a moments file: completed sums, or unfinished ones with `data` lacking sums and
/// stretches.
struct MomentsContent {
  TrainingData data;
  std::optional<UnfinishedMoments> unfinished;
};

/// Returns JSON; equal content gives equal text.
std::string description_of(const MomentsContent& content);

/// The content without its numbers; `make_room` allocates them.
struct DescribedContent {
  MomentsContent content;
  std::vector<std::int64_t> stretch_samples;
  // only for unfinished sums
  std::vector<bool> trees;  ///< which trees exist
  std::int64_t num_pending = 0;
  std::vector<int> pending_columns;  ///< columns of the arrays of Samples, in the order of
                                     ///< kEvaluatedArrays; 0: none

  /// Returns how many numbers belong to it, saturated.
  std::size_t num_numbers() const;
  void make_room();
};

/// Parses text from any program. Errors: another form, an invalid or unknown robot, column or
/// option, a layout inconsistent with these.
Result<DescribedContent> content_of(const std::string& description, const std::string& path);

/// Calls `function` with every contiguous run of numbers, data and count, in the order of the file.
template <class Content, class Function>
void for_each_run(Content& content, const Function& function) {
  const auto moments = [&](auto& sums) {
    function(sums.packed.data(), sums.packed.size());
    function(sums.num_rows.data(), sums.num_rows.size());
  };
  moments(content.unfinished ? content.unfinished->total : content.data.moments);
  for (auto& stretch : content.unfinished ? content.unfinished->stretches : content.data.stretches)
    moments(stretch.moments);
  if (!content.unfinished) return;
  for (auto& tree : content.unfinished->trees) function(tree.data(), tree.size());
  const auto array = [&](const SampleArray&, auto& numbers) {
    function(numbers.data(), static_cast<std::size_t>(numbers.size()));
  };
  for_each_array(content.unfinished->pending, array, kEvaluatedArrays);
  for (auto& rows : content.unfinished->pending_rows)
    function(rows.data(), static_cast<std::size_t>(rows.size()));
}

}  // namespace heft
