// The encoders of an experiment: each is fitted once, whatever asks for it, and its codes are tabled where the grid is
// small enough.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <tuple>

#include "sotto/apps/p2b/encoder.h"

namespace sotto::apps {

class EncoderStore {
 public:
  // Of these decimals, kind and seed; or, where `file` is not empty, the encoder of that file alone.
  EncoderStore(unsigned decimals, EncoderKind kind, std::uint64_t seed, const std::filesystem::path& file = {});

  // `codes` may be more than the grid has points, and InputError comes. With a file, the encoder that it has;
  // InputError where it is of another dimension.
  [[nodiscard]] std::shared_ptr<const Encoder> get(std::size_t dimension, std::size_t codes);
  // True where the encoder comes from a file: then codes are what the file says.
  [[nodiscard]] bool fixed() const { return fixed_ != nullptr; }
  [[nodiscard]] std::size_t fixed_codes() const { return fixed_->codes(); }

 private:
  unsigned decimals_;
  EncoderKind kind_;
  std::uint64_t seed_;
  std::filesystem::path file_;
  std::shared_ptr<const Encoder> fixed_;
  std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<const Encoder>> fitted_;
};

}  // namespace sotto::apps
