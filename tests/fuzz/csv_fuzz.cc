// A CSV file of a user, whose header line is needed or may be missing: a table or InputError, never
// anything else. What is read with a header can be used as an environment, or is refused as one.
#include <cmath>

#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/files/number_rows.h"
#include "sotto/apps/kit/files/table.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

namespace {

using namespace sotto;

void check(const apps::Table& table) {
  fuzz::require(table.rows > 0 && !table.columns.empty(), "a table has rows and columns");
  fuzz::require(table.values.size() == table.rows * table.columns.size(), "a table is whole");
  for (const double value : table.values) fuzz::require(std::isfinite(value), "cells are finite");
}

template <class Reader>
void read(Reader reader) {
  try {
    reader();
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  read([&] { check(apps::read_number_rows(file.path())); });
  read([&] {
    const apps::Table table = apps::read_csv(file.path());
    check(table);
    const apps::Environment environment = apps::Environment::from_table(table);
    for (std::size_t row = 0; row < environment.rows(); ++row) {
      fuzz::require(std::abs(environment.best_reward(row)) <= 1, "rewards are in [-1, 1]");
    }
  });
  return 0;
}
