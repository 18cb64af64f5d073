// The file of an encoder: an encoder or InputError. What is read encodes contexts to its codes, and is
// written to a file that is the same encoder.
#include <algorithm>
#include <string>
#include <vector>

#include "sotto/apps/p2b/encoder.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  const fuzz::MemoryFile file(data, size);
  try {
    const apps::Encoder encoder = apps::read_encoder(file.path());
    fuzz::require(encoder.centroids().size() == encoder.codes() * encoder.dimension(),
                  "an encoder is whole");
    const std::vector<double> context(encoder.dimension(), 1);
    fuzz::require(encoder.encode(context) < encoder.codes(), "a code is one of the encoder's");
    const std::string text = apps::encoder_csv(encoder);
    const fuzz::MemoryFile written(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    const apps::Encoder again = apps::read_encoder(written.path());
    fuzz::require(std::equal(again.centroids().begin(), again.centroids().end(),
                             encoder.centroids().begin(), encoder.centroids().end()),
                  "an encoder that is written reads back");
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
  return 0;
}
