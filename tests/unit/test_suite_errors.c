/* SPDX-License-Identifier: Apache-2.0 */
/* Every way that pawl.yaml can be wrong and the line that says so: a golden table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "suite/read.h"
#include "yaml/yaml.h"

#define V "version: 1\n"
#define KERNEL V "kernels:\n  fa: "
#define OK_KERNEL "{operator: attention, sources: [a.c]}"
#define TUNE V "kernels: {fa: {operator: attention, sources: [a.c], tune: "
#define CASE V "cases:\n  small: "
#define CHECK V "check:\n  attention: "
#define GATE V "gate: "
#define MEASURE V "measure: "
#define KERNEL_KEYS                                                                           \
  "operator, device, optional, deterministic, sources, include_dirs, flags, libs, compiler, " \
  "params, tune, build, "                                                                     \
  "protocol, command, parse, select"

static const struct {
  const char *yaml, *message;
} table[] = {
    /* the text itself */
    {"", "1:1: the file is empty"},
    {"# only a comment\n", "1:1: the file is empty"},
    {"~\n", "1:1: the file is empty"},
    {"version: 1\nx: \xff\n", "2:4: not UTF-8: save the file as UTF-8"},
    {"version: 1\nx: \xc0\x80\n", "2:4: not UTF-8: save the file as UTF-8"},
    {"version: 1\nx: \xed\xa0\x80\n", "2:4: not UTF-8: save the file as UTF-8"},
    {"x: \xf4\x90\x80\x80\n", "1:4: not UTF-8: save the file as UTF-8"},
    {"x: \xe2\x82", "1:4: not UTF-8: save the file as UTF-8"},
    {"store: \"a:\\0b\"\n", "1:8: a NUL character in a text"},
    {V "kernels:\n  a: [1, 2\n  b: }\n", "4:6: not valid YAML: mismatched flow mapping end"},
    {V "store: \"abc\n", "2:9: not valid YAML: double-quoted scalar without closing quote"},
    {V "---\n" V, "2:1: a second document: a suite has only one"},
    {"version: !!int 1\n", "1:16: tags such as !!str are not allowed: remove it"},
    {"version: 1\nversion: 2\n", "2:1: key 'version' appears twice, first in line 1"},
    {V "measure: {samples: 5, warmup: 1, samples: 6}\n",
     "2:34: key 'samples' appears twice, first in line 2"},
    {"? [a]\n: b\n", "1:3: a key must be a plain word"},
    {"a: &a [*a]\n", "1:8: '*a' refers to a value that contains it"},
    {"a: &a {b: {c: *a}}\n", "1:15: '*a' refers to a value that contains it"},
    {"a: *b\n", "1:4: no anchor '&b' before this alias"},
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
     "1:33: nested more than 32 deep"},
    {"hello\n", "1:1: pawl.yaml must be a mapping of keys to values"},
    {"[version]\n", "1:1: pawl.yaml must be a mapping of keys to values"},

    /* the top level */
    {"kernels: {}\n", "1:1: 'version' of pawl.yaml is missing"},
    {"version: 2\n", "1:10: 'version' of pawl.yaml is 2, but this pawl reads only 1: update pawl"},
    {"version: one\n", "1:10: 'version' of pawl.yaml must be 1"},
    {"version: 0\n", "1:10: 'version' of pawl.yaml must be 1"},
    {"version: 1.0\n", "1:10: 'version' of pawl.yaml must be 1"},
    {V "kernel: {}\n", "2:1: unknown key 'kernel' in pawl.yaml; did you mean 'kernels'?"},
    {V "benchmarks: {}\n",
     "2:1: unknown key 'benchmarks' in pawl.yaml; the keys are version, kernels, references, "
     "operators, cases, check, sweep, "
     "measure, gate, profile, cost, notify, store, retention"},
    {V "<<: {}\n",
     "2:1: unknown key '<<' in pawl.yaml; the keys are version, kernels, references, operators, "
     "cases, check, sweep, measure, "
     "gate, profile, cost, notify, store, retention"},
    {V "kernels: [a]\n",
     "2:10: 'kernels' of pawl.yaml must be a mapping of names to kernels, not a list"},
    {V "kernels:\n",
     "2:1: 'kernels' of pawl.yaml must be a mapping of names to kernels, not empty"},
    {V "operators: yes\n",
     "2:12: 'operators' of pawl.yaml must be a mapping of names to operators, not 'yes'"},
    {V "cases: 3\n", "2:8: 'cases' of pawl.yaml must be a mapping of names to shapes, not '3'"},
    {V "sweep: {attention: {S: [1], where: 3}}\n",
     "2:36: 'where' of sweep of 'attention' must be a list with at least one entry, such as [a, "
     "b], not '3'"},
    {V "check: [attention]\n",
     "2:8: 'check' of pawl.yaml must be a mapping of operators to shapes, not a list"},
    {V "retention: {sample_days: 0}\n",
     "2:26: 'sample_days' of retention must be an integer from 1 to 100000, not '0'"},
    {V "store: history.db\n",
     "2:8: 'store' of pawl.yaml must be sqlite:.pawl/history.db, postgresql://HOST/DATABASE, or "
     "none, not "
     "'history.db'"},
    {V "store: \"sqlite:\"\n",
     "2:8: 'store' of pawl.yaml must be sqlite:.pawl/history.db, postgresql://HOST/DATABASE, or "
     "none, not the text "
     "'sqlite:'"},
    {V "store: postgresql://db/pawl?user=ci&password=secret\n",
     "2:8: 'store' of pawl.yaml holds a password: put it into ~/.pgpass"},
    {V "store: postgresql://ci:secret@db/pawl\n",
     "2:8: 'store' of pawl.yaml holds a password: put it into ~/.pgpass"},
    {V "profile: {regression: 3}\n",
     "2:23: 'regression' of profile must be true or false, not '3'"},
    {V "profile: {improvement_over: 5}\n",
     "2:29: 'improvement_over' of profile must be from 0% to 100%, not '5'"},
    {V "profile: {max_kernels: -1}\n",
     "2:24: 'max_kernels' of profile must be an integer from 0 to 1000, not '-1'"},
    {V "profile: {timeout: 0s}\n", "2:20: 'timeout' of profile must be from 0.1s to 1d, not '0s'"},
    {V "stor: {}\n", "2:1: unknown key 'stor' in pawl.yaml; did you mean 'store'?"},
    {V "cost: {usd_per_hour: -1}\n",
     "2:22: 'usd_per_hour' of cost must be from 0 to 1000000, not '-1'"},
    {V "cost: {usd_per_hour: cheap}\n",
     "2:22: 'usd_per_hour' of cost must be from 0 to 1000000, not 'cheap'"},
    {V "cost: {usd_per_hour: \"1\"}\n",
     "2:22: 'usd_per_hour' of cost must be a number, not the text '1'"},
    {V "cost: {usd_per_hour: .nan}\n",
     "2:22: 'usd_per_hour' of cost must be from 0 to 1000000, not '.nan'"},

    /* kernels and references */
    {KERNEL "{operator: attention, sorces: [a.c]}\n",
     "3:29: unknown key 'sorces' in kernel 'fa'; did you mean 'sources'?"},
    {KERNEL "{command: [a], parse: wall, select: [b]}\n",
     "3:35: kernel 'fa' has 'select' beside 'parse: wall': one time has no benchmarks to select"},
    {KERNEL "{command: [a], select: [b]}\n",
     "3:22: 'select' of kernel 'fa' works only with 'parse'"},
    {KERNEL "{zzzzzzzz: 1}\n",
     "3:8: unknown key 'zzzzzzzz' in kernel 'fa'; the keys are " KERNEL_KEYS},
    {KERNEL "[a.c]\n", "3:7: kernel 'fa' must be a mapping of keys to values"},
    {KERNEL "{operator: attention}\n",
     "3:3: kernel 'fa' needs one of sources, build, protocol and command"},
    {KERNEL "{operator: a, sources: [a.c], protocol: [b]}\n",
     "3:37: kernel 'fa' has both 'sources' and 'protocol': remove one"},
    {KERNEL "{sources: [a.c]}\n",
     "3:3: 'operator' of kernel 'fa' is missing: name the operator that it computes"},
    {KERNEL "{operator: a, command: [b]}\n",
     "3:8: kernel 'fa' has both 'operator' and 'command': a command has no operator, remove "
     "'operator'"},
    {KERNEL "{operator: Attention, sources: [a.c]}\n",
     "3:18: 'operator' of kernel 'fa' must be an operator's name (a-z, 0-9, _), not 'Attention'"},
    {KERNEL "{operator: a, device: gpu, sources: [a.c]}\n",
     "3:29: 'device' of kernel 'fa' must be cpu or cuda, not 'gpu'"},
    {KERNEL "{operator: a, optional: maybe, sources: [a.c]}\n",
     "3:31: 'optional' of kernel 'fa' must be true or false, not 'maybe'"},
    {KERNEL "{operator: a, optional: \"true\", sources: [a.c]}\n",
     "3:31: 'optional' of kernel 'fa' must be true or false, not the text 'true'"},
    {KERNEL "{operator: a, deterministic: 1, sources: [a.c]}\n",
     "3:36: 'deterministic' of kernel 'fa' must be true or false, not '1'"},
    {KERNEL "{operator: a, sources: a.c}\n",
     "3:30: 'sources' of kernel 'fa' must be a list with at least one entry, such as [a, b], not "
     "'a.c'"},
    {KERNEL "{operator: a, sources: []}\n",
     "3:30: 'sources' of kernel 'fa' must be a list with at least one entry, such as [a, b], not "
     "an empty list"},
    {KERNEL "{operator: a, sources: [{}]}\n",
     "3:31: 'sources' of kernel 'fa' must be a list of texts, one line each, not an empty mapping"},
    {KERNEL "{operator: a, sources: [a.c, null]}\n",
     "3:36: 'sources' of kernel 'fa' must be a list of texts, one line each, not empty"},
    {KERNEL "{operator: a, sources: [a.c], flags: -O3}\n",
     "3:44: 'flags' of kernel 'fa' must be a list such as [a, b], not '-O3'"},
    {KERNEL "{operator: a, protocol: [p], flags: [-O3]}\n",
     "3:36: 'flags' of kernel 'fa' works only with 'sources'"},
    {KERNEL "{operator: a, build: {command: [m], output: o}, params: {M: 1}}\n",
     "3:55: 'params' of kernel 'fa' works only with 'sources' or 'protocol'"},
    {KERNEL "{command: [a], tune: {M: [1]}}\n",
     "3:22: 'tune' of kernel 'fa' works only with 'sources' or 'protocol'"},
    {KERNEL "{operator: a, sources: [a.c], parse: nvbench}\n",
     "3:37: 'parse' of kernel 'fa' works only with 'command'"},
    {KERNEL "{command: [a], parse: []}\n",
     "3:29: 'parse' of kernel 'fa' must be one line of text, not an empty list"},
    {KERNEL "{operator: a, sources: [a.c], compiler: \"a\\nb\"}\n",
     "3:47: 'compiler' of kernel 'fa' must be one line of text, not the text 'a b'"},
    {KERNEL "{operator: a, build: [make]}\n",
     "3:28: build of kernel 'fa' must be a mapping of keys to values"},
    {KERNEL "{operator: a, build: {command: [make]}}\n",
     "3:28: 'output' of build of kernel 'fa' is missing"},
    {KERNEL "{operator: a, build: {outptu: b}}\n",
     "3:29: unknown key 'outptu' in build of kernel 'fa'; did you mean 'output'?"},
    {KERNEL "{operator: a, sources: [a.c], params: [1]}\n",
     "3:45: 'params' of kernel 'fa' must be a mapping such as {BLOCK_M: 64}, not a list"},
    {KERNEL "{operator: a, sources: [a.c], params: {BLOCK-M: 1}}\n",
     "3:46: 'BLOCK-M' of kernel 'fa' is not a valid name: use letters, digits and '_'"},
    {KERNEL "{operator: a, sources: [a.c], params: {M: [1]}}\n",
     "3:49: 'params' of kernel 'fa' must be a mapping of names to numbers or words, not a list"},
    {KERNEL "{operator: a, sources: [a.c], params: {M: }}\n",
     "3:46: 'params' of kernel 'fa' must be a mapping of names to numbers or words, not empty"},
    {V "kernels: {\"-x\": " OK_KERNEL "}\n",
     "2:11: '-x' in kernels is not a valid name: use letters, digits, '_', '.' and '-', and start "
     "with a letter, a "
     "digit or '_'"},
    {V "kernels: {.x: " OK_KERNEL "}\n",
     "2:11: '.x' in kernels is not a valid name: use letters, digits, '_', '.' and '-', and start "
     "with a letter, a "
     "digit or '_'"},
    {V "kernels: {../x: " OK_KERNEL "}\n",
     "2:11: '../x' in kernels is not a valid name: use letters, digits, '_', '.' and '-', and "
     "start with a letter, a "
     "digit or '_'"},
    {V "kernels: {fa: " OK_KERNEL "}\nreferences:\n  fa: " OK_KERNEL "\n",
     "4:3: 'fa' is already the name of a kernel, in line 2"},
    {V "references: {fa: " OK_KERNEL "}\nkernels:\n  fa: " OK_KERNEL "\n",
     "4:3: 'fa' is already the name of a reference, in line 2"},
    {V "references: {fa: {sources: [a]}}\n",
     "2:14: 'operator' of reference 'fa' is missing: name the operator that it computes"},
    {V "references: 1\n",
     "2:13: 'references' of pawl.yaml must be a mapping of names to kernels, not '1'"},

    /* tune */
    {TUNE "{}}}\n",
     "2:59: 'tune' of kernel 'fa' must be a mapping of names to the values to try, not an empty "
     "mapping"},
    {TUNE "{constraints: [\"1 == 1\"]}}}\n",
     "2:59: 'tune' of kernel 'fa' has no parameter; add one, such as BLOCK_M: [16, 32]"},
    {TUNE "{M: 64}}}\n",
     "2:63: 'M' of tune of kernel 'fa' must be a list of 1 to 1000 values to try, such as [32, 64, "
     "128], not '64'"},
    {TUNE "{M: []}}}\n",
     "2:63: 'M' of tune of kernel 'fa' must be a list of 1 to 1000 values to try, such as [32, 64, "
     "128], not an empty "
     "list"},
    {TUNE "{M: [1, 2, 1]}}}\n", "2:70: 'M' of tune of kernel 'fa' lists 1 twice"},
    {TUNE "{M: [[1]]}}}\n",
     "2:64: 'M' of tune of kernel 'fa' must be a list of numbers or words, not a list"},
    {TUNE "{M: [1], constraint: [\"M < 2\"]}}}\n",
     "2:68: unknown key 'constraint' in tune of kernel 'fa'; did you mean 'constraints'?"},
    {TUNE "{\"1M\": [1]}}}\n",
     "2:60: '1M' of tune of kernel 'fa' is not a valid name: use letters, digits and '_'"},
    {TUNE "{M: [1], constraints: M < 2}}}\n",
     "2:81: 'constraints' of tune of kernel 'fa' must be a list such as [a, b], not 'M < 2'"},

    /* operators */
    {V "operators: {Relu: {sources: [a.c]}}\n",
     "2:13: 'Relu' in operators is not a valid name: use small letters, digits and '_', and start "
     "with a letter"},
    {V "operators: {relu: {command: [a]}}\n",
     "2:20: unknown key 'command' in operator 'relu'; the keys are sources, include_dirs, flags, "
     "libs, build, "
     "protocol, "
     "gpu_oracle"},
    {V "operators: {relu: {}}\n", "2:13: operator 'relu' needs one of sources, build and protocol"},
    {V "operators: {relu: {sources: [a.c], gpu_oracle: {}}}\n",
     "2:36: gpu_oracle of operator 'relu' needs one of sources and build"},
    {V "operators: {relu: {sources: [a.c], gpu_oracle: {protocol: [a]}}}\n",
     "2:49: unknown key 'protocol' in gpu_oracle of operator 'relu'; the keys are sources, "
     "include_dirs, flags, libs, "
     "build"},
    {V "operators: {relu: {protocol: [a], libs: [m]}}\n",
     "2:35: 'libs' of operator 'relu' works only with 'sources'"},
    {V "operators: {relu: {build: {output: a}}}\n",
     "2:27: 'command' of build of operator 'relu' is missing"},
    {V "operators: {relu: {build: {command: [], output: a}}}\n",
     "2:37: 'command' of build of operator 'relu' must be a list with at least one entry, such as "
     "[a, b], not an empty "
     "list"},

    /* cases */
    {CASE "{operator: attention, S: big}\n",
     "3:35: 'S' of case 'small' must be an integer, true or false, not 'big'"},
    {CASE "{operator: attention, S: 1.5}\n",
     "3:35: 'S' of case 'small' must be an integer, true or false, not '1.5'"},
    {CASE "{operator: attention, S: \"1\"}\n",
     "3:35: 'S' of case 'small' must be an integer, true or false, not the text '1'"},
    {CASE "{operator: attention, S: 9223372036854775808}\n",
     "3:35: 'S' of case 'small' must be an integer, true or false, not '9223372036854775808'"},
    {CASE "{operator: attention, dtyp: f16}\n",
     "3:32: unknown key 'dtyp' in case 'small'; did you mean 'dtype'?"},
    {CASE "{operator: attention, 1S: 1}\n",
     "3:32: unknown key '1S' in case 'small'; the keys are operator, dtype"},
    {CASE "{operator: attention, dtype: f17}\n",
     "3:39: 'dtype' of case 'small' must be a dtype (f64 f32 f16 bf16 e4m3 i32 i64 u8), not 'f17'"},
    {CASE "{operator: [a]}\n",
     "3:21: 'operator' of case 'small' must be an operator's name (a-z, 0-9, _), not a list"},
    {CASE "{S: 512}\n",
     "3:3: 'operator' of case 'small' is missing: name the operator of this shape"},
    {CASE "512\n", "3:10: case 'small' must be a mapping of keys to values"},
    {V "cases: {a/b: {}}\n",
     "2:9: 'a/b' in cases is not a valid name: use letters, digits, '_', '.' and '-', and start "
     "with a letter, a digit "
     "or '_'"},

    /* check */
    {CHECK "{S: abc}\n",
     "3:18: 'S' of check of 'attention' must be integers or ranges such as 448..640 step 64, not "
     "'abc'"},
    {CHECK "{S: [448, 5..1]}\n",
     "3:24: 'S' of check of 'attention' must be integers or ranges such as 448..640 step 64, not "
     "'5..1'"},
    {CHECK "{S: 1..8 step 0}\n",
     "3:18: 'S' of check of 'attention' must be integers or ranges such as 448..640 step 64, not "
     "'1..8 step 0'"},
    {CHECK "{S: []}\n",
     "3:18: 'S' of check of 'attention' must be at least one integer, not an empty list"},
    {CHECK "{S: [448, 512, 448]}\n", "3:29: 'S' of check of 'attention' lists 448 twice"},
    {CHECK "{S: [4..8, 6]}\n", "3:25: 'S' of check of 'attention' lists 6 twice"},
    {CHECK "{S: 1..1001}\n", "3:18: 'S' of check of 'attention' has more than 1000 values"},
    {CHECK "{S: -9223372036854775808..9223372036854775807}\n",
     "3:18: 'S' of check of 'attention' has more than 1000 values"},
    {CHECK "{S: 1..1000, B: 1..101}\n",
     "3:3: check of 'attention' is a matrix of more than 100000 shapes"},
    {CHECK "{orcale: builtin}\n",
     "3:15: unknown key 'orcale' in check of 'attention'; did you mean 'oracle'?"},
    {CHECK "{a-b: 1}\n",
     "3:15: unknown key 'a-b' in check of 'attention'; the keys are dtype, atol, rtol, rel_rms, "
     "oracle"},
    {CHECK "{atol: -1}\n",
     "3:21: 'atol' of check of 'attention' must be from 0 to 1e+30, not '-1'"},
    {CHECK "{rtol: 2}\n", "3:21: 'rtol' of check of 'attention' must be from 0 to 1, not '2'"},
    {CHECK "{rel_rms: .inf}\n",
     "3:24: 'rel_rms' of check of 'attention' must be from 0 to 1, not '.inf'"},
    {CHECK "{dtype: [f16, f16]}\n", "3:28: 'dtype' of check of 'attention' lists f16 twice"},
    {CHECK "{dtype: [f16, float16]}\n", "3:28: 'dtype' of check of 'attention' lists f16 twice"},
    {CHECK "{dtype: []}\n",
     "3:22: 'dtype' of check of 'attention' must be a dtype (f64 f32 f16 bf16 e4m3 i32 i64 u8) or "
     "a list of them, not "
     "an empty list"},
    {CHECK "{dtype: [x]}\n",
     "3:23: 'dtype' of check of 'attention' must be a dtype (f64 f32 f16 bf16 e4m3 i32 i64 u8) or "
     "a list of them, not "
     "'x'"},
    {CHECK "{oracle: torch}\n",
     "3:23: 'oracle' of check of 'attention' must be builtin, cpu, base or 'reference NAME', not "
     "'torch'"},
    {CHECK "{oracle: reference torch}\n",
     "3:23: 'oracle' of check of 'attention': no reference 'torch'"},
    {V "check: {a: {oracle: reference fa}}\nkernels: {fa: " OK_KERNEL "}\n",
     "2:21: 'oracle' of check of 'a': no reference 'fa'"},
    {V "check: {a: {oracle: reference fa}}\nreferences: {fa: " OK_KERNEL "}\n",
     "2:21: 'oracle' of check of 'a': reference 'fa' computes another operator"},
    {V "check: {A: {}}\n",
     "2:9: 'A' in check is not a valid operator name: use small letters, digits and '_'"},
    {V "check: {a: 1}\n", "2:12: check of 'a' must be a mapping of keys to values"},

    /* measure, gate */
    {MEASURE "{samples: many}\n",
     "2:20: 'samples' of measure must be an integer from 1 to 1000000, not 'many'"},
    {MEASURE "{samples: 0}\n",
     "2:20: 'samples' of measure must be an integer from 1 to 1000000, not '0'"},
    {MEASURE "{samples: true}\n",
     "2:20: 'samples' of measure must be an integer from 1 to 1000000, not 'true'"},
    {MEASURE "{samples: 1e2}\n",
     "2:20: 'samples' of measure must be an integer from 1 to 1000000, not '1e2'"},
    {MEASURE "{warmup: -1}\n",
     "2:19: 'warmup' of measure must be an integer from 0 to 1000000, not '-1'"},
    {MEASURE "{cache: hot}\n", "2:18: 'cache' of measure must be cold or warm, not 'hot'"},
    {MEASURE "{cache: }\n", "2:11: 'cache' of measure must be cold or warm, not empty"},
    {MEASURE "{clocks: true}\n", "2:19: 'clocks' of measure must be free or lock, not 'true'"},
    {MEASURE "{timeout: 0}\n", "2:20: 'timeout' of measure must be from 0.1s to 1d, not '0'"},
    {MEASURE "{timeout: 60 parsecs}\n",
     "2:20: 'timeout' of measure must be from 0.1s to 1d, not '60 parsecs'"},
    {MEASURE "{timeout: 0x10}\n", "2:20: 'timeout' of measure must be from 0.1s to 1d, not '0x10'"},
    {MEASURE "{timeout: s}\n", "2:20: 'timeout' of measure must be from 0.1s to 1d, not 's'"},
    {MEASURE "{memory_limit: 8}\n",
     "2:25: 'memory_limit' of measure must be from 1MiB to 1048576MiB, not '8'"},
    {MEASURE "{cpus: 4-2}\n",
     "2:17: 'cpus' of measure must be a list of CPU numbers such as 0-3,8, not '4-2'"},
    {MEASURE "{cpus: 1024}\n",
     "2:17: 'cpus' of measure must be a list of CPU numbers such as 0-3,8, not '1024'"},
    {MEASURE "{threads: 0}\n",
     "2:20: 'threads' of measure must be an integer from 1 to 1024, not '0'"},
    {MEASURE "{samples: 3}\n",
     "2:20: 'samples' of measure (3) must be at least 'processes' (6): each process takes at least "
     "one"},
    {MEASURE "{processes: 101}\n",
     "2:10: 'samples' of measure (100) must be at least 'processes' (101): each process takes at "
     "least one"},
    {MEASURE "{proceses: 4}\n",
     "2:11: unknown key 'proceses' in measure; did you mean 'processes'?"},
    {MEASURE "cold\n", "2:10: measure must be a mapping of keys to values"},
    {GATE "{tolerate: 1}\n", "2:18: 'tolerate' of gate must be from 0% to 50%, not '1'"},
    {GATE "{tolerate: -1%}\n", "2:18: 'tolerate' of gate must be from 0% to 50%, not '-1%'"},
    {GATE "{tolerate: nan}\n", "2:18: 'tolerate' of gate must be from 0% to 50%, not 'nan'"},
    {GATE "{false_alarm: 0}\n", "2:21: 'false_alarm' of gate must be from 1e-07% to 50%, not '0'"},
    {GATE "{max_blocks: 0}\n",
     "2:20: 'max_blocks' of gate must be an integer from 1 to 1000, not '0'"},
    {GATE "{inconclusive: ignore}\n",
     "2:22: 'inconclusive' of gate must be warn or fail, not 'ignore'"},
    {GATE "{detect: 1%}\n",
     "2:16: 'detect' of gate (1%) must be greater than 'tolerate' (1%, the default)"},
    {GATE "{tolerate: 4%}\n",
     "2:7: 'detect' of gate (3%, the default) must be greater than 'tolerate' (4%)"},
    {GATE "{improve: 0.5%}\n",
     "2:17: 'improve' of gate (0.5%) must be greater than 'tolerate' (1%, the default)"},
    {GATE "{tolerate: 5%, detect: 12%}\n",
     "2:7: 'improve' of gate (5%, the default) must be greater than 'tolerate' (5%)"},
    {GATE "{max_blocks: 9}\n",
     "2:20: 'max_blocks' of gate (9) is too small for a decision at 'false_alarm' 0.1% over 1 "
     "comparisons and 'miss' "
     "1%: use at least "
     "12"},
    {GATE "{max_blocks: 1001}\n",
     "2:20: 'max_blocks' of gate must be an integer from 1 to 1000, not '1001'"},
    {GATE "{miss: 0.0001%, max_blocks: 12}\n",
     "2:35: 'max_blocks' of gate (12) is too small for a decision at 'false_alarm' 0.1% over 1 "
     "comparisons and 'miss' "
     "0.0001%: "
     "use at least 20"},
    {GATE "{preset: lax}\n", "2:16: 'preset' of gate must be strict, balanced or fast, not 'lax'"},
    {GATE "{limits: []}\n",
     "2:16: 'limits' of gate must be a mapping of 1 to 1000 patterns such as \"softmax/tiny\": "
     "{detect: 5%}, not an empty list"},
    {GATE "{limits: {k: {detect: 5%}}}\n", "2:17: 'k' of limits matches no kernel and case"},
    {GATE "{limits: {/c: {detect: 5%}}}\n",
     "2:17: '/c' of limits must be KERNEL or KERNEL/CASE, such as \"softmax\" or \"gemm_*/tiny\""},
    {GATE "{limits: {k/: {detect: 5%}}}\n",
     "2:17: 'k/' of limits must be KERNEL or KERNEL/CASE, such as \"softmax\" or \"gemm_*/tiny\""},
    {GATE "{limits: {k: {}}}\n", "2:20: limits of 'k' is empty; add a limit, such as detect: 5%"},
    {GATE "{limits: {k: {max_blocks: 90}}}\n",
     "2:21: unknown key 'max_blocks' in limits of 'k'; the keys are tolerate, detect, improve, "
     "inconclusive, static"},
    {V "kernels: {k: {command: [a]}}\ngate: {limits: {k: {tolerate: 4%}}}\n",
     "3:17: 'detect' of kernel 'k' on case '*' (3%, the default) must be greater than 'tolerate' "
     "(4%, "
     "line 3)"},
    {V "kernels: {k: {operator: o, sources: [a.c]}}\ncases: {c: {operator: o}}\n"
       "gate: {limits: {\"*/c\": {tolerate: 2%}, k: {improve: 1.5%}}}\n",
     "4:17: 'improve' of kernel 'k' on case 'c' (1.5%, line 4) must be greater than 'tolerate' "
     "(2%, line 4)"},
};

