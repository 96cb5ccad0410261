// The columns that a search may add: data, not code (docs/columns.md lists them with their
// sources).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heft/select/select_model.hpp"

namespace heft::select {

struct MenuItem {
  std::string name;    ///< what the report calls it
  std::string family;  ///< members exclude each other: one takes the place of another
  std::vector<ColumnSpec> specs;
};

/// The built-in menu, if it is wanted, and the user's candidates, less what `columns` have already.
std::vector<MenuItem> column_menu(const std::vector<ColumnSpec>& columns,
                                  const SelectionOptions& options, const Robot& robot,
                                  std::span<const ColumnKind> kinds = column_kinds());

/// Whether the columns hold an item already.
bool contains(const std::vector<ColumnSpec>& columns, const MenuItem& item);

/// The columns with an item added, other members of its family removed.
std::vector<ColumnSpec> with_item(const std::vector<ColumnSpec>& columns, const MenuItem& item);

/// Whether an expression of the column, or of some column of the item, holds a load.
bool holds_load(const ColumnSpec& spec);
bool holds_load(const MenuItem& item);

}  // namespace heft::select
