// What a moments file says of its numbers (docs/moments.md): robot, channels, columns, layout,
// options, logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heft/training/training_data.hpp"

namespace heft {

/// The content of a moments file: sums that are finished, or of which `data` is without sums and
/// stretches.
struct MomentsContent {
  TrainingData data;
  std::optional<UnfinishedMoments> unfinished;
};

/// JSON, the same for the same content.
std::string description_of(const MomentsContent& content);

/// The content without its numbers, for which there is room once `make_room` is called.
struct DescribedContent {
  MomentsContent content;
  std::vector<std::int64_t> stretch_samples;
  // of unfinished sums only
  std::vector<bool> trees;  ///< which there are
  std::int64_t num_pending = 0;
  std::vector<int> pending_columns;  ///< of the arrays of Samples in the order of kEvaluatedArrays,
                                     ///< 0 for none

  /// Numbers that belong to it, or a number beyond all bounds.
  std::size_t num_numbers() const;
  void make_room();
};

/// The inverse, of text from any program. Errors: another form, a robot, columns or options that
/// make no sense or that this heft does not know, a layout other than they demand.
Result<DescribedContent> content_of(const std::string& description, const std::string& path);

/// Calls `function` with every run of numbers, data and count, in the order of the file.
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
