# Checks command lines as a shell passes them. A program that understands its command line ends with exit code 0.
# A program that refuses its command line ends with exit code 2 and prints one line on stderr. Rules for all commands
# are tested in tests/apps/programs and tests/process/cli_test.cc.
#   cmake -DSOTTO=.. -DWORK=.. -P check.cmake
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
set(program ${SOTTO})
file(WRITE ${WORK}/b.csv "x\n0.5\n0.25\n")
file(WRITE ${WORK}/labels.csv "label\n0\n1\n")
file(WRITE ${WORK}/broken.toml "[run\n")

expect(0 "Usage" --help)
expect(0 "[0-9]+\\.[0-9]+\\.[0-9]+" --version)
foreach(option --party --environment --epsilon --steps --arms --bits --max-norm --joint-norm-holds --repeat --deal-ahead
               --contexts-ahead --update --separate-rewarder --compare-plaintext --reveal-model --insecure-seed --insecure-plaintext --out --json
               --link-delay --link-jitter --link-rate --link-loss)
  expect(0 "${option}" bandit --help)
  expect(0 "${option}" plan --help)
endforeach()
foreach(option --ap --passive --environment --algorithm --beta --v --lambda --steps --mask-generator --arms-file --combine
               --compare-central --insecure-seed --insecure-blocks --insecure-plaintext --acknowledge-leakage --out --json)
  expect(0 "${option}" o3m --help)
endforeach()

foreach(option --clip-weights --arms-offered --full-support --clip-rewards --cells --account-epsilon --account-rows-per-subject
               "Rows that the model learned from are covered only by noise in learning")
  expect(0 "${option}" evaluate --help)
endforeach()

file(WRITE ${WORK}/server.toml "[server]\ncodes = 32\n")
file(WRITE ${WORK}/slip.toml "[server]\ncode = 32\n")
expect(0 "codes = 32  # .*server.toml:2" p2b server --config server.toml --print-config)
expect(2 "slip.toml:2:1: unknown key 'code' in .server.. did you mean codes" p2b server --config slip.toml)
expect(2 "--store is required" p2b server --config server.toml --arms 3)
expect(0 "--log-level" serve --help)
expect(0 "--out" model --help)
expect(0 "begins" account begin ${WORK}/account)
expect(2 "account: is there already" account begin ${WORK}/account)
expect(0 "0 subjects, most spent 0" account show ${WORK}/account)
expect(0 "spent 0" account show ${WORK}/account --id somebody)
expect(2 "there is no account: .sotto account begin .*nothing" account show ${WORK}/nothing)
expect(2 "no day, such as 2026-01-31" account forget ${WORK}/account --before 2026-02-30)
expect(2 "later than the last entry" account forget ${WORK}/account --before 2026-01-31)
expect(2 "a.csv: is no share of a model" model a.csv)
expect(2 "--log-level" serve --config server.toml --log-level loud)
expect(0 "Usage" )
expect(0 "Usage" help)
expect(0 "--insecure-seed" help bandit)
expect(0 "SOTTO_<T>_<K>.*max_norm" help --settings)
expect(0 "^.TH SOTTO 1" help --man)
expect(0 "complete -o default -F _sotto sotto" help --completion)
expect(2 "no-such-file" keys trust --config broken.toml dealer no-such-file)
foreach(command bandit plan)
  foreach(wrong "--epsilon;1.5" "--epsilon;nan" "--epsilon;much" "--steps;-1" "--steps;0" "--bits;99" "--max-norm;9"
                "--max-norm;0.1" "--arms;1" "--repeat;0" "--insecure-seed;-3" "--link-delay;20" "--link-delay;3s"
                "--link-jitter;-1ms" "--link-rate;100" "--link-rate;1kbit" "--link-loss;2/s")
    list(GET wrong 0 option)
    string(REGEX REPLACE "^--|-.*" "" word ${option})
    expect(2 "${word}|norm" ${command} --party a.csv --party b.csv --environment labels.csv ${wrong})
  endforeach()
  expect(2 "--max-norm" ${command} --party a.csv --party b.csv --environment labels.csv --joint-norm-holds)
endforeach()
expect(2 "--max-norm" init --parties 2 --joint-norm-holds --out never)
expect(2 "0.5 at party 0, 0.5 at party 1: together up to 0.707107, above max_norm = 0.6" plan --party a.csv --party b.csv
       --environment labels.csv --max-norm 0.6)
expect(0 "joint_norm_holds\": true" plan --party a.csv --party b.csv --environment labels.csv --max-norm 0.75
       --joint-norm-holds --json)
expect(0 "sotto o3m --ap generated/active.csv" prepare o3m --steps 20 --split 2,1,3 --out generated)
expect(0 "same arms" o3m --ap generated/active.csv --passive generated/passive_1.csv --passive generated/passive_2.csv
       --environment generated/environment.csv --algorithm ts --compare-central --out o3m_run)
expect(2 "--out: o3m_run holds the results of a run: choose another, or write over it with --overwrite" o3m --ap
       generated/active.csv --passive generated/passive_1.csv --passive generated/passive_2.csv --environment
       generated/environment.csv --algorithm ts --out o3m_run)
