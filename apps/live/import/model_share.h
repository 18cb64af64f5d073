// The model of a decision service leaves it only by consent of all parties: each writes its own share of the same copy
// into a file, and whoever has the files of all of them puts the model together.
//
// A file alone, and those of all parties but one, are random numbers, beside what is public: the arms, the parameters,
// how many events are in the copy.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/live/config/live_config.h"
#include "apps/live/import/foreign_model.h"
#include "apps/live/roles/order_book.h"

namespace sotto::apps::live {

struct ModelShare {
  std::string session;  // of the service, 32 hex digits
  std::uint32_t party = 0;
  std::uint32_t parties = 2;
  std::uint64_t columns = 1;  // of this party
  SnapshotName copy;
  ForeignModel model;  // with this party's shares

  friend bool operator==(const ModelShare&, const ModelShare&) = default;
};
// With its SHA-256 behind it, so that a file that is cut or changed is found out.
[[nodiscard]] std::vector<std::byte> encode(const ModelShare& share);
// Nothing if the bytes are none.
[[nodiscard]] std::optional<ModelShare> decode_model_share(std::span<const std::byte> bytes);

// Of a party's store, which nothing else uses: of the copy that was made at `number`, or of the newest. Throws
// InputError where there is no such copy, or it is empty or of an earlier service, and as LiveStore does.
[[nodiscard]] ModelShare read_model_share(const LiveConfig& config, std::optional<OrderNumber> number);

// The model of shares, each with the name of its file. Throws InputError that names a file unless they are one of every
// party, of one copy of one service.
//
//   {"session", "number", "id", "learned", "columns": [2, 1], "arms": [{"arm", "weights", "targets", "gram"}, ...]}
//
// `weights` are w = A^-1 b as the service decides by them, `targets` b, `gram` the rows of A; the features are those of
// party 0, then of party 1, and so on.
[[nodiscard]] nlohmann::ordered_json joined_model(const std::vector<std::pair<std::string, ModelShare>>& shares);

}  // namespace sotto::apps::live
