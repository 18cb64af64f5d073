// Each protocol here has a deliberate fault, by which it leaks to some role. The tests of the transcripts must report
// the leak.
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/share_access.h"
#include "sotto/protocol/summation/secure_sum.h"
#include "tests/privacy/experiment.h"

namespace sotto::privacy {
namespace {

using namespace protocols;

Task<Words> opened_under(Party& party, const Arith& value, const Words& m, Group group) {
  Words words = ShareAccess::words(value);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = group == Group::sum ? words[i] + m[i] : words[i] ^ m[i];
  const Slot slot{"control", SlotKind::open, 64, value.lanes(), 0, group};
  co_await Exchange(party.rounds(), slot, words, words);
  co_return words;
}

Task<Words> secret_under(Party& party, const Secret& secret, std::size_t first, const Words& m,
                         Group group = Group::sum) {
  co_return co_await opened_under(party, clear_words(party, secret, 0, first, two, 20), m, group);
}

Words negated(Words words) {
  for (std::uint64_t& word : words) word = std::uint64_t{0} - word;
  return words;
}

template <Group group>
Task<Numbers> reused_mask(Party& party, const Secret& secret) {
  const bool sum = group == Group::sum;
  const Words m = sum ? party.preprocessing().mask(2, 64).words : party.preprocessing().random_bits(2, 64).words;
  (void)co_await secret_under(party, secret, 0, m, group);
  (void)co_await secret_under(party, secret, 2, m, group);
  co_return Numbers{};
}

// Masks two secrets by m and by -m, so the sum of the two openings reveals the sum of the secrets.
Task<Numbers> reused_negated_mask(Party& party, const Secret& secret) {
  const Words m = party.preprocessing().mask(2, 64).words;
  const Words turned = negated(m);
  (void)co_await secret_under(party, secret, 0, m);
  (void)co_await secret_under(party, secret, 2, turned);
  co_return Numbers{};
}

template <Words (*draw)(Party&)>
Task<Numbers> opened_under_drawn(Party& party, const Secret& secret) {
  const Words m = draw(party);
  (void)co_await secret_under(party, secret, 0, m);
  co_return Numbers{};
}

// A mask that is uniform below 2^40, in a ring of 64 bits.
Words short_mask(Party& party) { return party.preprocessing().mask(2, 40).words; }

// A mask of uniform multiples of 4: the two lowest bits of the value stay visible.
Words high_mask(Party& party) {
  Words m = party.preprocessing().mask(2, 62).words;
  for (std::uint64_t& word : m) word <<= 2;
  return m;
}

// A mask in which only party 0 has a part, so the shares of all other parties are not hidden.
Words one_partys_mask(Party& party) {
  Words m = party.preprocessing().mask(2, 64).words;
  if (!party.is(0)) std::fill(m.begin(), m.end(), 0);
  return m;
}

// A sharing of zero in place of a mask: every share is uniform, but the sum of the shares is not.
Words zero_for_a_mask(Party& party) { return party.preprocessing().zero(2, 64, Group::sum).words; }

// The owner's input under a mask that only the owner receives. Other parties have shares of the mask.
Task<Numbers> input_under(Party& party, const Secret& secret, Words shares_of_mask) {
  const NodeId owner = secret.owners.front();
  const Arith mask(two, 0, std::move(shares_of_mask));
  const Public m = co_await open_to(party, owner, mask, "output");
  Words words(party.holds_shares() ? 2 : 0, 0);
  m.if_known([&](const Words& known) {
    for (std::size_t i = 0; i < 2; ++i) words[i] = secret.words.at(i) + known[i];
  });
  const Slot slot{"control", SlotKind::broadcast, 64, 2, owner};
  co_await Exchange(party.rounds(), slot, words, words);
  co_return Numbers{};
}

Task<Numbers> mask_of_another(Party& party, const Secret& secret) {
  const NodeId other = secret.owners.front() == 0 ? 1 : 0;
  Words mask = party.preprocessing().mask(2, 64).words;
  if (!party.is(other)) std::fill(mask.begin(), mask.end(), 0);
  co_return co_await input_under(party, secret, std::move(mask));
}

// Together, all parties except the owner know the mask of the owner's input. No single party can remove the mask.
Task<Numbers> mask_of_all_others(Party& party, const Secret& secret) {
  Words mask = party.preprocessing().mask(2, 64).words;
  if (party.is(secret.owners.front())) std::fill(mask.begin(), mask.end(), 0);
  co_return co_await input_under(party, secret, std::move(mask));
}

Words sum_of(const Words& first, const Words& second) {
  Words sum = first;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += second[i];
  return sum;
}

// Opens three values under two masks and the sum of both masks: no two of the three openings are related.
Task<Numbers> sum_of_two_masks(Party& party, const Secret& secret) {
  const Words first = party.preprocessing().mask(2, 64).words;
  const Words second = party.preprocessing().mask(2, 64).words;
  const Words both = sum_of(first, second);
  (void)co_await secret_under(party, secret, 0, first);
  (void)co_await secret_under(party, secret, 2, second);
  (void)co_await secret_under(party, secret, 0, both);
  co_return Numbers{};
}

// The mask of an input is the difference of two words, and another party knows both words.
Task<Numbers> two_words_of_another(Party& party, const Secret& secret) {
  const NodeId other = secret.owners.front() == 0 ? 1 : 0;
  Words mask = party.preprocessing().mask(2, 64).words;
  const Words second = party.preprocessing().mask(2, 64).words;
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = party.is(other) ? mask[i] - second[i] : 0;
  co_return co_await input_under(party, secret, std::move(mask));
}

Task<Numbers> sum_of_two_masks_after_steps(Party& party, const Secret& secret) {
  const Words first = party.preprocessing().mask(2, 64).words;
  const Words second = party.preprocessing().mask(2, 64).words;
  const Words both = sum_of(first, second);
  const Arith value = clear_words(party, secret, 0, 0, two, 20);
  (void)co_await opened_under(party, value, first, Group::sum);
  (void)co_await opened_under(party, value, second, Group::sum);
  (void)co_await bandit_of_three_arms().program(party, secret);
  (void)co_await opened_under(party, value, both, Group::sum);
  co_return Numbers{};
}

Task<Numbers> input_twice(Party& party, const Secret& secret) {
  const NodeId owner = secret.owners.front();
  const Words known = party.preprocessing().input_mask(owner, 2).known;
  for (const std::size_t first : {0u, 2u}) {
    Words words(party.holds_shares() ? 2 : 0, 0);
    if (party.is(owner)) {
      for (std::size_t i = 0; i < 2; ++i) words[i] = secret.words.at(first + i) + known[i];
    }
    const Slot slot{"control", SlotKind::broadcast, 64, 2, owner};
    co_await Exchange(party.rounds(), slot, words, words);
  }
  co_return Numbers{};
}

// The rounding of a truncated value reveals something about the dropped bits.
Task<Numbers> truncated_and_opened(Party& party, const Secret& secret) {
  const Masked x = co_await mask_trunc(party, clear_words(party, secret, 0, 0, two, 20), 20, "truncation");
  const Public y = co_await open(party, x.shares(party), "output");
  co_return held_of(y);
}

// Each owner's share of the sum is the negative of the owner's input mask, so an opening without fresh randomness
// leaks.
Task<Numbers> opened_without_fresh_shares(Party& party, const Secret& secret) {
  const Masked x = co_await brought(party, secret, 0, 0, two, 20);
  const Masked y = co_await brought(party, secret, secret.owners.size() - 1, 2, two, 20);
  const Masked sum = x + y;
  Words words = ShareAccess::words(sum.shares(party));
  const Slot slot{"output", SlotKind::open, 64, 2};
  co_await Exchange(party.rounds(), slot, words, words);
  co_return Numbers(words.begin(), words.end());
}

// Opens a product's shares without the dealer's term and without a pad.
Task<Numbers> pending_and_opened(Party& party, const Secret& secret) {
  const Masked x = co_await brought(party, secret, 0, 0, two, 20);
  const PendingProduct square = pending_product<Elementwise>(party, x, x);
  Words words = ShareAccess::words(square);
  if (!party.holds_shares()) words.clear();
  const Slot slot{"control", SlotKind::open, 64, 2};
  co_await Exchange(party.rounds(), slot, words, words);
  co_return Numbers{};
}

// The dealer's bit of a daBit is set once in four times, because it is an AND.
Task<Numbers> biased_bit(Party& party, const Secret& secret) {
  const Triples triples = party.preprocessing().triples(2, 64, Group::exclusive_or);
  const Words& r = triples.c.words;
  const Arith x = clear_words(party, secret, 0, 0, two, 0);
  (void)co_await opened_under(party, x, r, Group::exclusive_or);
  co_return Numbers{};
}

// The dealer explores every second time, although it should explore always.
Task<Numbers> biased_exploration(Party& party, const Secret& secret) {
  const Masked scores = co_await brought(party, secret, 0, 0, two, 20);
  const ArgmaxOptions options{4, 20, Exploration{std::uint64_t{1} << 63, false}};
  const Arith one_hot = co_await argmax(party, scores, options);
  const Public arm = co_await open_to(party, party.topology().outside_node(), one_hot.in_ring(8), "output");
  co_return held_of(arm);
}

Task<Numbers> sum_in_clear(Party& party, const Secret& secret) {
  ZeroShares none({}, {});
  const Words sum =
      co_await secure_sum(party, party.topology().outside_node(), none, clear_summands(party, secret, 2), 2, "output");
  co_return Numbers(sum.begin(), sum.end());
}

// Uses one sharing of zero for two terms.
Task<Numbers> zero_share_twice(Party& party, const Secret& secret) {
  const Seed seed = seed_of_run(party);
  for (unsigned turn = 0; turn < 2; ++turn) {
    ZeroShares zero = co_await agree_on_zero_shares(party, seed.derive("the same"));
    Words words = clear_summands(party, secret, 2);
    for (std::uint64_t& word : words) word *= turn;
    (void)co_await secure_sum(party, party.topology().outside_node(), zero, std::move(words), 2, "output");
  }
  co_return Numbers{};
}

}  // namespace

std::vector<Control> negative_controls() {
  const Numbers zeros(4, 0);
  const Numbers words{fixed(.5), fixed(-.25), fixed(3), fixed(-7)};
  const Outputs output{{"output"}};
  Experiment of_two_owners{
      "shares opened as they are", opened_without_fresh_shares, {1000, 0, 234, 9}, {1, 5, 1233, 4}, output};
  of_two_owners.owners = 2;
  Experiment clear_sum{"a sum in clear", sum_in_clear, {1000, 0, 234, 9}, {1, 5, 1233, 4}, output};
  clear_sum.owners = 2;
  Experiment twice = clear_sum;
  twice.name = "a zero share used twice";
  twice.program = zero_share_twice;
  return {
      {std::move(clear_sum), "tells the secrets apart", true},
      {std::move(twice), "tells the secrets apart", true},
      {{"a reused mask", reused_mask<Group::sum>, zeros, words}, "opened - round 0", true},
      {{"a reused Boolean mask", reused_mask<Group::exclusive_or>, zeros, words}, "opened xor round 0", true},
      {{"a mask reused with the other sign", reused_negated_mask, zeros, words}, "opened + round 0", true},
      {{"a mask of 40 bits", opened_under_drawn<short_mask>, zeros, words}, "top bits: not uniform"},
      {{"a mask without its low bits", opened_under_drawn<high_mask>, zeros, {1, 2, 3, 1}},
       "low bits: not uniform",
       true},
      {{"a mask of one party", opened_under_drawn<one_partys_mask>, zeros, words}, "received from party 1", true},
      {{"a mask of another party", mask_of_another, zeros, words}, "of the expansion of party", true},
      {{"a mask of all others", mask_of_all_others, zeros, words}, "all expansions added up", true},
      {{"an input twice under one mask", input_twice, zeros, words}, " - round 0", true},
      {{"a truncated value opened", truncated_and_opened, {fixed(.2), fixed(3.2)}, {fixed(.8), fixed(3.8)}, output},
       "tells the secrets apart"},
      {std::move(of_two_owners), "tells the secrets apart"},
      {{"a pending product opened", pending_and_opened, zeros, words}, "tells the secrets apart"},
      {{"a biased bit of the dealer", biased_bit, {0, 0}, {~std::uint64_t{0}, 5}}, "set in a share"},
      {{"biased exploration", biased_exploration, {fixed(.5), 0}, {0, fixed(.5)}, output},
       "result 0 of outside node, low bits: tells the secrets apart"},
      {{"a sharing of zero for a mask", opened_under_drawn<zero_for_a_mask>, zeros, words},
       "opened, top bits: not uniform",
       true},
  };
}

std::vector<Experiment> controls_of_many_words() {
  const Outputs output{{"output"}};
  const Numbers words{fixed(.5), fixed(-.25), fixed(3), fixed(-7)};
  return {{"a mask that is the sum of two", sum_of_two_masks, Numbers(4, 0), words, output},
          {"a mask of two words of another party", two_words_of_another, Numbers(4, 0), words, output}};
}

Experiment control_around_steps() {
  Experiment control = bandit_of_three_arms();
  control.name = "a mask that is the sum of two, steps later";
  control.program = sum_of_two_masks_after_steps;
  return control;
}

namespace {

Task<Numbers> square(Party& party, const Secret& secret) {
  const Masked x = co_await brought(party, secret, 0, 0, two, 20);
  (void)co_await mask_trunc(party, elementwise(party, x, x), 20, "square");
  co_return Numbers{};
}

template <Flaw flaw>
Task<Numbers> flawed(Party& party, const Secret& secret) {
  const Program program = [&](Party& at) { return square(at, secret); };
  co_return co_await made_by_parties(party, secret.run, flaw, program, program);
}

}  // namespace

std::vector<Control> controls_without_dealer() {
  using By = RandomnessBy;
  const auto control = [](By by, const std::string& name, auto program, const std::string& finding) {
    Experiment experiment{name, program, {fixed(.01), fixed(.02)}, {fixed(.4), fixed(.3)}, {{"digest of requests"}}};
    experiment.randomness = by;
    return Control{std::move(experiment), finding};
  };
  return {
      control(By::replicated, "no sharings of zero", flawed<Flaw::no_zeros>, "words, always even"),
      control(By::replicated, "counters that begin again", flawed<Flaw::same_keys>, " - round"),
      control(By::ot, "counters that begin again", flawed<Flaw::same_keys>, " - round"),
      control(By::ot, "tweaks that begin again", flawed<Flaw::same_transfers>, "words, always even"),
      control(By::helper, "counters that begin again", flawed<Flaw::same_keys>, " - round"),
  };
}

}  // namespace sotto::privacy
