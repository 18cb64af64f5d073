#include <algorithm>
#include <vector>

#include "core/transfer/extension_set_up.h"
#include "core/transfer/ring_products.h"
#include "core/wire/bit_pack.h"
#include "protocols/preprocessing/dealt_sides.h"
#include "protocols/preprocessing/recorded/material.h"
#include "protocols/preprocessing/replicated/run_replicated.h"
#include "protocols/preprocessing/transfers/run_transfers.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/sets/intersect.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {
namespace {

struct Heard {
  std::vector<std::uint64_t> bytes, words, bits, word;
};

Task<bool> listen(Rounds& rounds, Heard& heard, Slot slot, std::vector<std::uint64_t> mine,
                  std::vector<std::uint64_t> Heard::*place) {
  heard.*place = slot.kind == SlotKind::open ? mine : std::vector<std::uint64_t>(slot.lanes);
  if (slot.kind != SlotKind::open) mine.clear();
  co_await Exchange(rounds, slot, mine, heard.*place);
  co_return true;
}

bool below(const std::vector<std::uint64_t>& words, unsigned bits) {
  for (const std::uint64_t word : words) {
    if (bits < 64 && word >> bits != 0) return false;
  }
  return true;
}

using Ids = std::vector<std::string>;

Task<std::vector<protocols::CommonId>> common_of(Party& party, const std::vector<Ids>& sets) {
  Ids own;
  for (NodeId node = 0; node < sets.size(); ++node) {
    if (party.is(node)) own = sets[node];
  }
  const std::vector<std::uint64_t> sizes = co_await protocols::announce_sizes(party, own.size());
  co_return co_await protocols::intersect(party, sizes, own);
}

struct Draw {
  std::size_t lanes;
  unsigned bits;
};

Task<Masked> three_values(Party& party, NodeId owner, Label label) {
  protocols::Input input = protocols::input_at(party, owner, Shape{1, 3}, 20, [](std::span<std::uint64_t> out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = i << 20;
  });
  return protocols::share_input(party, owner, std::move(input), label);
}

Task<bool> choice(Party& party) {
  const Masked x = co_await three_values(party, 0, "x");
  const Masked y = co_await three_values(party, 1, "y");
  const Masked product = co_await protocols::mask_trunc(
      party, protocols::pending_product<protocols::Elementwise>(party, x, y), 20, "product");
  Arith sum = protocols::elementwise(party, product, x);
  Masked scores = co_await protocols::mask(party, std::move(sum), "scores");
  const Exploration half{std::uint64_t{1} << 63, false};
  const Arith best = co_await protocols::argmax(party, std::move(scores), {20, 30, half});
  co_return best.lanes() == 3;
}

Task<bool> choice_without_dealer(Party& party) {
  if (party.topology().parties() == 2) {
    co_return co_await protocols::run_transfers(party, Seed::from_os(), "fuzz", choice);
  }
  co_return co_await protocols::run_replicated(party, Seed::from_os(), "fuzz", choice);
}

struct TransferEnds {
  SenderSetUp sends{TransferLabel{}, "party 1", 8};
  ReceiverSetUp receives{TransferLabel{}, "party 0", 8};
  std::vector<std::byte> sums = receives.finish(sends.message()).second;
  ExtensionSender sender = sends.finish(receives.message(), sums);
};

}  // namespace

