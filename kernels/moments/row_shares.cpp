#include "row_shares.hpp"

#include <algorithm>
#include <numeric>

#include "heft/core/regressor.hpp"

namespace heft::cuda {

namespace {

/// Allocates slots of equal size in a workspace.
class Places {
 public:
  Places(int size, int& end) : size_(size), end_(end) {}
  int take() {
    if (free_.empty()) return end_ += size_, end_ - size_;
    const int place = free_.back();
    free_.pop_back();
    return place;
  }
  void give_back(int place) { free_.push_back(place); }

 private:
  int size_;
  int& end_;
  std::vector<int> free_;
};

/// Kind of the run that contains a row.
std::vector<core::RunKind> kinds_of_rows(const core::TreeView& tree) {
  std::vector<core::RunKind> kinds(static_cast<std::size_t>(tree.num_rows));
  for (int b = 0; b < tree.num_bodies; ++b)
    for (int r = tree.bodies[b].first_run; r < tree.bodies[b].first_run + tree.bodies[b].num_runs;
         ++r)
      std::fill_n(kinds.begin() + tree.runs[r].first_row, tree.runs[r].num_rows, tree.runs[r].kind);
  return kinds;
}

class ShareMaker {
 public:
  ShareMaker(const core::TreeView& tree, const SlabColumns& columns, std::vector<int> channels)
      : tree_(tree), columns_(columns), kinds_(kinds_of_rows(tree)) {
    share_.channels = std::move(channels);
    local_channel_.assign(static_cast<std::size_t>(tree.num_channels), -1);
    for (std::size_t k = 0; k < share_.channels.size(); ++k)
      local_channel_[share_.channels[k]] = static_cast<int>(k);
  }

  RowShare make() {
    find_needed_bodies();
    for (int b = 0; b < tree_.num_bodies; ++b)
      if (is_needed_[b]) add_body(b);
    add_features_and_torques();
    place_workspace();
    return std::move(share_);
  }

 private:
  bool is_mine(int row) const { return local_channel_[tree_.rows[row].channel] >= 0; }

  /// Bodies with a row of the share, and their ancestors.
  void find_needed_bodies() {
    is_needed_.assign(static_cast<std::size_t>(tree_.num_bodies), false);
    for (int b = tree_.num_bodies - 1; b >= 0; --b) {
      const core::BodyEntry& body = tree_.bodies[b];
      for (int i = body.first_row; i < body.first_row + body.num_rows; ++i)
        if (is_mine(i)) is_needed_[b] = true;
      if (is_needed_[b] && body.parent >= 0) is_needed_[body.parent] = true;
    }
    local_body_.assign(static_cast<std::size_t>(tree_.num_bodies), -1);
  }

  void add_body(int b) {
    const core::BodyEntry& body = tree_.bodies[b];
    core::BodyEntry mine = body;
    local_body_[b] = static_cast<int>(share_.bodies.size());
    mine.parent = body.parent < 0 ? -1 : local_body_[body.parent];
    mine.has_children = false;
    mine.first_row = static_cast<int>(share_.rows.size());
    mine.first_screw = static_cast<int>(share_.screws.size());
    mine.first_run = first_run_ = static_cast<int>(share_.runs.size());
    mine.num_parent_rows = 0;
    for (int r = 0; r < body.num_rows; ++r)
      if (is_mine(body.first_row + r)) {
        add_row(body, r, static_cast<int>(share_.rows.size()) - mine.first_row);
        mine.num_parent_rows += r < body.num_parent_rows;
      }
    mine.num_rows = static_cast<int>(share_.rows.size()) - mine.first_row;
    mine.num_screws = static_cast<int>(share_.screws.size()) - mine.first_screw;
    mine.num_runs = static_cast<int>(share_.runs.size()) - mine.first_run;
    mine.to_parent_row = 0;
    if (mine.parent >= 0) {
      mine.to_parent_row = share_.bodies[mine.parent].first_row - mine.first_row;
      share_.bodies[mine.parent].has_children = true;
    }
    share_.bodies.push_back(mine);
    share_.body_indices.push_back(b);
  }

  void add_row(const core::BodyEntry& body, int r, int local) {
    core::RowEntry row = tree_.rows[body.first_row + r];
    row.channel = local_channel_[row.channel];
    for (int s = body.first_screw; s < body.first_screw + body.num_screws; ++s) {
      if (tree_.screws[s].row != r) continue;
      share_.screws.push_back(tree_.screws[s]);
      share_.screws.back().row = local;
    }
    const core::RunKind kind = kinds_[body.first_row + r];
    const bool is_single = kind == core::RunKind::turn || kind == core::RunKind::moved_turn;
    const bool is_first = static_cast<int>(share_.runs.size()) == first_run_;
    if (!is_first && !is_single && share_.runs.back().kind == kind)
      ++share_.runs.back().num_rows;
    else
      share_.runs.push_back({kind, static_cast<int>(share_.rows.size()), 1});
    share_.rows.push_back(row);
    share_.row_columns.push_back(columns_.of_rows[body.first_row + r]);
  }

