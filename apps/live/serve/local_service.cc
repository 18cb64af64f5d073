#include "apps/live/serve/local_service.h"

#include <fmt/format.h>

#include "apps/kit/deploy/role_mesh.h"

namespace sotto::apps::live {

std::vector<LiveConfig> local_service(LiveConfig common, const std::filesystem::path& folder) {
  common.trust = make_local_keys(common, folder);
  const std::vector<RunRole> roles = common.roles();
  std::vector<LiveConfig> configs(roles.size(), common);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    LiveConfig& config = configs[i];
    config.role_word = roles[i].word;
    config.id = roles[i].id;
    config.key = key_file(folder, roles[i].key);
    config.state = folder / (roles[i].key + "-state");
    config.http_listen = fmt::format("unix:{}", (folder / (roles[i].key + ".sock")).string());
  }
  return configs;
}

}  // namespace sotto::apps::live
