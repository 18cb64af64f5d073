// What a role knows of a run once its links are set up: the plan that follows from what all parties announced, and
// where the run begins.
#pragma once

#include <string>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/run/settings/run_settings.h"
#include "apps/bandit/run/state/resume_state.h"
#include "apps/bandit/run/stock/standing.h"
#include "apps/kit/deploy/announcement.h"
#include "sotto/protocol/mesh/mesh.h"

namespace sotto::apps::bandit::run {

struct AgreedRun {
  BanditPlan plan;
  AnnouncedData data;
};

// Throws DisagreementError where what the parties announced does not fit the run.
[[nodiscard]] AgreedRun agree_on_run(const BanditRun& run, const net::Mesh& mesh);

// Of the data, what a stock is for, line by line.
[[nodiscard]] std::string stocked_data(const AgreedRun& agreed);

// What the handshake carries; where the parties make the randomness also what they say of their stocks.
[[nodiscard]] net::Resume role_resume(const Topology& topology, const ResumeState& mine, const StockStanding& stock);

struct Opening {
  ResumePoint from;
  StockPoint stock;
};
[[nodiscard]] Opening opening_of(const net::Mesh& mesh);

}  // namespace sotto::apps::bandit::run
