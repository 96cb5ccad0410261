#include "tests/device_on_host/block/profile.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace heft::device_on_host {

namespace {

constexpr std::uint32_t kWarp = 32, kBanks = 32, kWordBytes = 4, kSectorBytes = 32;
constexpr std::uint8_t kSectorRead = 1, kSectorWritten = 2, kSectorReadFirst = 4;

/// Different values of f over the bytes of all accesses, a word at a time.
template <class Access, class F>
std::size_t count_different(const Access* begin, const Access* end, const F& f) {
  std::set<std::uint64_t> different;
  for (const Access* a = begin; a != end; ++a)
    for (std::uint64_t at = a->address; at < a->address + a->size;
         at += std::min<std::uint32_t>(a->size, kWordBytes))
      different.insert(f(*a, at));
  return different.size();
}

}  // namespace

void Traffic::add(const Traffic& more) {
  threads += more.threads, requests += more.requests, bytes += more.bytes, sectors += more.sectors;
  wavefronts += more.wavefronts, least_wavefronts += more.least_wavefronts;
}

void Profile::begin_launch(const Launch& launch) {
  if (!launches_.empty()) end_launch();
  LaunchProfile profile;
  profile.module = launch.module, profile.kernel = launch.kernel;
  profile.grid = launch.grid, profile.block = launch.block;
  profile.dynamic_shared = launch.dynamic_shared;
  profile.basic_blocks.resize(static_cast<std::size_t>(launch.module->num_blocks));
  profile.sites.resize(static_cast<std::size_t>(launch.module->num_sites));
  launches_.push_back(std::move(profile));
}

/// Keeps the number of sectors rather than which they are.
void Profile::end_launch() {
  LaunchProfile& launch = current();
  for (const auto& [sector, use] : launch.sectors) {
    launch.sectors_read += (use & kSectorRead) != 0;
    launch.sectors_written += (use & kSectorWritten) != 0;
    launch.sectors_read_first += (use & kSectorReadFirst) != 0;
  }
  launch.sectors = {};
}

Profile::Executions Profile::executions() const {
  Executions sums;
  for (const LaunchProfile& launch : launches_)
    for (const OpcodeCount& of_block : launch.module->opcodes)
      if (const std::uint64_t times =
              launch.basic_blocks[static_cast<std::size_t>(of_block.block)].thread)
        sums[of_block.opcode] += times * static_cast<std::uint64_t>(of_block.times);
  return sums;
}

BlockProfile::BlockProfile(Profile& profile, const Launch& launch)
    : launch_(profile.current()),
      num_threads_(launch.block.count()),
      num_blocks_(static_cast<std::size_t>(launch.module->num_blocks)),
      num_sites_(static_cast<std::size_t>(launch.module->num_sites)),
      counts_(num_threads_ * num_blocks_, 0),
      turns_(num_threads_ * num_sites_, 0),
      accesses_((num_threads_ + kWarp - 1) / kWarp),
      barriers_(num_threads_, 0) {}

std::uint32_t* BlockProfile::block_counts(std::uint32_t rank) {
  return counts_.data() + rank * num_blocks_;
}

void BlockProfile::access(const Thread& thread, const Site& site, Space space,
                          std::uint64_t address, std::uint32_t size, AccessKind kind) {
  const std::uint32_t turn =
      turns_[thread.rank * num_sites_ + static_cast<std::size_t>(site.number)]++;
  accesses_[thread.warp].push_back({site.number, turn, thread.lane, size, address, space, kind});
  if (space == Space::global) use_sectors(address, size, kind);
}

/// At once, in the order of a thread's accesses: requests are found only when all wait.
void BlockProfile::use_sectors(std::uint64_t address, std::uint32_t size, AccessKind kind) {
  const bool is_read = kind != AccessKind::store,
             is_written = kind == AccessKind::store || kind == AccessKind::atomic;
  for (std::uint64_t sector = address / kSectorBytes; sector <= (address + size - 1) / kSectorBytes;
       ++sector) {
    std::uint8_t& use = launch_.sectors[sector];
    if (is_read) use |= use & kSectorWritten ? kSectorRead : kSectorRead | kSectorReadFirst;
    if (is_written) use |= kSectorWritten;
  }
}