/* Says what differs, so that one run shows every line of the table that does. */
static bool matches(const char *yaml, size_t length, const char *expected) {
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_suite suite = {.kernel_count = 77};
  const enum pawl_status_code status =
      pawl_suite_parse(yaml, length, "pawl.yaml", &arena, &suite, &err);
  struct pawl_text line = {0};
  pawl_text_printf(&line, "pawl.yaml:%s", expected);
  const bool same = status == PAWL_CONFIG && err.code == PAWL_CONFIG &&
                    strcmp(err.message, line.data) == 0 &&
                    suite.kernel_count == 77; /* outputs are untouched on failure */
  if (!same)
    print_error("status %d for\n%.300s\n got: %s\nwant: %s\n", status, yaml, err.message,
                line.data);
  pawl_text_clear(&line);
  pawl_arena_clear(&arena);
  return same;
}

static void fails(const char *yaml, size_t length, const char *expected) {
  assert_true(matches(yaml, length, expected));
}

static void every_mistake_has_its_line(void **state) {
  (void)state;
  bool all = true;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    all &= matches(table[i].yaml, strlen(table[i].yaml), table[i].message);
  assert_true(all);
}

static void a_nul_byte_is_told(void **state) {
  (void)state;
  fails("version: 1\nx\0y", 14, "2:2: a NUL byte: this is not a text file");
}

