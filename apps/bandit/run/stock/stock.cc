#include "apps/bandit/run/stock/stock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/program/option_values.h"
#include "core/random/secret_vector.h"
#include "core/system/descriptor.h"
#include "protocols/preprocessing/recorded/material.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "sotto/protocol/wire/coding.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::bandit::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* stock_schema =
    "CREATE TABLE stock (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;CREATE TABLE stretches (number "
    "INTEGER PRIMARY KEY, name BLOB NOT NULL);PRAGMA application_id = 0x736f7473;PRAGMA user_version = 3;";

constexpr std::uint64_t largest_stretch = std::uint64_t{1} << 30;  // number of bytes

constexpr const char* remedy = "prepare a new stock in a new folder at all roles";

std::span<const std::byte> raw_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A mark that identifies this file and no copy of it. A copy has another inode and, if the file system records it,
// another time of birth.
std::string file_mark(const fs::path& file) {
  struct statx status {};
  if (::statx(AT_FDCWD, file.c_str(), 0, STATX_INO | STATX_BTIME, &status) != 0) {
    throw InputError(file.string(), "cannot be read");
  }
  const bool has_birth = (status.stx_mask & STATX_BTIME) != 0;
  return fmt::format("{} {}.{}", status.stx_ino, has_birth ? status.stx_btime.tv_sec : 0,
                     has_birth ? status.stx_btime.tv_nsec : 0);
}

// After this call, a crash cannot undo that files were added to the folder or removed from it.
void flush_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0 || (::fsync(descriptor.get()) != 0 && errno != EINVAL)) {
    throw ResourceError(fmt::format("cannot write {}: {}", folder.string(), std::generic_category().message(errno)));
  }
}

std::optional<std::vector<std::byte>> whole_file(const fs::path& file) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  if (error || size > largest_stretch) return std::nullopt;
  std::vector<std::byte> bytes(size);
  std::ifstream in(file, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) return std::nullopt;
  return bytes;
}

}  // namespace

Stock::Stock(const fs::path& folder, const StockOwner& owner, SealingKey key)
    : folder_(folder), owner_(owner), key_(std::move(key)) {
  std::error_code error;  // the next call reports the failure
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  make_private_folder(folder);
  require_private(folder, "run `chmod 700` on it");
  const fs::path file = folder / "stock.db";
  const bool is_new = !file_exists(file);
  if (is_new && !make_private_file(file)) throw ResourceError(file.string() + ": is made by another process");
  require_private(file, "run `chmod 600` on it");
  try {
    database_ =
        std::make_unique<Database>(file, "start `sotto prepare-randomness` again: what was made before is kept");
    if (is_new || fs::file_size(file) == 0) make(file);
    if (database_->number("PRAGMA application_id") != 0x736f7473 || database_->number("PRAGMA user_version") != 3) {
      throw InputError(file.string(), "is no stock, or one of another version of sotto");
    }
    database_->check_pages();
    check_owner();
    read_state();
  } catch (...) {
    std::error_code ignored;
    if (is_new) fs::remove(file, ignored);
    throw;
  }
}

void Stock::make(const fs::path& file) {
  database_->execute("PRAGMA journal_mode = WAL");
  Transaction transaction(*database_);
  database_->execute(stock_schema);
  const std::string text = fmt::format("{}\n{}\n{}", owner_.role, file_mark(file), owner_.parameters);
  const std::vector<std::byte> sealed = key_.seal(raw_bytes(text), "owner of a stock");
  Statement(*database_, "INSERT INTO stock VALUES ('role', ?)").bind(raw_bytes(owner_.role)).run();
  Statement(*database_, "INSERT INTO stock VALUES ('owner', ?)").bind(std::span<const std::byte>(sealed)).run();
  write({});
  transaction.commit();
}

void Stock::damaged() const {
  throw InputError(database_->path().string(), fmt::format("the stock is damaged: {}", remedy));
}

