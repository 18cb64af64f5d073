#include "sotto/apps/bandit/private_bandit.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sotto/apps/bandit/state/checkpoint_id.h"
#include "sotto/core/async/when_all.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/sharing/masked.h"
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/checkpoint_shares.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/io/open.h"
#include "sotto/protocols/io/share_input.h"
#include "sotto/protocols/io/tell.h"

namespace sotto::apps {
namespace {

using namespace protocols;

// The learned state: W as rows of upper triangles, one arm a row, and b.
struct Model {
  Masked W;
  Masked b;
};

Model initial_model(const Party& party, const BanditPlan& plan) {
  const std::size_t d = plan.parameters.features();
  const std::size_t arms = plan.parameters.arms;
  std::vector<std::uint64_t> identity;
  for (std::size_t a = 0; a < arms; ++a) {
    for (std::size_t i = 0; i < d; ++i) {
      identity.push_back(std::uint64_t{1} << plan.inverse_bits);
      identity.insert(identity.end(), d - 1 - i, 0);
    }
  }
  const std::vector<std::uint64_t> zero(arms * d, 0);
  return Model{Masked::constant(party, Shape{arms, triangle(d)}, plan.inverse_bits, identity),
               Masked::constant(party, Shape{arms, d}, plan.parameters.fraction_bits, zero)};
}

constexpr std::size_t id_words = sizeof(CheckpointId) / sizeof(std::uint64_t);

// The id of a checkpoint, at the compute parties.
Words id_of(const Party& party, BanditSite& site, std::uint64_t steps, const Model& model) {
  Words words;
  hand_public_words_over(
      party,
      [&](std::span<const std::uint64_t> W, std::span<const std::uint64_t> b) {
        std::vector<std::uint64_t> all(W.begin(), W.end());
        all.insert(all.end(), b.begin(), b.end());
        const CheckpointId id = site.name_checkpoint(steps, digest_of(all));
        words.resize(id_words);
        std::memcpy(words.data(), id.data(), id.size());
      },
      model.W, model.b);
  return words;
}

// Every compute party keeps its shares of the model; of them nothing is said but the id that they go by, in one round.
Task<void> save_model(Party& party, BanditSite& site, std::uint64_t steps, const Model& model) {
  party.enter_phase(checkpoint_phase);
  Words own = id_of(party, site, steps, model);
  const Words told = co_await tell(party, std::move(own), id_words, "checkpoint id");
  CheckpointId id{};
  if (!told.empty()) std::memcpy(id.data(), told.data(), id.size());
  ModelShares shares;
  hand_shares_over(party, model.W.shares(party),
                   [&](auto words) { shares.inverses.assign(words.begin(), words.end()); });
  hand_shares_over(party, model.b.shares(party),
                   [&](auto words) { shares.targets.assign(words.begin(), words.end()); });
  site.save(steps, shares, id);
}

// The model after the first `steps` steps, from the shares that were kept then: masked again, in one round.
Task<Model> restored_model(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t steps) {
  const std::size_t d = plan.parameters.features();
  const Shape of_W{plan.parameters.arms, triangle(d)};
  const Shape of_b{plan.parameters.arms, d};
  ModelShares shares;
  Arith W = shares_from(party, of_W, plan.inverse_bits, [&](std::span<std::uint64_t> out) {
    shares.inverses.resize(of_W.lanes());
    shares.targets.resize(of_b.lanes());
    site.load(steps, shares);
    std::copy(shares.inverses.begin(), shares.inverses.end(), out.begin());
  });
  Arith b = shares_from(party, of_b, plan.parameters.fraction_bits, [&](std::span<std::uint64_t> out) {
    std::copy(shares.targets.begin(), shares.targets.end(), out.begin());
  });
  auto [masked_W, masked_b] =
      co_await when_all(mask(party, std::move(W), "W again"), mask(party, std::move(b), "b again"));
  co_return Model{std::move(masked_W), std::move(masked_b)};
}

// Truncates by f bits, or only masks where there is nothing to truncate.
Task<Masked> mask_at(Party& party, PendingProduct value, unsigned f, Label label) {
  if (f == 0) co_return co_await mask(party, materialize(party, std::move(value)), label);
  co_return co_await mask_trunc(party, std::move(value), f, label);
}

// Round 1: every party's part of the context, side by side.
Task<Masked> share_context(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t step) {
  PoolVector<Task<Masked>> inputs;
  for (std::size_t owner = 0; owner < plan.parameters.columns.size(); ++owner) {
    const Shape shape{1, plan.parameters.columns[owner]};
    const auto node = static_cast<NodeId>(owner);
    Input input = input_at(party, node, shape, plan.parameters.fraction_bits,
                           [&](std::span<std::uint64_t> out) { site.context(owner, step, out); });
    inputs.push_back(share_input(party, node, std::move(input), "context"));
  }
  const PoolVector<Masked> parts = co_await when_all(std::move(inputs));
  co_return hstack(parts);
}

// Rounds 3 to 5: the one-hot of the arm, opened to the actor, who pulls it, and masked.
Task<Masked> choose_and_pull(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t step,
                             Masked scores) {
  const ArgmaxOptions options{plan.parameters.fraction_bits, plan.comparison_bits, plan.parameters.exploration};
  const Arith one_hot = co_await argmax(party, std::move(scores), options);
  Arith for_actor = one_hot.in_ring(8);  // the actor needs bits, not words
  auto [arm, o] = co_await when_all(open_to(party, actor_of(party.topology()), std::move(for_actor), "arm to actor"),
                                    mask(party, one_hot, "arm"));
  arm.if_known([&](const Words& bits) { site.pull(step, arm_of(bits, step)); });
  co_return o;
}

// The share of an update that concerns the pulled arm.
struct Pulled {
  Masked u;       // -o_a W_a x
  Masked x;       // o_a x
  Masked reward;  // r
};

// Rounds 3 to 6.
Task<Pulled> pull(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t step, Masked scores, Masked u,
                  Masked x) {
  const Masked o = co_await choose_and_pull(party, plan, site, step, std::move(scores));
  Input reward = input_at(party, rewarder_of(party.topology()), Shape{1, 1}, plan.reward_bits,
                          [&](std::span<std::uint64_t> out) { out[0] = site.reward(step); });
  auto [ou, ox, r] =
      co_await when_all(mask(party, -row_scale(party, o, u), "o u"), mask(party, row_scale(party, o, x), "o x"),
                        share_input(party, rewarder_of(party.topology()), std::move(reward), "reward"));
  co_return Pulled{std::move(ou), std::move(ox), std::move(r)};
}

// Rounds 3 to 6: v_a = W_a x / (1 + x' W_a x).
Task<Masked> gain(Party& party, const BanditPlan& plan, Masked u, Masked x) {
  const unsigned f = plan.parameters.fraction_bits;
  const unsigned fu = plan.product_bits;
  PendingProduct denominator = plus(party, pending_product<RowDot>(party, u, x), std::uint64_t{1} << (f + fu));
  Masked d = co_await mask_trunc(party, std::move(denominator), fu, "1 + u x");
  co_return co_await divide(party, std::move(u), std::move(d), plan.division);
}

// Round 7: W_a - o_a u_a v_a', as W_a - o_a (u_a v_a' + v_a u_a') / 2. u and v are parallel but for their rounding. By
// one half alone u_i v_j and u_j v_i would be rounded differently, which moves x' W_a x for every x by as much as the
// error of u or v, also where W_a is tiny.
Task<Masked> updated_inverse(Party& party, const BanditPlan& plan, Masked u, Masked v, Masked W) {
  const unsigned fall = 2 * plan.product_bits + 1 - plan.inverse_bits;
  PendingProduct both_halves = pending_product<SymmetricOuter>(party, u, v).times(1, 1);
  PendingProduct sum = plus_multiple(party, std::move(both_halves), W, std::uint64_t{1} << fall, fall);
  co_return co_await mask_trunc(party, std::move(sum), fall, "W");
}

Task<Model> step_once(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t step, Model model) {
  const unsigned fw = plan.inverse_bits;

  site.step_begins(step);

  // 1. The context, and w_a = W_a b_a beside it.
  PendingProduct weights = pending_product<SymmetricMatVec>(party, model.W, model.b);
  auto [x, w] =
      co_await when_all(share_context(party, plan, site, step), mask_trunc(party, std::move(weights), fw, "w = W b"));

  // 2. s_a = w_a . x and u_a = W_a x.
  Arith dots = row_dot(party, w, x);
  PendingProduct Wx = pending_product<SymmetricMatVec>(party, model.W, x);
  const unsigned wx_cut = Wx.scale() - plan.product_bits;
  auto [s, u] =
      co_await when_all(mask(party, std::move(dots), "scores"), mask_trunc(party, std::move(Wx), wx_cut, "u = W x"));

  // 3 to 6. The arm, its pull and its reward; the gain v of every arm beside it.
  auto [pulled, v] = co_await when_all(pull(party, plan, site, step, std::move(s), u, x), gain(party, plan, u, x));

  // 7. b_a + o_a r x, and W_a - o_a u_a v_a'.
  PendingProduct b = plus_multiple(party, pending_product<RowScale>(party, pulled.reward, pulled.x), model.b,
                                   std::uint64_t{1} << plan.reward_bits, plan.reward_bits);
  auto [next_b, next_W] = co_await when_all(mask_at(party, std::move(b), plan.reward_bits, "b"),
                                            updated_inverse(party, plan, std::move(pulled.u), std::move(v), model.W));
  site.step_done(step);
  co_return Model{std::move(next_W), std::move(next_b)};
}

Task<BanditModel> reveal(Party& party, const BanditPlan& plan, Model model) {
  PendingProduct weights = pending_product<SymmetricMatVec>(party, model.W, model.b);
  const Masked w = co_await mask_trunc(party, std::move(weights), plan.inverse_bits, "w = W b");
  auto [opened_w, opened_W] = co_await when_all(open(party, w.shares(party), "reveal weights"),
                                                open(party, model.W.shares(party), "reveal inverse matrices"));
  co_return BanditModel{std::move(opened_w), std::move(opened_W)};
}

}  // namespace

void BanditSite::load(std::uint64_t, ModelShares&) { throw std::logic_error("this role has kept no model"); }

Task<BanditModel> private_bandit(Party& party, const BanditPlan& plan, BanditSite& site, BanditSchedule schedule) {
  const std::uint64_t steps = plan.parameters.steps;
  if (schedule.from_step > steps) throw std::invalid_argument("the run has no such step to start from");
  Model model = initial_model(party, plan);
  if (schedule.from_step > 0) {
    party.enter_phase(restore_phase);
    model = co_await restored_model(party, plan, site, schedule.from_step);
  }
  for (std::uint64_t step = schedule.from_step; step < steps; ++step) {
    party.enter_phase(step_phase);
    model = co_await step_once(party, plan, site, step, std::move(model));
    if (schedule.checkpoint_every == 0) continue;
    const std::uint64_t done = step + 1;
    if (done % schedule.checkpoint_every == 0 || done == steps) {
      co_await save_model(party, site, done, model);
    }
  }
  if (!plan.parameters.reveal_model) co_return BanditModel{};
  party.enter_phase(reveal_phase);
  co_return co_await reveal(party, plan, std::move(model));
}

std::size_t arm_of(std::span<const std::uint64_t> one_hot, std::uint64_t step) {
  const auto ones = std::count(one_hot.begin(), one_hot.end(), 1u);
  const auto zeros = std::count(one_hot.begin(), one_hot.end(), 0u);
  if (ones != 1 || zeros + 1 != std::ssize(one_hot)) {
    throw ProtocolError(ProtocolError::Kind::malformed, "compute parties", step,
                        "the opened arm is not one-hot: the parties run another program, or a score left its range");
  }
  return static_cast<std::size_t>(std::find(one_hot.begin(), one_hot.end(), 1u) - one_hot.begin());
}

}  // namespace sotto::apps
