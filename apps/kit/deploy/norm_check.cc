#include "sotto/apps/kit/deploy/norm_check.h"

#include <fmt/format.h>

#include <vector>

#include "sotto/apps/kit/data/contexts.h"
#include "sotto/apps/kit/deploy/announcement.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr const char* subject = "joint norm";

}  // namespace

Findings check_joint_norm(const RunConfig& run,
                          const std::map<NodeId, std::string>& announcements) {
  if (run.o3m || !run.max_norm) return {};
  std::vector<double> bounds;
  for (NodeId party = 0; party < run.parties; ++party) {
    const auto told = announcements.find(party);
    if (told == announcements.end() || told->second.empty()) {
      return {note(subject, fmt::format("not known: party {} has told no bound on its rows", party),
                   "run it again where party and peers are all there")};
    }
    try {
      bounds.push_back(parse_announcement(told->second, run.topology().name(party)).bound);
    } catch (const ProtocolError& error) {
      return {
          problem(subject, error.exit_code(), error.what(), "install the same sotto everywhere")};
    }
  }
  const auto excess = joint_norm_excess(bounds, *run.max_norm);
  if (!excess) {
    return {
        good(subject, fmt::format("the parties' bounds keep to max_norm = {:.6g}", *run.max_norm))};
  }
  if (run.joint_norm_holds) {
    return {
        note(subject, *excess,
             "joint_norm_holds says that joint rows keep to it all the same; who set it must have "
             "seen them")};
  }
  return {problem(subject, ExitCode::disagreement, *excess,
                  joint_norm_advice(run.parties, *run.max_norm))};
}

}  // namespace sotto::apps
