// The targets of core and protocols.
#include <algorithm>
#include <vector>

#include "sotto/core/async/pool.h"
#include "sotto/core/party/ledger.h"
#include "sotto/core/party/rounds.h"
#include "sotto/core/random/seed.h"
#include "sotto/core/wire/bit_pack.h"
#include "sotto/protocols/preprocessing/dealt_sides.h"
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

struct Draw {
  std::size_t lanes;
  unsigned bits;
};

}  // namespace

// A peer's frame of a round. Input: a byte (bit 0: the header is replaced by the expected one, so that payloads are
// reached; bit 1: the same for the length alone), 24 bytes of header, the payload.
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
    // The peer is at fault, and the run ends.
  }
  rounds.abandon();
}

// The dealer's chunks, as the last party reads them, under any program. Input: rounds of a byte of how many values to
// draw (0 to 3), two bytes a value (lanes, ring), a byte of the chunk's length, and the chunk.
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
    // The dealer is at fault, and the run ends.
  }
}

}  // namespace sotto::fuzz