static void long_texts_are_cut_between_characters(void **state) {
  (void)state;
  /* 59 letters, then two-byte characters: the cut at 60 bytes falls inside one. */
  fails(
      "version: 1\ncases: "
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa4\xc3\xa4\xc3\xa4\n",
      strlen("version: 1\ncases: ") + 59 + 7,
      "2:8: 'cases' of pawl.yaml must be a mapping of names to shapes, not "
      "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'");
}

/* --- texts too long to write down --- */

static void repeat(struct pawl_text *text, const char *part, size_t times) {
  for (size_t i = 0; i < times; i++) pawl_text_add(text, part);
}

static void deep_nesting_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *part, *message;
  } forms[] = {{"[", "1:33: nested more than 32 deep"},
               {"{a: ", "1:129: nested more than 32 deep"},
               {"- ", "1:65: nested more than 32 deep"}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    struct pawl_text text = {0};
    repeat(&text, forms[i].part, 100000);
    fails(text.data, text.length, forms[i].message);
    pawl_text_clear(&text);
  }
}

static void a_billion_laughs_are_refused(void **state) {
  (void)state;
  struct pawl_text text = {0};
  pawl_text_add(&text, "a: &a [x,x,x,x,x,x,x,x,x,x]\n");
  for (char name = 'b'; name <= 'z'; name++) {
    pawl_text_printf(&text, "%c: &%c [", name, name);
    for (int i = 0; i < 10; i++) pawl_text_printf(&text, "%s*%c", i ? "," : "", name - 1);
    pawl_text_add(&text, "]\n");
  }
  fails(text.data, text.length, "5:35: the file has more than 100000 values, with its aliases");
  pawl_text_clear(&text);
}