void Stock::check_owner() {
  const std::string file = database_->path().string();
  const auto value = [&](std::string_view name) {
    Statement query(*database_, "SELECT value FROM stock WHERE name = ?");
    query.bind(name);
    return query.next() ? query.bytes(0) : std::vector<std::byte>{};
  };
  const std::string role = text_of_bytes(value("role"));
  if (role != owner_.role) {
    throw InputError(file, fmt::format("is the stock of {}, not of {}: give each role a folder of its own",
                                       role.empty() ? "nobody" : role, owner_.role));
  }
  const auto sealed = key_.open(value("owner"), "owner of a stock");
  if (!sealed) {
    throw InputError(file,
                     fmt::format("does not open with the key of {}: it was made with another key, or is damaged; {}",
                                 owner_.role, remedy));
  }
  const std::string text = text_of_bytes(*sealed);
  const std::size_t mark = text.find('\n') + 1;
  const std::size_t parameters = text.find('\n', mark) + 1;
  if (const auto what = net::first_difference(owner_.parameters, text.substr(parameters), "the making of the stock")) {
    throw InputError(file, fmt::format("the stock is for another run: {}; {}", *what, remedy));
  }
  if (text.substr(mark, parameters - mark - 1) != file_mark(file)) {
    throw InputError(
        file, fmt::format("is a copy, or was brought back from one: randomness is used once, so copies of a stock are "
                          "refused; {}",
                          remedy));
  }
}

void Stock::read_state() {
  Statement query(*database_, "SELECT value FROM stock WHERE name = 'state'");
  const auto row = query.next() ? key_.open(query.bytes(0), "state of a stock") : std::nullopt;
  if (!row) damaged();
  ByteReader reader(*row);
  State state;
  state.begun = reader.flag();
  state.whole = reader.flag();
  state.stretches = reader.number<std::uint64_t>();
  state.bytes = reader.number<std::uint64_t>();
  for (StockMark* mark : {&state.last, &state.before}) {
    mark->name = reader.array<sizeof(net::Digest)>();
    mark->steps = reader.number<std::uint64_t>();
  }
  state.announced = reader.long_text();
  state.data = reader.array<sizeof(net::Digest)>();
  if (!reader.at_end()) damaged();
  state_ = state;
}

void Stock::write(const State& state) {
  ByteWriter writer;
  writer.octet(state.begun ? 1 : 0);
  writer.octet(state.whole ? 1 : 0);
  writer.number(state.stretches);
  writer.number(state.bytes);
  for (const StockMark* mark : {&state.last, &state.before}) {
    writer.bytes(mark->name);
    writer.number(mark->steps);
  }
  writer.long_text(state.announced);
  writer.bytes(state.data);
  const std::vector<std::byte> sealed = key_.seal(writer.take(), "state of a stock");
  Statement(*database_, "INSERT OR REPLACE INTO stock VALUES ('state', ?)")
      .bind(std::span<const std::byte>(sealed))
      .run();
}

std::string Stock::place(std::uint64_t number, const net::Digest& name) const {
  return fmt::format("stretch {} of a stock of {}: {}", number, owner_.role, hex(name));
}

fs::path Stock::file_of(std::uint64_t number) const { return folder_ / fmt::format("stretch_{}", number); }

StockState Stock::state() const {
  StockState state;
  state.is_there = true;
  state.begun = state_.begun;
  state.stretches = state_.stretches;
  state.name = state_.last.name;
  state.before = state_.before.name;
  return state;
}

void Stock::remove_files_from(std::uint64_t number) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    const bool is_stretch = name.find("stretch_") <= 1;  // or ".stretch_"
    const bool is_kept =
        name.starts_with("stretch_") && number_of<std::uint64_t>(name.substr(8)).value_or(number) < number;
    if (is_stretch && !is_kept) files.push_back(entry.path());
  }
  for (const fs::path& file : files) fs::remove(file);
}

