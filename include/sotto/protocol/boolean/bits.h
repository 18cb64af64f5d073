// bit_and: the AND of two XOR-shared values, bit by bit, with a dealt AND triple.
//
// Functionality   [x], [y] of w bits per lane -> [x & y]. A triple has uniform a and b, and c = a & b.
//                 1. Open d = x ^ a and e = y ^ b.
//                 2. x & y = c ^ (d & b) ^ (e & a) ^ (d & e); party 0 adds the last term.
//                 [Beaver, CRYPTO 91; GMW 87]
// Costs           `bit_and`, width w | 1 | 2 w bits a lane, packed | w bits a lane
// Rounds, bytes   1 round, 2 w bits per lane to each party, packed into words of 8 bytes. Dealt: w bits per lane, since
//                 a and b are expansions of the parties' seeds.
// Primitive       different roles run different steps
// Views           d and e are uniform, since no group of n-1 parties knows a or b. The output's shares are fresh: the
//                 dealt sharing of c is uniform.
// Throws          std::invalid_argument if shapes or widths differ.
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

// The lowest bit of each lane, one bit wide. The lowest bit of a sum is the XOR of the lowest bits of the additive
// shares. Local.
[[nodiscard]] Bool lowest_bits(const Arith& value);
// A column: the XOR of the lanes of each row. Local.
[[nodiscard]] Bool xor_of_rows(const Bool& value);

// open_bool: all compute parties learn an XOR-shared value.
//
// Functionality   [x] of w bits per lane -> x public, one word per lane.
// Costs           `open_bool`, width w | 1 | w bits a lane, packed | w bits a lane
// Rounds, bytes   1 round, w bits per lane to each party, packed into words of 8 bytes; as many bits per lane are
//                 dealt.
// Primitive       different roles run different steps
// Views           The parties see all shares of x, refreshed by a dealt sharing of zero (open.h). The shares are
//                 uniform except for their XOR, so the view can be simulated from the output.

[[nodiscard]] Task<Public> open_bool(Party& party, Bool value, Label label);

// Boolean openings travel on links as lanes of `width` bits, packed into 64-bit words without gaps: a thousand
// comparison bits take 125 bytes.
//
// Packing is XOR-linear, so shares are packed, exchanged and combined as words, and then unpacked.

// The number of words in which `lanes` packed lanes fit, with `width` bits per lane.
[[nodiscard]] constexpr std::size_t packed_words(std::size_t lanes, unsigned width) {
  return (lanes * width + 63) / 64;
}

// pack_bits and unpack_bits return an empty vector for an empty vector, because a role without shares packs nothing.
[[nodiscard]] Words pack_bits(const Words& lanes, unsigned width);
[[nodiscard]] Words unpack_bits(const Words& packed, std::size_t lanes, unsigned width);

// For primitives: co_await OpenPacked(...) opens XOR shares of `lanes` lanes, with `width` bits per lane, packed on the
// links. The shares must be masked, or refreshed. 1 round. The result is empty at a role without shares.
//
// OpenPacked is an awaitable and not a Task, because a Task would cost a coroutine frame for each bit_and.
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
