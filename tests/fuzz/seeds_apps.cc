#include "apps/bandit/run/state/rows.h"
#include "apps/bandit/run/stock/stock_state.h"
#include "apps/live/import/foreign_model.h"
#include "apps/live/order/frames.h"
#include "apps/live/order/opening.h"
#include "apps/live/roles/archive.h"
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

using namespace sotto::apps::live;
namespace {

namespace fs = std::filesystem;

void write_robin(const fs::path& corpus, const std::string& name, unsigned decoder, const Bytes& payload) {
  Bytes input{static_cast<std::byte>(decoder)};
  append(input, payload);
  write(corpus / "robin_messages" / name, input);
}

void write_robin_seeds(const fs::path& corpus) {
  write_robin(corpus, "join_of_many", 0, encode(apps::robin::RobinJoin{2, 3}));
  write_robin(corpus, "join_with_data", 0, encode(apps::robin::RobinJoin{1, 1, 2, 2, 14, 5}));
  apps::robin::RobinTerms terms;
  terms.settings.lambda_min = 0.2;
  terms.settings = apps::robin::checked(terms.settings);
  write_robin(corpus, "settings", 1, encode(terms));
  write_robin(corpus, "play_first", 2, encode(apps::robin::RobinPlay{0, {}}));
  write_robin(corpus, "play", 2, encode(apps::robin::RobinPlay{1, {0.5, -0.25}}));
  write_robin(corpus, "estimates", 3, encode(apps::robin::RobinEstimates{0, {0.5, -0.25}}));
  write_robin(corpus, "finished", 4, encode(apps::robin::RobinFinished{6, 0.99}));
  write_robin(corpus, "failed", 5, encode(apps::robin::RobinFailed{ExitCode::peer_lost, "client 3 was lost"}));
}

void write_p2b_seeds(const fs::path& folder) {
  apps::p2b::P2bTerms terms{.codes = 16, .arms = 3};
  write(folder / "terms", encode(terms));
  const std::vector<apps::p2b::Report> reports{{apps::p2b::user_token("1"), 7, {3, 2, 1}},
                                               {apps::p2b::user_token("2"), 8, {15, 0, 0.5}}};
  const Bytes of_reports = apps::p2b::encode_reports(4, reports);
  write(folder / "reports", of_reports);
  write(folder / "reports_cut", Bytes(of_reports.begin(), of_reports.end() - 1));
  write(folder / "no_reports", apps::p2b::encode_reports(5, {}));
  write(folder / "receipt", encode(apps::p2b::Receipt{4, 2, 1}));
  const apps::p2b::PartName name{{}, 2, 1};
  write(folder / "part", encode(apps::p2b::SurvivorPart{name, 3, {{3, 2, 1}, {3, 1, 0}}}));
  write(folder / "part_beyond_its_parts", encode(apps::p2b::SurvivorPart{name, 1, {{3, 2, 1}}}));
  write(folder / "taken", encode(name));
  write(folder / "model", apps::p2b::encode_model(terms, Bytes(40, std::byte{1})));
}

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
  Bytes rows = stored_row(0, 3, encode(apps::bandit::run::OpenedEpoch{3, 20, {25, 30}, {}}));
  apps::bandit::run::Checkpoint checkpoint{
      .steps = 20, .epoch = 3, .progress = {25, 30}, .inverses = {1, 2, 3}, .targets = {4, 5}, .curve = {}};
  append(rows, stored_row(1, 20, encode(checkpoint)));
  append(rows, stored_row(2, 0, encode(apps::bandit::run::PulledArms{0, {1, 0, 3}})));
  write(folder / "goes_on", rows);
  append(rows, stored_row(3, 0, {}));
  write(folder / "complete", rows);
  write(folder / "other_number", stored_row(1, 30, encode(checkpoint)));
  checkpoint.progress = {~std::uint64_t{0}, 1};
  write(folder / "beyond_the_run", stored_row(1, 20, encode(checkpoint)));
  write(folder / "epoch_without_end",
        stored_row(0, 3, encode(apps::bandit::run::OpenedEpoch{3, ~std::uint64_t{0}, {25, 30}, {}})));
}

