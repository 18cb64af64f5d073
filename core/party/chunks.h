// The dealer's corrections on their way to the last party. The corrections drawn between two rounds are one chunk, a
// frame of type `chunk` whose round is the following round and whose digest is
// the epoch of the run (session and epoch, hashed). There is one chunk a call of Rounds::gather(), the last one
// included, even when it is empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/core/wire/bytes.h"

namespace sotto {

// The dealer's side. After each Rounds::gather() the driver sends take_chunk() as chunk number Rounds::round().
class ChunkWriter {
 public:
  virtual ~ChunkWriter() = default;
  // The corrections since the last call. The buffer may be given back to be filled again.
  [[nodiscard]] virtual Bytes take_chunk() = 0;
  virtual void give_back(Bytes buffer) = 0;
};

// The last party's side. Before each Rounds::gather() the driver loads chunk number Rounds::round(); after it, it calls
// finish_chunk(). Chunk numbers only grow: that is the check that no correction is used twice.
class ChunkReader {
 public:
  virtual ~ChunkReader() = default;
  // Throws ProtocolError if `number` is not one more than the last.
  virtual void load_chunk(std::uint64_t number, std::span<const std::byte> corrections) = 0;
  // Throws ProtocolError if the chunk holds more than was drawn. (A draw throws where it holds less.)
  virtual void finish_chunk() = 0;
};

}  // namespace sotto
