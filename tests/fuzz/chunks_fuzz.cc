// The dealer's chunks, as the last party reads them: any bytes, under any program. Drawing more than a chunk holds, or
// less, throws ProtocolError; drawing exactly that passes.
//
// Input: rounds of a byte of how many values to draw (0 to 3), two bytes a value (lanes, ring), a byte of the chunk's
// length, and the chunk.
#include <vector>

#include "sotto/core/error/errors.h"
#include "sotto/core/party/ledger.h"
#include "sotto/core/random/seed.h"
#include "sotto/core/wire/bit_pack.h"
#include "sotto/protocols/preprocessing/correlations.h"
#include "tests/fuzz/target.h"

namespace sotto {
namespace {

struct Draw {
  std::size_t lanes;
  unsigned bits;
};

void read_chunks(std::span<const std::byte> input) {
  fuzz::Numbers numbers(input);
  Ledger ledger{Topology(2)};
  protocols::NodeCorrelations correlations(ledger, 1, Seed::insecure_from_number(1));
  try {
    for (std::uint64_t number = 0; !numbers.rest().empty(); ++number) {
      std::vector<Draw> draws(numbers.byte() % 4);
      for (Draw& draw : draws) {
        draw.lanes = numbers.byte();
        draw.bits = 1 + numbers.byte() % 64;
      }
      const auto chunk = numbers.take(numbers.byte());
      correlations.load_chunk(number, chunk);
      for (const Draw& draw : draws) {
        const Words words = correlations.deal(
            draw.lanes, draw.bits, [](auto) { fuzz::require(false, "a party never computes what is dealt"); });
        fuzz::require(words.size() == draw.lanes, "a draw has its lanes");
        for (const std::uint64_t word : words) {
          fuzz::require(draw.bits == 64 || word >> draw.bits == 0, "a draw is in its ring");
        }
      }
      correlations.finish_chunk();
    }
  } catch (const ProtocolError&) {
    // The dealer is at fault, and the run ends.
  }
}

}  // namespace
}  // namespace sotto

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::read_chunks(sotto::fuzz::bytes(data, size));
  return 0;
}
