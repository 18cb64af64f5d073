// The subcommands of sotto-lab.
#pragma once

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::lab {

void add_bench_floor(Command& bench);
void add_bench_bandit(Command& bench);
void add_bench_modes(Command& bench);
void add_bench_o3m(Command& bench);
void add_bench_p2b(Command& bench);
void add_bench_primitives(Command& bench);
void add_bench_live(Command& bench);
void add_bench_service(Command& bench);
void add_bench_wan(Command& bench);

void add_o3m_audit_command(Command& app);

void add_hannun_paper_command(Command& paper);
void add_o3m_paper_command(Command& paper);
void add_robin_paper_command(Command& paper);
void add_batches_paper_command(Command& paper);

void add_soak_command(Command& app);

void add_p2b_simulate_command(Command& app);

}  // namespace sotto::apps::lab
