// What the server has taken from shufflers, in one SQLite file: the tuples of every part of every batch, in the order
// in which the shuffler sent them, a row a part under the name of the part. A part that comes again, after an answer
// was lost, is known by its name and not taken twice. Nothing in it says who a tuple is of.
//
// take() is on the disk when it returns. Errors: those of open_store_file(); InputError where the file was made with
// other terms or is damaged; ResourceError where the disk is full.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "sotto/apps/kit/store/database.h"
#include "sotto/apps/p2b/roles/messages.h"

namespace sotto::apps {

class SurvivorStore {
 public:
  SurvivorStore(const std::filesystem::path& path, const P2bTerms& terms);

  // False where the store has that part already: nothing is done then.
  bool take(const SurvivorPart& part);
  // Calls `use` with the tuples of each part.
  void replay(const std::function<void(std::span<const Tuple>)>& use);

  [[nodiscard]] std::uint64_t tuples() const noexcept { return tuples_; }
  [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }

 private:
  std::unique_ptr<Database> database_;
  std::uint64_t tuples_ = 0;
  std::uint64_t batches_ = 0;  // of which all parts are here
};

}  // namespace sotto::apps