void write_p2b_model_seeds(const fs::path& folder) {
  const apps::p2b::Encoder encoder({2, 1, 4, apps::p2b::EncoderKind::kmeans, 1},
                                   {0.0, 1.0, 0.3, 0.7, 0.6, 0.4, 1.0, 0.0});
  const auto seed = [](const apps::p2b::Model& model, bool with_encoder) {
    Bytes input{std::byte{with_encoder}};
    append(input, model.to_bytes());
    return input;
  };
  apps::p2b::Model one_hot(4, 3);
  write(folder / "empty", seed(one_hot, false));
  for (const apps::p2b::Tuple& tuple : {apps::p2b::Tuple{0, 1, 1.0}, {0, 2, 0.5}, {3, 0, 0.0}}) one_hot.update(tuple);
  write(folder / "one_hot", seed(one_hot, false));
  apps::p2b::Model centroids(apps::p2b::ContextKind::centroid, encoder, 3);
  centroids.update(apps::p2b::Tuple{2, 2, 0.75});
  write(folder / "centroids", seed(centroids, true));
  Bytes cut = seed(centroids, true);
  cut.pop_back();
  write(folder / "cut", cut);
  write(folder / "other_arms", seed(apps::p2b::Model(4, 100'000), true));
}

apps::live::OrderEntry live_decide() {
  apps::live::OrderEntry entry;
  entry.number = 7;
  entry.program = 9;
  entry.shape = {apps::live::EntryKind::decide, 4};
  entry.cut_off = 20;
  entry.before = net::sha256("6");
  entry.events = {apps::live::EventId{std::byte{1}}, apps::live::EventId{std::byte{2}}};
  entry.subjects = {"p-81f2", "-"};
  entry.barred = {{0, 2}, {1, 0}};
  return entry;
}

void write_live_order_seeds(const fs::path& folder) {
  using apps::live::OrderFrame;
  apps::live::OrderEntry learn;
  learn.number = 8;
  learn.program = 10;
  learn.shape = {apps::live::EntryKind::learn, 4};
  learn.batches = {3, 7};
  apps::live::OrderEntry change;
  change.number = 9;
  change.shape = {apps::live::EntryKind::mode, 0};
  change.mode = apps::live::LiveMode::frozen;
  write(folder / "plan",
        encode(OrderFrame(apps::live::PlanFrame{3, 12, {{apps::live::EntryKind::decide, 64}, learn.shape}})));
  write(folder / "skip", encode(OrderFrame(apps::live::SkipFrame{4})));
  write(folder / "decide", encode(OrderFrame(apps::live::ProposeFrame{live_decide()})));
  write(folder / "learn", encode(OrderFrame(apps::live::ProposeFrame{learn})));
  write(folder / "mode", encode(OrderFrame(apps::live::ProposeFrame{change})));
  apps::live::OrderEntry secret = live_decide();
  secret.shape.secret = true;
  write(folder / "secret", encode(OrderFrame(apps::live::ProposeFrame{secret})));
  write(folder / "begin", encode(OrderFrame(apps::live::BeginFrame{10, learn.shape, learn.batches})));
  write(folder / "ran", encode(OrderFrame(apps::live::RanFrame{10})));
  write(folder / "done", encode(OrderFrame(apps::live::DoneFrame{7, net::sha256("7")})));
  write(folder / "restate",
        encode(OrderFrame(apps::live::RestateFrame{net::sha256("7"), 2, live_decide(), Bytes(12)})));
  write(folder / "opened", encode(OrderFrame(apps::live::OpenedFrame{3})));
  write(folder / "settled", encode(OrderFrame(apps::live::SettledFrame{7, net::sha256("7")})));
  const apps::live::OrderMark before{6, net::sha256("6"), 2, net::sha256("entry 6")};
  const apps::live::OrderMark last{7, net::sha256("7"), 3, net::sha256("entry 7")};
  apps::live::OrderEntry recovery;
  recovery.number = 8;
  recovery.shape = {apps::live::EntryKind::recovery, 0};
  recovery.recovery.snapshot = true;
  recovery.recovery.model = net::sha256("5");
  recovery.recovery.kept = 7;
  apps::live::LiveHistory history;
  history.marks = {apps::live::OrderMark{}};
  write(folder / "standing_at_first", encode(history));
  history.epoch = 3;
  history.marks = {before, last};
  write(folder / "history", encode(history));
  history.recovery_request = {true, 5, net::sha256("5"), 40, {40, 36}, false, true, true};
  write(folder / "standing_of_party", encode(history));
  history.marks = {last};
  history.recovered = recovery.recovery;
  history.recovered->kept = 6;
  write(folder / "standing_recovered", encode(history));
  apps::live::LiveHistory dealer;
  dealer.keeps_order = false;
  dealer.epoch = 3;
  dealer.settled = 7;
  write(folder / "standing_of_dealer", encode(dealer));
  write(folder / "opening", encode(apps::live::LiveOpening{4, 7, net::sha256("7"), {}}));
  write(folder / "opening_recovery", encode(apps::live::LiveOpening{4, 8, recovery_id(recovery, 4), recovery}));
  write(folder / "known",
        encode(OrderFrame(apps::live::KnownFrame{true, 70, 40, 6, {40, 36}, {{3, 1000, true, live_decide().events}}})));
}

// Makes an input of the fuzz target live_messages. Each frame becomes a message of the actor, which arrives from role
// `from`.
Bytes heard_messages(const std::vector<apps::live::OrderFrame>& frames, std::uint8_t from) {
  Bytes out;
  for (const apps::live::OrderFrame& frame : frames) {
    Bytes message = encode(frame);
    message.insert(message.begin(), std::byte{2});  // the actor in a service with two parties
    out.push_back(std::byte{from});
    out.push_back(static_cast<std::byte>(message.size()));
    out.push_back(static_cast<std::byte>(message.size() >> 8));
    append(out, message);
  }
  return out;
}

void write_live_messages_seeds(const fs::path& folder) {
  using apps::live::OrderFrame;
  apps::live::OrderEntry decide = live_decide();
  decide.number = decide.program = 1;
  decide.before = {};
  decide.barred = {{0, 1}};
  apps::live::OrderEntry change;
  change.shape = {apps::live::EntryKind::mode, 0};
  change.mode = apps::live::LiveMode::apprentice;
  apps::live::OrderEntry secret = decide;
  secret.shape.secret = true;
  const OrderFrame plan = apps::live::PlanFrame{1, 0, {decide.shape, {apps::live::EntryKind::learn, 4}, secret.shape}};
  write(folder / "decide", heard_messages({plan, apps::live::ProposeFrame{decide}}, 2));
  write(folder / "decide_by_relay", heard_messages({plan, apps::live::ProposeFrame{decide}}, 0));
  write(folder / "mode", heard_messages({apps::live::ProposeFrame{change}, plan, apps::live::SkipFrame{1}}, 2));
  write(folder / "secret", heard_messages({plan, apps::live::ProposeFrame{secret}}, 2));
  const OrderFrame begin = apps::live::BeginFrame{2, {apps::live::EntryKind::learn, 4}, {1}};
  write(folder / "begin", heard_messages({plan, apps::live::ProposeFrame{decide}, begin}, 2));
  write(folder / "settled", heard_messages({apps::live::SettledFrame{1, {}}, plan, plan}, 2));
  write(folder / "for_another", heard_messages({plan}, 1));
}

void write_sealed_rows_seeds(const fs::path& folder) {
  write(folder / "none", Bytes{});
  write(folder / "short", Bytes(27, std::byte{1}));
  write(folder / "a_row", Bytes(80, std::byte{1}));
}

void write_live_rows_seeds(const fs::path& folder) {
  apps::live::ChainRow chain;
  write(folder / "beginning", encode(chain));
  chain.mark = {7, net::sha256("7"), 3, net::sha256("entry 7")};
  chain.entry = live_decide();
  chain.lanes = Bytes(12, std::byte{3});
  write(folder / "chain", encode(chain));
  write(folder / "batch", encode(apps::live::BatchRow{7, 1000, apps::live::BatchState::closed, live_decide().events}));
  write(folder / "epoch", encode(apps::live::EpochRow{3, {}, 7, 5, 3, 6}));
  write(folder / "snapshot",
        encode(apps::live::SnapshotRow{{5, net::sha256("5"), 40}, false, Bytes(12, std::byte{3})}));
  apps::live::ForeignModel foreign;
  foreign.arm_names = {"a", "b"};
  foreign.arms = 2;
  foreign.steps = 1000;
  foreign.model = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  write(folder / "foreign_model", encode(foreign));
  write(folder / "decision", encode(apps::live::DecisionRow{apps::live::DecisionState::decided, 2, 7, 1000, true, {}}));
  const apps::live::DecisionRow old{apps::live::DecisionState::decided, 2, 7, 1000, true, {},
                                    apps::live::OwnArm::unknown};
  write(folder / "decision_of_version_3", encode(old));
  write(folder / "asked", encode(apps::live::AskedRow{{{}, "p-1", 50, true, std::uint16_t{1}, {0, 2}}, 1000, 1050}));
  write(folder / "decision_of_an_archive",
        encode(apps::live::DecisionRow{
            apps::live::DecisionState::decided, 2, 7, 1000, true, {}, apps::live::OwnArm::none, 3}));
  write(folder / "archive", encode(apps::live::ArchiveRow{1000, net::sha256("5"), {1, 0, 1}}));
  write(folder / "used_row",
        encode(apps::live::UsedRow{7, true, apps::live::digest_of(apps::live::FeatureValues{0.5, -0.25})}));
  apps::live::CallFigures figures;
  figures.since = 1000;
  figures.arms = {3, 4};
  write(folder / "figures", encode(figures));
  write(folder / "history", encode(apps::live::HistoryPoints{{1000, {3, 1.5}}, {11000, {7, 2.5}}}));
  write(folder / "ranges", encode(apps::live::ColumnRanges{{-0.5, 0.5}}));
  const apps::live::PushedFeatures features{1000, {0.5, -0.25}};
  write(folder / "features", encode(features));
  const apps::live::PushedFeatures of_subject{1000, {0.5, -0.25}, "customer 7"};
  write(folder / "features_of_subject", encode(of_subject));
  write(folder / "used_of_subject", encode(apps::live::BatchFeatures{of_subject, std::nullopt, features}));
  write(folder / "used", encode(apps::live::BatchFeatures{features, std::nullopt}));
  write(folder / "changes",
        encode(apps::live::RowChanges{{key_of(apps::live::LiveTable::chain, apps::live::OrderNumber{7}), Bytes(3)},
                                      {key_of(apps::live::LiveTable::events, apps::live::EventId{}), std::nullopt}}));
  write(folder / "rewards", encode(apps::live::RewardRow{7, 1000, {{"a1", 1.0}, {"", -0.5}}}));
}

}  // namespace

void write_apps_seeds(const fs::path& corpus) {
  write_p2b_model_seeds(corpus / "p2b_model");

  apps::bandit::run::Checkpoint checkpoint;
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
  write(corpus / "store/epoch", encode(apps::bandit::run::OpenedEpoch{3, 20, {25, 30}, {}}));
  write(corpus / "store/arms", encode(apps::bandit::run::PulledArms{20, {1, 0, 3}}));
  write(corpus / "store/resume_state",
        encode(apps::bandit::run::ResumeState{
            true, false, 3, {{100, net::sha256("100")}, {200, net::sha256("200")}}, 217, 301}));
  write(corpus / "store/resume_state_of_dealer", encode(apps::bandit::run::ResumeState{false, true, 3, {}, 219, 305}));
  write(corpus / "store/resume_point", encode(apps::bandit::run::ResumePoint{4, 200, 17, 301, net::sha256("200")}));
  const apps::bandit::run::StockState stock{true, true, false, 3, 90, net::sha256("3"), net::sha256("2")};
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
