// A file of tuples, with and without limits: tuples or InputError. What is read is within the limits,
// and is written to a file of the same tuples.
#include <algorithm>
#include <string>

#include "sotto/apps/p2b/tuple_file.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

namespace {

using namespace sotto;

bool same(const apps::Tuple& a, const apps::Tuple& b) {
  return a.code == b.code && a.arm == b.arm && a.reward == b.reward;
}

void read(const std::filesystem::path& path, const apps::TupleLimits& limits) {
  try {
    const apps::TupleFile file = apps::read_tuples(path, limits);
    for (const apps::Tuple& tuple : file.tuples) {
      fuzz::require(!limits.codes || tuple.code < *limits.codes, "a code is within its limit");
      fuzz::require(!limits.arms || tuple.arm < *limits.arms, "an arm is within its limit");
      fuzz::require(tuple.reward >= 0 && tuple.reward <= 1, "a reward is in [0, 1]");
    }
    const std::string text = apps::tuples_csv(file.tuples);
    const fuzz::MemoryFile written(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    const apps::TupleFile again = apps::read_tuples(written.path(), limits);
    fuzz::require(std::equal(again.tuples.begin(), again.tuples.end(), file.tuples.begin(),
                             file.tuples.end(), same),
                  "tuples that are written read back");
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  read(file.path(), {});
  read(file.path(), {16, 3});
  return 0;
}
