#include "hdf5_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/seconds_into.hpp"
#include "hdf5_file.hpp"
#include "log_file.hpp"

namespace heft {

namespace {

using hdf5::Access;
using hdf5::Handle;

constexpr hsize_t kRows = 16384;  ///< of a block, at least, unless that is more than kMaxNumbers
constexpr hsize_t kMaxNumbers = hsize_t{1} << 22;  ///< of a block
constexpr hsize_t kMaxDataSetColumns = 1 << 16;    ///< of a file

bool is_numeric_type(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_FLOAT || kind == H5T_INTEGER;
}

/// A data set, its columns, and the block of rows that is in memory.
struct DataSet {
  std::string path;
  Handle handle;
  hsize_t num_rows = 0;
  hsize_t width = 1;  // numbers of a row
  bool is_matrix = false;
  std::vector<std::string> members;  // of a compound
  std::vector<bool> member_is_number;
  bool has_numbers = false;
  hsize_t rows_at_a_time = kRows;

  hsize_t stored_bytes = 0, row_bytes = 0;
  /// More rows than filters could have packed into what is stored: what is not stored reads as zeros, without an end.
  bool declares_too_much() const {
    constexpr double kDensest = 2000, kSmall = 1 << 20;  // deflate reaches 1032; bytes
    return static_cast<double>(num_rows) * static_cast<double>(row_bytes) >
           kSmall + kDensest * static_cast<double>(stored_bytes);
  }
  // once columns are selected
  bool is_used = false;
  Handle memory_type;  // of a row's numbers
  hsize_t begin = 0, end = 0;
  std::vector<double> block;

  std::size_t num_columns() const { return members.empty() ? width : members.size(); }
};

// Whole chunks are read, so that none is unpacked twice, unless that is more than kMaxNumbers.
hsize_t rows_at_a_time(const DataSet& set, int rank) {
  hsize_t rows = kRows;
  const Handle properties(H5Dget_create_plist(set.handle), H5Pclose);
  if (properties.ok() && H5Pget_layout(properties) == H5D_CHUNKED) {
    std::vector<hsize_t> chunk(static_cast<std::size_t>(rank), 1);
    if (H5Pget_chunk(properties, rank, chunk.data()) == rank && chunk[0] > 0)
      rows = (kRows + chunk[0] - 1) / chunk[0] * chunk[0];
  }
  return std::clamp<hsize_t>(rows, 1, std::max<hsize_t>(1, kMaxNumbers / std::max<hsize_t>(set.width, 1)));
}

/// Looks at a data set; one that can hold no column has no numbers.
DataSet describe(hid_t file, const std::string& path) {
  DataSet set;
  set.path = path;
  set.handle = Handle(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.handle.ok()) return set;
  const Handle space(H5Dget_space(set.handle), H5Sclose);
  const Handle type(H5Dget_type(set.handle), H5Tclose);
  const int rank = space.ok() ? H5Sget_simple_extent_ndims(space) : -1;
  if (!type.ok() || rank < 1 || rank > 2) return set;
  hsize_t shape[2] = {0, 1};
  H5Sget_simple_extent_dims(space, shape, nullptr);
  set.num_rows = shape[0];
  set.is_matrix = rank == 2;
  set.width = shape[1];
  if (H5Tget_class(type) == H5T_COMPOUND && rank == 1) {
    const int count = std::max(H5Tget_nmembers(type), 0);
    for (unsigned k = 0; k < static_cast<unsigned>(count); ++k) {
      char* const name = H5Tget_member_name(type, k);
      const Handle member(H5Tget_member_type(type, k), H5Tclose);
      set.members.emplace_back(name ? name : "");
      set.member_is_number.push_back(member.ok() && is_numeric_type(member));
      H5free_memory(name);
    }
    set.width = set.members.size();
  }
  set.stored_bytes = H5Dget_storage_size(set.handle);
  set.row_bytes = H5Tget_size(type) * (set.members.empty() ? set.width : 1);
  set.has_numbers = set.members.empty() ? is_numeric_type(type) : !set.members.empty();
  set.rows_at_a_time = rows_at_a_time(set, rank);
  return set;
}

}  // namespace

struct Hdf5Reader::State {
  struct Column {
    std::size_t set;
    std::size_t place;  // in the row, or among the members
  };
  struct Selected {
    int column;
    std::size_t set;
    std::size_t place;  // in the row that is in memory
  };

  std::string path;
  Handle file;
  std::vector<DataSet> sets;
  std::vector<Column> columns;
  std::vector<Selected> selected;
  hsize_t num_rows = 0;
  hsize_t row = 0;  // next to hand out
  double disk_seconds = 0;

  Error failure(const std::string& what) const {
    return Error{path, fmt::format("{}: {}", what, hdf5::last_error()), "save or copy the file again"};
  }

  /// Names of the columns of a data set.
  std::vector<std::string> names_of(const DataSet& set, const std::vector<std::string>& given) const {
    if (!set.members.empty()) return set.members;
    if (!set.is_matrix) return {set.path};
    auto names = hdf5::string_list(set.handle, "names");
    if (names.size() == set.width) return names;
    if (sets.size() == 1 && given.size() == set.width) return given;
    names.clear();
    for (hsize_t k = 0; k < set.width; ++k) names.push_back(fmt::format("{}{}", set.path, k + 1));
    return names;
  }

