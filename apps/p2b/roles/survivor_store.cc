#include "sotto/apps/p2b/roles/survivor_store.h"

#include "sotto/apps/p2b/roles/store_file.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr StoreKind survivors_kind{
    "the survivors of a P2B server", 0x73503273,  // "sP2s"
    "CREATE TABLE parts (queue BLOB, batch INTEGER, part INTEGER, parts INTEGER NOT NULL, tuples "
    "BLOB NOT NULL, PRIMARY KEY (queue, batch, part));"};

constexpr const char* count_batches =
    "SELECT count(*) FROM (SELECT 1 FROM parts GROUP BY queue, batch HAVING count(*) = max(parts))";

}  // namespace

SurvivorStore::SurvivorStore(const std::filesystem::path& path, const P2bTerms& terms)
    : database_(open_store_file(path, survivors_kind)) {
  keep_terms(*database_, terms, survivors_kind);
  tuples_ =
      static_cast<std::uint64_t>(database_->number("SELECT coalesce(sum(length(tuples)), 0) FROM parts")) / tuple_bytes;
  batches_ = static_cast<std::uint64_t>(database_->number(count_batches));
}

bool SurvivorStore::take(const SurvivorPart& part) {
  Transaction transaction(*database_);
  Statement(*database_, "INSERT INTO parts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .bind(std::span<const std::byte>(part.name.queue))
      .bind(static_cast<std::int64_t>(part.name.batch))
      .bind(static_cast<std::int64_t>(part.name.part))
      .bind(static_cast<std::int64_t>(part.parts))
      .bind(encode_tuples(part.tuples))
      .run();
  if (database_->changes() == 0) return false;
  transaction.commit();
  tuples_ += part.tuples.size();
  Statement whole(*database_, "SELECT count(*) = max(parts) FROM parts WHERE queue = ? AND batch = ?");
  whole.bind(std::span<const std::byte>(part.name.queue)).bind(static_cast<std::int64_t>(part.name.batch));
  if (whole.next() && whole.number(0) == 1) ++batches_;
  return true;
}

void SurvivorStore::replay(const std::function<void(std::span<const Tuple>)>& use) {
  Statement query(*database_, "SELECT tuples FROM parts ORDER BY rowid");
  while (query.next()) {
    const auto tuples = decode_tuples(query.bytes(0));
    if (!tuples) throw InputError(database_->path().string(), "a part in it is damaged");
    use(*tuples);
  }
}

}  // namespace sotto::apps
