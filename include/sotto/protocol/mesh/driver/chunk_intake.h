// The last party's side of the link to the dealer.
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

  // If the run deals ahead (DriverOptions::deal_ahead): reads all planned chunks into memory. Throws ResourceError if
  // the chunks need more than half of this machine's memory.
  void take_all();

  // The corrections of chunk `number`, valid until release(). Adds the waiting time to `seconds`.
  [[nodiscard]] std::span<const std::byte> take(std::uint64_t number, double& seconds);
  void release();
  // Until chunk `number` has arrived, returns the set that contains only the dealer's link. After that, returns the
  // empty set. If the dealer has finished, sets `ended`, or throws if `ended` is null.
  LinkSet poll(std::uint64_t number, bool* ended = nullptr);
  // Like take(), but never waits: returns nothing until the whole chunk has arrived.
  [[nodiscard]] std::optional<std::span<const std::byte>> take_now(std::uint64_t number);
  // Chunks first .. end - 1 belong to a concurrent program. If a later chunk is taken first, these chunks are stored.
  void keep(std::uint64_t first, std::uint64_t end);
  // While only a part of a chunk has arrived, returns the set that contains only the dealer's link. Otherwise returns
  // the empty set.
  [[nodiscard]] LinkSet reads() const noexcept { return dealer_.holds_data() ? dealer_bit_ : LinkSet{0}; }
  void bring_near(std::uint64_t number) const;

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  [[nodiscard]] bool is_kept(const FrameHeader& header, std::uint64_t number) const noexcept;
  void check_chunk(const FrameHeader& header, std::uint64_t number) const;
  [[nodiscard]] std::span<const std::byte> at_hand(std::uint64_t number);

  Link& dealer_;
  LinkSet dealer_bit_;
  Watch& watch_;
  std::uint64_t epoch_;
  std::uint64_t planned_;
  std::uint64_t largest_;
  std::size_t length_ = 0;
  std::uint64_t next_kept_ = 0;
  std::uint64_t end_kept_ = 0;
  std::map<std::uint64_t, Bytes> aside_;
  std::optional<Bytes> from_aside_;
  std::uint64_t bytes_ = 0;
  bool ahead_ = false;
  std::vector<std::byte> store_;
  std::vector<std::size_t> ends_;
};

}  // namespace sotto::net
