#include "apps/prepare/align/align_ids.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sotto/protocol/mesh/driver/run_program.h"
#include "sotto/protocol/mesh/handshake/session.h"
#include "sotto/protocol/wire/hex.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::size_t pseudonym_bytes = 16;

struct Found {
  std::vector<std::uint64_t> sizes;
  std::vector<protocols::CommonId> common;
};

Task<Found> find(Party& party, std::vector<std::string> ids, protocols::OnIntersect on_progress) {
  Found found;
  found.sizes = co_await protocols::tell_sizes(party, ids.size());
  found.common = co_await protocols::intersect(party, found.sizes, std::move(ids), std::move(on_progress));
  co_return found;
}

std::string pseudonym_of(const GroupElement& tag, const std::string& session) {
  std::string text = "sotto pseudonym 1\n" + session + '\n';
  text.append(reinterpret_cast<const char*>(tag.data()), tag.size());
  const net::Digest digest = net::sha256(text);
  return hex(std::span(digest).first(pseudonym_bytes));
}

}  // namespace

Alignment align_ids(net::Mesh& mesh, std::vector<std::string> ids, const net::DriverOptions& options,
                    const protocols::OnIntersect& on_progress) {
  const auto program = [&](Party& party) { return find(party, std::move(ids), on_progress); };
  auto run = net::run_program(mesh, program, options);
  Alignment result;
  result.sizes = std::move(run.result->sizes);
  const std::string session = net::text_of(mesh.session());
  result.rows.reserve(run.result->common.size());
  for (const protocols::CommonId& id : run.result->common) {
    result.rows.push_back({id.place, pseudonym_of(id.tag, session)});
  }
  std::sort(result.rows.begin(), result.rows.end(),
            [](const AlignedRow& a, const AlignedRow& b) { return a.pseudonym < b.pseudonym; });
  result.rounds = run.node.rounds;
  result.bytes_sent = run.node.total_bytes_sent();
  result.seconds = run.node.seconds;
  return result;
}

}  // namespace sotto::apps::prepare
