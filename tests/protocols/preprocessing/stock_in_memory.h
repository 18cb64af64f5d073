// A stock for tests, which keeps its stretches as bytes.
#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "protocols/preprocessing/recorded/material.h"
#include "protocols/preprocessing/recorded/material_bytes.h"
#include "sotto/protocol/party/party.h"

namespace sotto::protocols::testing {

// Of one role, as bytes.
class StockInMemory final : public MaterialStock {
 public:
  [[nodiscard]] std::uint64_t stretches() const override { return made_.size(); }
  [[nodiscard]] bool is_whole() const override { return whole_; }
  [[nodiscard]] RecordedMaterial read(std::uint64_t number) override {
    auto material = decode_material(made_.at(number));
    if (!material) throw std::runtime_error("taken before");
    return std::move(*material);
  }
  [[nodiscard]] RecordedMaterial take(std::uint64_t number) override {
    RecordedMaterial material = read(number);
    made_.at(number).clear();
    return material;
  }
  void put(const RecordedMaterial& material, bool last) override {
    made_.push_back(encode(material));
    whole_ = last;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes(std::size_t number) const { return made_.at(number); }

 private:
  std::vector<std::vector<std::byte>> made_;
  bool whole_ = false;
};

// Of all nodes of a simulation, and of its dealer.
using Stocks = std::vector<StockInMemory>;

inline std::size_t place_of(const Party& party) {
  for (NodeId node = 0; node < party.topology().nodes(); ++node) {
    if (party.is(node)) return node;
  }
  return party.topology().nodes();  // the simulated dealer, who has nothing
}

}  // namespace sotto::protocols::testing
