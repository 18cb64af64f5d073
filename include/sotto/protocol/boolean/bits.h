// bit_and: the AND of two XOR-shared values, bit by bit, with a dealt AND triple.
//
// Functionality   [x], [y] of w bits a lane -> [x & y]. A triple is a, b uniform and c = a & b.
//                 1. Open d = x ^ a and e = y ^ b.
//                 2. x & y = c ^ (d & b) ^ (e & a) ^ (d & e); party 0 adds the last term.
//                 [Beaver, CRYPTO 91; GMW 87]
// Costs           `bit_and`, width w | 1 | 2 w bits a lane, packed | w bits a lane
// Rounds, bytes   1 round, 2 w bits a lane to each party, packed into words of 8 bytes; dealt: w
//                 bits a lane (a and b are expansions of the parties' seeds).
// Primitive       what the roles do differs
// Views           d and e are uniform, since no n-1 parties know a or b. The output's shares are
//                 fresh: the dealt sharing of c is uniform.
// Throws          std::invalid_argument where shapes or widths differ.
#pragma once

#include <coroutine>
#include <cstddef>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/sharing/public.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<Bool> bit_and(Party& party, Bool x, Bool y, Label label);

// The lowest bit of each lane, one bit wide: additive shares add up, so their lowest bits XOR to it. Local.
[[nodiscard]] Bool lowest_bits(const Arith& value);
// The XOR of the lanes of each row, a column. Local.
[[nodiscard]] Bool xor_of_rows(const Bool& value);

// open_bool: all compute parties learn an XOR-shared value.
//
// Functionality   [x] of w bits a lane -> x public, one word a lane.
// Costs           `open_bool`, width w | 1 | w bits a lane, packed | w bits a lane
// Rounds, bytes   1 round, w bits a lane to each party, packed into words of 8 bytes; as many bits are dealt.
// Primitive       what the roles do differs
// Views           The parties see all shares of x, refreshed by a dealt sharing of zero (open.h). The shares are
//                 uniform except for their XOR, so the view is simulated from the output.

[[nodiscard]] Task<Public> open_bool(Party& party, Bool value, Label label);

// Lanes of `width` bits packed into 64-bit words without gaps, the form of Boolean openings on links: a thousand
// comparison bits are 125 bytes, not a thousand.
//
// Packing is XOR-linear, so shares are packed, exchanged and combined as words, and then unpacked.

// The number of words that `lanes` lanes of `width` bits take.
[[nodiscard]] constexpr std::size_t packed_words(std::size_t lanes, unsigned width) {
  return (lanes * width + 63) / 64;
}

// pack_bits and unpack_bits keep an empty vector empty: a role that holds nothing packs nothing.
[[nodiscard]] Words pack_bits(const Words& lanes, unsigned width);
[[nodiscard]] Words unpack_bits(const Words& packed, std::size_t lanes, unsigned width);

// For primitives: co_await OpenPacked(...) opens XOR shares of `lanes` lanes of `width` bits, packed on the links. The
// shares must be masked, or refreshed. 1 round. The result is empty at a role that holds nothing.
//
// It is an awaitable and not a Task, because a Task costs a coroutine frame for each bit_and.
class OpenPacked {
 public:
  OpenPacked(Party& party, const Words& shares, std::size_t lanes, unsigned width, Label label)
      : lanes_(lanes),
        width_(width),
        packed_(pack_bits(shares, width)),
        exchange_(party.rounds(), Slot{label, SlotKind::open, 64, packed_words(lanes, width), 0, Group::exclusive_or},
                  packed_, packed_) {}
  OpenPacked(const OpenPacked&) = delete;
  OpenPacked& operator=(const OpenPacked&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return exchange_.await_ready(); }
  void await_suspend(std::coroutine_handle<> waiting) { exchange_.await_suspend(waiting); }
  [[nodiscard]] Words await_resume() const { return unpack_bits(packed_, lanes_, width_); }

 private:
  std::size_t lanes_;
  unsigned width_;
  Words packed_;
  Exchange exchange_;
};

}  // namespace sotto::protocols
