// A frame on a link: a header, then the payload, with little-endian numbers.
//
//     offset  bytes
//          0      4  payload length
//          4      2  type
//          6      2  zero
//          8      8  round
//         16      8  digest of the round's slots (round frames), else zero
//
// The receiver checks type, round, digest and exact length before it reads or allocates anything for the payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

enum class FrameType : std::uint16_t {
  round = 1,  // the payloads of one round, in slot order
  chunk = 2,  // the dealer's corrections of one round
  hello = 3,
  ready = 4,     // the sender is set up
  failed = 5,    // the sender ends the run
  finish = 6,    // the sender has finished its program
  waiting = 7,   // the sender is alive, and may name the peer it waits for
  confirm = 8,   // in the handshake: digests of all hellos that the sender received
  seed = 9,      // the seed that the dealer shares with the receiver
  probe = 10,    // an inquiry to a role that sets up its links, or the answer
  message = 11,  // bytes of the application between rounds
};

struct FrameHeader {
  static constexpr std::size_t size = 24;

  std::uint32_t length = 0;
  FrameType type = FrameType::round;
  std::uint64_t round = 0;
  std::uint64_t digest = 0;

  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

void write_header(const FrameHeader& header, std::span<std::byte, FrameHeader::size> out);

// Returns false unless the bytes at offset 6 are zero. Does not check the type.
[[nodiscard]] bool read_header(std::span<const std::byte, FrameHeader::size> in, FrameHeader& header);

}  // namespace sotto