void Stock::open(const StockPoint& point, const std::string& announced, const net::SessionId& session) {
  session_ = session;
  State state = state_;
  if (point.anew) {
    state = {};
  } else if (point.stretches < state_.stretches) {
    state.stretches = point.stretches;
    state.last = std::exchange(state.before, {});
    state.whole = false;
  }
  if (state.stretches == 0) state = {};
  if (state.stretches > 0) {
    if (const auto what = net::first_difference(announced, state.announced, "the making of the stock")) {
      throw InputError(database_->path().string(), fmt::format("the stock is for other data: {}; {}", *what, remedy));
    }
    if (owner_.data != state.data) {
      throw InputError(
          database_->path().string(),
          fmt::format("the stock was made for other rows than {} has now, and one stock for both could show "
                      "how they differ; {}",
                      owner_.role, remedy));
    }
  }
  state.announced = announced;
  state.data = owner_.data;
  Transaction transaction(*database_);
  Statement(*database_, "DELETE FROM stretches WHERE number >= ?")
      .bind(static_cast<std::int64_t>(state.stretches))
      .run();
  write(state);
  transaction.commit();
  state_ = std::move(state);
  remove_files_from(state_.stretches);
}

void Stock::begin() {
  State state = state_;
  state.begun = true;
  write(state);
  state_.begun = true;
}

protocols::RecordedMaterial Stock::read(std::uint64_t number) {
  Statement query(*database_, "SELECT name FROM stretches WHERE number = ?");
  query.bind(static_cast<std::int64_t>(number));
  const std::vector<std::byte> bytes = query.next() ? query.bytes(0) : std::vector<std::byte>{};
  if (!file_exists(file_of(number))) {
    throw InputError(file_of(number).string(),
                     fmt::format("is not there: it was used before, or taken away; {}", remedy));
  }
  ByteReader reader(bytes);
  const auto name = reader.array<sizeof(net::Digest)>();
  const auto sealed = whole_file(file_of(number));
  if (!reader.at_end() || !sealed) damaged();
  const auto row = key_.open(*sealed, place(number, name));
  if (!row) damaged();
  auto material = protocols::decode_material(*row);
  if (!material) damaged();
  return std::move(*material);
}

protocols::RecordedMaterial Stock::take(std::uint64_t number) {
  if (!state_.begun) throw std::logic_error("no run has begun with this stock");
  protocols::RecordedMaterial material = read(number);
  fs::remove(file_of(number));
  flush_folder(folder_);
  return material;
}

void Stock::put(const protocols::RecordedMaterial& material, bool last) {
  State state = state_;
  const std::uint64_t number = state.stretches++;
  state.whole = last;
  state.before = state.last;
  state.last.steps = next_steps_;
  state.last.name = net::sha256(fmt::format("{}\n{}\n{}", hex(state.before.name), net::text_of(session_), number));
  const std::vector<std::byte> sealed = key_.seal(protocols::encode(material), place(number, state.last.name));
  if (sealed.size() > largest_stretch) throw ResourceError("a stretch of randomness is too large for a stock");
  state.bytes += sealed.size();
  write_file(file_of(number), text_of_bytes(sealed));
  fs::permissions(file_of(number), fs::perms::owner_read | fs::perms::owner_write);
  flush_folder(folder_);
  Transaction transaction(*database_);
  Statement(*database_, "INSERT INTO stretches VALUES (?, ?)")
      .bind(static_cast<std::int64_t>(number))
      .bind(std::span<const std::byte>(state.last.name))
      .run();
  write(state);
  transaction.commit();
  state_ = std::move(state);
}

std::unique_ptr<Stock> open_stock(const RoleSettings& role, const std::filesystem::path& folder,
                                  const net::Digest& data) {
  const net::Identity identity = net::Identity::read(role.key);
  std::array<std::byte, SealingKey::size> secret{};
  const WipeAtExit wiped(secret);
  identity.derive("sotto stock", secret);
  SealingKey key = SealingKey::derive(secret, "stock of " + role.name());
  StockOwner owner{role.name(), run_parameters(role), {}};
  // The digest has a key, so that a person who reads the digest cannot test guesses about the rows.
  identity.derive("rows of a stock: " + hex(data), owner.data);
  return std::make_unique<Stock>(folder, owner, std::move(key));
}

}  // namespace sotto::apps::bandit::run