expect(0 "steps of LinTS" o3m --ap generated/active.csv --passive generated/passive_1.csv --passive generated/passive_2.csv
       --environment generated/environment.csv --algorithm ts --out o3m_run --overwrite)
expect(2 "--out: generated/environment.csv exists already" prepare o3m --steps 20 --split 2,1,3 --out generated)
expect(2 "--split" prepare o3m --split 3)
expect(2 "--lambda" o3m --lambda 2 role)
expect(0 "delay 20ms, rate 100mbit, a step takes [0-9.]+ ms" plan --party a.csv --party b.csv --environment labels.csv
       --link-delay 20ms --link-rate 100mbit)
expect(0 "seconds ahead" plan --columns 2,2 --arms 3 --steps 9 --compare-preprocessing)
expect(0 "\"link_seconds_per_step\": 0.12" plan --party a.csv --party b.csv --environment labels.csv --link-delay 20ms --json)
foreach(role party owner dealer actor rewarder prepare-randomness)
  expect(2 "--config" ${role})
  expect(2 "missing.toml" ${role} --config missing.toml)
  expect(2 "broken.toml:" ${role} --config broken.toml)
  expect(2 "run.steps" ${role} --config broken.toml --set run.step=5)
endforeach()

expect(0 "localhost:7102" init --parties 2 --out set)
expect(2 "--out: set exists" init --parties 2 --out set)
expect(0 "INSECURE" init --parties 2 --out shared --insecure-shared-keys --separate-rewarder --checkpoint-every 5)
foreach(typed -5 99999999999999999999 1e400 nan)
  expect(2 "--set run.steps: steps in .run. must be a whole number of steps, at least 1, not .?${typed}" dealer
         --config shared/dealer/config.toml --set run.steps=${typed})
  file(READ ${WORK}/shared/dealer/config.toml config)
  string(REGEX REPLACE "steps = [0-9]+" "steps = ${typed}" config "${config}")
  file(WRITE ${WORK}/wrong.toml "${config}")
  expect(2 "wrong.toml:[0-9]+:[0-9]+: .*${typed}" dealer --config wrong.toml)
endforeach()
expect(2 "data.csv|keys show" party --config set/party_0/config.toml --print-config)
expect(0 "steps = 7  # --set run.steps\n.*dealer = \"localhost:7102\"  # config.toml:[0-9]+\n" dealer
       --config shared/dealer/config.toml --print-config --set run.steps=7)
set(ENV{SOTTO_RUN_STEPS} 8)
expect(0 "steps = 8  # SOTTO_RUN_STEPS" dealer --config shared/dealer/config.toml --print-config)
expect(0 "steps = 1000  # config.toml" dealer --config shared/dealer/config.toml --print-config --ignore-variables)
set(ENV{SOTTO_RUN_STEPS} ten)
expect(2 "SOTTO_RUN_STEPS: steps in .run. must be" dealer --config shared/dealer/config.toml)
unset(ENV{SOTTO_RUN_STEPS})
expect(2 "config of the dealer" actor --config shared/dealer/config.toml --print-config)
foreach(wrong "--parties;1" "--parties;9" "--steps;0" "--steps;9000000000" "--arms;0" "--epsilon;2" "--bits;99" "--max-norm;9"
              "--rewards;gold" "--checkpoint-every;-1" "--host;party_7=a:1" "--host;party_0")
  list(GET wrong 0 option)
  expect(2 "${option}" init --parties 2 --out never ${wrong})
endforeach()
expect(0 "12 to 24.*; of a program of your own 8 to 24" init --help)
expect(0 "your-program --config config.toml" init --protocol program --parties 2 --out own --insecure-shared-keys)
expect(2 "own/party_0/config.toml: this is the config of party 0 in a run of a program of your own, not of a party of the private bandit; start it with `./your-program --config ...`"
       party --config own/party_0/config.toml)
expect(2 "--host: party_1 only connects to others in this run .*: it has no address to listen on; leave --host party_1 out"
       init --protocol program --parties 2 --host party_0=a:1 --host party_1=b:1 --host dealer=c:1 --out never)
set(at_party --config shared/party_0/config.toml)
expect(0 "--also.*--blanks|--blanks.*--also" align --help)
expect(2 "--config" align a.csv --id x)
expect(2 "--id" align a.csv ${at_party})
expect(2 "missing.csv" align missing.csv --id x ${at_party})
expect(2 "a.csv:1: there is no column 'id' .--id." align a.csv --id id ${at_party})
expect(2 "case in .align. must be \"keep\" or \"fold\"" align a.csv --id x ${at_party} --case upper)
expect(2 "the dealer, which has no table to align" align a.csv --id x --config shared/dealer/config.toml)
expect(0 "blanks = \"none\"  # --set align.blanks" align a.csv --id x ${at_party} --set align.blanks=none --print-config)
expect(2 "--parties" init)
expect(2 "missing.csv" prepare csv missing.csv)
expect(2 "missing.csv" prepare party missing.csv)
expect(2 "--categories" prepare party missing.csv --categories 0)
expect(0 "--one-hot" prepare party --help)

file(REMOVE_RECURSE ${WORK})
if(faults)
  message(FATAL_ERROR "${faults}")
endif()
