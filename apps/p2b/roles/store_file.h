// The SQLite files of the P2B roles: the shuffler's queue, the server's survivors. A file is made where there is none,
// with mode 0600; one that others can read, of another kind or of a newer version is refused (InputError), one that
// another process holds is ResourceError. A fault
// between two steps of its making leaves a file that is completed next time.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "apps/kit/store/database.h"
#include "apps/p2b/roles/messages.h"

namespace sotto::apps::p2b {

struct StoreKind {
  const char* what;         // "the queue of a shuffler"
  std::int64_t identifier;  // SQLite's application_id
  const char* schema;       // its tables; a table meta(name, value) is made as well
};

// Opens the file, or makes it. WAL, synchronous FULL, deleted rows overwritten.
[[nodiscard]] std::unique_ptr<Database> open_store_file(const std::filesystem::path& path, const StoreKind& kind);

// SQLite's integers are signed: the same bits.
[[nodiscard]] constexpr std::int64_t as_row(std::uint64_t number) { return std::bit_cast<std::int64_t>(number); }

// Rows of the table meta.
[[nodiscard]] std::optional<std::vector<std::byte>> meta_value(Database& database, std::string_view name);
void set_meta(Database& database, std::string_view name, std::span<const std::byte> value);

// Keeps the terms with which the file was made, and refuses others (InputError).
void keep_terms(Database& database, const P2bTerms& terms, const StoreKind& kind);

// Bytes of the operating system's generator. Throws ResourceError.
[[nodiscard]] QueueId random_id();

// What the server has taken from shufflers, in one SQLite file: the tuples of every part of every batch, in the order
// in which the shuffler sent them, a row a part under the name of the part. A part that comes again, after an answer
// was lost, is known by its name and not taken twice. Nothing in it says who a tuple is of.
//
// take() is on the disk when it returns. Errors: those of open_store_file(); InputError where the file was made with
// other terms or is damaged; ResourceError where the disk is full.
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

}  // namespace sotto::apps::p2b
