#include "device_batch.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/sample_view.hpp"
#include "ordered_sum.hpp"

namespace heft::cuda {

namespace {

/// Columns of the rows of channels first to last - 1, torque included.
std::int64_t total_width(const RegressorPlan& plan, int first, int last) {
  std::int64_t width = 0;
  for (int c = first; c < last; ++c) width += plan.channel_entries[c].width;
  return width;
}

}  // namespace

/// Tables of the shares of rows that are computed for the slab.
void DeviceBatch::add_shares(SharedTables& shared) {
  shared.host_shares =
      share_rows(shared.tree, shared.host_tiles.columns, shared.host_tiles.num_shares);
  int num_bodies = 0;
  for (std::size_t s = 0; s < shared.host_shares.size(); ++s) {
    const RowShare& share = shared.host_shares[s];
    RowShareView& view = shared.shares[s];
    view = view_of(shared.tree, share);
    view.first_body = num_bodies;
    num_bodies += view.tree.num_bodies;
    shared.share_workspace = std::max(shared.share_workspace, share.workspace_size);
    tables_.add(share.bodies, view.tree.bodies);
    tables_.add(share.screws, view.tree.screws);
    tables_.add(share.rows, view.tree.rows);
    tables_.add(share.runs, view.tree.runs);
    tables_.add(share.features, view.tree.features);
    tables_.add(share.body_indices, view.body_indices);
    tables_.add(share.channels, view.channels);
    tables_.add(share.motion_places, view.motion_places);
    tables_.add(share.screw_places, view.screw_places);
    tables_.add(share.row_columns, view.row_columns);
    tables_.add(share.feature_columns, view.feature_columns);
    tables_.add(share.torque_begin, view.torque_begin);
    tables_.add(share.torque_columns, view.torque_columns);
  }
}

Result<Done> DeviceBatch::make_tables(const RegressorPlan& plan, Tiles tiles, int scalar_size,
                                      SharedTables& shared) {
  shared.tree = plan.view();
  if (tiles != Tiles::none) {
    HEFT_TRY(made, tiles == Tiles::given_rows
                       ? make_row_tiles(shared.tree)
                       : make_gram_tiles(shared.tree, tiles == Tiles::summed, scalar_size));
    shared.host_tiles = std::move(made);
  }
  shared.tiles = shared.host_tiles.view();
  if (tiles == Tiles::per_channel || tiles == Tiles::summed) add_shares(shared);
  int begin = 0;
  for (const core::ChannelEntry& channel : plan.channel_entries) {
    shared.channel_begin_values.push_back(begin);
    begin += channel.width;
  }
  tables_.add(plan.bodies, shared.tree.bodies);
  tables_.add(plan.screws, shared.tree.screws);
  tables_.add(plan.rows, shared.tree.rows);
  tables_.add(plan.runs, shared.tree.runs);
  tables_.add(plan.features, shared.tree.features);
  tables_.add(plan.channel_entries, shared.tree.channels);
  tables_.add(plan.panels, shared.tree.panels);
  tables_.add(plan.panel_rows, shared.tree.panel_rows);
  tables_.add(plan.panel_columns, shared.tree.panel_columns);
  tables_.add(plan.blocks, shared.tree.blocks);
  tables_.add(shared.host_tiles.units, shared.tiles.units);
  tables_.add(shared.host_tiles.list_begin, shared.tiles.list_begin);
  tables_.add(shared.host_tiles.entry_sums, shared.tiles.entry_sums);
  tables_.add(shared.channel_begin_values, shared.channel_begin);
  return Done{};
}

Result<StreamJob*> DeviceBatch::add(const RegressorPlan& plan, Kernel kernel, Tiles tiles) {
  const int scalar_size = kernel == Kernel::moments_fp32 ? sizeof(float) : sizeof(double);
  const auto [place, is_new] = plans_.try_emplace({&plan, tiles, scalar_size});
  SharedTables& shared = place->second;
  if (is_new) HEFT_CHECK(make_tables(plan, tiles, scalar_size, shared));
  shared_.push_back(&shared);
  StreamJob& job = jobs_.emplace_back();
  job.kernel = kernel;
  job.device = {};
  job.device.tiles = shared.tiles;
  job.device.share_workspace = shared.share_workspace;
  job.device.last_channel = plan.num_channels();
  return &job;
}

/// Chunks of the last job, in parts of kPartSamples samples or more.
void DeviceBatch::add_pieces(std::int64_t begin, std::int64_t count, std::int64_t chunk) {
  const int job = static_cast<int>(jobs_.size()) - 1;
  const std::int64_t num_chunks = (count + chunk - 1) / chunk;
  for (std::int64_t c = 0; c < num_chunks; ++c) {
    const std::int64_t in_chunk = std::min(chunk, count - c * chunk);
    const std::int64_t part = std::max(kPartSamples, part_samples(in_chunk));
    const std::int64_t parts = num_parts(in_chunk, part);
    for (std::int64_t p = 0; p < parts; ++p)
      pieces_.push_back(
          {job, begin + c * chunk + p * part, std::min(part, in_chunk - p * part), c, p, parts});
  }
}

int DeviceBatch::source_of(const Samples& samples) {
  const auto [place, is_new] = source_of_.try_emplace(&samples, static_cast<int>(sources_.size()));
  if (is_new) sources_.emplace_back(samples);
  return place->second;
}

void DeviceBatch::add_row_scale(const AccumulateOptions& options, DeviceJob& job) {
  if (!options.is_summed()) return;
  std::vector<double> row_scale;
  for (const double weight : options.channel_weights) row_scale.push_back(std::sqrt(weight));
  tables_.add(row_scale, job.row_scale);
}

void DeviceBatch::add_motion(const GeneratedMotion& motion, DeviceJob& job) {
  job.has_motion = true;
  job.motion = motion_view(motion);
  const std::size_t n = static_cast<std::size_t>(job.motion.num_coordinates);
  core::FourierView& fourier = job.motion.fourier;
  core::SplineView& spline = job.motion.spline;
  switch (job.motion.kind) {
    case core::MotionKind::fourier:
      tables_.add(fourier.center, n, fourier.center);
      tables_.add(fourier.sine, n * fourier.num_harmonics, fourier.sine);
      tables_.add(fourier.cosine, n * fourier.num_harmonics, fourier.cosine);
      break;
    case core::MotionKind::spline:
      tables_.add(spline.control, n * (spline.num_intervals + core::kSplineDegree), spline.control);
      break;
  }
}

Result<Done> DeviceBatch::add_sums(const AccumulateJob& job) {
  static const AccumulateOptions kDefaults;
  const AccumulateOptions& options = job.options ? *job.options : kDefaults;
  const bool is_single = options.precision == core::Precision::fp32;
  HEFT_TRY(added, add(*job.plan, is_single ? Kernel::moments_fp32 : Kernel::moments_fp64,
                      options.is_summed() ? Tiles::summed : Tiles::per_channel));
  added->fixed_result = packed_size(*job.plan, options);
  added->device.is_weighted = true;
  if (added->device.tiles.is_wide)
    added->kernel = is_single ? Kernel::large_moments_fp32 : Kernel::large_moments_fp64;
  add_row_scale(options, added->device);
  if (job.motion) {
    HEFT_CHECK(check_motion(*job.plan, *job.motion, job.begin, job.count));
    static const Samples kNoSamples;
    added->device.samples = sample_view(*job.plan, kNoSamples);
    add_motion(*job.motion, added->device);
  } else {
    added->device.samples = sample_view(*job.plan, *job.samples);
    added->source = source_of(*job.samples);
  }
  add_pieces(job.begin, job.count, job.chunk);
  return Done{};
}

Result<Done> DeviceBatch::add_given_rows(const RowsJob& job) {
  HEFT_TRY(added, add(*job.plan, Kernel::given_rows, Tiles::given_rows));
  added->fixed_result = job.plan->packed_size;
  added->source = static_cast<int>(sources_.size());
  sources_.emplace_back(job.rows);
  add_pieces(job.begin, job.count, job.chunk);
  return Done{};
}

Result<Done> DeviceBatch::add_rows(const RegressorPlan& plan, const Samples& samples,
                                   int first_channel, int last_channel) {
  HEFT_TRY(added, add(plan, Kernel::rows, Tiles::none));
  added->device.samples = sample_view(plan, samples);
  added->device.first_channel = first_channel;
  added->device.last_channel = last_channel;
  added->source = source_of(samples);
  added->sample_result = total_width(plan, first_channel, last_channel);
  add_pieces(0, samples.size(), kPartSamples);
  return Done{};
}

Result<Done> DeviceBatch::add_torques(const PredictJob& job) {
  HEFT_TRY(added, add(*job.plan, Kernel::torques, Tiles::none));
  added->device.samples = sample_view(*job.plan, *job.samples);
  added->source = source_of(*job.samples);
  added->sample_result = job.plan->num_channels();
  const ChannelCoefficients by_channel = channel_coefficients(*job.plan, *job.parameters);
  std::vector<double> coefficients;
  for (const std::vector<double>& channel : by_channel)
    coefficients.insert(coefficients.end(), channel.begin(), channel.end());
  tables_.add(coefficients, added->device.coefficients);
  tables_.add(kept_bodies(*job.plan, by_channel), added->device.bodies);
  add_pieces(0, job.samples->size(), kPartSamples);
  return Done{};
}

Result<Done> DeviceBatch::run(Device& device, TransferPipeline& pipeline, const Deliver& deliver) {
  if (pieces_.empty()) return Done{};
  if (const Result<Done> uploaded = tables_.upload(device, pipeline.tables()); !uploaded) {
    pipeline.give_back();
    return uploaded;
  }
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    jobs_[j].device.tree = shared_[j]->tree;
    jobs_[j].device.tiles = shared_[j]->tiles;
    std::copy(std::begin(shared_[j]->shares), std::end(shared_[j]->shares),
              std::begin(jobs_[j].device.shares));
    jobs_[j].device.channel_begin = shared_[j]->channel_begin;
  }
  return pipeline.run(sources_, jobs_, std::move(pieces_), deliver);
}

}  // namespace heft::cuda