  Result<Done> read_block(DataSet& set) {
    const Access access;
    const hsize_t count = std::min(set.rows_at_a_time, num_rows - row);
    const hsize_t begin[2] = {row, 0}, extent[2] = {count, set.is_matrix ? set.width : 1};
    const Handle in_file(H5Dget_space(set.handle), H5Sclose);
    const Handle in_memory(H5Screate_simple(set.is_matrix ? 2 : 1, extent, nullptr), H5Sclose);
    set.block.resize(count * set.width);
    if (!in_file.ok() || !in_memory.ok() ||
        H5Sselect_hyperslab(in_file, H5S_SELECT_SET, begin, nullptr, extent, nullptr) < 0 ||
        H5Dread(set.handle, set.memory_type, in_memory, in_file, H5P_DEFAULT, set.block.data()) < 0)
      return failure(fmt::format("'{}' cannot be read from row {} on", set.path, row));
    set.begin = row;
    set.end = row + count;
    return Done{};
  }

  /// Prepares to read only the members of a compound that are wanted, side by side.
  void select_members(std::size_t index) {
    DataSet& set = sets[index];
    std::size_t num_members = 0;
    for (Selected& one : selected)
      if (one.set == index) one.place = num_members++;
    set.width = num_members;
    set.memory_type = Handle(H5Tcreate(H5T_COMPOUND, num_members * sizeof(double)), H5Tclose);
    for (const Selected& one : selected)
      if (one.set == index)
        H5Tinsert(set.memory_type, set.members[columns[static_cast<std::size_t>(one.column)].place].c_str(),
                  one.place * sizeof(double), H5T_NATIVE_DOUBLE);
  }
};

Result<Hdf5Reader> Hdf5Reader::open(const std::string& path, const std::vector<std::string>& names) {
  const Access access;
  auto state = std::make_unique<State>();
  state->path = path;
  state->file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!state->file.ok()) return state->failure("is no HDF5 file that can be read");
  for (const std::string& set_path : hdf5::dataset_paths(state->file)) {
    DataSet set = describe(state->file, set_path);
    if (set.has_numbers) state->sets.push_back(std::move(set));
  }
  Hdf5Reader reader(path, std::move(state));
  for (std::size_t k = 0; k < reader.state_->sets.size(); ++k) {
    const DataSet& set = reader.state_->sets[k];
    if (reader.header_names().size() + set.num_columns() > kMaxDataSetColumns)
      return Error{path, "has more columns than any log", "save what is needed"};
    for (std::string& name : reader.state_->names_of(set, names))
      reader.header_names().push_back(std::move(name));
    for (std::size_t place = 0; place < set.num_columns(); ++place)
      reader.state_->columns.push_back({k, place});
  }
  if (reader.header_names().empty())
    return Error{path, "has no data set of numbers with one dimension or two",
                 "save every column as a data set"};
  HEFT_CHECK(reader.check_header());
  return reader;
}

Hdf5Reader::Hdf5Reader(std::string path, std::unique_ptr<State> state)
    : TableReader(std::move(path)), state_(std::move(state)) {
  line_ = -1;
}
Hdf5Reader::Hdf5Reader(Hdf5Reader&&) noexcept = default;
Hdf5Reader::~Hdf5Reader() = default;

Result<Done> Hdf5Reader::select_columns(const std::vector<int>& columns) {
  const Access access;
  State& state = *state_;
  state.selected.clear();
  for (const int k : columns) {
    const State::Column column = state.columns[static_cast<std::size_t>(k)];
    DataSet& set = state.sets[column.set];
    const std::string& name = header()[static_cast<std::size_t>(k)];
    if (!set.members.empty() && !set.member_is_number[column.place])
      return Error{state.path + ": " + name, "is not a number", "save the column as a number"};
    if (set.declares_too_much())
      return Error{state.path + ": " + name,
                   fmt::format("declares {} rows of {} bytes, and holds {} bytes", set.num_rows,
                               set.row_bytes, set.stored_bytes),
                   "look at how it was written: what is not there cannot be read"};
    if (state.selected.empty()) state.num_rows = set.num_rows;
    if (set.num_rows != state.num_rows)
      return Error{state.path + ": " + name,
                   fmt::format("has {} rows, '{}' has {}", set.num_rows,
                               header()[static_cast<std::size_t>(columns.front())], state.num_rows),
                   "save columns of one clock, equally long"};
    set.is_used = true;
    state.selected.push_back({k, column.set, column.place});
  }
  for (std::size_t k = 0; k < state.sets.size(); ++k) {
    DataSet& set = state.sets[k];
    if (!set.is_used) continue;
    if (set.members.empty())
      set.memory_type = Handle(H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose);
    else
      state.select_members(k);
  }
  return Done{};
}

Result<bool> Hdf5Reader::next_row(double* values) {
  State& state = *state_;
  if (state.row == state.num_rows) return false;
  for (DataSet& set : state.sets)
    if (set.is_used && state.row == set.end) {
      const SecondsInto timer(state.disk_seconds);
      HEFT_CHECK(state.read_block(set));
    }
  line_ = static_cast<std::int64_t>(state.row);
  for (const State::Selected& one : state.selected) {
    const DataSet& set = state.sets[one.set];
    *values = set.block[(state.row - set.begin) * set.width + one.place];
    if (std::isinf(*values))
      return Error{where() + ": " + header()[static_cast<std::size_t>(one.column)], "is infinite",
                   "mend or delete the row; write nan for a value that is missing"};
    ++values;
  }
  ++state.row;
  return true;
}

std::string Hdf5Reader::place_of(std::int64_t line) const {
  return line < 0 ? state_->path : fmt::format("{}[{}]", state_->path, line);
}

double Hdf5Reader::fraction_read() const {
  return state_->num_rows > 0 ? static_cast<double>(state_->row) / static_cast<double>(state_->num_rows) : 1;
}

double Hdf5Reader::disk_seconds() const {
  return state_->disk_seconds;
}

Result<std::string> Hdf5Reader::sha256() {
  HEFT_TRY(file, LogFile::open(state_->path));
  return file.sha256();
}

}  // namespace heft