  void add_features_and_torques() {
    for (int f = 0; f < tree_.num_features; ++f) {
      core::FeatureEntry feature = tree_.features[f];
      if (local_channel_[feature.channel] < 0) continue;
      feature.channel = local_channel_[feature.channel];
      share_.features.push_back(feature);
      share_.feature_columns.push_back(columns_.of_features[f]);
    }
    for (const int channel : share_.channels) {
      const std::vector<int>& places = columns_.of_torques[channel];
      share_.torque_begin.push_back(static_cast<int>(share_.torque_columns.size()));
      share_.torque_columns.insert(share_.torque_columns.end(), places.begin(), places.end());
    }
    share_.torque_begin.push_back(static_cast<int>(share_.torque_columns.size()));
  }

  /// In the order of the bodies: the last child reuses its parent's memory.
  void place_workspace() {
    const int num_bodies = static_cast<int>(share_.bodies.size());
    std::vector<int> last_child(static_cast<std::size_t>(num_bodies) + 1,
                                -1);  // of the base and of every body
    for (int b = 0; b < num_bodies; ++b) last_child[share_.bodies[b].parent + 1] = b;
    int end = static_cast<int>(share_.channels.size());
    Places motions(core::WorkspaceLayout::kMotionSize, end),
        screws(core::WorkspaceLayout::kScrewSize, end);
    share_.motion_places = {motions.take()};
    for (int b = 0; b < num_bodies; ++b) {
      const core::BodyEntry& body = share_.bodies[b];
      const bool is_last = last_child[body.parent + 1] == b;
      const int parent_motion = share_.motion_places[body.parent + 1];
      share_.motion_places.push_back(body.has_children && !is_last ? motions.take()
                                                                   : parent_motion);
      for (int r = 0; r < body.num_rows; ++r) {
        const bool takes_over = is_last && r < body.num_parent_rows;
        share_.screw_places.push_back(
            takes_over ? share_.screw_places[body.first_row + r + body.to_parent_row]
                       : screws.take());
      }
      if (body.has_children) continue;
      if (is_last) motions.give_back(parent_motion);
      for (int r = 0; r < body.num_rows; ++r)
        screws.give_back(share_.screw_places[body.first_row + r]);
    }
    share_.workspace_size = end;
  }

  const core::TreeView& tree_;
  const SlabColumns& columns_;
  std::vector<core::RunKind> kinds_;
  std::vector<int> local_channel_, local_body_;
  std::vector<bool> is_needed_;
  int first_run_ = 0;  // of the body that is being added
  RowShare share_;
};

}  // namespace

std::vector<RowShare> share_rows(const core::TreeView& tree, const SlabColumns& columns,
                                 int num_shares) {
  std::vector<int> num_rows(static_cast<std::size_t>(tree.num_channels), 0), order(num_rows.size());
  for (int i = 0; i < tree.num_rows; ++i) ++num_rows[tree.rows[i].channel];
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return num_rows[a] > num_rows[b]; });
  std::vector<std::vector<int>> channels(static_cast<std::size_t>(num_shares));
  std::vector<int> load(channels.size(), 0);
  for (const int channel : order) {  // the longest first, to who has least
    const std::size_t s = std::min_element(load.begin(), load.end()) - load.begin();
    channels[s].push_back(channel);
    load[s] += num_rows[channel] + 1;
  }
  std::vector<RowShare> shares;
  for (std::vector<int>& mine : channels)
    shares.push_back(ShareMaker(tree, columns, std::move(mine)).make());
  return shares;
}

RowShareView view_of(const core::TreeView& tree, const RowShare& share) {
  RowShareView view{};
  view.tree = tree;
  view.tree.num_bodies = static_cast<int>(share.bodies.size());
  view.tree.num_channels = static_cast<int>(share.channels.size());
  view.tree.num_features = static_cast<int>(share.features.size());
  view.tree.num_rows = static_cast<int>(share.rows.size());
  view.tree.bodies = share.bodies.data();
  view.tree.screws = share.screws.data();
  view.tree.rows = share.rows.data();
  view.tree.runs = share.runs.data();
  view.tree.features = share.features.data();
  view.body_indices = share.body_indices.data();
  view.channels = share.channels.data();
  view.motion_places = share.motion_places.data();
  view.screw_places = share.screw_places.data();
  view.row_columns = share.row_columns.data();
  view.feature_columns = share.feature_columns.data();
  view.torque_begin = share.torque_begin.data();
  view.torque_columns = share.torque_columns.data();
  return view;
}

}  // namespace heft::cuda
