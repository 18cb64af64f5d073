// The protocols, each with two secrets that have the same outputs.
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/one_hots.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/compare/choose.h"
#include "sotto/protocol/compare/ranks.h"
#include "sotto/protocol/convert/convert.h"
#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "sotto/protocol/math/leading_bit.h"
#include "sotto/protocol/math/pieces.h"
#include "sotto/protocol/math/published.h"
#include "sotto/protocol/math/reciprocal.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/summation/secure_sum.h"
#include "tests/privacy/experiment.h"

namespace sotto::privacy {
namespace {

using namespace protocols;

constexpr Shape four{1, 4};

Task<Numbers> inputs(Party& party, const Secret& secret) {
  const Masked x = co_await brought(party, secret, 0, 0, four, 20);
  co_return held_of(x);
}

// Both numbers belong to one owner, or each number belongs to its own owner.
Task<Masked> brought_sum(Party& party, const Secret& secret) {
  const Masked x = co_await brought(party, secret, 0, 0, two, 20);
  const Masked y = co_await brought(party, secret, secret.owners.size() - 1, 2, two, 20);
  co_return x + y;
}

Task<Numbers> opened_sum(Party& party, const Secret& secret) {
  const Masked sum = co_await brought_sum(party, secret);
  const Public z = co_await open(party, sum.shares(party), "output");
  co_return held_of(z);
}

Task<Numbers> opened_bits(Party& party, const Secret& secret) {
  const Masked sum = co_await brought_sum(party, secret);
  const Bool bits = co_await arith_to_bool(party, sum.shares(party).in_ring(8), "bits");
  const Public z = co_await open_bool(party, bits, "output");
  co_return held_of(z);
}

Task<Numbers> opened_to_actor(Party& party, const Secret& secret) {
  const Masked sum = co_await brought_sum(party, secret);
  const Public z = co_await open_to(party, party.topology().outside_node(), sum.shares(party), "output");
  co_return held_of(z);
}

Task<Numbers> summed(Party& party, const Secret& secret) {
  ZeroShares zero = co_await agree_on_zero_shares(party, seed_of_run(party));
  Words words = clear_summands(party, secret, 2);
  const Words sum = co_await secure_sum(party, party.topology().outside_node(), zero, std::move(words), 2, "output");
  co_return Numbers(sum.begin(), sum.end());
}

Task<Numbers> masked(Party& party, const Secret& secret) {
  const Masked x = co_await mask(party, clear_words(party, secret, 0, 0, four, 20), "mask");
  co_return held_of(x);
}

Task<Numbers> indexed(Party& party, const Secret& secret) {
  const MaskedIndex i = co_await mask_index(party, clear_words(party, secret, 0, 0, four, 0, 5), "index");
  const Arith square = table_lookup(party, i, 64, [](std::size_t, std::uint64_t value) { return value * value; });
  co_return held_of(square);
}

Task<Numbers> truncated(Party& party, const Secret& secret) {
  const Masked x = co_await mask_trunc(party, clear_words(party, secret, 0, 0, four, 40), 20, "truncation");
  co_return held_of(x);
}

Task<Numbers> products(Party& party, const Secret& secret) {
  const Masked x = co_await brought(party, secret, 0, 0, two, 20);
  PendingProduct square = pending_product<Elementwise>(party, x, x);
  const Masked y = co_await mask_trunc(party, std::move(square), 20, "square");
  PendingProduct cube = pending_product<Elementwise>(party, x, y);
  const Masked z = co_await mask_trunc(party, std::move(cube), 20, "cube");
  const Arith product = elementwise(party, y, z);
  const Arith dot = row_dot(party, x, x);
  co_return held_of(z, product, dot);
}

// The secret is the position of the set bit in each row.
Task<Numbers> checked_one_hots(Party& party, const Secret& secret) {
  const NodeId owner = secret.owners.front();
  const Input input = input_at(party, owner, Shape{2, 2}, 0, [&](std::span<std::uint64_t> out) {
    std::copy(secret.words.begin(), secret.words.end(), out.begin());
  });
  const MaskedBits bits = co_await share_bits(party, owner, input, "bits");
  Prg own(seed_of_run(party));
  const Arith coins = shares_from(party, two, 0, [&](std::span<std::uint64_t> out) { own.fill(out, 64); });
  const Public drawn = co_await open(party, coins, "drawn");
  const Arith excess = one_hot_excess(party, bits, OneHots::rows, drawn, "rows");
  const Public opened = co_await open(party, excess, "output");
  co_return held_of(excess, opened);
}

Task<Numbers> multiplied(Party& party, const Secret& secret) {
  const Arith x = clear_words(party, secret, 0, 0, two, 20);
  const Arith z = co_await multiply(party, x, x, "product");
  co_return held_of(z);
}

Task<Numbers> compared(Party& party, const Secret& secret) {
  const Masked x = co_await brought(party, secret, 0, 0, two, 20);
  const Masked y = co_await brought(party, secret, 0, 2, two, 20);
  const Arith below = co_await less_than(party, x, y, 24, "comparison");
  co_return held_of(below);
}

Task<Numbers> chosen(Party& party, const Secret& secret, Exploration exploration) {
  const Shape arms{1, secret.words.size()};
  const Masked scores = co_await brought(party, secret, 0, 0, arms, 20);
  const ArgmaxOptions options{4, 20, exploration};
  const Arith one_hot = co_await argmax(party, scores, options);
  const Public arm = co_await open_to(party, party.topology().outside_node(), one_hot.in_ring(8), "output");
  co_return held_of(one_hot, arm);
}

Task<Numbers> one_of_greatest(Party& party, const Secret& secret) { return chosen(party, secret, {}); }
Task<Numbers> epsilon_greedy(Party& party, const Secret& secret) {
  return chosen(party, secret, Exploration{std::uint64_t{1} << 62, false});
}
Task<Numbers> explored(Party& party, const Secret& secret) { return chosen(party, secret, Exploration{0, true}); }

// The first event allows two of the three arms.
Task<Numbers> chosen_of_allowed(Party& party, const Secret& secret, Exploration exploration) {
  const Masked scores = co_await brought(party, secret, 0, 0, Shape{2, 3}, 20);
  const ArgmaxOptions options{4, 20, exploration};
  AllowedArms allowed(6, 1);
  allowed[1] = 0;
  const Arith one_hots = co_await choose(party, scores, std::move(allowed), options);
  const Public arms = co_await open_to(party, party.topology().outside_node(), one_hots, "output");
  co_return held_of(one_hots, arms);
}
Task<Numbers> noted_of_allowed(Party& party, const Secret& secret) {
  const Masked scores = co_await brought(party, secret, 0, 0, Shape{2, 3}, 20);
  AllowedArms allowed(6, 1);
  allowed[1] = 0;
  const ArgmaxOptions options{4, 20, Exploration{std::uint64_t{1} << 62, false}};
  const NotedChoice choice = co_await choose_and_note(party, scores, std::move(allowed), options);
  const Public arms = co_await open_to(party, party.topology().outside_node(), choice.chosen, "output");
  co_return held_of(choice.is_best, arms);
}
Task<Numbers> greedy_of_allowed(Party& party, const Secret& secret) { return chosen_of_allowed(party, secret, {}); }
Task<Numbers> explored_of_allowed(Party& party, const Secret& secret) {
  return chosen_of_allowed(party, secret, Exploration{std::uint64_t{1} << 62, false});
}

Task<Numbers> ordered(Party& party, const Secret& secret) {
  const Masked x = co_await brought(party, secret, 0, 0, Shape{1, 4}, 20);
  const MaskedIndex ranks = co_await masked_ranks(party, x, 26);
  const Arith second = at_rank(party, ranks, 1);
  co_return held_of(second);
}

Task<Numbers> sized(Party& party, const Secret& secret) {
  const Masked x = co_await brought(party, secret, 0, 0, two, 0);
  const std::vector<Arith> below = co_await below_powers(party, x, 4, 7);
  const Numbers words{1, 2, 3, 4};
  const Arith size = by_size(party, below, words, 0);
  co_return held_of(size);
}

Task<Numbers> curved(Party& party, const Secret& secret) {
  static const auto pieces =
      std::make_shared<const Pieces>(plan_pieces([](double v) { return v * v / 8; }, -4, 4, 20, 20, 1e-4));
  const Masked x = co_await brought(party, secret, 0, 0, two, 20);
  const Masked y = co_await evaluate(party, x, pieces);
  co_return held_of(y);
}

Task<Numbers> divided(Party& party, const Secret& secret) {
  const Shape column{1, 1};
  const Masked d = co_await brought(party, secret, 0, 0, column, 20);
  const Masked u = co_await brought(party, secret, 0, 1, column, 20);
  static const ReciprocalPlan plan = plan_reciprocal(2, 1e-4);  // cached, because making the plan takes long
  const Masked quotient = co_await divide(party, u, d, plan);
  co_return held_of(quotient);
}

Task<Numbers> published(Party& party, const Secret& secret) {
  const Masked d = co_await brought(party, secret, 0, 0, two, 20);
  const Masked y = co_await published_reciprocal(party, d);
  co_return held_of(y);
}

Task<Numbers> exponential(Party& party, const Secret& secret) {
  const Masked x = co_await brought(party, secret, 0, 0, two, 20);
  const Masked y = co_await protocols::exp(party, x);
  co_return held_of(y);
}

Task<Numbers> beaver(Party& party, const Secret& secret) {
  const Arith x = clear_words(party, secret, 0, 0, two, 20);
  const Arith y = co_await multiply_with_triples(party, x, x, "triples");
  const Arith z = co_await multiply_with_triples(party, y, x, "triples");
  co_return held_of(z);
}

Task<Numbers> conjunction(Party& party, const Secret& secret) {
  const Bool x = clear_bits(party, secret, 0, Shape{1, 8}, 8);
  const Bool y = co_await bit_and(party, x, x, "and");
  const Bool z = co_await bit_and(party, y, x, "and");
  co_return held_of(z);
}

Task<Numbers> to_bits(Party& party, const Secret& secret) {
  const Arith words = clear_words(party, secret, 0, 0, two, 0, 32);
  const Bool bits = co_await arith_to_bool(party, words, "A2B");
  co_return held_of(bits);
}

Task<Numbers> to_words(Party& party, const Secret& secret) {
  const Bool bits = clear_bits(party, secret, 0, Shape{1, 8}, 8);
  const Arith words = co_await bool_to_arith(party, bits, 64, "B2A");
  co_return held_of(words);
}

Task<Numbers> by_circuit(Party& party, const Secret& secret) {
  const Arith x = clear_words(party, secret, 0, 0, Shape{1, 8}, 0, 16);
  const Arith negative = co_await below_zero_by_circuit(party, x, 64, "circuit");
  co_return held_of(negative);
}

// Arm 40 is the best under both secrets.
Numbers many_scores(double slope) {
  Numbers scores;
  for (int arm = 0; arm < 66; ++arm) scores.push_back(fixed(slope * (arm == 40 ? 1 : arm % 7 * .1)));
  return scores;
}

}  // namespace

std::vector<Experiment> protocol_experiments() {
  const std::uint64_t big = 0x0123456789abcdef;
  const Numbers zeros(8, 0);
  const Numbers words{1, ~std::uint64_t{0}, std::uint64_t{1} << 63, big, 200, 7, 255, 128};
  const Numbers small{0, 0, 0, 0};
  const Numbers large{fixed(1e6), fixed(-1e6), fixed(.3), fixed(-.7)};
  const Outputs output{{"output"}};
  std::vector<Experiment> all;
  const auto add = [&](Experiment experiment) -> Experiment& {
    all.push_back(std::move(experiment));
    return all.back();
  };
  add({"share_input", inputs, zeros, words});
  add({"share_input from outside", inputs, zeros, words}).owned_by_actor = true;
  add({"open", opened_sum, {1000, 0, 234, 9}, {1, 5, 1233, 4}, output});
  const auto of_two_owners = [&](Experiment experiment, std::size_t fewest_parties) {
    experiment.owners = 2;
    experiment.fewest_parties = fewest_parties;
    add(std::move(experiment));
  };
  of_two_owners({"open of two owners", opened_sum, {1000, 0, 234, 9}, {1, 5, 1233, 4}, output}, 3);
  add({"open_to", opened_to_actor, {1000, 0, 234, 9}, {1, 5, 1233, 4}, output});
  of_two_owners({"open_to of two owners", opened_to_actor, {1000, 0, 234, 9}, {1, 5, 1233, 4}, output}, 2);
  add({"open_to others", opened_to_actor, {1000, 0, 234, 9}, {5, 7, 1, 4}, output}).actor_learns = true;
  of_two_owners({"secure_sum", summed, {1000, 0, 234, 9}, {1, 5, 1233, 4}, output}, 2);
  add({"open_bool", opened_bits, {100, 0, 34, 9}, {1, 5, 133, 4}, output});
  of_two_owners({"open_bool of two owners", opened_bits, {100, 0, 34, 9}, {1, 5, 133, 4}, output}, 3);
  add({"mask", masked, zeros, words});
  add({"mask_index and table_lookup", indexed, zeros, {31, 1, 16, 21}});
  add({"mask_trunc", truncated, small, large});
  add({"product", products, {0, 0}, {fixed(1.5), fixed(-2.25)}});
  add({"multiply", multiplied, zeros, words});
  add({"one_hot_excess", checked_one_hots, {1, 0, 0, 1}, {0, 1, 1, 0}, output});
  add({"one_hot_excess of the actor", checked_one_hots, {1, 0, 0, 1}, {0, 1, 1, 0}, output}).owned_by_actor = true;
  add({"compare", compared, small, {fixed(1), fixed(-1), fixed(-1), fixed(3)}});
  add({"argmax", one_of_greatest, {0, fixed(.5), 0}, {fixed(-.25), fixed(.125), fixed(.0625)}, output});
  add({"argmax with ties", one_of_greatest, {0, 0, 0}, {fixed(.4), fixed(.4), fixed(.4)}, output});
  Experiment tournament{"tournament", one_of_greatest, many_scores(1), many_scores(.25), output};
  tournament.held_bytes = 8;
  tournament.most_parties = 3;
  add(std::move(tournament));
  add({"epsilon-greedy", epsilon_greedy, {fixed(.5), 0, 0, 0}, {0, 0, fixed(.5), 0}, output}).actor_learns = true;
  add({"exploration", explored, {fixed(.5), 0, 0, 0}, {0, 0, fixed(.5), 0}, output});
  const Numbers scores{0, fixed(.9), fixed(.5), 0, fixed(.5), 0};
  const Numbers other_scores{fixed(.25), fixed(-.5), fixed(.375), fixed(-.25), fixed(.125), fixed(.0625)};
  add({"choose", greedy_of_allowed, scores, other_scores, output});
  add({"choose that explores", explored_of_allowed, {fixed(.5), 0, 0, 0, 0, fixed(.5)}, scores, output}).actor_learns =
      true;
  add({"choose and note", noted_of_allowed, {fixed(.5), 0, 0, 0, 0, fixed(.5)}, scores, output}).actor_learns = true;
  add({"ranks", ordered, {0, fixed(.5), 0, fixed(1)}, {fixed(3), fixed(-3), fixed(1), 0}});
  add({"leading bit", sized, {0, 1}, {100, 17}});
  add({"pieces", curved, {0, 0}, {fixed(3), fixed(-2.5)}});
  add({"divide", divided, {fixed(1), fixed(0)}, {fixed(1.9), fixed(1)}});
  add({"published reciprocal", published, {fixed(1), fixed(1)}, {fixed(9), fixed(3)}});
  add({"exp", exponential, {0, 0}, {fixed(3), fixed(-5)}});
  add({"triples", beaver, zeros, words});
  add({"bit_and", conjunction, zeros, words});
  add({"A2B", to_bits, zeros, words});
  add({"B2A", to_words, zeros, words});
  add({"circuit", by_circuit, zeros, words});
  return all;
}

}  // namespace sotto::privacy
