// The last party's side of the link to the dealer: returns the chunk of each round, from the stream or from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/mesh/driver/watch.h"

namespace sotto::net {

class ChunkIntake {
 public:
  ChunkIntake(Mesh& mesh, Watch& watch, const DriverOptions& options);

  // With deal-ahead: reads all chunks into memory, up to the planned number of bytes. Throws ResourceError if the
  // planned bytes are more than half of the memory of this machine.
  void take_all();

  // The corrections of chunk `number`, valid until release(). Adds the waiting time to `seconds`.
  [[nodiscard]] std::span<const std::byte> take(std::uint64_t number, double& seconds);
  void release();
  // Returns the set of only the dealer's link until the whole chunk `number` has arrived, and then the empty set. If
  // the dealer has finished instead, sets `ended`, or throws if `ended` is null.
  LinkSet poll(std::uint64_t number, bool* ended = nullptr);
  // Like take(), but without waiting: returns nothing until the whole chunk has arrived.
  [[nodiscard]] std::optional<std::span<const std::byte>> take_now(std::uint64_t number);
  // Says that chunks first .. end - 1 belong to a concurrent program. Chunks of a concurrent program are put aside in
  // memory if a later chunk is asked for first.
  void keep(std::uint64_t first, std::uint64_t end);
  // The set of only the dealer's link while a part of a requested chunk waits on this link; otherwise the empty set.
  [[nodiscard]] LinkSet reads() const noexcept { return dealer_.holds_data() ? dealer_bit_ : LinkSet{0}; }
  // With deal-ahead: prefetches chunk `number` into the CPU caches while this role waits.
  void bring_near(std::uint64_t number) const;

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  // True if the next header on the link belongs to a chunk that comes before chunk `number` and must be put aside.
  [[nodiscard]] bool is_kept(const FrameHeader& header, std::uint64_t number) const noexcept;
  void check_chunk(const FrameHeader& header, std::uint64_t number) const;
  [[nodiscard]] std::span<const std::byte> at_hand(std::uint64_t number);

  Link& dealer_;
  LinkSet dealer_bit_;
  Watch& watch_;
  std::uint64_t epoch_;
  std::uint64_t planned_;
  std::uint64_t largest_;
  std::size_t length_ = 0;       // length of the current chunk
  std::uint64_t next_kept_ = 0;  // number of the concurrent program's next chunk on the link
  std::uint64_t end_kept_ = 0;
  std::map<std::uint64_t, Bytes> aside_;
  std::optional<Bytes> from_aside_;  // the current chunk
  std::uint64_t bytes_ = 0;
  bool ahead_ = false;
  std::vector<std::byte> store_;
  std::vector<std::size_t> ends_;
};

}  // namespace sotto::net
