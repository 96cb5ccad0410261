#include "hdf5_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/readable_text.hpp"
#include "base/seconds_into.hpp"
#include "hdf5_file.hpp"
#include "log_file.hpp"
#include "netcdf_units.hpp"

namespace heft {

namespace {

using hdf5::Access;
using hdf5::Handle;

constexpr hsize_t kRows = 16384;  ///< of a block, at least, unless that is more than kMaxNumbers
constexpr hsize_t kMaxNumbers = hsize_t{1} << 22;  ///< of a block
constexpr hsize_t kMaxDataSetColumns = 1 << 16;    ///< of a file
constexpr hsize_t kMoreThanAnyJoints = 256;        ///< columns of a matrix that has fewer rows than
                                                   ///< columns
constexpr double kNoSignal = 1e30;                 ///< of fill values that mean nothing else

bool is_numeric_type(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_FLOAT || kind == H5T_INTEGER;
}

/// A member of a compound: a number, an array of numbers, or something else.
struct Member {
  std::string name;
  bool is_number = false;
  bool is_array = false;
  hsize_t count = 1;                    // of numbers
  std::vector<std::string> item_names;  // of an array, where the file has them
};

/// A number of a row: of a matrix (`member` is 0), or of a compound.
struct Place {
  std::size_t member = 0;
  hsize_t item = 0;
};

/// A data set, its columns, and the block of rows that is in memory.
struct DataSet {
  std::string path;
  Handle handle;
  std::optional<Error> unusable;  // why it cannot be a column of numbers
  hsize_t num_rows = 0;
  hsize_t width = 1;  // numbers of a row
  bool is_matrix = false;
  bool lies_on_its_side = false;  // a column is a row of the file
  bool is_square = false;         // as many rows as columns, and as the clock has
  bool is_of_matlab = false;      // a column of MATLAB is a row of the file
  std::vector<Member> members;    // of a compound
  std::vector<Place> places;      // of the columns of a compound
  bool has_columns = false;
  hsize_t rows_at_a_time = kRows;

  double scale = 1, offset = 0;     // of netCDF
  std::vector<double> fill_values;  // which stand for numbers that are missing

  hsize_t stored_bytes = 0, item_bytes = 0;
  double declared_bytes() const {
    return static_cast<double>(num_rows) * static_cast<double>(item_bytes) *
           static_cast<double>(members.empty() ? width : 1);
  }
  /// Detects more rows than the stored bytes can hold: missing data reads as endless zeros.
  bool declares_too_much() const {
    constexpr double kDensest = 2000, kSmall = 1 << 20;  // deflate reaches 1032; bytes
    return declared_bytes() > kSmall + kDensest * static_cast<double>(stored_bytes);
  }
  // once columns are selected
  bool is_used = false;
  Handle memory_type;  // of a row's numbers
  hsize_t begin = 0, end = 0;
  std::vector<double> block;

  std::size_t num_columns() const { return members.empty() ? width : places.size(); }
  std::size_t in_block(hsize_t row, std::size_t place) const {
    return lies_on_its_side ? place * (end - begin) + (row - begin) : (row - begin) * width + place;
  }
  double decoded(double number) const {
    if (std::find(fill_values.begin(), fill_values.end(), number) != fill_values.end())
      return std::numeric_limits<double>::quiet_NaN();
    return scale * number + offset;
  }
};

// Whole chunks are read, so that none is unpacked twice, unless that is more than kMaxNumbers.
hsize_t rows_at_a_time(const DataSet& set) {
  hsize_t rows = kRows;
  const Handle properties(H5Dget_create_plist(set.handle), H5Pclose);
  if (properties.ok() && H5Pget_layout(properties) == H5D_CHUNKED) {
    hsize_t chunk[2] = {1, 1};
    const int rank = set.is_matrix ? 2 : 1;
    const hsize_t& along = chunk[set.lies_on_its_side ? 1 : 0];
    if (H5Pget_chunk(properties, rank, chunk) == rank && along > 0)
      rows = (kRows + along - 1) / along * along;
  }
  return std::clamp<hsize_t>(rows, 1,
                             std::max<hsize_t>(1, kMaxNumbers / std::max<hsize_t>(set.width, 1)));
}

// Reads a list of texts pickled with protocol 0, in which pandas stores the column names of a
// block.
std::vector<std::string> pickled_texts(const std::vector<std::string>& attribute) {
  std::vector<std::string> texts;
  if (attribute.size() != 1) return texts;
  std::string_view rest = attribute.front();
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with('a')) line.remove_prefix(1);
    if (line.starts_with('V')) texts.emplace_back(line.substr(1));
  }
  return texts;
}

