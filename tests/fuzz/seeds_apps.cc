// The seeds of the targets of the programs.
#include "apps/bandit/run/state/rows.h"
#include "apps/bandit/run/stock/standing.h"
#include "apps/live/import/foreign_model.h"
#include "apps/live/order/frames.h"
#include "apps/live/order/opening.h"
#include "apps/live/roles/call_figures.h"
#include "apps/live/roles/decisions.h"
#include "apps/live/roles/features.h"
#include "apps/live/roles/order_book.h"
#include "apps/live/roles/rewards.h"
#include "apps/p2b/model.h"
#include "apps/p2b/roles/messages.h"
#include "apps/robin/roles/messages.h"
#include "tests/fuzz/seeds.h"

namespace sotto::fuzz {
namespace {

namespace fs = std::filesystem;

// Of the target robin_messages: the decoder's number first.
void write_robin(const fs::path& corpus, const std::string& name, unsigned decoder, const Bytes& payload) {
  Bytes input{static_cast<std::byte>(decoder)};
  append(input, payload);
  write(corpus / "robin_messages" / name, input);
}

void write_robin_seeds(const fs::path& corpus) {
  write_robin(corpus, "join_of_many", 0, encode(apps::RobinJoin{2, 3}));
  write_robin(corpus, "join_with_data", 0, encode(apps::RobinJoin{1, 1, 2, 2, 14, 5}));
  apps::RobinTerms terms;
  terms.settings.lambda_min = 0.2;
  terms.settings = apps::checked(terms.settings);
  write_robin(corpus, "settings", 1, encode(terms));
  write_robin(corpus, "play_first", 2, encode(apps::RobinPlay{0, {}}));
  write_robin(corpus, "play", 2, encode(apps::RobinPlay{1, {0.5, -0.25}}));
  write_robin(corpus, "estimates", 3, encode(apps::RobinEstimates{0, {0.5, -0.25}}));
  write_robin(corpus, "finished", 4, encode(apps::RobinFinished{6, 0.99}));
  write_robin(corpus, "failed", 5, encode(apps::RobinFailed{ExitCode::peer_lost, "client 3 was lost"}));
}

void write_p2b_seeds(const fs::path& folder) {
  apps::P2bTerms terms{.codes = 16, .arms = 3};
  write(folder / "terms", encode(terms));
  const std::vector<apps::Report> reports{{apps::user_token("1"), 7, {3, 2, 1}},
                                          {apps::user_token("2"), 8, {15, 0, 0.5}}};
  const Bytes of_reports = apps::encode_reports(4, reports);
  write(folder / "reports", of_reports);
  write(folder / "reports_cut", Bytes(of_reports.begin(), of_reports.end() - 1));
  write(folder / "no_reports", apps::encode_reports(5, {}));
  write(folder / "receipt", encode(apps::Receipt{4, 2, 1}));
  const apps::PartName name{{}, 2, 1};
  write(folder / "part", encode(apps::SurvivorPart{name, 3, {{3, 2, 1}, {3, 1, 0}}}));
  write(folder / "part_beyond_its_parts", encode(apps::SurvivorPart{name, 1, {{3, 2, 1}}}));
  write(folder / "taken", encode(name));
  write(folder / "model", apps::encode_model(terms, Bytes(40, std::byte{1})));
}

// Of the target stored_rows: the table, the number and the length first.
Bytes stored_row(unsigned table, unsigned number, const Bytes& row) {
  Bytes out{static_cast<std::byte>(table)};
  for (const std::size_t word : {std::size_t{number}, row.size()}) {
    out.push_back(static_cast<std::byte>(word));
    out.push_back(static_cast<std::byte>(word >> 8));
  }
  append(out, row);
  return out;
}

void write_stored_rows_seeds(const fs::path& folder) {
  Bytes rows = stored_row(0, 3, encode(apps::OpenedEpoch{3, 20, {25, 30}, {}}));
  apps::Checkpoint checkpoint{
      .steps = 20, .epoch = 3, .progress = {25, 30}, .inverses = {1, 2, 3}, .targets = {4, 5}, .curve = {}};
  append(rows, stored_row(1, 20, encode(checkpoint)));
  append(rows, stored_row(2, 0, encode(apps::PulledArms{0, {1, 0, 3}})));
  write(folder / "goes_on", rows);
  append(rows, stored_row(3, 0, {}));
  write(folder / "complete", rows);
  write(folder / "other_number", stored_row(1, 30, encode(checkpoint)));
  checkpoint.progress = {~std::uint64_t{0}, 1};
  write(folder / "beyond_the_run", stored_row(1, 20, encode(checkpoint)));
  write(folder / "epoch_without_end", stored_row(0, 3, encode(apps::OpenedEpoch{3, ~std::uint64_t{0}, {25, 30}, {}})));
}

// As the target p2b_model takes them.
void write_p2b_model_seeds(const fs::path& folder) {
  const apps::Encoder encoder({2, 1, 4, apps::EncoderKind::kmeans, 1}, {0.0, 1.0, 0.3, 0.7, 0.6, 0.4, 1.0, 0.0});
  const auto seed = [](const apps::Model& model, bool with_encoder) {
    Bytes input{std::byte{with_encoder}};
    append(input, model.to_bytes());
    return input;
  };
  apps::Model one_hot(4, 3);
  write(folder / "empty", seed(one_hot, false));
  for (const apps::Tuple& tuple : {apps::Tuple{0, 1, 1.0}, {0, 2, 0.5}, {3, 0, 0.0}}) one_hot.update(tuple);
  write(folder / "one_hot", seed(one_hot, false));
  apps::Model centroids(apps::ContextKind::centroid, encoder, 3);
  centroids.update(apps::Tuple{2, 2, 0.75});
  write(folder / "centroids", seed(centroids, true));
  Bytes cut = seed(centroids, true);
  cut.pop_back();
  write(folder / "cut", cut);
  write(folder / "other_arms", seed(apps::Model(4, 100'000), true));
}

apps::OrderEntry live_decide() {
  apps::OrderEntry entry;
  entry.number = 7;
  entry.program = 9;
  entry.shape = {apps::EntryKind::decide, 4};
  entry.cut_off = 20;
  entry.before = net::sha256("6");
  entry.events = {apps::EventId{std::byte{1}}, apps::EventId{std::byte{2}}};
  entry.subjects = {"p-81f2", "-"};
  entry.barred = {{0, 2}, {1, 0}};
  return entry;
}

void write_live_order_seeds(const fs::path& folder) {
  using apps::OrderFrame;
  apps::OrderEntry learn;
  learn.number = 8;
  learn.program = 10;
  learn.shape = {apps::EntryKind::learn, 4};
  learn.batches = {3, 7};
  apps::OrderEntry change;
  change.number = 9;
  change.shape = {apps::EntryKind::mode, 0};
  change.mode = apps::LiveMode::frozen;
  write(folder / "plan", encode(OrderFrame(apps::PlanFrame{3, 12, {{apps::EntryKind::decide, 64}, learn.shape}})));
  write(folder / "skip", encode(OrderFrame(apps::SkipFrame{4})));
  write(folder / "decide", encode(OrderFrame(apps::ProposeFrame{live_decide()})));
  write(folder / "learn", encode(OrderFrame(apps::ProposeFrame{learn})));
  write(folder / "mode", encode(OrderFrame(apps::ProposeFrame{change})));
  apps::OrderEntry secret = live_decide();
  secret.shape.secret = true;
  write(folder / "secret", encode(OrderFrame(apps::ProposeFrame{secret})));
  write(folder / "begin", encode(OrderFrame(apps::BeginFrame{10, learn.shape, learn.batches})));
  write(folder / "ran", encode(OrderFrame(apps::RanFrame{10})));
  write(folder / "done", encode(OrderFrame(apps::DoneFrame{7, net::sha256("7")})));
  write(folder / "restate", encode(OrderFrame(apps::RestateFrame{net::sha256("7"), 2, live_decide(), Bytes(12)})));
  write(folder / "opened", encode(OrderFrame(apps::OpenedFrame{3})));
  write(folder / "settled", encode(OrderFrame(apps::SettledFrame{7, net::sha256("7")})));
  const apps::OrderMark before{6, net::sha256("6"), 2, net::sha256("entry 6")};
  const apps::OrderMark last{7, net::sha256("7"), 3, net::sha256("entry 7")};
  apps::OrderEntry recovery;
  recovery.number = 8;
  recovery.shape = {apps::EntryKind::recovery, 0};
  recovery.recovery.snapshot = true;
  recovery.recovery.model = net::sha256("5");
  recovery.recovery.told = 7;
  apps::LiveStanding standing;
  standing.marks = {apps::OrderMark{}};
  write(folder / "standing_at_first", encode(standing));
  standing.epoch = 3;
  standing.marks = {before, last};
  write(folder / "standing", encode(standing));
  standing.wish = {true, 5, net::sha256("5"), 40, {40, 36}, false, true, true};
  write(folder / "standing_of_party", encode(standing));
  standing.marks = {last};
  standing.recovered = recovery.recovery;
  standing.recovered->told = 6;
  write(folder / "standing_recovered", encode(standing));
  apps::LiveStanding dealer;
  dealer.keeps_order = false;
  dealer.epoch = 3;
  dealer.settled = 7;
  write(folder / "standing_of_dealer", encode(dealer));
  write(folder / "opening", encode(apps::LiveOpening{4, 7, net::sha256("7"), {}}));
  write(folder / "opening_recovery", encode(apps::LiveOpening{4, 8, recovery_id(recovery, 4), recovery}));
  write(folder / "known",
        encode(OrderFrame(apps::KnownFrame{true, 70, 40, 6, {40, 36}, {{3, 1000, true, live_decide().events}}})));
}

// Of the target live_messages: what the actor says at the beginning of a service, relayed by nobody.
Bytes heard_messages(const std::vector<apps::OrderFrame>& frames, std::uint8_t from) {
  Bytes out;
  for (const apps::OrderFrame& frame : frames) {
    Bytes message = encode(frame);
    message.insert(message.begin(), std::byte{2});  // the actor of two parties
    out.push_back(std::byte{from});
    out.push_back(static_cast<std::byte>(message.size()));
    out.push_back(static_cast<std::byte>(message.size() >> 8));
    append(out, message);
  }
  return out;
}

void write_live_messages_seeds(const fs::path& folder) {
  using apps::OrderFrame;
  apps::OrderEntry decide = live_decide();
  decide.number = decide.program = 1;
  decide.before = {};
  decide.barred = {{0, 1}};
  apps::OrderEntry change;
  change.shape = {apps::EntryKind::mode, 0};
  change.mode = apps::LiveMode::apprentice;
  apps::OrderEntry secret = decide;
  secret.shape.secret = true;
  const OrderFrame plan = apps::PlanFrame{1, 0, {decide.shape, {apps::EntryKind::learn, 4}, secret.shape}};
  write(folder / "decide", heard_messages({plan, apps::ProposeFrame{decide}}, 2));
  write(folder / "decide_by_relay", heard_messages({plan, apps::ProposeFrame{decide}}, 0));
  write(folder / "mode", heard_messages({apps::ProposeFrame{change}, plan, apps::SkipFrame{1}}, 2));
  write(folder / "secret", heard_messages({plan, apps::ProposeFrame{secret}}, 2));
  const OrderFrame begin = apps::BeginFrame{2, {apps::EntryKind::learn, 4}, {1}};
  write(folder / "begin", heard_messages({plan, apps::ProposeFrame{decide}, begin}, 2));
  write(folder / "settled", heard_messages({apps::SettledFrame{1, {}}, plan, plan}, 2));
  write(folder / "for_another", heard_messages({plan}, 1));
}

void write_sealed_rows_seeds(const fs::path& folder) {
  write(folder / "none", Bytes{});
  write(folder / "short", Bytes(27, std::byte{1}));
  write(folder / "a_row", Bytes(80, std::byte{1}));
}

void write_live_rows_seeds(const fs::path& folder) {
  apps::ChainRow chain;
  write(folder / "beginning", encode(chain));
  chain.mark = {7, net::sha256("7"), 3, net::sha256("entry 7")};
  chain.entry = live_decide();
  chain.lanes = Bytes(12, std::byte{3});
  write(folder / "chain", encode(chain));
  write(folder / "batch", encode(apps::BatchRow{7, 1000, apps::BatchState::closed, live_decide().events}));
  write(folder / "epoch", encode(apps::EpochRow{3, {}, 2, 7, 5, 3, 6}));
  write(folder / "snapshot", encode(apps::SnapshotRow{{5, net::sha256("5"), 40}, false, Bytes(12, std::byte{3})}));
  apps::ForeignModel foreign;
  foreign.arm_names = {"a", "b"};
  foreign.arms = 2;
  foreign.steps = 1000;
  foreign.model = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  write(folder / "foreign_model", encode(foreign));
  write(folder / "decision", encode(apps::DecisionRow{apps::DecisionState::decided, 2, 7, 1000, true, {}}));
  const apps::DecisionRow old{apps::DecisionState::decided, 2, 7, 1000, true, {}, apps::OwnArm::unknown};
  write(folder / "decision_of_version_3", encode(old));
  write(folder / "asked", encode(apps::AskedRow{{{}, "p-1", 50, true, std::uint16_t{1}, {0, 2}}, 1000, 1050}));
  write(folder / "used_row", encode(apps::UsedRow{7, true, apps::digest_of(apps::FeatureValues{0.5, -0.25})}));
  apps::CallFigures figures;
  figures.since = 1000;
  figures.arms = {3, 4};
  write(folder / "figures", encode(figures));
  write(folder / "ranges", encode(apps::ColumnRanges{{-0.5, 0.5}}));
  const apps::PushedFeatures features{1000, {0.5, -0.25}};
  write(folder / "features", encode(features));
  write(folder / "used", encode(apps::BatchFeatures{features, std::nullopt}));
  write(folder / "changes", encode(apps::RowChanges{{key_of(apps::LiveTable::chain, apps::OrderNumber{7}), Bytes(3)},
                                                    {key_of(apps::LiveTable::events, apps::EventId{}), std::nullopt}}));
  write(folder / "rewards", encode(apps::RewardRow{7, 1000, {{"a1", 1.0}, {"", -0.5}}}));
}

}  // namespace

void write_apps_seeds(const fs::path& corpus) {
  write_p2b_model_seeds(corpus / "p2b_model");

  apps::Checkpoint checkpoint;
  checkpoint.steps = 20;
  checkpoint.epoch = 2;
  checkpoint.progress = {25, 30};
  write(corpus / "store/checkpoint_of_dealer", encode(checkpoint));
  checkpoint.id = net::sha256("20");
  checkpoint.inverses = {1, 2, 3};
  checkpoint.targets = {4, 5};
  write(corpus / "store/checkpoint_of_party", encode(checkpoint));
  checkpoint.inverses = checkpoint.targets = {};
  apps::RewardCurve curve(40);
  for (int i = 0; i < 20; ++i) curve.add(i % 2);
  checkpoint.curve = curve.state();
  write(corpus / "store/checkpoint_of_rewarder", encode(checkpoint));
  write(corpus / "store/epoch", encode(apps::OpenedEpoch{3, 20, {25, 30}, {}}));
  write(corpus / "store/arms", encode(apps::PulledArms{20, {1, 0, 3}}));
  write(corpus / "store/resume_state",
        encode(apps::ResumeState{true, false, 3, {{100, net::sha256("100")}, {200, net::sha256("200")}}, 217, 301}));
  write(corpus / "store/resume_state_of_dealer", encode(apps::ResumeState{false, true, 3, {}, 219, 305}));
  write(corpus / "store/resume_point", encode(apps::ResumePoint{4, 200, 17, 301, net::sha256("200")}));
  const apps::StockStanding stock{true, true, false, 3, 90, net::sha256("3"), net::sha256("2")};
  write(corpus / "store/stock_standing", encode(stock));
  write_stored_rows_seeds(corpus / "stored_rows");
  write_live_order_seeds(corpus / "live_order");
  write_live_messages_seeds(corpus / "live_messages");
  write_sealed_rows_seeds(corpus / "sealed_rows");
  write_live_rows_seeds(corpus / "live_rows");
  write_robin_seeds(corpus);
  write_p2b_seeds(corpus / "p2b_messages");
}

}  // namespace sotto::fuzz
