// The jobs of one call: their tables on the device, with shared tables stored once, and the pieces
// into which they are divided.
#pragma once

#include <map>
#include <tuple>

#include "device_tables.hpp"
#include "heft/rows/backend.hpp"
#include "transfer_pipeline.hpp"

namespace heft::cuda {

class DeviceBatch {
 public:
  explicit DeviceBatch(std::size_t num_jobs) {
    jobs_.reserve(num_jobs);  // they stay where they are
    shared_.reserve(num_jobs);
  }

  /// Purpose of the rows: sums in the job's form, rows or torques.
  Result<Done> add_sums(const AccumulateJob& job);
  Result<Done> add_given_rows(const RowsJob& job);
  /// Rows of channels first to last - 1 of all samples, at weight one; the column of the torque is
  /// empty.
  Result<Done> add_rows(const RegressorPlan& plan, const Samples& samples, int first_channel,
                        int last_channel);
  Result<Done> add_torques(const PredictJob& job);

  /// Uploads the tables and has the pipeline work on all jobs.
  Result<Done> run(Device& device, TransferPipeline& pipeline, const Deliver& deliver);

 private:
  /// Tables of a plan for one kind of tile map.
  struct SharedTables {
    core::TreeView tree;
    GramTiles host_tiles;
    GramTilesView tiles;
    std::vector<RowShare> host_shares;
    RowShareView shares[kWarps];
    int share_workspace = 0;
    std::vector<int> channel_begin_values;
    const int* channel_begin;
  };
  enum class Tiles { none, per_channel, summed, given_rows };

  Result<Done> make_tables(const RegressorPlan& plan, Tiles tiles, int scalar_size,
                           SharedTables& shared);
  void add_shares(SharedTables& shared);

  Result<StreamJob*> add(const RegressorPlan& plan, Kernel kernel, Tiles tiles);
  void add_pieces(std::int64_t begin, std::int64_t count, std::int64_t chunk);
  int source_of(const Samples& samples);
  void add_row_scale(const AccumulateOptions& options, DeviceJob& job);
  void add_motion(const GeneratedMotion& motion, DeviceJob& job);

  DeviceTables tables_;
  std::map<std::tuple<const RegressorPlan*, Tiles, int>, SharedTables> plans_;
  std::map<const Samples*, int> source_of_;
  std::vector<InputColumns> sources_;
  std::vector<StreamJob> jobs_;
  std::vector<const SharedTables*> shared_;  ///< of every job
  std::vector<Piece> pieces_;
};

}  // namespace heft::cuda