// A holder of a set sends arbitrary bytes in place of sizes, elements and scalars. Input: a byte (bit 0: three
// holders). A byte for each of the holder's frames follows (0: unchanged, 1: the first element replaces all others,
// else: replaced by the next bytes of the input).
void intersection(Input input) {
  Numbers numbers(input);
  std::vector<Ids> sets{{"a", "b", "c"}, {"c", "b", "d"}, {"b", "x", "c"}};
  sets.resize(2 + numbers.byte() % 2);
  constexpr NodeId hostile = 1;
  protocols::SimulationOptions options;
  options.tap = [&](NodeId from, NodeId, std::uint64_t, Bytes& frame) {
    if (from != hostile) return;
    const unsigned how = numbers.byte();
    const auto payload = std::span(frame).subspan(FrameHeader::size);
    constexpr std::size_t element = sizeof(GroupElement);
    if (how == 0) return;
    if (how == 1) {
      for (std::size_t at = element; at + element <= payload.size(); at += element) {
        std::copy_n(payload.begin(), element, payload.begin() + static_cast<std::ptrdiff_t>(at));
      }
      return;
    }
    const Input given = numbers.take(payload.size());
    std::copy(given.begin(), given.end(), payload.begin());
  };
  or_refused<Error>([&] {
    const auto run = protocols::simulate(
        Topology::without_dealer(sets.size(), false), [&](Party& party) { return common_of(party, sets); }, options);
    for (std::size_t holder = 0; holder < sets.size(); ++holder) {
      std::vector<bool> seen(sets[holder].size());
      for (const protocols::CommonId& id : run.nodes[holder]) {
        require(id.place < seen.size() && !seen[id.place], "a common id is one of the holder's own, once");
        seen[id.place] = true;
      }
    }
  });
}

// Messages of oblivious transfers from a peer that sends arbitrary bytes. The first byte of the input chooses the kind
// of message: base transfers to either side, sums of trees, or the request and reply of a product. For a product, three
// more bytes follow: the bits of a word, the number of factors and the width. The rest of the input is the message.
// Requests and replies are cut off or filled with zeros to the length that the protocol expects, because the rounds
// guarantee this length.
void transfers(Input input) {
  static TransferEnds ends;
  Numbers numbers(input);
  const unsigned what = numbers.byte() % 5;
  or_refused_printably<ProtocolError>([&] {
    if (what == 0) require(BaseSender({}, "party 1", 2).keys(numbers.rest()).size() == 2, "two pairs of keys");
    if (what == 1) require(BaseReceiver({}, "party 1", {0, 1}).keys(numbers.rest()).size() == 2, "two keys");
    if (what == 2) (void)ends.sends.finish(ends.receives.message(), numbers.rest());
  });
  if (what < 3) return;
  const unsigned bits = 1 + numbers.byte() % 64;
  const std::vector<std::uint64_t> y(numbers.byte(), 5);
  const RingProducts products{y.size(), 1 + numbers.byte() % 8, bits, what == 3 ? bits : 1};
  const auto given = [&](std::size_t size) {
    const Input taken = numbers.take(size);
    std::vector<std::byte> message(taken.begin(), taken.end());
    message.resize(size);
    return message;
  };
  const std::vector<std::uint64_t> x(products.count * products.width, 3);
  std::vector<std::uint64_t> shares(x.size());
  std::vector<std::byte> reply(product_reply_bytes(products));
  reply_products(ends.sender, products, x, given(product_request_bytes(8, products)), shares, reply);
  require(below(shares, bits), "a sender's shares are in the ring");
  finish_products(products, y, given(reply.size()), shares);
  require(below(shares, bits), "a receiver's shares are in the ring");
}

// A party that sends arbitrary bytes while randomness is made, and afterwards. Input: a byte (bit 0: two parties, which
// use transfers; else three parties). A byte for each of the party's frames follows (0: unchanged, 1: all bits set,
// else: replaced by the next bytes of the input).
void preprocessing(Input input) {
  Numbers numbers(input);
  const std::size_t parties = numbers.byte() % 2 == 1 ? 2 : 3;
  constexpr NodeId hostile = 1;
  protocols::SimulationOptions options;
  options.tap = [&](NodeId from, NodeId, std::uint64_t, Bytes& frame) {
    if (from != hostile) return;
    const unsigned how = numbers.byte();
    if (how == 0) return;
    const auto payload = std::span(frame).subspan(FrameHeader::size);
    if (how == 1) {
      std::fill(payload.begin(), payload.end(), std::byte{0xff});
      return;
    }
    const Input given = numbers.take(payload.size());
    std::copy(given.begin(), given.end(), payload.begin());
  };
  or_refused_printably<Error>([&] {
    const auto run = protocols::simulate(Topology::without_dealer(parties, false), choice_without_dealer, options);
    for (const bool whole : run.nodes) require(whole, "a choice has its lanes");
  });
}

