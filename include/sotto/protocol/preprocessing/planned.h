// Planned: preprocessing at the planner, which holds nothing and counts: bytes in the ledger, and requests by kind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sotto/protocol/preprocessing/dealt.h"

namespace sotto::protocols {

struct RequestCount {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;  // pairs of the map for products and cuts
  std::uint64_t dealt = 0;  // bytes, without the headers of chunks

  RequestCount& operator+=(const RequestCount& other);
  friend bool operator==(const RequestCount&, const RequestCount&) = default;
};

// By phase, in the order of the ledger's, and by kind.
struct RequestCounts {
  std::vector<std::array<RequestCount, request_kinds>> phases;

  // Of all phases.
  [[nodiscard]] RequestCount total(Request kind) const;
  // Of the phase of that name; none where there is none.
  [[nodiscard]] RequestCount of(const Ledger& ledger, std::string_view phase, Request kind) const;
};

class Planned final : public Dealt {
 public:
  explicit Planned(Ledger& ledger) : Dealt(ledger, Side::elsewhere, true) {}
  [[nodiscard]] const RequestCounts& requests() const noexcept { return requests_; }

 private:
  void count_request(Request kind, std::size_t size) override;
  [[nodiscard]] Words uniform(std::size_t, unsigned, Group) override { return {}; }
  void add_uniform(Words&, std::size_t, unsigned) override {}
  [[nodiscard]] Words uniform_known_to(NodeId, std::size_t, unsigned) override { return {}; }
  [[nodiscard]] Words distribute(Words, std::size_t lanes, unsigned bits, Group) override {
    count(lanes, bits);
    return {};
  }
  void add_dealt(Words&, std::size_t lanes) override { count(lanes, 64); }
  void take_entries(const Tables& tables, std::span<std::uint64_t>) override { count(tables.entries(), tables.bits); }
  void count(std::size_t lanes, unsigned bits);

  RequestCounts requests_;
  RequestCount* current_ = nullptr;  // of the request that is being made
};

}  // namespace sotto::protocols