static void many_anchors_are_refused(void **state) {
  (void)state;
  struct pawl_text text = {0};
  pawl_text_add(&text, "a:\n");
  for (int i = 0; i < 1001; i++) pawl_text_printf(&text, "- &x%d 1\n", i);
  fails(text.data, text.length, "1002:10: more than 1000 anchors");
  pawl_text_clear(&text);
}

static void a_large_text_is_refused(void **state) {
  (void)state;
  struct pawl_text text = {0};
  repeat(&text, "# comment\n", PAWL_YAML_FILE_LIMIT / 10 + 1);
  fails(text.data, text.length, "1:1: the file is larger than the limit of 1 MiB");
  pawl_text_clear(&text);
}

static void many_checks_are_refused(void **state) {
  (void)state;
  struct pawl_text text = {0};
  pawl_text_add(&text, V "check:\n");
  for (int i = 0; i < 101; i++) pawl_text_printf(&text, "  a%d: {S: 1..1000}\n", i);
  fails(text.data, text.length, "3:3: 'check' of pawl.yaml has more than 100 operators");
  pawl_text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_mistake_has_its_line),
      cmocka_unit_test(a_nul_byte_is_told),
      cmocka_unit_test(long_texts_are_cut_between_characters),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(a_billion_laughs_are_refused),
      cmocka_unit_test(many_anchors_are_refused),
      cmocka_unit_test(a_large_text_is_refused),
      cmocka_unit_test(many_checks_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
