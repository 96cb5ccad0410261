// Reads and writes moments files (*.heft): training data that are small, can be added to others,
// and need no logs.
#include <algorithm>
#include <cstring>

#include "files/whole_file.hpp"
#include "heft/training/training_data.hpp"
#include "moments_container.hpp"
#include "moments_description.hpp"
#include "robot_json.hpp"

namespace heft {

namespace {

Result<std::string> bytes_of(const MomentsContent& content, const std::string& where,
                             bool in_planes) {
  if (static_cast<std::size_t>(content.data.plan->robot.num_bodies()) > kMaxBodiesInFile)
    return Error{
        where,
        "cannot contain moments of more than " + std::to_string(kMaxBodiesInFile) + " bodies",
        "identify the robot in parts"};
  std::vector<double> numbers;
  std::size_t num_numbers = 0;
  for_each_run(content, [&](const double*, std::size_t count) { num_numbers += count; });
  numbers.reserve(num_numbers);
  for_each_run(content, [&](const double* begin, std::size_t count) {
    numbers.insert(numbers.end(), begin, begin + count);
  });
  return container_bytes(description_of(content), numbers, in_planes);
}

bool are_counts(const Moments& moments) {
  return std::all_of(moments.num_rows.begin(), moments.num_rows.end(),
                     [](double rows) { return rows >= 0; });
}

/// Reads the container, with finished or unfinished sums; `where` is for errors.
Result<MomentsContent> unpacked(const MomentsContainer& container, const std::string& where) {
  HEFT_TRY(described, content_of(container.description, where));
  HEFT_TRY(numbers, unpack_numbers(container, described.num_numbers(), where));
  described.make_room();
  const double* next = numbers.data();
  for_each_run(described.content, [&](double* begin, std::size_t count) {
    std::copy_n(next, count, begin);
    next += count;
  });
  MomentsContent& content = described.content;
  bool sound = are_counts(content.unfinished ? content.unfinished->total : content.data.moments);
  for (const MomentStretch& stretch :
       content.unfinished ? content.unfinished->stretches : content.data.stretches)
    sound = sound && are_counts(stretch.moments);
  if (!sound) return Error{where, "has a negative number of rows", "regenerate it from the logs"};
  return std::move(content);
}

Result<MomentsContent> read_content(const std::string& path) {
  HEFT_TRY(bytes, read_file_whole(path, kLargestFile, kMomentsMagic));
  HEFT_TRY(container, read_container(bytes, path));
  bytes.clear();
  bytes.shrink_to_fit();
  return unpacked(container, path);
}

Result<TrainingData> finished(MomentsContent content, const std::string& where) {
  if (content.unfinished)
    return Error{where, "contains an unfinished sum: its last samples are not added yet",
                 "continue it, finish it and write it again"};
  return std::move(content.data);
}

}  // namespace

Result<std::string> moments_bytes(const TrainingData& data, const std::string& where,
                                  MomentsForm form) {
  if (data.plan->whitened_from)
    return Error{
        where,
        "cannot contain sums of whitened or mixed channels: they cannot be added to the sums of "
        "other "
        "logs",
        "leave estimation.channel_covariance at diagonal, and conditioning.rows at torque or momentum; "
        "remove contacts"};
  if (data.moments.is_summed())
    return Error{where, "cannot contain sums over all channels: their weights are already applied",
                 "sum each channel separately"};
  if (form == MomentsForm::whole && !data.stretches.empty())
    return bytes_of({data, {}}, where, false);
  TrainingData compact = data;
  compact.stretches.clear();
  return bytes_of({compact, {}}, where, true);
}

Result<TrainingData> moments_from_bytes(const std::string& bytes, const std::string& where) {
  HEFT_TRY(container, read_container(bytes, where));
  HEFT_TRY(content, unpacked(container, where));
  return finished(std::move(content), where);
}

Result<Done> write_moments_file(const TrainingData& data, const std::string& path,
                                MomentsForm form) {
  HEFT_TRY(bytes, moments_bytes(data, path, form));
  return write_file_whole(path, bytes);
}

Result<TrainingData> read_moments_file(const std::string& path) {
  HEFT_TRY(content, read_content(path));
  return finished(std::move(content), path);
}

Result<Done> write_unfinished_moments_file(const TrainingData& data, const UnfinishedMoments& sums,
                                           const std::string& path) {
  MomentsContent content{data, sums};
  content.data.plan = sums.total.plan;
  content.data.stretches.clear();
  HEFT_TRY(bytes, bytes_of(content, path, false));
  return write_file_whole(path, bytes);
}

Result<UnfinishedTraining> read_unfinished_moments_file(const std::string& path) {
  HEFT_TRY(content, read_content(path));
  if (!content.unfinished)
    return Error{path, "contains a finished sum, which cannot be continued",
                 "sum the other logs separately and add the moments"};
  return UnfinishedTraining{std::move(content.data), std::move(*content.unfinished)};
}

}  // namespace heft
