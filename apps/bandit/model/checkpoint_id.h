// By what the roles of a run know that their checkpoints belong together.
//
//     id = SHA-256("sotto checkpoint", id of the checkpoint before, session of the links, epoch, step,
//                  SHA-256 of the public words of the model)
//
// The public words are the masked values that all compute parties opened, so all have the same and each computes the id
// by itself; the actor and the rewarder are told it. It covers the whole schedule of the run up to there. Two
// checkpoints of one step have one id only if they are of one epoch of one start, so shares under one id add up. The
// masks are uniform, so the id tells nothing of the model.
#pragma once

#include <cstdint>
#include <span>

#include "sotto/protocol/mesh/handshake/session.h"

namespace sotto::apps::bandit {

using CheckpointId = net::Digest;

// What an id is made of beside the model. `before` is zeros at the first checkpoint of a run.
struct CheckpointPlace {
  CheckpointId before{};
  net::SessionId session{};
  std::uint32_t epoch = 0;
  std::uint64_t steps = 0;  // done
};

[[nodiscard]] CheckpointId checkpoint_id(const CheckpointPlace& place, const net::Digest& public_words);

// SHA-256 of the words, one after the other, each in eight bytes, the lowest first.
[[nodiscard]] net::Digest digest_of(std::span<const std::uint64_t> words);

}  // namespace sotto::apps::bandit