void describe_members(hid_t type, DataSet& set) {
  const int count = std::max(H5Tget_nmembers(type), 0);
  hsize_t total = 0;
  for (unsigned k = 0; k < static_cast<unsigned>(count); ++k) {
    char* const name = H5Tget_member_name(type, k);
    const Handle item(H5Tget_member_type(type, k), H5Tclose);
    Member member;
    member.name = name ? name : "";
    H5free_memory(name);
    member.is_number = item.ok() && is_numeric_type(item);
    if (item.ok() && H5Tget_class(item) == H5T_ARRAY && H5Tget_array_ndims(item) == 1) {
      const Handle base(H5Tget_super(item), H5Tclose);
      hsize_t extent = 0;
      H5Tget_array_dims2(item, &extent);
      if (base.ok() && is_numeric_type(base) && extent > 0 && extent <= kMaxDataSetColumns) {
        member.is_number = member.is_array = true;
        member.count = extent;
        member.item_names =
            pickled_texts(hdf5::string_list(set.handle, (member.name + "_kind").c_str()));
        if (member.item_names.size() != extent) member.item_names.clear();
      }
    }
    total += member.count;
    if (total > kMaxDataSetColumns) member.is_number = member.is_array = false, member.count = 1;
    for (hsize_t place = 0; place < member.count; ++place)
      set.places.push_back({set.members.size(), place});
    set.members.push_back(std::move(member));
  }
  set.width = set.places.size();
}

// Fill values and units from attributes.
void describe_numbers(DataSet& set, bool is_netcdf, bool has_units) {
  set.scale = hdf5::number_at(set.handle, "scale_factor").value_or(1);
  set.offset = hdf5::number_at(set.handle, "add_offset").value_or(0);
  for (const char* name : {"_FillValue", "missing_value"})
    if (const auto value = hdf5::number_at(set.handle, name)) set.fill_values.push_back(*value);
  if (const auto units = hdf5::string_list(set.handle, "units"); has_units && units.size() == 1) {
    const double factor = netcdf_unit_factor(units.front());
    set.scale *= factor;
    set.offset *= factor;
  }
  const Handle properties(H5Dget_create_plist(set.handle), H5Pclose);
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  double fill = 0;
  if (properties.ok() && H5Pfill_value_defined(properties, &defined) >= 0 &&
      defined == H5D_FILL_VALUE_USER_DEFINED &&
      H5Pget_fill_value(properties, H5T_NATIVE_DOUBLE, &fill) >= 0 &&
      (is_netcdf || std::abs(fill) > kNoSignal))
    set.fill_values.push_back(fill);
}

std::string library_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

/// Remedy for a file that the library cannot read, by reason.
std::string remedy_of(const std::string& reason) {
  if (reason.find("version") != std::string::npos)
    return "its file format is newer than this program's HDF5 " + library_version() +
           " can read: write it again without libver='latest' (h5py.File(.., 'w'), "
           "libver='earliest'), or as CSV or NPY";
  if (reason.find("lock") != std::string::npos)
    return "close the program that writes it, or set the environment variable HDF5_USE_FILE_LOCKING=FALSE";
  if (reason.find("truncated") != std::string::npos)
    return "it is truncated: copy the whole file again";
  return "h5dump shows whether other programs can read it; if not, copy or save it again";
}

Error cannot_be_read(const std::string& where, const std::string& what, const std::string& reason) {
  return Error{where, what + ": " + reason, remedy_of(reason)};
}

