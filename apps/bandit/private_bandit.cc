#include "sotto/apps/bandit/private_bandit.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sotto/apps/bandit/batch/private_batches.h"
#include "sotto/apps/bandit/state/model_store.h"
#include "sotto/core/async/when_all.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/sharing/masked.h"
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/io/open.h"
#include "sotto/protocols/io/share_input.h"

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

KeptModel kept(const Party& party, const Model& model) {
  return KeptModel{{model.W.shares(party)}, {model.b.shares(party)}};
}

// The model after the first `steps` steps, from the shares that were kept then: masked again, in one round.
Task<Model> restored_model(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t steps) {
  KeptModel shares = load_model(party, site, steps, kept(party, initial_model(party, plan)));
  auto [W, b] = co_await when_all(mask(party, std::move(shares.matrices[0]), "W again"),
                                  mask(party, std::move(shares.vectors[0]), "b again"));
  co_return Model{std::move(W), std::move(b)};
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

void BanditSite::rewards(std::uint64_t first, std::span<std::uint64_t> out) {
  for (std::uint64_t& word : out) word = reward(first++);
}
void BanditSite::load(std::uint64_t, ModelShares&) { throw std::logic_error("this role has kept no model"); }

Cost cost_of_steps(const Ledger& ledger) {
  Cost cost;
  for (const Ledger::Phase& phase : ledger.phases()) {
    if (plays_steps(phase.name)) cost += phase.total;
  }
  return cost;
}

Task<BanditModel> private_bandit(Party& party, const BanditPlan& plan, BanditSite& site, BanditSchedule schedule) {
  if (plan.batches) {
    co_return co_await private_batches(party, *plan.batches, BatchSchedule(plan.parameters, schedule.from_step), site,
                                       schedule);
  }
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
      co_await save_model(party, site, done, kept(party, model), model.W, model.b);
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
