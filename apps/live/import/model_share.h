// The model of a decision service leaves the service only with the consent of all parties. Each party writes its own
// share of the same copy into a file. The files of all parties together give the model.
//
// One file, or the files of all parties except one, contain only random numbers and public facts. The public facts are
// the arms, the parameters and the number of events in the copy.
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
  std::string session;  // session of the service, 32 hex digits
  std::uint32_t party = 0;
  std::uint32_t parties = 2;
  std::uint64_t columns = 1;  // number of columns of this party
  SnapshotName copy;
  ForeignModel model;  // with this party's shares

  friend bool operator==(const ModelShare&, const ModelShare&) = default;
};
// The bytes end with their SHA-256, so that a cut or changed file is detected.
[[nodiscard]] std::vector<std::byte> encode(const ModelShare& share);
// Nothing if the bytes are not such a share.
[[nodiscard]] std::optional<ModelShare> decode_model_share(std::span<const std::byte> bytes);

// Reads a party's store, which nothing else uses: the copy that was made at `number`, or the newest copy. Throws
// InputError if there is no such copy, or the copy is empty or of an earlier service. Throws as LiveStore does.
[[nodiscard]] ModelShare read_model_share(const LiveConfig& config, std::optional<OrderNumber> number);

// Joins shares, each with the name of its file, to the model. Throws InputError that names a file unless there is one
// share of every party, all of one copy of one service.
//
//   {"session", "number", "id", "learned", "columns": [2, 1], "arms": [{"arm", "weights", "targets", "gram"}, ...]}
//
// `weights` is w = A^-1 b as the service decides with it, `targets` is b, and `gram` has the rows of A. The features
// are those of party 0, then of party 1, and so on.
[[nodiscard]] nlohmann::ordered_json joined_model(const std::vector<std::pair<std::string, ModelShare>>& shares);

}  // namespace sotto::apps::live
