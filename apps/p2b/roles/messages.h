// The messages between the roles of P2B over net/star. Payloads are little-endian, without padding.
//
//   type             from -> to          payload
//   1 terms          agent -> shuffler   empty: a request
//                    shuffler -> agent   codes u32, arms u32, p f64, l u64
//                    shuffler -> server  the shuffler's terms
//                    server -> shuffler  the server's terms; both must be equal
//   2 reports        agent -> shuffler   number u64 of the message, then 40 bytes per report: user token 16, nonce u64,
//                                        code u32, arm u32, reward f64
//   3 receipt        shuffler -> agent   number u64 of the message with the reports, then how many of its reports were
//                                        taken, bad code, bad arm, bad reward, u32 each
//   4 survivors      shuffler -> server  queue 16, batch u64, part u32, number of parts u32, then 16 bytes per
//                                        tuple: code u32, arm u32, reward f64
//   5 taken          server -> shuffler  queue 16, batch u64, part u32: the part is on the server's disk
//   6 model          agent -> server     empty: a request
//                    server -> agent     the terms, then a Model (apps/p2b/model.h)
//
// Nothing in message 4 depends on dropped reports. The name of a batch is the tick at which it closed (BatchClock), and
// the shuffler sends no part for a batch without survivors.
//
// A user token identifies one user, and only to the shuffler. The nonce identifies one report, so that the shuffler
// recognises a report that the agent sends again after a lost receipt. The receipt does not tell whether a report was
// its user's first report. Otherwise anyone who guesses a user's token would learn whether the user has reported, which
// epsilon does not allow.
//
// Decoders allocate no more memory than the received bytes need, and return std::nullopt for bytes that are no valid
// message. Decoders do not check that codes, arms and rewards are within the terms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/p2b/tuple.h"

namespace sotto::apps::p2b {

struct P2bTerms;
[[nodiscard]] double epsilon_of(const P2bTerms& terms);
[[nodiscard]] double delta_of(const P2bTerms& terms);

// The public terms of one P2B deployment: the numbers of codes and arms, the probability p of a report, and the
// threshold l. The shuffler, the server and the agents agree on the terms before the shuffler accepts a report. Rewards
// are from 0 to 1.
struct P2bTerms {
  std::uint32_t codes = 0;
  std::uint32_t arms = 0;
  double p = 0.5;
  std::uint64_t threshold = 10;

  static void describe(auto& self, auto&& field) {
    field("codes", self.codes);
    field("arms", self.arms);
    field("p", self.p);
    field("threshold", self.threshold);
    field.derived("epsilon", epsilon_of(self));
    field.derived("delta", delta_of(self));
  }
  friend bool operator==(const P2bTerms&, const P2bTerms&) = default;
};

// Returns an empty text if the terms are valid.
[[nodiscard]] std::string fault_of(const P2bTerms& terms);

enum class TupleFault : std::uint8_t { none, code, arm, reward };
[[nodiscard]] TupleFault fault_of(const Tuple& tuple, const P2bTerms& terms);

[[nodiscard]] std::string difference(const P2bTerms& theirs, const P2bTerms& ours);

enum class P2bMessage : std::uint16_t {
  terms = 1,
  reports = 2,
  receipt = 3,
  survivors = 4,
  taken = 5,
  model = 6,
};
[[nodiscard]] constexpr std::uint16_t number_of(P2bMessage type) { return static_cast<std::uint16_t>(type); }

inline constexpr const char* p2b_shuffler_name = "p2b shuffler";
inline constexpr const char* p2b_server_name = "p2b server";

inline constexpr std::size_t report_bytes = 40;
inline constexpr std::size_t tuple_bytes = 16;
inline constexpr std::size_t most_reports_a_message = 16'384;
inline constexpr std::size_t most_tuples_a_part = 65'536;
// Sizes in bytes.
inline constexpr std::size_t longest_report_message = 8 + report_bytes * most_reports_a_message;
inline constexpr std::size_t longest_part_message = 32 + tuple_bytes * most_tuples_a_part;
inline constexpr std::size_t longest_model_message = std::size_t{256} << 20;

using UserToken = std::array<std::byte, 16>;
using QueueId = std::array<std::byte, 16>;

// Returns the first half of the SHA-256 hash of the name by which the agent knows the user.
[[nodiscard]] UserToken user_token(std::string_view name);

struct Report {
  UserToken user{};
  std::uint64_t nonce = 0;
  Tuple tuple;
};

struct Receipt {
  std::uint64_t number = 0;
  std::uint32_t taken = 0;  // reports with valid code, arm and reward, including repeated reports and second reports
  std::uint32_t bad_code = 0;
  std::uint32_t bad_arm = 0;
  std::uint32_t bad_reward = 0;

  friend bool operator==(const Receipt&, const Receipt&) = default;
};

// Two deliveries with the same name are the same part.
struct PartName {
  QueueId queue{};
  std::uint64_t batch = 0;  // the tick at which the batch closed, in seconds since 1970; never 0
  std::uint32_t part = 0;

  friend bool operator==(const PartName&, const PartName&) = default;
};

struct SurvivorPart {
  PartName name;
  std::uint32_t parts = 1;
  std::vector<Tuple> tuples;
};

using Payload = std::vector<std::byte>;
using PayloadView = std::span<const std::byte>;

[[nodiscard]] Payload encode(const P2bTerms& terms);
[[nodiscard]] std::optional<P2bTerms> decode_p2b_terms(PayloadView payload);

[[nodiscard]] Payload encode_reports(std::uint64_t number, std::span<const Report> reports);
[[nodiscard]] std::optional<std::uint64_t> decode_reports(PayloadView payload, std::vector<Report>& reports);

[[nodiscard]] Payload encode(const Receipt& receipt);
[[nodiscard]] std::optional<Receipt> decode_receipt(PayloadView payload);

[[nodiscard]] Payload encode(const SurvivorPart& part);
[[nodiscard]] std::optional<SurvivorPart> decode_part(PayloadView payload);

[[nodiscard]] Payload encode(const PartName& name);
[[nodiscard]] std::optional<PartName> decode_part_name(PayloadView payload);

struct ModelMessage {
  P2bTerms terms;
  PayloadView model;
};
[[nodiscard]] Payload encode_model(const P2bTerms& terms, PayloadView model);
[[nodiscard]] std::optional<ModelMessage> decode_model(PayloadView payload);

[[nodiscard]] Payload encode_tuples(std::span<const Tuple> tuples);
[[nodiscard]] std::optional<std::vector<Tuple>> decode_tuples(PayloadView payload);

}  // namespace sotto::apps::p2b
