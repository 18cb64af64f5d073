// A frame on a link: a header of fixed size, then the payload.
//
//     offset  bytes
//          0      4  payload length
//          4      2  type
//          6      2  zero
//          8      8  round
//         16      8  digest of the round's slots (round frames), else zero
//
// All numbers are little-endian. The receiver checks type, round, digest and exact length before it reads or allocates
// anything for the payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

enum class FrameType : std::uint16_t {
  round = 1,     // the payloads of one round, in slot order
  chunk = 2,     // the dealer's corrections of one round, see include/sotto/protocol/party/rounds.h
  hello = 3,     // handshake, net/mesh/handshake
  ready = 4,     // everything is set up, and the clock of the run may start
  failed = 5,    // the sender ends the run, and names kind, culprit and round
  finish = 6,    // the sender has finished its program
  waiting = 7,   // the sender is alive, and may name the peer it waits for
  confirm = 8,   // handshake: the sender has received all hellos, and repeats their digests
  seed = 9,      // the seed that the dealer shares with the receiver
  probe = 10,    // an inquiry to a role that sets up its links, and the answer
  message = 11,  // bytes of the application between rounds, include/sotto/protocol/mesh/driver/session.h
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

// Reads the header from `in` into `header`. Does not check the type. Returns false unless the bytes that must be zero
// are zero.
[[nodiscard]] bool read_header(std::span<const std::byte, FrameHeader::size> in, FrameHeader& header);

}  // namespace sotto
