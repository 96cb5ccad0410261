#include "gram_layout.hpp"

#include <algorithm>
#include <map>

namespace heft {

using core::ColumnSet;
using core::PanelEntry;
using core::ScrewKind;

core::ColumnSet felt_columns(core::ColumnSet columns, core::ScrewKind kind) {
  if (kind != ScrewKind::force || columns == ColumnSet::none) return columns;
  return columns == ColumnSet::revolute ? ColumnSet::force : ColumnSet::prismatic;
}

int kept_position(core::ColumnSet columns, core::ScrewKind kind, int k) {
  const bool is_subset =
      kind == ScrewKind::force && (columns == ColumnSet::helical || columns == ColumnSet::all);
  constexpr int kForceEntries[] = {core::kHx, core::kHy, core::kHz, core::kM};
  return is_subset ? kForceEntries[k] : k;
}

namespace {

class GramLayout {
 public:
  GramLayout(RegressorPlan& plan, const std::vector<int>& first_structural)
      : plan_(plan), first_structural_(first_structural), torque_column_(plan.summed_width - 1) {
    for (const core::ChannelEntry& channel : plan.channel_entries)
      tail_begin_.push_back(channel.width - 1);
    for (const core::FeatureEntry& feature : plan.features) --tail_begin_[feature.channel];
  }

  void make() {
    for (std::size_t b = 0; b < plan_.bodies.size(); ++b) add_body_panel(static_cast<int>(b));
    add_force_panels();
    add_tails();
    int size = 0;
    for (core::PanelRowEntry& row : plan_.panel_rows) {
      row.begin = size;
      size += row.width;
    }
    for (core::RowEntry& row : plan_.rows)
      if (row.columns != ColumnSet::none) row.panel_width = plan_.panel_rows[row.panel_row].width;
    for (std::size_t left = 0; left < plan_.panels.size(); ++left)
      for (std::size_t right = left; right < plan_.panels.size(); ++right)
        add_blocks(static_cast<int>(left), static_cast<int>(right));
  }

 private:
  /// Opens a panel with these columns and the torque; its rows are added next.
  void open_panel(const std::vector<int>& columns, bool is_tail = false) {
    plan_.panels.push_back({static_cast<int>(columns.size()) + 1, 0,
                            static_cast<int>(plan_.panel_rows.size()),
                            static_cast<int>(plan_.panel_columns.size()), is_tail});
    plan_.panel_columns.insert(plan_.panel_columns.end(), columns.begin(), columns.end());
    plan_.panel_columns.push_back(torque_column_);
  }

  /// Adds a row to the last panel; its index in panel_rows.
  int add_row(int channel, int column) {
    plan_.panel_rows.push_back({channel, column, 0, plan_.panels.back().width});
    ++plan_.panels.back().num_rows;
    return static_cast<int>(plan_.panel_rows.size()) - 1;
  }

  void add_body_panel(int b) {
    const core::BodyEntry& body = plan_.bodies[b];
    std::vector<int> columns;
    for (int k = 0; k < static_cast<int>(body.columns); ++k)
      columns.push_back(first_structural_[b] + k);
    const auto begin = plan_.rows.begin() + body.first_row, end = begin + body.num_rows;
    const auto is_turning = [](const core::RowEntry& row) { return row.kind != ScrewKind::force; };
    if (columns.empty() || std::none_of(begin, end, is_turning)) return;
    open_panel(columns);
    for (auto row = begin; row != end; ++row)
      if (is_turning(*row))
        row->panel_row = add_row(row->channel, row->column), row->panel_column = 0;
  }

  /// One panel for all force channels with the same bodies.
  void add_force_panels() {
    std::map<std::vector<int>, std::vector<int>> channels_of;
    std::vector<bool> is_force(plan_.num_channels(), false);
    for (const core::RowEntry& row : plan_.rows)
      is_force[row.channel] = row.kind == ScrewKind::force;
    for (int c = 0; c < plan_.num_channels(); ++c) {
      const std::vector<int>& columns = plan_.channel_columns[c];
      if (is_force[c] && tail_begin_[c] > 0)
        channels_of[{columns.begin(), columns.begin() + tail_begin_[c]}].push_back(c);
    }
    std::vector<int> panel_row(plan_.num_channels(), 0);
    for (const auto& [columns, channels] : channels_of) {
      open_panel(columns);
      for (const int c : channels) panel_row[c] = add_row(c, 0);
    }
    for (core::RowEntry& row : plan_.rows)
      if (row.kind == ScrewKind::force)
        row.panel_row = panel_row[row.channel], row.panel_column = row.column;
  }

  void add_tails() {
    for (int c = 0; c < plan_.num_channels(); ++c) {
      const std::vector<int>& columns = plan_.channel_columns[c];
      open_panel({columns.begin() + tail_begin_[c], columns.end()}, true);
      const int row = add_row(c, tail_begin_[c]);
      for (core::FeatureEntry& feature : plan_.features)
        if (feature.channel == c)
          feature.panel_row = row, feature.panel_column = feature.column - tail_begin_[c];
    }
  }

  /// Blocks of two panels: runs of consecutive rows with equal channels. The torque is in every
  /// panel, so that one without columns has a block with itself only.
  void add_blocks(int left, int right) {
    const PanelEntry &a = plan_.panels[left], &b = plan_.panels[right];
    if (left != right && (a.width == 1 || b.width == 1)) return;
    const core::PanelRowEntry* rows = plan_.panel_rows.data();
    bool extends_last = false;
    for (int i = 0, last_match = -1; i < a.num_rows; ++i) {
      const core::PanelRowEntry* begin = rows + b.first_row;
      const core::PanelRowEntry* end = begin + b.num_rows;
      const auto same_channel = [&](const core::PanelRowEntry& row) {
        return row.channel == rows[a.first_row + i].channel;
      };
      const int match = static_cast<int>(std::find_if(begin, end, same_channel) - begin);
      const bool found = match < b.num_rows;
      extends_last = extends_last && found && match == last_match + 1;
      if (extends_last)
        ++plan_.blocks.back().num_rows;
      else if (found)
        plan_.blocks.push_back({left, right, i, match, 1});
      extends_last = found;
      last_match = match;
    }
  }

  RegressorPlan& plan_;
  const std::vector<int>& first_structural_;
  int torque_column_;
  std::vector<int> tail_begin_;  // of every channel's row: where its extra columns begin
};

}  // namespace

void lay_out_gram(RegressorPlan& plan, const std::vector<int>& first_structural) {
  GramLayout(plan, first_structural).make();
}

}  // namespace heft
