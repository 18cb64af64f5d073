// The rows of a company's table whose ids all companies have, in one order that says nothing of any id.
//
// Who is common is found by include/sotto/protocol/sets/intersect.h. The pseudonym of a common id is made of its tag,
// which takes the secret keys of all companies: nobody can compute it from the id, not even a company that took part,
// once the alignment is over. Rows go by their pseudonyms. Another alignment makes other pseudonyms.
//
// Rounds and bytes are those of intersect.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/sets/intersect.h"

namespace sotto::apps::prepare {

struct AlignedRow {
  std::size_t place;      // of the id among the company's own
  std::string pseudonym;  // 32 hex digits
};

struct Alignment {
  std::vector<std::uint64_t> sizes;  // of all companies' tables, by node
  std::vector<AlignedRow> rows;      // in the order of the pseudonyms, the same at all
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;  // headers included
  double seconds = 0;            // from the first round to the end
};

// `ids` are distinct and as all companies compare them. Errors are those of include/sotto/protocol/mesh/driver/run.h
// and of intersect.h.
[[nodiscard]] Alignment align_ids(net::Mesh& mesh, std::vector<std::string> ids, const net::DriverOptions& options,
                                  const protocols::OnIntersect& on_progress = {});

}  // namespace sotto::apps::prepare
