#include "npy_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heft {

namespace {

constexpr std::uint64_t kMaxColumns = 1 << 16;

}  // namespace

Result<NpyReader> NpyReader::open(const std::string& path, const std::vector<std::string>& names,
                                  std::size_t read_size) {
  HEFT_TRY(file, LogFile::open(path));
  NpyReader reader(std::move(file), std::max<std::size_t>(read_size, 1));
  HEFT_CHECK(reader.read_header(names));
  return reader;
}

Result<Done> NpyReader::read_header(const std::vector<std::string>& names) {
  std::string preamble(kNpyPreamble, '\0');
  HEFT_CHECK(read_bytes(preamble.data(), preamble.size()));
  HEFT_TRY(text, find_npy_text(preamble, file_.path()));
  data_begin_ = text.begin + text.size;
  if (data_begin_ > file_.size())
    return Error{file_.path(), "ends within its header", "save or copy the file again"};
  std::string dictionary = preamble.substr(text.begin);
  const std::size_t known = std::min(dictionary.size(), text.size);
  dictionary.resize(text.size);
  HEFT_CHECK(read_bytes(dictionary.data() + known, text.size - known));
  HEFT_TRY(header, parse_npy_header(dictionary, file_.path()));
  HEFT_CHECK(make_columns(header, names));
  HEFT_CHECK(check_header());

  const std::uint64_t row_size = by_columns_ ? columns_.size() * stride_ : stride_;
  const std::uint64_t there = row_size > 0 ? (file_.size() - data_begin_) / row_size : 0;
  if (there >= num_rows_) return Done{};
  return Error{file_.path(),
               fmt::format("is truncated: its header declares {} rows, but it contains {}",
                           num_rows_, there),
               "save or copy the file again"};
}

Result<Done> NpyReader::make_columns(const NpyHeader& header,
                                     const std::vector<std::string>& names) {
  const std::size_t num_dimensions = header.shape.size();
  if (num_dimensions != (header.is_structured ? 1 : 2))
    return Error{file_.path(),
                 fmt::format("is {} array of {} dimensions, which is not a table",
                             header.is_structured ? "a structured" : "a plain", num_dimensions),
                 "save a structured array of one dimension, or rows times columns"};
  num_rows_ = header.shape[0];
  if (header.is_structured) {
    std::uint64_t total = 0;
    for (const NpyField& field : header.fields) total += field.count;
    if (total > kMaxColumns)
      return Error{file_.path(), fmt::format("has {} columns, too many for a log", total),
                   "save only the columns that are needed"};
    for (const NpyField& field : header.fields)
      for (std::size_t k = 0; k < std::max<std::size_t>(field.count, 1); ++k) {
        header_names().push_back(field.is_vector ? fmt::format("{}{}", field.name, k + 1)
                                                 : field.name);
        columns_.push_back({field.count > 0 ? field.number : NpyNumber{},
                            field.offset + k * field.number.size,
                            field.count > 0 ? field.type : "array of several dimensions"});
      }
    stride_ = header.item_size;
    return Done{};
  }
  const std::uint64_t num_columns = header.shape[1];
  if (names.empty())
    return Error{file_.path(),
                 fmt::format("is a plain array: its {} columns have no names", num_columns),
                 "name them all, in order, in log.columns, or save a structured array"};
  if (names.size() != num_columns)
    return Error{
        "log.columns",
        fmt::format("names {} columns, but {} has {}", names.size(), file_.path(), num_columns),
        "name all columns of the array, in order"};
  header_names() = names;
  const NpyField& field = header.fields.front();
  by_columns_ = header.fortran_order;
  for (std::uint64_t k = 0; k < num_columns; ++k)
    columns_.push_back(
        {field.number, k * header.item_size * (by_columns_ ? num_rows_ : 1), field.type});
  stride_ = header.item_size * (by_columns_ ? 1 : num_columns);
  return Done{};
}

Result<Done> NpyReader::select_columns(const std::vector<int>& columns) {
  selected_.clear();
  const std::size_t rows = std::min<std::uint64_t>(
      std::max<std::size_t>(1, read_size_ / std::max<std::size_t>(stride_, 1)), num_rows_);
  for (const int k : columns) {
    const Column& column = columns_[static_cast<std::size_t>(k)];
    if (column.number.kind == NpyNumber::Kind::none)
      return Error{where() + ": " + header()[static_cast<std::size_t>(k)],
                   fmt::format("is of type '{}', not a little-endian number", column.type),
                   "save the column as f4 or f8 (numpy.ndarray.astype)"};
    selected_.push_back(
        {k, column.number, by_columns_ ? selected_.size() * rows * stride_ : column.offset});
  }
  block_.resize((by_columns_ ? selected_.size() : 1) * rows * stride_);
  return Done{};
}

Result<bool> NpyReader::next_row(double* values) {
  if (row_ == num_rows_) return false;
  if (row_ == block_end_) HEFT_CHECK(read_block());
  line_ = static_cast<std::int64_t>(row_);
  const char* const place = block_.data() + (row_ - block_begin_) * stride_;
  for (const Selected& one : selected_) {
    *values = one.number.load(place + one.begin);
    if (std::isinf(*values))
      return Error{where() + ": " + header()[static_cast<std::size_t>(one.column)], "is infinite",
                   "fix or delete the row; write nan for a value that is missing"};
    ++values;
  }
  ++row_;
  return true;
}

Result<Done> NpyReader::read_block() {
  const std::size_t num_runs = by_columns_ ? selected_.size() : 1;
  const std::uint64_t rows =
      std::min<std::uint64_t>(block_.size() / (num_runs * stride_), num_rows_ - row_);
  block_begin_ = row_;
  block_end_ = row_ + rows;
  if (!by_columns_) return read_bytes(block_.data(), rows * stride_);
  for (const Selected& one : selected_) {
    HEFT_CHECK(file_.seek(data_begin_ + columns_[static_cast<std::size_t>(one.column)].offset +
                          row_ * stride_));
    HEFT_CHECK(read_bytes(block_.data() + one.begin, rows * stride_));
  }
  return Done{};
}

// All of `size` bytes.
Result<Done> NpyReader::read_bytes(char* to, std::size_t size) {
  HEFT_TRY(done, file_.read(to, size));
  if (done < size) return Error{file_.path(), "ends early", "save or copy the file again"};
  return Done{};
}

std::string NpyReader::place_of(std::int64_t line) const {
  return line < 0 ? file_.path() : fmt::format("{}[{}]", file_.path(), line);
}

double NpyReader::fraction_read() const {
  return num_rows_ > 0 ? static_cast<double>(row_) / static_cast<double>(num_rows_) : 1;
}

}  // namespace heft
