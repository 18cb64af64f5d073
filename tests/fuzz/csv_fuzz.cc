// A CSV file of a user: a table or InputError, never anything else. What is read can be used as an
// environment, or is refused as one.
#include <cmath>

#include "apps/data/environment.h"
#include "apps/data/table.h"
#include "core/error/errors.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  const fuzz::MemoryFile file(data, size);
  try {
    const apps::Table table = apps::read_csv(file.path());
    fuzz::require(table.rows > 0 && !table.columns.empty(), "a table has rows and columns");
    fuzz::require(table.values.size() == table.rows * table.columns.size(), "a table is whole");
    for (const double value : table.values) fuzz::require(std::isfinite(value), "cells are finite");
    const apps::Environment environment = apps::Environment::from_table(table);
    for (std::size_t row = 0; row < environment.rows(); ++row) {
      fuzz::require(std::abs(environment.best_reward(row)) <= 1, "rewards are in [-1, 1]");
    }
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
  return 0;
}
