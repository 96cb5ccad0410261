// Places of the selected numbers in a message, valid for all messages of the same size with the
// same counts, lengths and names: most topics send only such messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "message_type.hpp"

namespace heft::bags {

class MessageLayout {
 public:
  void forget() { is_known_ = false; }

  /// Starts recording the layout of a message.
  void begin(std::string_view message);
  /// Records bytes of the message that determine where other fields lie, or which element is which.
  void depend_on(const char* at, std::size_t size);
  void add_number(FieldKind kind, const char* at, int slot);
  /// Ends recording; `swaps`: the byte order differs from that of this machine.
  void end(bool swaps);

  /// Returns whether a message has this layout.
  bool fits(std::string_view message) const;
  /// Writes the numbers of a message that fits; other numbers stay unchanged.
  void read(const char* message, double* numbers) const;

 private:
  struct Span {
    std::size_t offset, size;  ///< [byte]
    std::size_t place;         ///< in bytes_
  };
  /// Numbers that follow each other in the message and in the selection.
  struct Run {
    FieldKind kind;
    std::size_t offset, count;
    int slot;
  };

  std::string_view message_;  ///< that is being recorded
  std::vector<Span> spans_;
  std::vector<Run> runs_;
  std::string bytes_;     ///< of the spans
  std::size_t size_ = 0;  ///< [byte] of the message
  bool swaps_ = false, is_known_ = false;
};

}  // namespace heft::bags