/// Examines a data set for columns.
DataSet describe(hid_t file, const std::string& file_path, const std::string& path, bool is_netcdf,
                 bool has_units) {
  DataSet set;
  set.path = path;
  const std::string where = file_path + ": " + readable(path);
  if (const std::string other = hdf5::linked_file(file, path); !other.empty()) {
    set.has_columns = true;
    set.unusable = Error{where, "is a link into another file, '" + readable(other) + "'",
                         "name that file; or copy the data set into one (h5copy -i " +
                             readable(other) + " -o log.h5 -s NAME -d NAME)"};
    return set;
  }
  set.handle = Handle(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.handle.ok()) {
    set.has_columns = true;
    set.unusable = cannot_be_read(where, "cannot be opened", hdf5::last_error());
    return set;
  }
  const Handle space(H5Dget_space(set.handle), H5Sclose);
  const Handle type(H5Dget_type(set.handle), H5Tclose);
  const int rank = space.ok() ? H5Sget_simple_extent_ndims(space) : -1;
  if (!type.ok() || rank < 1 || rank > 2) return set;
  hsize_t shape[2] = {0, 1};
  H5Sget_simple_extent_dims(space, shape, nullptr);
  set.num_rows = shape[0];
  set.is_matrix = rank == 2;
  set.width = shape[1];
  set.item_bytes = H5Tget_size(type);
  set.stored_bytes = H5Dget_storage_size(set.handle);
  const auto matlab_class = hdf5::string_list(set.handle, "MATLAB_class");
  set.is_of_matlab = !matlab_class.empty();
  // an empty matrix is stored as its size, a text as numbers of characters
  if (hdf5::number_at(set.handle, "MATLAB_empty").value_or(0) != 0 ||
      (set.is_of_matlab && matlab_class.front() == "char"))
    return set;
  if (H5Tget_class(type) == H5T_COMPOUND && rank == 1) describe_members(type, set);
  set.has_columns = !set.members.empty() || is_numeric_type(type);
  if (set.members.empty() && set.has_columns) describe_numbers(set, is_netcdf, has_units);
  if (H5Tget_class(type) == H5T_STRING && rank == 1) {
    set.has_columns = true;
    set.unusable = Error{where, "contains text, not numbers",
                         "write it as numbers, times in seconds (NumPy: values.astype(float))"};
  }
  return set;
}

/// A vector is a data set of one dimension, or of two of which one is 1.
bool is_vector(const DataSet& set) {
  return set.members.empty() && (!set.is_matrix || set.num_rows == 1 || set.width == 1);
}

hsize_t longer_side(const DataSet& set) {
  return set.members.empty() ? std::max(set.num_rows, set.width) : set.num_rows;
}

/// Number of rows: that of the time column, otherwise the most frequent one of several data sets.
/// 0: unknown.
hsize_t num_rows_of(const std::vector<DataSet>& sets, const std::string& time) {
  std::map<hsize_t, int> votes;
  for (const DataSet& set : sets) {
    if (set.unusable) continue;
    if (is_vector(set) && (set.path == time || set.path.ends_with("/" + time)))
      return longer_side(set);
    for (const Member& member : set.members)
      if (member.name == time) return set.num_rows;
    ++votes[longer_side(set)];
  }
  hsize_t most = 0;
  int agree = 1;
  for (const auto& [rows, count] : votes)
    if (count >= agree && count > 1) most = rows, agree = count;
  return most;
}

void turn(DataSet& set) {
  set.lies_on_its_side = true;
  std::swap(set.num_rows, set.width);
}

// MATLAB, Julia and Fortran store a matrix of rows x n as n x rows.
void turn_those_on_their_side(std::vector<DataSet>& sets, const std::string& time,
                              const std::vector<std::string>& names) {
  const hsize_t num_rows = num_rows_of(sets, time);
  for (DataSet& set : sets) {
    if (set.unusable || !set.is_matrix || !set.members.empty()) continue;
    const std::size_t named = hdf5::string_list(set.handle, "names").size();
    if (named == set.width && named != set.num_rows) continue;
    const bool is_wide = set.width > set.num_rows;
    const bool is_alone = sets.size() == 1;
    if (named == set.num_rows && named != set.width && named > 0) {
      turn(set);
    } else if (num_rows > 0 && !(is_alone && !is_vector(set))) {
      const bool look_alike = set.num_rows == num_rows && set.width == num_rows && set.width > 1;
      set.is_square = look_alike && !set.is_of_matlab;
      const bool has_other_length = set.num_rows != num_rows &&
                                    (set.width == num_rows || (set.num_rows == 1 && set.width > 1));
      if (has_other_length || (look_alike && set.is_of_matlab)) turn(set);
    } else if (is_alone && names.size() == set.num_rows && is_wide) {
      turn(set);
    } else if (is_wide && set.width > kMoreThanAnyJoints && names.size() != set.width) {
      turn(set);
    }
  }
}

// Drops the widest data sets if there are more columns than a log can have: indexes, images, point
// clouds.
void leave_out_widest(std::vector<DataSet>& sets) {
  std::vector<std::size_t> widths;
  for (const DataSet& set : sets) widths.push_back(set.num_columns());
  std::sort(widths.begin(), widths.end());
  std::size_t total = 0, widest = 0;
  for (const std::size_t width : widths) {
    total += width;
    if (width > kMaxDataSetColumns || total > kMaxDataSetColumns) break;
    widest = width;
  }
  std::erase_if(sets, [&](const DataSet& set) { return set.num_columns() > widest; });
}

}  // namespace

