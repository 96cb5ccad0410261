#include "mechanics/rows_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "files/name_hint.hpp"
#include "heft/log/source.hpp"
#include "npy_output.hpp"

namespace heft {

namespace {

constexpr std::size_t kNumbersAtATime = std::size_t{1} << 21;  ///< of rows: 16 MB

/// Source column of each number of a state, and the required columns in ascending order.
struct StateColumns {
  std::vector<int> wanted;
  std::vector<std::size_t> place;  ///< of state number k in `wanted`
};

Result<StateColumns> find_columns(const Source& source, const std::vector<std::string>& names) {
  const std::vector<std::string>& there = source.groups().front().columns;
  std::vector<int> found;
  for (const std::string& name : names) {
    const auto at = std::find(there.begin(), there.end(), name);
    if (at == there.end())
      return Error{source.where(), fmt::format("has no column '{}'", name),
                   name_hint(name, there, "the header has")};
    found.push_back(static_cast<int>(at - there.begin()));
  }
  StateColumns columns;
  columns.wanted = found;
  std::sort(columns.wanted.begin(), columns.wanted.end());
  for (const int column : found)
    columns.place.push_back(static_cast<std::size_t>(
        std::lower_bound(columns.wanted.begin(), columns.wanted.end(), column) -
        columns.wanted.begin()));
  return columns;
}

/// Rephrases the log reader's error about the number of columns of a plain array in terms of
/// states.
Error in_words_of_states(const Error& error, const std::vector<std::string>& names) {
  if (error.where != "log.columns") return error;
  return Error{
      "states", error.what,
      fmt::format("save {} columns, states as rows: {}", names.size(), fmt::join(names, ", "))};
}

}  // namespace

Result<RowsFile> write_rows(const Mechanics& mechanics, MechanicsRow kind,
                            const std::string& states, const std::string& out, int num_threads,
                            const Progress& progress) {
  const std::vector<std::string> names = mechanics.state_names();
  auto opened = open_file(states, {.columns = names});
  if (!opened) return in_words_of_states(opened.error(), names);
  Source& source = **opened;
  if (source.groups().size() != 1)
    return Error{states, "has columns with different clocks", "save a table, states as rows"};
  HEFT_TRY(columns, find_columns(source, names));
  HEFT_CHECK(source.select({columns.wanted}));

  RowsFile summary{0, mechanics.num_rows(kind), mechanics.num_parameters()};
  HEFT_TRY(file, NpyOutput::open(out, {summary.num_rows, summary.num_parameters}));
  const std::size_t numbers_a_state =
      static_cast<std::size_t>(summary.num_rows) * summary.num_parameters;
  const std::size_t states_at_a_time = std::max<std::size_t>(1, kNumbersAtATime / numbers_a_state);
  std::vector<double> table, rows;
  ColumnBlock block;
  while (true) {
    HEFT_TRY(more, source.next(block));
    if (!more) break;
    table.resize(names.size() * static_cast<std::size_t>(block.num_rows));
    for (std::int64_t i = 0; i < block.num_rows; ++i)
      for (std::size_t k = 0; k < names.size(); ++k) {
        const double number = block.columns[columns.place[k]][i];
        if (!std::isfinite(number))
          return Error{source.where(0, block.lines[i]) + ": " + names[k],
                       "is missing or not finite", "give all numbers of every state"};
        table[names.size() * i + k] = number;
      }
    for (std::size_t begin = 0; begin < static_cast<std::size_t>(block.num_rows);
         begin += states_at_a_time) {
      const std::size_t count =
          std::min(states_at_a_time, static_cast<std::size_t>(block.num_rows) - begin);
      rows.resize(count * numbers_a_state);
      const auto width = static_cast<std::int64_t>(names.size()),
                 rows_here = static_cast<std::int64_t>(count);
      const auto columns_from = [&](int first, int num_columns) {
        return ArrayView(table.data() + width * static_cast<std::int64_t>(begin) + first, rows_here,
                         num_columns, width, 1);
      };
      const int q = mechanics.num_positions(), qd = mechanics.num_velocities();
      const States here{columns_from(0, q), columns_from(q, qd), columns_from(q + qd, qd)};
      if (!mechanics.put_all_rows(kind, here, rows.data(), num_threads))
        for (std::int64_t i = 0; i < rows_here; ++i)  // which of them, by its line
          if (auto put = mechanics.put_rows(kind, here, i, 1, rows.data()); !put)
            return Error{source.where(0, block.lines[begin + i]), put.error().what,
                         put.error().remedy};
      const auto wrong =
          std::find_if(rows.begin(), rows.end(), [](double x) { return !std::isfinite(x); });
      if (wrong != rows.end())
        return Error{
            source.where(0, block.lines[begin + static_cast<std::size_t>(wrong - rows.begin()) /
                                                    numbers_a_state]),
            "has rows that are not finite", "check the state: no robot can reach it"};
      HEFT_CHECK(file.append(rows.data(), rows.size()));
    }
    summary.num_states += block.num_rows;
    HEFT_CHECK(report_progress(progress, "writing rows", source.fraction_read()));
  }
  if (summary.num_states == 0) return Error{states, "has no states", "save at least one row"};
  HEFT_CHECK(file.finish(summary.num_states));
  return summary;
}

}  // namespace heft
