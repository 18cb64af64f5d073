#include "apps/o3m/masked_contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "apps/o3m/masking.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/summation/secure_sum.h"

namespace sotto::apps::o3m {
namespace {

constexpr NodeId active_id = 0;
constexpr double orthonormal_within = 1e-9;

Words words_of(std::span<const double> values) {
  Words words(values.size());
  if (!values.empty()) std::memcpy(words.data(), values.data(), values.size_bytes());
  return words;
}

std::vector<double> doubles_of(const Words& words) {
  std::vector<double> values(words.size());
  if (!words.empty()) std::memcpy(values.data(), words.data(), words.size() * sizeof(double));
  return values;
}

void require_orthonormal(const MaskBlock& block, const Party& party, NodeId generator) {
  if (distance_from_orthonormal(block) <= orthonormal_within) return;
  const std::string name = party.topology().name(generator);
  throw ProtocolError(
      ProtocolError::Kind::malformed, name, 0,
      fmt::format("{} sent a block of {} x {} whose columns are not orthonormal: it is no part of an orthogonal mask",
                  name, block.dimension, block.columns));
}

Task<MaskBlock> share_mask(Party& party, const O3mPlan& plan, O3mSite& site) {
  const std::size_t d = plan.parameters.dimension();
  const NodeId generator = plan.generator();
  std::vector<double> mask;
  if (party.is(generator)) mask = site.draw_mask(d);
  MaskBlock mine;
  std::vector<Task<Words>> deliveries;
  for (NodeId to = 0; to < plan.parameters.participants(); ++to) {
    const std::size_t columns = plan.parameters.columns[to];
    MaskBlock block;
    if (party.is(generator)) block = block_of(mask, d, plan.offset(to), columns);
    if (to == generator) {
      if (party.is(generator)) mine = std::move(block);
      continue;
    }
    if (party.is(to)) mine = MaskBlock{d, columns, {}};
    deliveries.push_back(
        protocols::deliver(party, generator, to, words_of(block.values), d * columns, "block of the mask"));
  }
  const auto received = co_await when_all(std::move(deliveries));
  for (const Words& words : received) {
    if (!words.empty()) mine.values = doubles_of(words);
  }
  if (party.holds_shares()) require_orthonormal(mine, party, generator);
  co_return mine;
}

std::vector<double> mask_batch(Party& party, const O3mPlan& plan, O3mSite& site, const BlockMask& mask,
                               std::uint64_t first, std::size_t steps) {
  if (!party.holds_shares()) return {};
  std::vector<double> masked(steps * plan.step_size());
  mask.apply(site.contexts(first, steps), masked);
  return masked;
}

// Step 2 as in Algorithm 1 of the paper: the active participant sees the masked contexts of each participant.
Task<std::vector<double>> sum_of_blocks(Party& party, std::vector<double> masked, std::size_t numbers) {
  std::vector<Task<Words>> deliveries;
  for (NodeId from = 1; from < party.topology().parties(); ++from) {
    Words words;
    if (party.is(from)) words = words_of(masked);
    deliveries.push_back(protocols::deliver(party, from, active_id, std::move(words), numbers, "masked block"));
  }
  const auto blocks = co_await when_all(std::move(deliveries));
  if (!party.is(active_id)) masked.clear();
  for (const Words& words : blocks) {
    const std::vector<double> block = doubles_of(words);
    for (std::size_t i = 0; i < block.size(); ++i) masked[i] += block[i];
  }
  co_return masked;
}

Task<std::vector<double>> sum_of_contexts(Party& party, const O3mPlan& plan, protocols::ZeroShares& zero,
                                          std::vector<double> masked, std::size_t numbers) {
  Words words(masked.size());
  to_fixed(masked, plan.fraction_bits, words);
  const Words sum =
      co_await protocols::secure_sum(party, active_id, zero, std::move(words), numbers, "masked contexts");
  masked.resize(sum.size());
  from_fixed(sum, plan.fraction_bits, masked);
  co_return masked;
}

std::uint64_t received_by(NodeId self, const Ledger& ledger) {
  const Topology& topology = ledger.topology();
  if (self != 0) return 0;
  std::uint64_t bytes = 0;
  const Cost contexts = ledger.of("contexts");
  for (NodeId node = 1; node < topology.parties(); ++node) bytes += contexts.sent[node];
  return bytes;
}

}  // namespace

Task<Unit> masked_contexts(Party& party, const O3mPlan& plan, O3mSite& site, Seed secret) {
  party.enter_phase("mask");
  auto [block, zero] =
      co_await when_all(share_mask(party, plan, site), protocols::agree_on_zero_shares(party, std::move(secret)));
  const BlockMask mask(block);

  const std::uint64_t steps = plan.parameters.steps;
  for (std::uint64_t first = 0; first < steps; first += plan.batch_steps) {
    party.enter_phase("contexts");
    const std::size_t count = std::min<std::uint64_t>(plan.batch_steps, steps - first);
    const std::size_t numbers = count * plan.step_size();
    std::vector<double> masked = mask_batch(party, plan, site, mask, first, count);
    std::vector<double> sum;
    if (plan.parameters.insecure_blocks) {
      sum = co_await sum_of_blocks(party, std::move(masked), numbers);
    } else {
      sum = co_await sum_of_contexts(party, plan, zero, std::move(masked), numbers);
    }
    if (party.is(active_id)) site.take(first, sum);
  }
  co_return Unit{};
}

MaskedRun run_masked(net::Mesh& mesh, const O3mPlan& plan, O3mSite& site, Seed secret,
                     const net::DriverOptions& options) {
  if (mesh.topology() != plan.topology()) throw std::invalid_argument("the mesh of another plan");
  const NodeId self = mesh.self();
  const auto played = net::run_program(
      mesh, [&](Party& party) { return masked_contexts(party, plan, site, std::move(secret)); }, options);
  MaskedRun run;
  run.rounds = played.node.rounds;
  run.bytes_sent = played.node.total_bytes_sent();
  run.planned_bytes_sent = played.ledger.total().sent[self];
  run.bytes_received = received_by(self, played.ledger);
  run.seconds = played.node.seconds;
  run.seconds_waiting = played.node.seconds_waiting_for_peers;
  return run;
}

}  // namespace sotto::apps::o3m
