#include "apps/bandit/run/state/rows.h"

#include <tuple>

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::bandit::run {
namespace {

// The first byte of a row is its kind, so no decoder accepts a row of another kind.
enum class Kind : std::uint8_t { checkpoint = 1, opened_epoch = 2, pulled_arms = 3 };

ByteWriter row_of(Kind kind) {
  ByteWriter row;
  row.number(kind);
  return row;
}

ByteReader read(Kind kind, std::span<const std::byte> row) {
  ByteReader reader(row);
  reader.expect({reinterpret_cast<const char*>(&kind), 1});
  return reader;
}

void write(ByteWriter& row, const StepCounts& progress) {
  row.number(progress.begun);
  row.number(progress.taken);
}

StepCounts read_progress(ByteReader& row) {
  StepCounts progress;
  progress.begun = row.number<std::uint64_t>();
  progress.taken = row.number<std::uint64_t>();
  return progress;
}

void write(ByteWriter& row, const RewardCurve::State& curve) {
  row.number(curve.steps);
  row.number(curve.sum);
  row.number(curve.lost);
  row.number(std::uint64_t{curve.points.size()});
  for (const CurvePoint& point : curve.points) {
    row.number(point.step);
    row.number(point.average_reward);
  }
}

RewardCurve::State read_curve(ByteReader& row) {
  RewardCurve::State curve;
  curve.steps = row.number<std::uint64_t>();
  curve.sum = row.number<double>();
  curve.lost = row.number<double>();
  curve.points.resize(row.length(2 * sizeof(std::uint64_t)));
  for (CurvePoint& point : curve.points) {
    point.step = row.number<std::uint64_t>();
    point.average_reward = row.number<double>();
  }
  return curve;
}

}  // namespace

std::vector<std::byte> encode(const Checkpoint& checkpoint) {
  ByteWriter row = row_of(Kind::checkpoint);
  row.number(checkpoint.steps);
  row.number(checkpoint.epoch);
  write(row, checkpoint.progress);
  row.bytes(checkpoint.id);
  row.numbers(std::span(checkpoint.inverses));
  row.numbers(std::span(checkpoint.targets));
  row.octet(checkpoint.curve ? 1 : 0);
  if (checkpoint.curve) write(row, *checkpoint.curve);
  return row.take();
}

std::vector<std::byte> encode(const OpenedEpoch& opened) {
  ByteWriter row = row_of(Kind::opened_epoch);
  row.number(opened.epoch);
  row.number(opened.from_step);
  write(row, opened.progress);
  row.bytes(opened.boot);
  return row.take();
}

std::vector<std::byte> encode(const PulledArms& arms) {
  ByteWriter row = row_of(Kind::pulled_arms);
  row.number(arms.first);
  row.numbers(std::span(arms.arms));
  return row.take();
}

std::optional<Checkpoint> decode_checkpoint(std::span<const std::byte> row) {
  ByteReader reader = read(Kind::checkpoint, row);
  Checkpoint checkpoint;
  checkpoint.steps = reader.number<std::uint64_t>();
  checkpoint.epoch = reader.number<std::uint32_t>();
  checkpoint.progress = read_progress(reader);
  checkpoint.id = reader.array<std::tuple_size_v<CheckpointId>>();
  checkpoint.inverses = reader.numbers<std::uint64_t>();
  checkpoint.targets = reader.numbers<std::uint64_t>();
  if (reader.flag()) checkpoint.curve = read_curve(reader);
  if (!reader.at_end()) return std::nullopt;
  return checkpoint;
}

std::optional<OpenedEpoch> decode_opened_epoch(std::span<const std::byte> row) {
  ByteReader reader = read(Kind::opened_epoch, row);
  OpenedEpoch opened{};
  opened.epoch = reader.number<std::uint32_t>();
  opened.from_step = reader.number<std::uint64_t>();
  opened.progress = read_progress(reader);
  opened.boot = reader.array<std::tuple_size_v<decltype(opened.boot)>>();
  if (!reader.at_end()) return std::nullopt;
  return opened;
}

std::optional<PulledArms> decode_pulled_arms(std::span<const std::byte> row) {
  ByteReader reader = read(Kind::pulled_arms, row);
  PulledArms arms;
  arms.first = reader.number<std::uint64_t>();
  arms.arms = reader.numbers<std::uint32_t>();
  if (!reader.at_end()) return std::nullopt;
  return arms;
}

}  // namespace sotto::apps::bandit::run
