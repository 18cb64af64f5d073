// What the parties open is uniform whatever the secrets are: chi-square on the bytes of frames and of opened words, for
// two very different inputs, with fixed seeds. It finds a mask that is missing, short or biased; that openings can be
// simulated is argued in the headers.
#include <array>
#include <cstring>
#include <map>

#include "sotto/core/wire/frame.h"
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/arithmetic/triples.h"
#include "sotto/protocols/boolean/adder.h"
#include "sotto/protocols/boolean/bit_and.h"
#include "sotto/protocols/convert/arith_to_bool.h"
#include "sotto/protocols/convert/bool_to_arith.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/math/reciprocal.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {
namespace {

using Histogram = std::array<double, 256>;
using Frame = Bytes;

double chi_square(const Histogram& counts) {
  double total = 0;
  for (const double count : counts) total += count;
  double sum = 0;
  for (const double count : counts) {
    sum += (count - total / 256) * (count - total / 256) / (total / 256);
  }
  return sum;
}

// 255 degrees of freedom: mean 255, standard deviation 22.6. Seeds are fixed, so that the test gives the same answer
// every time.
constexpr double limit = 255 + 6 * 22.6;

void count_bytes(const void* bytes, std::size_t count, Histogram& histogram) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < count; ++i) histogram[at[i]] += 1;
}

struct Seen {
  Histogram frames{};  // what is on the links
  Histogram opened{};  // what the parties learn: all shares of an opening together
};

// Rounds whose slots are open slots of 64 bits, with two parties: a frame each way.
template <class Program>
Seen watch(Program program, Group group, int runs) {
  Seen seen;
  for (int run = 0; run < runs; ++run) {
    std::map<std::uint64_t, Numbers> first_frame;
    SimulationOptions options;
    options.insecure_seed = 1000 + static_cast<std::uint64_t>(run);
    options.tap = [&](NodeId, NodeId, std::uint64_t round, Frame& frame) {
      const std::size_t bytes = frame.size() - FrameHeader::size;
      ASSERT_EQ(bytes % 8, 0u);
      Numbers words(bytes / 8);
      std::memcpy(words.data(), frame.data() + FrameHeader::size, bytes);
      count_bytes(words.data(), bytes, seen.frames);
      const auto found = first_frame.find(round);
      if (found == first_frame.end()) {
        first_frame[round] = words;
        return;
      }
      for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = group == Group::sum ? words[i] + found->second[i] : words[i] ^ found->second[i];
      }
      count_bytes(words.data(), bytes, seen.opened);
    };
    (void)simulate(Topology(2), program, std::move(options));
  }
  return seen;
}

template <class MakeProgram>
void expect_uniform(MakeProgram program_of, Group group) {
  for (const std::uint64_t secret : {std::uint64_t{0}, std::uint64_t{0x00007fffffffffff}}) {
    const Numbers secrets(32, secret);
    const auto program = [&](Party& party) { return program_of(party, secrets); };
    const Seen seen = watch(program, group, 150);
    EXPECT_LT(chi_square(seen.frames), limit) << "secret " << secret;
    EXPECT_LT(chi_square(seen.opened), limit) << "secret " << secret;
  }
}

// The parties' shares of the secrets are as bad as can be: party 0 holds them in clear.
Arith clear_at_first(const Party& party, const Numbers& words) {
  const Shape shape{1, words.size()};
  if (!party.holds_shares()) return Arith(shape, 20);
  Words mine(words.size(), 0);
  if (party.is(0)) mine.assign(words.begin(), words.end());
  return Arith(shape, 20, std::move(mine));
}

Task<int> masks_and_truncations(Party& party, Numbers words) {
  const Masked x = co_await mask_trunc(party, clear_at_first(party, words), 20, "truncation");
  const Arith xx = elementwise(party, x, x);
  const Masked y = co_await mask(party, xx, "mask");
  co_return static_cast<int>(y.lanes());
}

Task<int> beaver(Party& party, Numbers words) {
  const Arith x = clear_at_first(party, words);
  const Arith xx = co_await multiply_with_triples(party, x, x, "triples");
  const Arith fourth = co_await multiply_with_triples(party, xx, xx, "triples");
  co_return static_cast<int>(fourth.lanes());
}

Task<int> divisions(Party& party, Numbers words) {
  const Shape column{words.size(), 1};
  const Masked d = co_await mask(party, clear_at_first(party, words).reshaped(column), "d");
  const Masked u = co_await mask(party, clear_at_first(party, words).reshaped(column), "u");
  const Masked quotient = co_await divide(party, u, d, plan_reciprocal(2, 1e-4));
  co_return static_cast<int>(quotient.lanes());
}

Bool bits_clear_at_first(const Party& party, const Numbers& words) {
  const Shape shape{1, words.size()};
  if (!party.holds_shares()) return Bool(shape, 64);
  Words mine(words.size(), 0);
  if (party.is(0)) mine.assign(words.begin(), words.end());
  return Bool(shape, 64, std::move(mine));
}

Task<int> ands_and_bits(Party& party, Numbers words) {
  const Bool x = bits_clear_at_first(party, words);
  const Bool y = co_await bit_and(party, x, x, "and");
  const Arith back = co_await bool_to_arith(party, y, 64, "B2A");
  co_return static_cast<int>(back.lanes());
}

Task<int> circuits(Party& party, Numbers words) {
  const Bool bits = co_await arith_to_bool(party, clear_at_first(party, words), "A2B");
  co_return static_cast<int>(bits.lanes());
}

TEST(Openings, OfMasksAndTruncationsAreUniform) { expect_uniform(masks_and_truncations, Group::sum); }
TEST(Openings, OfTriplesAreUniform) { expect_uniform(beaver, Group::sum); }
TEST(Openings, OfDivisionsAreUniform) { expect_uniform(divisions, Group::sum); }
TEST(Openings, OfAndsAndBitsAreUniform) { expect_uniform(ands_and_bits, Group::exclusive_or); }

TEST(Openings, OfAddersAreUniform) {
  // 32 lanes of any width fill whole words: no padding on the link.
  expect_uniform(circuits, Group::exclusive_or);
}

TEST(Openings, TheTestSeesAMissingMask) {
  const auto clear = [](Party& party) -> Task<int> {
    const Numbers zeros(32, 0);
    const Public seen = co_await open(party, clear_at_first(party, zeros), "clear");
    co_return static_cast<int>(seen.lanes());
  };
  EXPECT_GT(chi_square(watch(clear, Group::sum, 20).opened), limit);
}

}  // namespace
}  // namespace sotto::protocols::testing
