// A role's rows in memory, in place of a disk. A test can copy the rows, restore the copy, and make the disk lose
// uncommitted rows.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "apps/live/rows/live_rows.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live::testing {

[[nodiscard]] inline std::uint64_t hash_of_bytes(std::span<const std::byte> bytes) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

class Disk {
 public:
  using Rows = std::map<RowKey, LiveRow>;

  [[nodiscard]] const Rows& rows() const { return *rows_; }
  // Later changes of the rows do not change the returned copy.
  [[nodiscard]] std::shared_ptr<const Rows> share() const { return rows_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

  void apply(const RowChanges& changes) {
    auto next = std::make_shared<Rows>(*rows_);
    for (const auto& [key, row] : changes) {
      if (const auto old = next->find(key); old != next->end()) hash_ -= hash_of(key, old->second);
      if (!row) {
        next->erase(key);
        continue;
      }
      hash_ += hash_of(key, *row);
      (*next)[key] = *row;
    }
    rows_ = std::move(next);
  }

 private:
  static std::uint64_t hash_of(const RowKey& key, const LiveRow& row) {
    const std::uint64_t of_key = hash_of_bytes(key.key) + 31 * static_cast<std::uint64_t>(key.table);
    return (of_key * 0x9e3779b97f4a7c15 ^ hash_of_bytes(row)) * 0xff51afd7ed558ccd;
  }

  std::shared_ptr<const Rows> rows_ = std::make_shared<Rows>();
  std::uint64_t hash_ = 0;
};

// A test may read the rows while the role's threads write them.
class MemoryRows final : public LiveRows {
 public:
  MemoryRows() = default;
  explicit MemoryRows(Disk& disk) : disk_(&disk) {}

  void use(Disk& disk) { disk_ = &disk; }
  [[nodiscard]] Disk copy() const {
    const std::lock_guard lock(mutex_);
    return *disk_;
  }
  // Simulates a disk that loses data: `spoils` changes the rows before they are written.
  void spoil(std::function<void(RowChanges&)> spoils) { spoils_ = std::move(spoils); }
  // Makes the next commit fail, before anything is written.
  void fail_next() { fails_ = true; }
  void fill(bool full) { full_ = full; }
  // The role dies at the commit after this many further commits, before or after that commit is written. From then
  // until revive(), nothing is read or written.
  void die_after(std::size_t commits, bool written) {
    left_ = commits;
    dies_written_ = written;
    dies_ = true;
  }
  [[nodiscard]] bool has_died() const { return dead_; }
  void revive() {
    dies_ = false;
    dead_ = false;
  }

  [[nodiscard]] std::optional<LiveRow> get(const RowKey& key) const override {
    check_alive();
    const auto rows = share();
    const auto found = rows->find(key);
    if (found == rows->end()) return std::nullopt;
    return found->second;
  }
  void each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const override {
    check_alive();
    const auto rows = share();
    for (auto row = rows->lower_bound(RowKey{table, {}}); row != rows->end() && row->first.table == table; ++row) {
      if (!take(row->first, row->second)) return;
    }
  }
  void commit(const RowChanges& changes) override {
    check_alive();
    if (full_ || fails_.exchange(false)) throw ResourceError("the disk is full");
    const bool is_last = dies_ && left_-- == 0;
    if (is_last && !dies_written_) die();
    RowChanges kept = changes;
    if (spoils_) spoils_(kept);
    {
      const std::lock_guard lock(mutex_);
      disk_->apply(kept);
    }
    if (is_last) die();
  }

 private:
  void check_alive() const {
    if (dead_) throw ResourceError("the role has died");
  }
  void die() {
    dead_ = true;
    check_alive();
  }

  [[nodiscard]] std::shared_ptr<const Disk::Rows> share() const {
    const std::lock_guard lock(mutex_);
    return disk_->share();
  }

  mutable std::mutex mutex_;
  Disk* disk_ = nullptr;
  std::function<void(RowChanges&)> spoils_;
  std::atomic<bool> fails_{false};
  std::atomic<bool> full_{false};
  std::atomic<bool> dead_{false};
  std::atomic<bool> dies_{false};
  bool dies_written_ = false;
  std::size_t left_ = 0;
};

}  // namespace sotto::apps::live::testing
