#include "apps/bandit/run/stock/stock_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "apps/bandit/run/state/resume_state.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::bandit::run {
namespace {

using StockStates = std::map<NodeId, StockState>;

template <class Holds>
std::optional<NodeId> first_node(const StockStates& standings, Holds holds) {
  const auto found = std::find_if(standings.begin(), standings.end(), [&](const auto& s) { return holds(s.second); });
  return found == standings.end() ? std::nullopt : std::optional(found->first);
}

template <class Holds>
void require_alike(const Topology& topology, const StockStates& standings, Holds holds, const char* message) {
  const auto one = first_node(standings, holds);
  const auto other = first_node(standings, [&](const StockState& s) { return !holds(s); });
  if (one && other) {
    throw DisagreementError(fmt::format(fmt::runtime(message), topology.name(*one), topology.name(*other)));
  }
}

void require_made_together(const Topology& topology, const StockStates& standings, std::uint64_t stretches) {
  std::optional<net::Digest> name;
  NodeId first = 0;
  for (const auto& [node, state] : standings) {
    const bool at_end = state.stretches == stretches;
    const net::Digest& own = at_end ? state.name : state.before;
    if (!name) {
      name = own;
      first = node;
    }
    if (own == *name && state.stretches <= stretches + 1) continue;
    throw DisagreementError(fmt::format(
        "the stocks of {} and {} were not made together, or one of them is an old copy: prepare a new stock "
        "in a new folder at all roles",
        topology.name(first), topology.name(node)));
  }
}

}  // namespace

StockPoint agree_on_stock(const Topology& topology, const StockStates& standings, bool resumes) {
  require_alike(
      topology, standings, [](const StockState& s) { return s.prepares; },
      "{} prepares randomness and {} runs: start the same at all roles");
  require_alike(
      topology, standings, [](const StockState& s) { return s.is_there; },
      "{} keeps a stock of randomness and {} none: name its folder at all roles (stock in [role] or --stock), or at "
      "none");
  StockPoint point;
  if (!standings.begin()->second.is_there) return point;
  const auto least = [&](auto member) {
    const auto less = [&](const auto& a, const auto& b) { return a.second.*member < b.second.*member; };
    return std::min_element(standings.begin(), standings.end(), less)->second.*member;
  };
  point.wanted = least(&StockState::wanted);
  const bool prepares = standings.begin()->second.prepares;
  const auto used = first_node(standings, [](const StockState& s) { return s.begun; });
  point.anew = prepares ? used.has_value() : resumes;
  if (point.anew) return point;
  if (used) {
    throw DisagreementError(
        fmt::format("a run has begun with the stock of {}: randomness is used once; make a new stock at all roles with "
                    "`sotto prepare-randomness`, or run without stock",
                    topology.name(*used)));
  }
  point.stretches = least(&StockState::stretches);
  require_made_together(topology, standings, point.stretches);
  return point;
}

std::vector<std::byte> encode(const StockState& state) {
  ByteWriter writer;
  writer.octet(state.prepares ? 1 : 0);
  writer.octet(state.is_there ? 1 : 0);
  writer.octet(state.begun ? 1 : 0);
  writer.number(state.stretches);
  writer.number(state.wanted);
  writer.bytes(state.name);
  writer.bytes(state.before);
  return writer.take();
}

std::vector<std::byte> encode(const StockPoint& point) {
  ByteWriter writer;
  writer.octet(point.anew ? 1 : 0);
  writer.number(point.stretches);
  writer.number(point.wanted);
  return writer.take();
}

std::optional<StockState> take_stock_state(std::span<const std::byte>& bytes) {
  ByteReader reader(bytes);
  StockState state;
  state.prepares = reader.flag();
  state.is_there = reader.flag();
  state.begun = reader.flag();
  state.stretches = reader.number<std::uint64_t>();
  state.wanted = reader.number<std::uint64_t>();
  state.name = reader.array<sizeof(net::Digest)>();
  state.before = reader.array<sizeof(net::Digest)>();
  if (!reader.ok()) return std::nullopt;
  bytes = bytes.last(reader.left());
  return state;
}

std::optional<StockPoint> take_stock_point(std::span<const std::byte>& bytes) {
  ByteReader reader(bytes);
  StockPoint point;
  point.anew = reader.flag();
  point.stretches = reader.number<std::uint64_t>();
  point.wanted = reader.number<std::uint64_t>();
  if (!reader.ok()) return std::nullopt;
  bytes = bytes.last(reader.left());
  return point;
}

net::Resume with_stock(const Topology& topology, const StockState& mine, net::Resume state) {
  const auto behind = [](std::vector<std::byte> first, std::span<const std::byte> second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  net::Resume both;
  both.state = behind(encode(mine), state.state);
  both.agree = [topology, behind, agree = std::move(state.agree)](const net::ResumeStates& states) {
    StockStates standings;
    net::ResumeStates rest;
    for (const auto& [node, bytes] : states) {
      std::span<const std::byte> left = bytes;
      const auto state = take_stock_state(left);
      if (!state) {
        throw ProtocolError(ProtocolError::Kind::malformed, net::peer_name(topology, node), 0,
                            "says what is no state of a stock: it runs another program or another version");
      }
      standings[node] = *state;
      rest[node].assign(left.begin(), left.end());
    }
    const net::ResumeBytes point = agree(rest);
    const auto opening = decode_resume_point(point);
    return behind(encode(agree_on_stock(topology, standings, opening && opening->epoch > 1)), point);
  };
  both.describe = [describe = std::move(state.describe)](std::span<const std::byte> point) {
    const auto stock = take_stock_point(point);
    if (!stock) return std::string("no stock that there is");
    return fmt::format("{}, {} stretches of a stock", describe(point), stock->stretches);
  };
  return both;
}

}  // namespace sotto::apps::bandit::run
