#include "apps/bandit/model/batch/kept_programs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <stdexcept>
#include <utility>

#include "apps/bandit/model/batch/decide.h"
#include "apps/bandit/model/batch/learn.h"
#include "apps/bandit/model/batch/lift.h"
#include "apps/bandit/model/opened_arm.h"
#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::bandit {
namespace {

using Numbers = std::vector<std::uint64_t>;

std::size_t triangle_words(const BatchPlan& plan) {
  const std::size_t d = plan.parameters.features();
  return plan.parameters.arms * d * (d + 1) / 2;
}

std::size_t row_words(const BatchPlan& plan) { return plan.parameters.arms * plan.parameters.features(); }

Arith own_share(const Party& party, Shape shape, unsigned scale, const Numbers& words) {
  return protocols::shares_from(
      party, shape, scale, [&](std::span<std::uint64_t> out) { std::copy(words.begin(), words.end(), out.begin()); });
}

BatchShares shares_of_model(const Party& party, const BatchPlan& plan, const ModelWords* model, const SumBits& from) {
  // Before the program learn first runs, A and b of an imported model may have more fraction bits than the plan gives.
  ModelBits bits = plan.model_bits();
  bits.gram = std::max<unsigned>(bits.gram, from.gram);
  bits.targets = std::max<unsigned>(bits.targets, from.targets);
  BatchShares shares = shares_of(party, initial_model(party, plan.parameters, bits));
  if (model == nullptr || !party.holds_shares()) return shares;
  const auto own = [&](const Arith& like, const Numbers& words) {
    return own_share(party, like.shape(), like.scale(), words);
  };
  return BatchShares{own(shares.gram, model->gram), own(shares.targets, model->targets),
                     own(shares.inverse, model->inverse), own(shares.weights, model->weights)};
}

Arith weights_of_model(const Party& party, const BatchPlan& plan, const ModelWords* model) {
  const Shape rows{plan.parameters.arms, plan.parameters.features()};
  const Numbers zeros(model == nullptr ? rows.lanes() : 0);
  return own_share(party, rows, plan.model_bits().weights, model == nullptr ? zeros : model->weights);
}

FillContexts contexts_of(const Numbers& rows) {
  return [&rows](std::size_t, std::span<std::uint64_t> out) {
    if (rows.size() != out.size()) throw std::invalid_argument("a row of features for each place");
    std::copy(rows.begin(), rows.end(), out.begin());
  };
}

std::function<void(std::span<std::uint64_t>)> column_of(const Numbers& values) {
  return [&values](std::span<std::uint64_t> out) {
    if (values.size() > out.size()) throw std::invalid_argument("more values than places");
    std::fill(std::copy(values.begin(), values.end(), out.begin()), out.end(), 0);
  };
}

std::function<void(std::span<std::uint64_t>)> one_hots_of(const std::vector<std::optional<std::uint16_t>>& chosen,
                                                          std::size_t arms) {
  return [&chosen, arms](std::span<std::uint64_t> out) {
    if (chosen.size() * arms > out.size()) throw std::invalid_argument("more arms than places");
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t place = 0; place < chosen.size(); ++place) {
      if (chosen[place]) out[place * arms + *chosen[place]] = 1;
    }
  };
}

std::function<void(std::span<std::uint64_t>)> arms_or_none_of(const std::vector<std::optional<std::uint16_t>>& played,
                                                              std::size_t arms) {
  return [&played, arms](std::span<std::uint64_t> out) {
    const std::size_t places = out.size() / (arms + 1);
    if (played.size() > places) throw std::invalid_argument("more arms than places");
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t place = 0; place < places; ++place) {
      const bool has_arm = place < played.size() && played[place];
      out[(has_arm ? *played[place] : arms) * places + place] = 1;
    }
  };
}

Numbers own_words(const Party& party, const Arith& value) {
  Numbers words;
  protocols::pass_shares(party, value, [&](auto own) { words.assign(own.begin(), own.end()); });
  return words;
}

void note_openings(Party& party, bool check_openings) {
  if (check_openings && party.holds_shares()) party.rounds().hash_openings();
}