struct Hdf5Reader::State {
  struct Column {
    std::size_t set;
    std::size_t place;  // in the row, or among the places of a compound
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

  /// Reason of the last read error; call immediately.
  Error failure(const DataSet& set) const {
    const std::string reason = hdf5::last_error();
    if (const std::string filters = hdf5::missing_filters(set.handle); !filters.empty())
      return Error{
          path + ": " + readable(set.path),
          "is compressed with the filter " + readable(filters) + ", which this HDF5 library lacks",
          "convert it with Heft's Python module, after pip install h5py hdf5plugin: python3 -m "
          "heft_robot convert-log " +
              path +
              " log.npy; or write it again where it was written "
              "(h5py: compression='gzip')"};
    return cannot_be_read(path + ": " + readable(set.path),
                          fmt::format("cannot be read from row {} on", row), reason);
  }

  /// Names of the columns of a data set.
  std::vector<std::string> names_of(const DataSet& set,
                                    const std::vector<std::string>& given) const {
    std::vector<std::string> names;
    for (const Place& place : set.places) {
      const Member& member = set.members[place.member];
      names.push_back(!member.is_array            ? member.name
                      : member.item_names.empty() ? fmt::format("{}{}", member.name, place.item + 1)
                                                  : member.item_names[place.item]);
    }
    if (!set.members.empty() || set.unusable || !set.is_matrix)
      return set.members.empty() ? std::vector<std::string>{set.path} : names;
    names = hdf5::string_list(set.handle, "names");
    if (names.size() == set.width) return names;
    if (sets.size() == 1 && given.size() == set.width) return given;
    if (names = names_by_pandas(set); names.size() == set.width) return names;
    if (set.width == 1) return {set.path};
    names.clear();
    for (hsize_t k = 0; k < set.width; ++k) names.push_back(fmt::format("{}{}", set.path, k + 1));
    return names;
  }

  // pandas puts block0_items beside block0_values
  std::vector<std::string> names_by_pandas(const DataSet& set) const {
    constexpr std::string_view kValues = "_values";
    if (!set.path.ends_with(kValues)) return {};
    const std::string items = set.path.substr(0, set.path.size() - kValues.size()) + "_items";
    for (const DataSet& other : sets)
      if (other.path == items && other.handle.ok()) return hdf5::strings_of(other.handle);
    return {};
  }

  Result<Done> read_block(DataSet& set) {
    const Access access;
    const hsize_t count = std::min(set.rows_at_a_time, num_rows - row);
    hsize_t begin[2] = {row, 0}, extent[2] = {count, set.is_matrix ? set.width : 1};
    if (set.lies_on_its_side) {
      std::swap(begin[0], begin[1]);
      std::swap(extent[0], extent[1]);
    }
    const Handle in_file(H5Dget_space(set.handle), H5Sclose);
    const Handle in_memory(H5Screate_simple(set.is_matrix ? 2 : 1, extent, nullptr), H5Sclose);
    set.block.resize(count * set.width);
    if (!in_file.ok() || !in_memory.ok() ||
        H5Sselect_hyperslab(in_file, H5S_SELECT_SET, begin, nullptr, extent, nullptr) < 0 ||
        H5Dread(set.handle, set.memory_type, in_memory, in_file, H5P_DEFAULT, set.block.data()) < 0)
      return failure(set);
    set.begin = row;
    set.end = row + count;
    return Done{};
  }

  /// Prepares to read only the selected members of a compound, contiguously.
  void select_members(std::size_t index) {
    DataSet& set = sets[index];
    std::vector<std::optional<hsize_t>> begins(set.members.size());
    std::vector<std::size_t> wanted;
    set.width = 0;
    for (Selected& one : selected) {
      if (one.set != index) continue;
      const Place& place = set.places[columns[static_cast<std::size_t>(one.column)].place];
      if (!begins[place.member]) {
        begins[place.member] = set.width;
        set.width += set.members[place.member].count;
        wanted.push_back(place.member);
      }
      one.place = *begins[place.member] + place.item;
    }
    set.memory_type = Handle(H5Tcreate(H5T_COMPOUND, set.width * sizeof(double)), H5Tclose);
    for (const std::size_t k : wanted) {
      const Member& member = set.members[k];
      Handle array;
      if (member.is_array)
        array = Handle(H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &member.count), H5Tclose);
      H5Tinsert(set.memory_type, member.name.c_str(), *begins[k] * sizeof(double),
                member.is_array ? static_cast<hid_t>(array) : H5T_NATIVE_DOUBLE);
    }
    set.rows_at_a_time =
        std::clamp<hsize_t>(set.rows_at_a_time, 1, std::max<hsize_t>(1, kMaxNumbers / set.width));
  }

