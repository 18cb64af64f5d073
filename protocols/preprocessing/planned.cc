#include "sotto/protocol/preprocessing/planned.h"

#include "core/wire/bit_pack.h"

namespace sotto::protocols {

RequestCount& RequestCount::operator+=(const RequestCount& other) {
  requests += other.requests;
  lanes += other.lanes;
  dealt += other.dealt;
  return *this;
}

RequestCount RequestCounts::total(Request kind) const {
  RequestCount sum;
  for (const auto& phase : phases) sum += phase[static_cast<std::size_t>(kind)];
  return sum;
}

RequestCount RequestCounts::of(const Ledger& ledger, std::string_view phase, Request kind) const {
  for (std::size_t i = 0; i < phases.size() && i < ledger.phases().size(); ++i) {
    if (ledger.phases()[i].name == phase) return phases[i][static_cast<std::size_t>(kind)];
  }
  return {};
}

void Planned::count_request(Request kind, std::size_t size) {
  const std::size_t phase = ledger_.current_phase();
  if (phase >= requests_.phases.size()) requests_.phases.resize(phase + 1);
  current_ = &requests_.phases[phase][static_cast<std::size_t>(kind)];
  *current_ += {1, size, 0};
}

void Planned::count(std::size_t lanes, unsigned bits) {
  const std::size_t bytes = packed_bytes(lanes, bits);
  current_->dealt += bytes;
  ledger_.count_dealt(bytes);
}

}  // namespace sotto::protocols
