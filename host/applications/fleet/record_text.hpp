// Text format of records: words and numbers in sequence. A fleet reads the records of all robots in
// every run, of which JSON took a quarter. A record lists its members once for reading and writing:
// members(archive, record) calls archive(member) for each.
#pragma once

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heft {

class RecordWriter {
 public:
  void operator()(std::string& word) { put_word(word); }
  void operator()(double& number) { put(number); }
  void operator()(int& number) { put(number); }
  void operator()(bool& is) { put(static_cast<int>(is)); }
  template <class T>
  void operator()(std::optional<T>& value) {
    put(static_cast<int>(value.has_value()));
    if (value) (*this)(*value);
  }
  void operator()(std::array<double, 2>& pair) { put(pair[0]), put(pair[1]); }
  template <class T>
  void operator()(std::vector<T>& list) {
    put(list.size());
    for (T& element : list) (*this)(element);
  }
  void operator()(std::map<std::string, double>& numbers) {
    put(numbers.size());
    for (const auto& [name, number] : numbers) put_word(name), put(number);
  }
  template <class Record>
  void operator()(Record& record) {
    members(*this, record);
  }

  std::string text() && { return std::move(text_); }

 private:
  void put_word(const std::string& word) {
    put(word.size());
    text_ += word;
  }
  template <class Number>
  void put(Number number) {
    char digits[40];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    text_ += ' ';
  }

  std::string text_;
};

/// Reads the output of RecordWriter. For any other text is_whole() is false at the end, and the
/// values read are invalid.
class RecordReader {
 public:
  explicit RecordReader(std::string_view text) : left_(text) {}

  void operator()(std::string& word) {
    const std::size_t size = count();
    word = left_.substr(0, size);
    left_.remove_prefix(size);
  }
  void operator()(double& number) { get(number); }
  void operator()(int& number) { get(number); }
  void operator()(bool& is) {
    int number = 0;
    get(number);
    is = number != 0;
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool has = false;
    (*this)(has);
    if (has) (*this)(value.emplace());
  }
  void operator()(std::array<double, 2>& pair) { get(pair[0]), get(pair[1]); }
  template <class T>
  void operator()(std::vector<T>& list) {
    list.resize(count());
    for (T& element : list) (*this)(element);
  }
  void operator()(std::map<std::string, double>& numbers) {
    for (std::size_t k = count(); k > 0; --k) {
      std::string name;
      (*this)(name);
      get(numbers[name]);
    }
  }
  template <class Record>
  void operator()(Record& record) {
    members(*this, record);
  }

  bool is_whole() const { return is_good_ && left_.empty(); }

 private:
  template <class Number>
  void get(Number& number) {
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
    const auto size = static_cast<std::size_t>(end - left_.data());
    is_good_ = is_good_ && error == std::errc() && size < left_.size() && *end == ' ';
    if (is_good_) left_.remove_prefix(size + 1);
  }
  /// For elements that take at least one byte.
  std::size_t count() {
    std::size_t count = 0;
    get(count);
    is_good_ = is_good_ && count <= left_.size();
    return is_good_ ? count : 0;
  }

  std::string_view left_;
  bool is_good_ = true;
};

}  // namespace heft
