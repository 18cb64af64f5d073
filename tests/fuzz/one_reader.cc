// The fuzz target of one function of readers.h: SOTTO_FUZZ_READER.
#include "tests/fuzz/readers.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const sotto::fuzz::MemoryFile file(data, size);
  sotto::fuzz::SOTTO_FUZZ_READER(file.path(), size);
  return 0;
}