  /// Why a column cannot be read together with the others.
  std::optional<Error> refusal(const DataSet& set, const Column& column,
                               const std::string& name) const {
    const std::string where = path + ": " + name;
    if (set.unusable) return Error{where, set.unusable->what, set.unusable->remedy};
    if (!set.members.empty() && !set.members[set.places[column.place].member].is_number)
      return Error{where, "is not a number",
                   "save the column as a number, or as an array of numbers"};
    if (set.is_square)
      return Error{
          where,
          fmt::format("has {} x {} numbers in a log of {} rows: cannot tell rows from columns",
                      set.num_rows, set.width, set.num_rows),
          "save each column as a separate data set, or log more rows"};
    if (set.declares_too_much())
      return Error{
          where,
          fmt::format("declares {} rows of {} bytes, but contains {} bytes", set.num_rows,
                      set.item_bytes * (set.members.empty() ? set.width : 1), set.stored_bytes),
          "write the file again: part of its data is missing"};
    return std::nullopt;
  }
};

Result<Hdf5Reader> Hdf5Reader::open(const std::string& path, const std::vector<std::string>& names,
                                    const std::string& time, bool keeps_units) {
  const Access access;
  auto state = std::make_unique<State>();
  state->path = path;
  state->file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!state->file.ok())
    return cannot_be_read(path, "is an HDF5 file that cannot be opened", hdf5::last_error());
  const bool is_netcdf = H5Aexists(state->file, "_NCProperties") > 0;
  for (const std::string& set_path : hdf5::dataset_paths(state->file)) {
    DataSet set = describe(state->file, path, set_path, is_netcdf, is_netcdf && !keeps_units);
    if (set.has_columns) state->sets.push_back(std::move(set));
  }
  const auto is_unusable = [](const DataSet& set) { return set.unusable.has_value(); };
  if (!state->sets.empty() && std::all_of(state->sets.begin(), state->sets.end(), is_unusable))
    return *state->sets.front().unusable;
  turn_those_on_their_side(state->sets, time, names);
  const bool had_sets = !state->sets.empty();
  leave_out_widest(state->sets);
  for (DataSet& set : state->sets)
    if (!set.unusable) set.rows_at_a_time = rows_at_a_time(set);
  Hdf5Reader reader(path, std::move(state));
  for (std::size_t k = 0; k < reader.state_->sets.size(); ++k) {
    const DataSet& set = reader.state_->sets[k];
    for (std::string& name : reader.state_->names_of(set, names))
      reader.header_names().push_back(std::move(name));
    for (std::size_t place = 0; place < set.num_columns(); ++place)
      reader.state_->columns.push_back({k, place});
  }
  if (reader.header_names().empty() && had_sets)
    return Error{path, "has too many columns for a log", "save only the columns that are needed"};
  if (reader.header_names().empty())
    return Error{path, "has no data set of numbers with one or two dimensions",
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
    if (auto refusal = state.refusal(set, column, name)) return *refusal;
    if (state.selected.empty()) state.num_rows = set.num_rows;
    if (set.num_rows != state.num_rows)
      return Error{state.path + ": " + name,
                   fmt::format("has {} rows, but '{}' has {}", set.num_rows,
                               header()[static_cast<std::size_t>(columns.front())], state.num_rows),
                   "save columns of equal length that share one clock"};
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
    *values = set.decoded(set.block[set.in_block(state.row, one.place)]);
    if (std::isinf(*values))
      return Error{where() + ": " + header()[static_cast<std::size_t>(one.column)], "is infinite",
                   "fix or delete the row; write nan for a value that is missing"};
    ++values;
  }
  ++state.row;
  return true;
}

std::string Hdf5Reader::place_of(std::int64_t line) const {
  return line < 0 ? state_->path : fmt::format("{}[{}]", state_->path, line);
}

double Hdf5Reader::fraction_read() const {
  return state_->num_rows > 0
             ? static_cast<double>(state_->row) / static_cast<double>(state_->num_rows)
             : 1;
}

double Hdf5Reader::disk_seconds() const {
  return state_->disk_seconds;
}

Result<std::string> Hdf5Reader::sha256() {
  HEFT_TRY(file, LogFile::open(state_->path));
  return file.sha256();
}

}  // namespace heft
