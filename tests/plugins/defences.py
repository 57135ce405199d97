#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Switches each defence of a measurement off, alone, and names the tests of the corpus that then fail.

Usage: defences.py SOURCE_ROOT BUILD [NAME...]. It changes one line of a scratch clone, builds, tests and puts the line back.
NAME picks defences, or `none` for all tests with all defences. red_team.py shows the table, and checks that each line is still there."""

import pathlib
import re
import subprocess
import sys

INTEGRITY = "measure/integrity/"
CLOCK, PERMUTATION, PERMUTED = INTEGRITY + "clock_check.c", INTEGRITY + "permutation.c", INTEGRITY + "permuted_calls.c"
PAIRS, VERIFY = INTEGRITY + "fresh_pairs.c", "measure/block_verify.c"
CLOCKS, COLD, GPU = "attacks clock_cheats python_cheats", "attacks protocol_stamp computes_ahead computes_ahead_python", "measure_fresh_pairs worker_cuda"
COMPARED = "timed_cheats knows_the_calls knows_the_gate seen_inputs skips_in_batches"

# name: (what it is, file below src/, a part of a line, that part without the defence, tests to run, what then fails)
DEFENCES = {
    "own clock": ("some calls are timed by pawl's own clock", CLOCK, "if (pawl_clock_is_impossible(&facts, suspicion)) ",
                  "if (pawl_clock_is_impossible(&facts, suspicion) && 0) ", CLOCKS, ["fakes_words", "patches_vdso", "rewrites_start", "starves_who_watches", "clock_cheats", "python_cheats"]),
    "followed piece": ("a piece of the outputs is followed", CLOCK, "written = call->begun_ns >= 0 ?", "written = call->begun_ns < -1 ?", "attacks",
                       ["fakes_words"]),
    "outputs at the end": ("pieces of the outputs are read when the call ends", CLOCK, "if (!outputs_are_the_same(watcher, call)) {",
                           "if (0 && !outputs_are_the_same(watcher, call)) {", CLOCKS, ["clock_cheats"]),
    "absent pages": ("the pages of the outputs are there when the call ends", CLOCK, "if (call->absent) {", "if (0 && call->absent) {", "attacks", ["serves_faults"]),
    "counted stamps": ("begins and ends of watched calls are counted", CLOCK, "if (watcher->went_back || *watcher->word - watcher->first != 2 * watcher->call_count)",
                       "if (watcher->went_back)", "attacks python_cheats", ["adds_stamps"]),
    "lasting suspicion": ("a suspicion lasts for some blocks", INTEGRITY + "looks.c", "return *suspicion >= ENOUGH ||", "return", "attacks measure_clock_check", ["fakes_words", "starves_who_watches", "test_one_call_is_not_enough"]),
    "new inputs": ("cold calls have new inputs", PERMUTED, "arm->permuted = arm->worker &&", "arm->permuted = 0 && arm->worker &&",
                   "remembers_less seen_inputs", ["remembers_less", "seen_inputs"]),
    "late inputs": ("inputs come after the flush", PERMUTATION, "return pawl_worker_takes_late_inputs(arm->worker) &&",
                    "return 0 && pawl_worker_takes_late_inputs(arm->worker) &&", COLD,
                    ["dispatches_calls", "fakes_words", "shares_memory_with_child", "computes_ahead", "computes_ahead_python"]),
    "frozen threads": ("other threads and processes are held while inputs change", PERMUTATION, "if (!pawl_freeze_others(&freeze, process))",
                       "if (0 && !pawl_freeze_others(&freeze, process))", COLD + " kept", ["test_who_works_while_inputs_change_gains_nothing"]),
    "prompt begin": ("a call counts where pawl sees it begin at once", PERMUTATION, "const bool prompt = permutation->ahead_ns[i]",
                     "const bool prompt = 1 || permutation->ahead_ns[i]", COLD,
                     ["dispatches_calls", "test_who_works_ahead_gains_nothing", "test_who_has_a_child_work_ahead_gains_nothing"]),
    "newest process": ("the CPU time of the kernel counts where no process has started", PERMUTATION,
                       "outset->newest >= 0 && newest_process(permutation) == outset->newest)",
                       "(1 || newest_process(permutation) == outset->newest))", "protocol_stamp", ["test_who_has_a_child_work_ahead_gains_nothing"]),
    "cold comparison": ("the outputs of a cold call are compared", PERMUTED, "if (checked->compare_set < 0) return", "if (checked->compare_set < 0 || 1) return",
                        COMPARED, ["knows_the_calls", "knows_the_gate"]),
    "comparison by chance": ("a call drawn by chance is compared, of a kernel whose bits differ", INTEGRITY + "integrity.c", "if (arm->deterministic ||",
                             "if (1 || arm->deterministic ||", COMPARED, ["knows_the_calls"]),
    "comparison of timed calls": ("the outputs of the last timed calls are compared", INTEGRITY + "integrity.c", "return checked->verify && pawl",
                                  "return 0 && checked->verify && pawl", COMPARED, ["knows_the_calls"]),
    "comparison of usual sets": ("other sets are compared after the timing", VERIFY, "if (run->arms[i].worker) PAWL_TRY(verify_usual(",
                                 "if (0 && run->arms[i].worker) PAWL_TRY(verify_usual(", COMPARED, ["seen_inputs"]),
    "same bits": ("the bits of all calls on the same inputs are the same", VERIFY, "if (arm->deterministic && arm->set_hash[set] &&",
                  "if (0 && arm->deterministic && arm->set_hash[set] &&", COMPARED, ["knows_the_calls"]),
    "fresh calls": ("a call on other inputs follows the timing: a few exchanged elements", VERIFY, "return any_left(run) && !run->plan->skips_fresh ?",
                    "return 0 && any_left(run) ?", "timed_cheats remembers_less attacks", ["cached_by_sample"]),
    "fresh second half": ("the same, with a new second half", VERIFY, "if (seed % 2 == 0) return", "if (1) return", "timed_cheats remembers_less kept",
                           ["test_a_norm_kept_by_address_is_wrong"]),
    "late writes": ("the hash after a call is that of its outputs in the end", "worker/kernel_requests.c", "if (strcmp(now, reply->hashes[sample]) != 0)",
                    "if (0 && strcmp(now, reply->hashes[sample]) != 0)", "worker_hostile timed_cheats", ["writes_late"]),
    "batches": ("outputs are overwritten between warm calls", "host/poison.c", "if (now == poisons->list[i].value) *left_out",
                "if (0 && now == poisons->list[i].value) *left_out", "skips_in_batches", ["skips_in_batches"]),
    "stray writes, by turn": ("inputs and the memory beside them are looked at after each turn", INTEGRITY + "integrity.c",
                              "if (!over || !run->plan->unproven ||", "if (1 || !over || !run->plan->unproven ||", "measure_stray_writes timed_cheats", ["test_also_where_nothing_is_compared", "test_who_dies_leaves_the_inputs_as_drawn", "test_who_writes_to_inputs_is_wrong_alone"]),
    "stray writes, at the end": ("the same, after all turns", INTEGRITY + "stray_writes.c", "if (!run->plan->unproven || !has", "if (1 || !run->plan->unproven || !has",
                                 "measure_stray_writes timed_cheats", ["test_among_several_nobody_knows_who_writes_far", "test_who_writes_far_is_to_blame"]),
    "rest": ("the other version rests", "measure/block_run.c", "if (&run->arms[i] != arm) pawl_worker_rest", "if (0 && &run->arms[i] != arm) pawl_worker_rest",
             "rivals", ["test_none_reaches_any_of_many", "test_none_reaches_the_other"]),
    "pairs": ("warm calls are compared with calls on new inputs", PAIRS, "arm->fresh_pairs = takes ? wanted : 0",
              "arm->fresh_pairs = 0 * takes * wanted", "kept seen_inputs skips_in_batches", ["kept", "seen_inputs", "skips_in_batches"]),
    "hidden blocks": ("the shared memory looks as before the first block", "measure/block.c", "if (run->problem->oracle) pawl_problem_hide_blocks",
                      "if (0) pawl_problem_hide_blocks", "kept", ["test_no_kernel_tells_a_later_block"]),
    "pairs by chance": ("one block of four has pairs, whatever the first ones show", PAIRS, "run->plan->fresh_pairs : by_chance;",
                        "run->plan->fresh_pairs : 0 * by_chance;", "kept",
                        ["test_pairs_by_chance_find_who_is_honest_at_first", "test_couples_by_chance_find_large_results_kept_later"]),
    "pairs of samples": ("cold samples with new inputs are compared with those beside them", PERMUTED, "if (!arm->is_new[i] || other == out->count) continue;",
                         "if (1) continue;", "kept", []),
    "peak": ("no time is below the peak", "measure/result_builder.c", "if (gflops > peak * beyond_peak(builder))", "if (0 && gflops > peak * beyond_peak(builder))",
             "impossible_times timed_cheats skips_in_batches", ["impossible_times"]),
    "one place": ("both versions run at one place", "worker/views.c", None, None, "knows_the_base", ["knows_the_base"]),
    "box": ("both versions are built at one place, or on copies", "build/box.c", None, None, "sandboxed_builds", ["test_a_build_cannot_tell_its_version"]),
    "one time": ("build commands see files of one time, and none that git ignores", "build/tree_copy.c", "!(box->moved && box->by_command)) return",
                 "1) return", "knows_the_base", ["by_times", "by_ignored"]),
    "GPU: frozen calls": ("GPU: other threads are held in unseen calls", INTEGRITY + "frozen_calls.c", "frozen_calls_is_wanted() && pawl",
                          "0 && frozen_calls_is_wanted() && pawl", GPU, ["test_who_warms_the_cache_gains_nothing"]),
    "GPU: given inputs": ("GPU: all values of unseen inputs are new", INTEGRITY + "given_inputs.c", "if (!problem->oracle || !pawl_worker_takes",
                          "if (1 || !pawl_worker_takes", GPU, ["test_who_keeps_results_gains_nothing", "test_constant_inputs_are_new",
                                                              "test_who_keeps_results_and_needs_a_thread_gains_nothing"]),
    "GPU: exchange": ("GPU: elements change places behind the flush", "host/kernel_pairs.c", "if (!host->device->exchange) return false;",
                      "if (1 || !host->device->exchange) return false;", GPU,
                      ["test_who_computes_ahead_gains_nothing", "nobody_computes_unseen_inputs_ahead", "test_outputs_of_changed_inputs_are_compared"]),
}


def faults(root):
    return [f"defences.py: '{name}': {file} has no single '{line.strip()}'" for name, (_, file, line, _, _, _) in DEFENCES.items()
            if line and (root / "src" / file).read_text().count(line) != 1]


def failures(root, build, tests):
    failed = []
    for test in tests:
        golden = (root / f"tests/golden/loop/{test}.sh").exists()
        command = [root / "tests/golden/run.py", "--build", build, f"loop/{test}"] if golden else ["meson", "test", "-C", build, "--no-rebuild",
                                                                                                "--print-errorlogs", test]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        if done.returncode:
            failed += sorted(set(re.findall(r"\[  FAILED  \] (\S+)$", done.stdout, re.M))) or [test]
            print(done.stdout, file=sys.stderr)
    return failed


def main():
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for name in sys.argv[3:] or DEFENCES:
        if name == "none":
            tests = sorted(set(" ".join(row[4] for row in DEFENCES.values()).split()))
            print(f"none: {' '.join(failures(root, build, tests)) or 'nothing fails'}", flush=True)
            continue
        _, file, line, without, tests, _ = DEFENCES[name]
        path = root / "src" / file
        text = path.read_text()
        if not line:
            continue
        try:
            path.write_text(text.replace(line, without))
            subprocess.run(["ninja", "-C", build], check=True, stdout=subprocess.DEVNULL)
            print(f"{name}: {' '.join(failures(root, build, tests.split())) or 'nothing fails'}", flush=True)
        finally:
            path.write_text(text)


if __name__ == "__main__":
    main()
