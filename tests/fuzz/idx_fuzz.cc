// An IDX file of images and of labels: what the header says, or InputError.
#include "sotto/apps/kit/data/idx.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  const fuzz::MemoryFile file(data, size);
  try {
    const apps::IdxImages images = apps::read_idx_images(file.path());
    fuzz::require(images.pixels.size() == images.count * images.height * images.width,
                  "images are whole");
    fuzz::require(images.pixels.size() + 16 == size, "every byte is a pixel's");
  } catch (const InputError&) {
    // Most inputs are none.
  }
  try {
    fuzz::require(apps::read_idx_labels(file.path()).size() + 8 == size, "every byte is a label");
  } catch (const InputError&) {
    // Most inputs are none.
  }
  return 0;
}
