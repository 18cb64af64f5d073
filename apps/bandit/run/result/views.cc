#include "apps/bandit/run/result/views.h"

#include <fmt/format.h>

#include <utility>

namespace sotto::apps::bandit::run {
namespace {

std::vector<std::string> with_model(std::vector<std::string> learns, bool reveal_model) {
  if (reveal_model) learns.emplace_back("the final model (--reveal-model)");
  return learns;
}

}  // namespace

ViewOptions view_options(const BanditRun& run) {
  ViewOptions views;
  for (std::size_t party = 0; party < run.parties; ++party) views.party_names.push_back(fmt::format("party {}", party));
  for (std::size_t owner = 0; owner < run.owners; ++owner) views.owner_names.push_back(fmt::format("owner {}", owner));
  views.computing_only = run.computing_only;
  views.actor_is_rewarder = !run.separate_rewarder;
  views.reveal_model = run.reveal_model;
  views.task = run.task;
  views.preprocessing = run.preprocessing;
  return views;
}

std::vector<RoleView> bandit_views(const ViewOptions& options) {
  std::vector<RoleView> views;
  const Cast& cast = cast_of(options.preprocessing);
  const std::string pieces = std::string(cast.pieces_of_a_party) + " of each mask and coin";
  const char* const announced = options.owner_names.empty() ? "columns, rows and norm bound of each party"
                                                            : "columns, rows and norm bound of each party and owner";
  for (const std::string& name : options.party_names) {
    const bool brings = views.size() + options.computing_only < options.party_names.size();
    views.push_back({name,
                     with_model({announced, "uniformly random shares and openings"}, options.reveal_model),
                     {brings ? "the features of others" : "any features", "the scores", "the arm", "the reward"}});
    if (brings) views.back().learns.insert(views.back().learns.begin(), "its own features");
    if (!options.reveal_model) views.back().never_sees.emplace_back("the model");
    if (!cast.has_dealer) {
      views.back().learns.emplace_back(pieces);
      views.back().never_sees.emplace_back("whether the arm was explored");
    }
  }
  for (const std::string& name : options.owner_names) {
    views.push_back({name,
                     {"its own features", announced, "the masks of its own features", "how many steps are played"},
                     {"the features of others", "the scores", "the arm", "the reward", "the model",
                      "any message of the parties but checkpoint ids"}});
  }
  if (cast.has_dealer) {
    views.push_back({"dealer",
                     {"the run's parameters", "the masks that it deals", "the exploration coins"},
                     {"features", "scores", "arms", "rewards", "the model", "the parties' messages"}});
  } else if (cast.has_helper) {
    views.push_back({"helper",
                     {"the run's parameters", pieces, "its messages of what is made ahead, uniformly random"},
                     {"features", "scores", "arms", "rewards", "the model", "whether an arm was explored",
                      "any message of the steps but checkpoint ids"}});
  }
  if (options.task != BanditTask::play) {
    RoleView owner{"actor, who has the log", {"its own log"}, {"features", "scores", "the model"}};
    if (options.task == BanditTask::evaluate) {
      owner.learns = {"its own log",
                      "how many events agree with the model in each of up to 64 cells that it chose, with noise of "
                      "every role that brings features",
                      "more of rows that the model learned from, which that noise does not cover"};
      owner.never_sees = {"any message of the parties but these counts"};
      for (RoleView& view : views) view.never_sees.emplace_back("the counts");
    }
    views.push_back(std::move(owner));
  }
  const std::vector<std::string> hidden{"features", "scores", "whether the arm was explored"};
  if (options.task != BanditTask::play) {
  } else if (options.actor_is_rewarder) {
    views.push_back({"actor and rewarder", {"the arm of each step", "the reward of each step"}, hidden});
  } else {
    views.push_back({"actor", {"the arm of each step"}, hidden});
    views.back().never_sees.emplace_back("the reward");
    views.push_back({"rewarder", {"the reward of each step"}, hidden});
    if (options.local_simulation) {
      views.back().learns.emplace_back("the arm, as the simulated environment that pays for it");
    } else {
      views.back().never_sees.emplace_back("the arm");
    }
  }
  if (options.local_simulation) {
    views.push_back(
        {"launcher of this local simulation",
         {"every input file", "the reports of all roles", "everything: it runs all the roles on one machine"},
         {}});
  }
  return views;
}

}  // namespace sotto::apps::bandit::run
