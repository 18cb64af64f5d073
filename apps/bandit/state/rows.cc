#include "sotto/apps/bandit/state/rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <limits>

namespace sotto::apps {
namespace {

// The first byte of a row, so that a row of one kind is never read as another.
enum class Kind : std::uint8_t { checkpoint = 1, opened_epoch = 2, pulled_arms = 3 };

// Little-endian numbers, one after the other.
class RowWriter {
 public:
  explicit RowWriter(Kind kind) { number(static_cast<std::uint8_t>(kind)); }

  template <std::unsigned_integral T>
  void number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
  }
  void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  template <std::unsigned_integral T>
  void numbers(const std::vector<T>& values) {
    number(static_cast<std::uint64_t>(values.size()));
    bytes_.reserve(bytes_.size() + values.size() * sizeof(T));
    for (const T value : values) number(value);
  }
  void raw(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Once the bytes end too early, all that is read is zero and complete() is false.
class RowReader {
 public:
  RowReader(Kind kind, std::span<const std::byte> row) : rest_(row) {
    good_ = number<std::uint8_t>() == static_cast<std::uint8_t>(kind) && good_;
  }

  template <std::unsigned_integral T>
  T number() {
    const auto bytes = take(sizeof(T));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    }
    return static_cast<T>(value);
  }
  double real() { return std::bit_cast<double>(number<std::uint64_t>()); }
  // The length of a list whose entries take `entry` bytes each.
  std::size_t length(std::size_t entry) {
    const auto count = number<std::uint64_t>();
    if (count <= rest_.size() / entry) return static_cast<std::size_t>(count);
    good_ = false;
    return 0;
  }
  template <std::unsigned_integral T>
  std::vector<T> numbers() {
    std::vector<T> values(length(sizeof(T)));
    for (T& value : values) value = number<T>();
    return values;
  }
  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) {
      good_ = false;
      rest_ = {};
      return {};
    }
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  [[nodiscard]] bool complete() const { return good_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool good_ = true;
};

void write(RowWriter& row, const StepCounts& progress) {
  row.number(progress.begun);
  row.number(progress.taken);
}

StepCounts read_progress(RowReader& row) {
  StepCounts progress;
  progress.begun = row.number<std::uint64_t>();
  progress.taken = row.number<std::uint64_t>();
  return progress;
}

void write(RowWriter& row, const RewardCurve::State& curve) {
  row.number(curve.steps);
  row.real(curve.sum);
  row.real(curve.lost);
  row.number(static_cast<std::uint64_t>(curve.points.size()));
  for (const CurvePoint& point : curve.points) {
    row.number(point.step);
    row.real(point.average_reward);
  }
}

RewardCurve::State read_curve(RowReader& row) {
  RewardCurve::State curve;
  curve.steps = row.number<std::uint64_t>();
  curve.sum = row.real();
  curve.lost = row.real();
  curve.points.resize(row.length(2 * sizeof(std::uint64_t)));
  for (CurvePoint& point : curve.points) {
    point.step = row.number<std::uint64_t>();
    point.average_reward = row.real();
  }
  return curve;
}

}  // namespace

std::vector<std::byte> encode(const Checkpoint& checkpoint) {
  RowWriter row(Kind::checkpoint);
  row.number(checkpoint.steps);
  row.number(checkpoint.epoch);
  write(row, checkpoint.progress);
  row.raw(checkpoint.id);
  row.numbers(checkpoint.inverses);
  row.numbers(checkpoint.targets);
  row.number(static_cast<std::uint8_t>(checkpoint.curve ? 1 : 0));
  if (checkpoint.curve) write(row, *checkpoint.curve);
  return row.take();
}

std::vector<std::byte> encode(const OpenedEpoch& opened) {
  RowWriter row(Kind::opened_epoch);
  row.number(opened.epoch);
  row.number(opened.from_step);
  write(row, opened.progress);
  row.raw(opened.boot);
  return row.take();
}

std::vector<std::byte> encode(const PulledArms& arms) {
  RowWriter row(Kind::pulled_arms);
  row.number(arms.first);
  row.numbers(arms.arms);
  return row.take();
}

std::optional<Checkpoint> decode_checkpoint(std::span<const std::byte> row) {
  RowReader reader(Kind::checkpoint, row);
  Checkpoint checkpoint;
  checkpoint.steps = reader.number<std::uint64_t>();
  checkpoint.epoch = reader.number<std::uint32_t>();
  checkpoint.progress = read_progress(reader);
  const auto id = reader.take(checkpoint.id.size());
  std::copy(id.begin(), id.end(), checkpoint.id.begin());
  checkpoint.inverses = reader.numbers<std::uint64_t>();
  checkpoint.targets = reader.numbers<std::uint64_t>();
  const auto has_curve = reader.number<std::uint8_t>();
  if (has_curve > 1) return std::nullopt;
  if (has_curve == 1) checkpoint.curve = read_curve(reader);
  if (!reader.complete()) return std::nullopt;
  return checkpoint;
}

std::optional<OpenedEpoch> decode_opened_epoch(std::span<const std::byte> row) {
  RowReader reader(Kind::opened_epoch, row);
  OpenedEpoch opened{};
  opened.epoch = reader.number<std::uint32_t>();
  opened.from_step = reader.number<std::uint64_t>();
  opened.progress = read_progress(reader);
  const auto boot = reader.take(opened.boot.size());
  if (!reader.complete()) return std::nullopt;
  std::copy(boot.begin(), boot.end(), opened.boot.begin());
  return opened;
}

std::optional<PulledArms> decode_pulled_arms(std::span<const std::byte> row) {
  RowReader reader(Kind::pulled_arms, row);
  PulledArms arms;
  arms.first = reader.number<std::uint64_t>();
  arms.arms = reader.numbers<std::uint32_t>();
  if (!reader.complete()) return std::nullopt;
  return arms;
}

}  // namespace sotto::apps
