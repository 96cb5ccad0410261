// Columns that a search may add, as data instead of code (docs/columns.md lists them with their
// sources).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heft/select/select_model.hpp"

namespace heft::select {

struct MenuItem {
  std::string name;    ///< name in the report
  std::string family;  ///< members of a family are mutually exclusive
  std::vector<ColumnSpec> specs;
};

/// Returns the built-in menu, if enabled, and the user's candidates, except those already in
/// `columns`.
std::vector<MenuItem> column_menu(const std::vector<ColumnSpec>& columns,
                                  const SelectionOptions& options, const Robot& robot,
                                  std::span<const ColumnKind> kinds = column_kinds());

/// Returns whether the columns already contain an item.
bool contains(const std::vector<ColumnSpec>& columns, const MenuItem& item);

/// Returns the columns with an item added and other members of its family removed.
std::vector<ColumnSpec> with_item(const std::vector<ColumnSpec>& columns, const MenuItem& item);

/// Returns whether an unknown of the item may be negative.
bool has_free_sign(const MenuItem& item, std::span<const ColumnKind> kinds);

/// Returns whether an expression of the column, or of any column of the item, contains a load.
bool holds_load(const ColumnSpec& spec);
bool holds_load(const MenuItem& item);

}  // namespace heft::select
