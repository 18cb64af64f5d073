// Material of a stretch as bytes, for a stock on a disk.
//
// Each list of RecordedMaterial in the order of its description: its length, then each value: lanes and bits where it
// has them, then its words, each list of words with its length in front. Numbers are little-endian words. The decoder
// takes any bytes: every length is checked against what is there before anything is allocated, nothing may be left
// over, and what is accepted encodes to the same bytes. It does not know the requests: RecordedSide compares sizes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "protocols/preprocessing/recorded/material.h"

namespace sotto::protocols {

[[nodiscard]] std::vector<std::byte> encode(const RecordedMaterial& material);
// Nothing if the bytes are no such material.
[[nodiscard]] std::optional<RecordedMaterial> decode_material(std::span<const std::byte> bytes);

}  // namespace sotto::protocols