LearnResult result_of(const Party& party, const BatchModel& model, const net::Digest& openings) {
  LearnResult result;
  if (!party.holds_shares()) return result;
  ModelWords own;
  own.gram = own_words(party, model.gram);
  own.targets = own_words(party, model.targets);
  own.inverse = own_words(party, model.inverse.shares(party));
  own.weights = own_words(party, model.weights.shares(party));
  result.model = std::make_shared<const ModelWords>(std::move(own));
  protocols::pass_public_words(
      party,
      [&](std::span<const std::uint64_t> W, std::span<const std::uint64_t> w) {
        Numbers all(W.begin(), W.end());
        all.insert(all.end(), w.begin(), w.end());
        if (openings != net::Digest{}) {
          const auto more =
              std::bit_cast<std::array<std::uint64_t, sizeof(net::Digest) / sizeof(std::uint64_t)>>(openings);
          all.insert(all.end(), more.begin(), more.end());
        }
        result.public_words = digest_of(all);
      },
      model.inverse, model.weights);
  return result;
}

}  // namespace

std::vector<std::byte> encode(const ModelWords& model) {
  ByteWriter out;
  for (const Numbers* words : {&model.gram, &model.inverse, &model.targets, &model.weights}) {
    out.numbers(std::span(*words));
  }
  return out.take();
}

std::optional<ModelWords> decode_model_words(std::span<const std::byte> bytes, const BatchPlan& plan) {
  ByteReader in(bytes);
  ModelWords model;
  for (Numbers* words : {&model.gram, &model.inverse, &model.targets, &model.weights}) {
    *words = in.numbers<std::uint64_t>();
  }
  const bool fits = model.gram.size() == triangle_words(plan) && model.inverse.size() == triangle_words(plan) &&
                    model.targets.size() == row_words(plan) && model.weights.size() == row_words(plan);
  if (!in.at_end() || !fits) return std::nullopt;
  return model;
}

Task<DecideResult> run_decide(Party& party, const BatchPlan& plan, DecideInputs inputs) {
  note_openings(party, inputs.check_openings);
  DecideResult result;
  Arith weights = weights_of_model(party, plan, inputs.model.get());
  // The last round of a decision opens nothing to the parties, so the digest of their openings is complete here.
  KeptOfDecide kept;
  kept.noted = [&](std::span<const std::uint64_t> bits) { result.best.assign(bits.begin(), bits.end()); };
  kept.sent = [&](std::span<const std::uint64_t> words) {
    result.lanes.reserve(words.size());
    for (const std::uint64_t word : words) result.lanes.push_back(static_cast<std::byte>(word));
    result.openings = party.rounds().openings();
    if (inputs.before_arms_leave) inputs.before_arms_leave(result);
  };
  FillContexts contexts = contexts_of(inputs.contexts);
  party.enter_phase("decide");
  const Public chosen = co_await decide(party, plan, std::move(weights), inputs.size, std::move(contexts),
                                        std::move(inputs.allowed), std::move(kept));
  if (!party.is(actor_of(party.topology()))) co_return result;
  const std::size_t arms = plan.parameters.arms;
  chosen.if_known([&](const Words& words) {
    result.arms.reserve(inputs.size);
    for (std::size_t place = 0; place < inputs.size; ++place) {
      result.arms.push_back(static_cast<std::uint16_t>(arm_of(std::span(words).subspan(place * arms, arms), place)));
    }
  });
  co_return result;
}

Task<AgreeResult> run_agree(Party& party, const BatchPlan& plan, AgreeInputs inputs) {
  note_openings(party, inputs.check_openings);
  AgreeResult result;
  Arith weights = weights_of_model(party, plan, inputs.model.get());
  PlayedEvents events{inputs.size, contexts_of(inputs.contexts), std::move(inputs.allowed), {}, {}, inputs.shown, {}};
  events.played = arms_or_none_of(inputs.played, plan.parameters.arms);
  events.coins = [&inputs](std::span<std::uint64_t> out) { std::ranges::copy(inputs.coins, out.begin()); };
  events.sent = [&result](std::span<const std::uint64_t> words) {
    ByteWriter out;
    for (const std::uint64_t word : words) out.number(word);
    result.lanes = out.take();
  };
  party.enter_phase("agree");
  const AgreementOf agreement = co_await agree(party, plan, std::move(weights), std::move(events));
  result.openings = party.rounds().openings();
  protocols::pass_shares(party, agreement.agreed, [&](auto own) { result.agreed = own[0]; });
  agreement.shown.if_known([&](const Words& words) { result.shown = words[0]; });
  co_return result;
}

namespace {

using Fill = std::function<void(std::span<std::uint64_t>)>;

Fill bits_of(const std::vector<std::uint8_t>& bits) {
  return [&bits](std::span<std::uint64_t> out) {
    if (bits.size() > out.size()) throw std::invalid_argument("more events than places");
    std::fill(std::copy(bits.begin(), bits.end(), out.begin()), out.end(), 0);
  };
}

Fill levels_of(const std::vector<std::optional<std::size_t>>& rewards, std::size_t levels) {
  return [&rewards, levels](std::span<std::uint64_t> out) {
    const std::size_t places = out.size() / (levels + 1);
    if (rewards.size() > places) throw std::invalid_argument("more rewards than places");
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t place = 0; place < places; ++place) {
      const std::size_t level = place < rewards.size() ? rewards[place].value_or(levels) : levels;
      out[std::min(level, levels) * places + place] = 1;
    }
  };
}