// A peer's frame of a round. Input: a byte, 24 bytes of header, the payload. Bit 0 of the byte replaces the header by
// the expected header, to test the reading of payloads. Bit 1 replaces only the length.
void frames(Input input) {
  Numbers numbers(input);
  const unsigned mode = numbers.byte();
  std::vector<std::byte> head(FrameHeader::size);
  const auto given = numbers.take(FrameHeader::size);
  std::copy(given.begin(), given.end(), head.begin());

  constexpr NodeId peer = 1;
  Rounds rounds(Topology(2), 0);
  Heard heard;
  std::vector<Task<bool>> tasks;
  tasks.push_back(listen(rounds, heard, {"a", SlotKind::open, 5, 3}, {1, 2, 3}, &Heard::bytes));
  tasks.push_back(listen(rounds, heard, {"b", SlotKind::open, 64, 2}, {4, 5}, &Heard::words));
  tasks.push_back(listen(rounds, heard, {"c", SlotKind::open, 17, 2, 0, Group::exclusive_or}, {6, 7}, &Heard::bits));
  tasks.push_back(listen(rounds, heard, {"d", SlotKind::broadcast, 9, 1, peer}, {}, &Heard::word));
  for (Task<bool>& task : tasks) task.start_on(rounds);
  require(rounds.gather(), "the tasks wait for the round");

  FrameHeader header;
  const bool framed = read_header(std::span(head).first<FrameHeader::size>(), header);
  const FrameHeader expected{static_cast<std::uint32_t>(rounds.expected_from(peer)), FrameType::round, rounds.round(),
                             rounds.digest()};
  if ((mode & 1) != 0) header = expected;
  if ((mode & 2) != 0) header.length = expected.length;
  try {
    if (framed) {
      rounds.check_header(peer, header);
      require(header == expected, "only the expected header passes");
    }
    rounds.accept(peer, numbers.rest());
    require(numbers.rest().size() == expected.length, "only the exact length passes");
    rounds.scatter();
    require(below(heard.bytes, 5) && below(heard.bits, 17) && below(heard.word, 9),
            "what is received is in the ring of its slot");
  } catch (const ProtocolError&) {
    // The run must end with an error that blames the peer.
  }
  rounds.abandon();
}

// Chunks of the dealer, which the last party reads under an arbitrary program. Input, repeated: a byte for the number
// of values to draw (0 to 3), two bytes for each value (lanes, ring), a byte for the chunk's length, and the chunk.
void chunks(Input input) {
  Numbers numbers(input);
  Ledger ledger{Topology(2)};
  protocols::DealtAtNode node(ledger, 1, Seed::insecure_from_number(1));
  try {
    for (std::uint64_t number = 0; !numbers.rest().empty(); ++number) {
      std::vector<Draw> draws(numbers.byte() % 4);
      for (Draw& draw : draws) {
        draw.lanes = numbers.byte();
        draw.bits = 1 + numbers.byte() % 64;
      }
      const auto chunk = numbers.take(numbers.byte());
      node.load_chunk(number, chunk);
      for (const Draw& draw : draws) {
        const Words words = node.zero(draw.lanes, draw.bits, Group::sum).words;
        require(words.size() == draw.lanes, "a draw has its lanes");
        for (const std::uint64_t word : words) {
          require(draw.bits == 64 || word >> draw.bits == 0, "a draw is in its ring");
        }
      }
      node.finish_chunk();
    }
  } catch (const ProtocolError&) {
    // The run must end with an error that blames the dealer.
  }
}

void material(Input input) {
  const auto read = protocols::decode_material(input);
  if (!read) return;
  const std::vector<std::byte> again = encode(*read);
  require(std::equal(again.begin(), again.end(), input.begin(), input.end()), "what is accepted encodes to the same");
}

}  // namespace sotto::fuzz
