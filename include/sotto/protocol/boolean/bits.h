// bit_and: the AND of two XOR-shared values, bit by bit, with a dealt AND triple.
//
// Functionality   [x], [y] of w bits per lane -> [x & y]. With a triple of uniform a and b, and c = a & b, the parties
//                 open d = x ^ a and e = y ^ b. Then x & y = c ^ (d & b) ^ (e & a) ^ (d & e); party 0 adds the last
//                 term. [Beaver, CRYPTO 91; GMW 87]
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `bit_and`, width w | 1 | 2 w bits a lane, packed | w bits a lane
// Primitive       the code takes different steps at different roles
// Views           d and e are uniform, since no group of n-1 parties knows a or b. The output's shares are fresh,
//                 because the dealt sharing of c is uniform.
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

// The lowest bit of each lane, which is the XOR of the lowest bits of the parties' shares.
[[nodiscard]] Bool lowest_bits(const Arith& value);
// The XOR of the lanes of each row, as a column.
[[nodiscard]] Bool xor_of_rows(const Bool& value);

// open_bool: all compute parties learn an XOR-shared value.
//
// Functionality   [x] of w bits per lane -> x public, one word per lane.
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `open_bool`, width w | 1 | w bits a lane, packed | w bits a lane
// Primitive       the code takes different steps at different roles
// Views           The parties see all shares of x. A dealt sharing of zero has refreshed the shares (open.h), so the
//                 shares are uniform except for their XOR. The view can be simulated from the output.

[[nodiscard]] Task<Public> open_bool(Party& party, Bool value, Label label);

// Boolean openings are packed into 64-bit words without gaps, `width` bits per lane.

[[nodiscard]] constexpr std::size_t packed_words(std::size_t lanes, unsigned width) {
  return (lanes * width + 63) / 64;
}

[[nodiscard]] Words pack_bits(const Words& lanes, unsigned width);
[[nodiscard]] Words unpack_bits(const Words& packed, std::size_t lanes, unsigned width);

// co_await OpenPacked(...) opens XOR shares in 1 round. The caller must mask or refresh the shares first. The result is
// empty at a role without shares.
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
