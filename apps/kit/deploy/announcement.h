// What a compute party announces in the handshake, or a participant of O3M: the shape of its data and the bound on its
// rows. Nothing else of its data is said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/core/party/topology.h"
#include "sotto/net/mesh/mesh.h"

namespace sotto::apps {

struct Announcement {
  std::size_t rows = 0;  // of O3M: steps
  std::size_t columns = 0;
  double bound = 0;  // on the norm of every row, as apps/kit/data/contexts.h rounds it
  // Of O3M, where the file counts its steps: 0 or 1.
  std::optional<std::uint64_t> first_step{};
};

[[nodiscard]] std::string to_text(const Announcement& announcement);

// Throws ProtocolError, naming `party`, if the text is none that to_text() makes of sound values.
[[nodiscard]] Announcement parse_announcement(const std::string& text, const std::string& party);

// What all compute parties, or participants, have announced, by party.
struct AnnouncedData {
  std::size_t rows = 0;  // of each
  std::vector<std::size_t> columns;
  std::vector<double> bounds;
};

// As the mesh has heard it. Throws what parse_announcement() and check_rows() throw.
[[nodiscard]] AnnouncedData announced_data(const net::Mesh& mesh);

// Throws DisagreementError unless all have the same number of rows, counted alike.
void check_rows(const std::vector<Announcement>& announcements, const Topology& topology);

}  // namespace sotto::apps
