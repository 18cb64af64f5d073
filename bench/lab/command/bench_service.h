// sotto-lab bench service: how many messages a service takes.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_bench_service(CLI::App& bench);

}  // namespace sotto::apps
