// A block of threads: which of them can run, what they wait for, and what they may access.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/device_on_host/block/device_memory.hpp"
#include "tests/device_on_host/block/fiber.hpp"
#include "tests/device_on_host/block/launch.hpp"
#include "tests/device_on_host/block/order.hpp"
#include "tests/device_on_host/block/shadow.hpp"

namespace heft::device_on_host {

class BlockProfile;

/// What lanes of a warp bring to an instruction that they do together, and take from it.
struct WarpOperation {
  const Site* site;
  std::uint32_t warp, mask, arrived;
  std::array<std::array<double, 4>, 32> numbers;       ///< of multiply_matrices
  std::array<std::array<std::uint32_t, 3>, 32> words;  ///< of the others
  Knowledge brought;
};

class Block {
 public:
  Block(const Launch& launch, const Circumstances& circumstances);
  ~Block();

  /// False if it went wrong.
  bool run(Extent place);

  // of the thread that runs
  std::byte* check(Thread& thread, const Site& site, Space space, std::uint64_t address,
                   std::uint32_t size, AccessKind kind);
  void copy_async(Thread& thread, const Site& site, std::uint64_t to, std::uint64_t from,
                  std::uint32_t size, std::uint32_t filled);
  void commit_copies(Thread& thread);
  void wait_for_copies(Thread& thread, std::size_t most_groups);
  void wait_for_all_copies(Thread& thread);
  void barrier(Thread& thread, const Site& site, std::uint32_t number, std::uint32_t num_threads,
               bool waits);
  /// Brings `words` or `numbers` of the lanes of `mask` together; what comes back stays until the
  /// thread's next one. `orders`: the lanes then know what each other did before.
  const WarpOperation& together(const Thread& thread, const Site& site, std::uint32_t mask,
                                const std::array<std::uint32_t, 3>& words,
                                const std::array<double, 4>& numbers, bool orders = false);
  /// Ends the launch: the thread does not go on.
  [[noreturn]] void stop(const std::string& what, const Site& site, const Thread& thread,
                         const std::string& where = "");

 private:
  struct Barrier {
    std::uint32_t expected = 0;  ///< threads; 0 while no thread is there
    bool is_of_block = false;
    std::vector<std::uint32_t> waiting, arrived;  ///< ranks; arrived: those that do not wait
    std::array<const Site*, 32> sites{};          ///< by warp
    Knowledge brought;
  };
  struct Copy {
    const Site* site;
    std::byte *to, *from;
    std::uint32_t size, filled;
  };
  /// What the block keeps of a thread beside what the thread sees.
  struct State {
    bool has_ended = false;
    const Site* waits_at = nullptr;         ///< null: it may run
    std::vector<std::vector<Copy>> copies;  ///< groups; the last is not committed
    std::shared_ptr<const WarpOperation> taken;
  };

  static void enter(void* block);
  void reset(Extent place);
  void arrange(std::vector<std::uint32_t>& turns);
  void resolve_standstill();
  void complete(Barrier& barrier);
  void make_ready(std::uint32_t rank);
  void finish_copies(Thread& thread, const std::vector<Copy>& group);
  static void carry_out(const Copy& copy);
  void set_under_way(const Copy& copy, bool is_under_way);

  struct Place {
    Shadow* shadow;  ///< of the word that `address` is in; null: memory of the thread, or constant
    bool is_shared;
  };
  Place find(Thread& thread, const Site& site, Space space, std::uint64_t address,
             std::uint32_t size, AccessKind kind);
  bool find_local(Thread& thread, const Site& site, std::uint64_t address, std::uint32_t size,
                  AccessKind kind);
  /// Of the `bytes` of a word, a mask of four bits.
  void check_word(const Thread& thread, const Site& site, Shadow& shadow, unsigned bytes,
                  bool is_shared, AccessKind kind, std::uint64_t address);
  void note_read(const Thread& thread, Shadow& shadow, unsigned bytes);
  bool are_reads_before(const Shadow& shadow, const Thread& thread) const;
  std::string where(std::uint64_t address) const;

  const Launch& launch_;
  const Circumstances& circumstances_;
  Fibers fibers_;
  std::vector<Thread> threads_;
  std::vector<State> states_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::byte> shared_memory_;
  std::uint32_t shared_bytes_ = 0;
  std::byte* shared_ = nullptr;
  std::vector<Shadow> shared_shadow_;
  std::array<Barrier, 16> barriers_;
  std::vector<std::shared_ptr<WarpOperation>> operations_;  ///< that wait for lanes
  Order order_;
  std::unordered_map<const Shadow*, std::vector<std::uint32_t>> readers_;  ///< stamps by thread, of
                                                                           ///< Shadow::kSeveral
  std::vector<std::byte*> parameters_;
  std::uint32_t current_ = 0, num_alive_ = 0;
  std::uint32_t first_stamp_;     ///< of the launch
  bool follows_readers_ = false;  ///< barriers of a part of the block: which threads read a word
                                  ///< matters
  bool is_stopped_ = false;
  Piece* last_piece_ = nullptr;
  std::unique_ptr<BlockProfile> profile_;
};

}  // namespace heft::device_on_host
