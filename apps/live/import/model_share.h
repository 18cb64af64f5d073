// The model of a decision service leaves the service only with the consent of all parties. Each party writes its own
// share of one copy of the model into a file. From the files of all parties, `sotto model` computes the model.
//
// If the file of at least one party is missing, the other files contain only random numbers and public facts. The
// public facts are the arms, the parameters and the number of events in the copy.
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
  std::string session;  // 32 hex digits
  std::uint32_t party = 0;
  std::uint32_t parties = 2;
  std::uint64_t columns = 1;
  SnapshotName copy;
  ForeignModel model;

  friend bool operator==(const ModelShare&, const ModelShare&) = default;
};
// The last bytes are the SHA-256 of all other bytes.
[[nodiscard]] std::vector<std::byte> encode(const ModelShare& share);
[[nodiscard]] std::optional<ModelShare> decode_model_share(std::span<const std::byte> bytes);

// Reads the copy of the model with this number, or the newest copy if `number` is not set. No other process may use the
// store meanwhile. Throws InputError if the copy does not exist, is empty, or is the model of an earlier service.
// Throws what LiveStore throws.
[[nodiscard]] ModelShare read_model_share(const LiveConfig& config, std::optional<OrderNumber> number);

// Each element of `shares` has the name of a file and the share in this file. Throws InputError with the name of a file
// unless there is exactly one share of each party, and all shares are of one copy of one service.
//
//   {"session", "number", "id", "learned", "columns": [2, 1], "arms": [{"arm", "weights", "targets", "gram"}, ...]}
//
// `weights` is w = A^-1 b with the rounding that the service uses, `targets` is b, and `gram` has the rows of A. The
// features are in the order of the parties.
[[nodiscard]] nlohmann::ordered_json joined_model(const std::vector<std::pair<std::string, ModelShare>>& shares);

}  // namespace sotto::apps::live