LiftEvents lift_events(const LearnInputs& inputs, std::size_t levels, LearnResult& result) {
  const LiftInputs& lift = inputs.lift;
  LiftEvents events;
  events.events = inputs.size;
  events.told = bits_of(lift.told);
  events.base = bits_of(lift.base);
  events.rewards = levels_of(lift.rewards, levels);
  events.noise = column_of(lift.noise);
  events.best = bits_of(lift.best);
  events.counted = bits_of(lift.counted);
  events.shown = column_of(lift.shown);
  events.coins = [&lift](std::span<std::uint64_t> out) { std::ranges::copy(lift.coins, out.begin()); };
  events.sent = [&result](std::span<const std::uint64_t> words) {
    ByteWriter out;
    for (const std::uint64_t word : words) out.number(word);
    result.lift_lanes = out.take();
  };
  return events;
}

Task<BatchModel> learn_and_count(Party& party, const BatchPlan& plan, BatchShares shares, TrainingEvents lessons,
                                 LiftEvents events, LearnResult& result) {
  auto [model, lift] = co_await when_all(learn(party, plan, std::move(shares), std::move(lessons)),
                                         count_lift(party, plan, std::move(events)));
  for (const Arith* const counts : {&lift.all, &lift.best, &lift.other}) {
    const Numbers own = own_words(party, *counts);
    result.lift.insert(result.lift.end(), own.begin(), own.end());
  }
  lift.shown.if_known([&](const Words& words) { result.shown_lift.assign(words.begin(), words.end()); });
  co_return std::move(model);
}

}  // namespace

Task<LearnResult> run_learn(Party& party, const BatchPlan& plan, LearnInputs inputs) {
  note_openings(party, inputs.check_openings);
  BatchShares shares = shares_of_model(party, plan, inputs.model.get(), inputs.from);
  TrainingEvents lessons{inputs.size, contexts_of(inputs.contexts), one_hots_of(inputs.arms, plan.parameters.arms),
                         column_of(inputs.rewards), column_of(inputs.learned)};
  party.enter_phase("learn");
  if (plan.lift_levels == 0) {
    const BatchModel model = co_await learn(party, plan, std::move(shares), std::move(lessons));
    co_return result_of(party, model, party.rounds().openings());
  }
  LearnResult counted;
  LiftEvents events = lift_events(inputs, plan.lift_levels, counted);
  const BatchModel model =
      co_await learn_and_count(party, plan, std::move(shares), std::move(lessons), std::move(events), counted);
  LearnResult result = result_of(party, model, party.rounds().openings());
  result.lift = std::move(counted.lift);
  result.lift_lanes = std::move(counted.lift_lanes);
  result.shown_lift = std::move(counted.shown_lift);
  co_return result;
}

Task<Unit> decide_without_inputs(Party& party, const BatchPlan& plan, std::size_t size) {
  DecideInputs inputs;
  inputs.size = size;
  (void)co_await run_decide(party, plan, std::move(inputs));
  co_return Unit{};
}

Task<Unit> agree_without_inputs(Party& party, const BatchPlan& plan, std::size_t size) {
  AgreeInputs inputs;
  inputs.size = size;
  (void)co_await run_agree(party, plan, std::move(inputs));
  co_return Unit{};
}

Task<Unit> learn_without_inputs(Party& party, const BatchPlan& plan, std::size_t size, SumBits from) {
  LearnInputs inputs;
  inputs.size = size;
  inputs.from = from;
  (void)co_await run_learn(party, plan, std::move(inputs));
  co_return Unit{};
}

std::vector<std::uint64_t> encode_rows(const std::vector<std::vector<double>>& values, std::size_t rows,
                                       std::size_t columns, unsigned fraction_bits) {
  if (values.size() > rows) throw std::invalid_argument("more rows than places");
  std::vector<std::uint64_t> words;
  words.reserve(rows * columns);
  for (const std::vector<double>& row : values) {
    if (row.size() != columns) throw std::invalid_argument("a row of other columns");
    for (const double value : row) words.push_back(sotto::encode(value, fraction_bits));
  }
  words.resize(rows * columns, 0);
  return words;
}

}  // namespace sotto::apps::bandit