void BlockProfile::barrier(const Thread& thread) {
  ++barriers_[thread.rank];
}

void BlockProfile::everyone_waits() {
  for (Accesses& accesses : accesses_) {
    std::sort(accesses.begin(), accesses.end(), [](const Access& a, const Access& b) {
      return std::tie(a.site, a.turn, a.space, a.kind, a.lane) <
             std::tie(b.site, b.turn, b.space, b.kind, b.lane);
    });
    const Access* begin = accesses.data();
    const Access* const last = begin + accesses.size();
    while (begin != last) {
      const Access* const end = std::find_if(begin, last, [begin](const Access& a) {
        return std::tie(a.site, a.turn, a.space, a.kind) !=
               std::tie(begin->site, begin->turn, begin->space, begin->kind);
      });
      add_request(begin, end);
      begin = end;
    }
    accesses.clear();
  }
  std::fill(turns_.begin(), turns_.end(), 0);
}

void BlockProfile::add_request(const Access* begin, const Access* end) {
  Traffic traffic;
  const Access& first = *begin;
  traffic.threads = static_cast<std::uint64_t>(end - begin);
  traffic.requests = 1;
  for (const Access* a = begin; a != end; ++a) traffic.bytes += a->size;
  if (begin->space == Space::global) {
    traffic.sectors = count_different(
        begin, end, [](const Access&, std::uint64_t at) { return at / kSectorBytes; });
  } else if (begin->space == Space::local) {
    traffic.sectors = count_different(begin, end, [](const Access& a, std::uint64_t at) {
      return at / kWordBytes * (kWarp * kWordBytes / kSectorBytes) +
             a.lane / (kSectorBytes / kWordBytes);
    });
  } else {  // shared memory; 8 bytes a lane go by half, 16 by quarter warps
    const std::uint32_t lanes_at_a_time = kWarp * kWordBytes / std::max(begin->size, kWordBytes);
    while (begin != end) {
      const Access* const part_end = std::find_if(begin, end, [&](const Access& a) {
        return a.lane / lanes_at_a_time != begin->lane / lanes_at_a_time;
      });
      std::array<std::set<std::uint64_t>, kBanks> words;
      std::size_t passes = 0, num_words = 0;
      for (const Access* a = begin; a != part_end; ++a)
        for (std::uint64_t word = a->address / kWordBytes;
             word <= (a->address + a->size - 1) / kWordBytes; ++word)
          words[word % kBanks].insert(word);
      for (const auto& of_bank : words) {
        passes = std::max(passes, of_bank.size());
        num_words += of_bank.size();
      }
      traffic.wavefronts += passes;
      traffic.least_wavefronts += (num_words + kBanks - 1) / kBanks;
      begin = part_end;
    }
  }
  const auto space = static_cast<std::size_t>(first.space);
  launch_.traffic[space][static_cast<std::size_t>(first.kind)].add(traffic);
  launch_.sites[static_cast<std::size_t>(first.site)][space].add(traffic);
}

void BlockProfile::end_block() {
  everyone_waits();
  for (std::size_t warp = 0; warp * kWarp < num_threads_; ++warp) {
    const std::size_t begin = warp * kWarp, end = std::min(begin + kWarp, num_threads_);
    for (std::size_t block = 0; block < num_blocks_; ++block) {
      std::uint32_t most = 0;
      for (std::size_t thread = begin; thread < end; ++thread) {
        const std::uint32_t count = counts_[thread * num_blocks_ + block];
        launch_.basic_blocks[block].thread += count;
        most = std::max(most, count);
      }
      launch_.basic_blocks[block].warp += most;
    }
    launch_.barriers += *std::max_element(barriers_.begin() + static_cast<std::ptrdiff_t>(begin),
                                          barriers_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  std::fill(counts_.begin(), counts_.end(), 0);
  std::fill(barriers_.begin(), barriers_.end(), 0);
}

}  // namespace heft::device_on_host
