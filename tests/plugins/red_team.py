#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks on a measurement and on who judges it, what becomes of each, and the tests that run them.

Usage: red_team.py SOURCE_ROOT [--write]: writes docs/results/red-team.md, or says where it is not what this table makes."""

import pathlib
import re
import sys

from defences import DEFENCES, faults

HELD, PARTLY, OPEN = "held", "partly", "open"

# (the attack of the kernel, its outcome, the reason, names of tests)
ROWS = [
    ("patches the worker's `clock_gettime`, from the start or half-way", HELD,
     "pawl's own clock watches calls drawn by chance (CPU)", ["clock_cheats"]),
    ("the same, and tells the truth where somebody reads the words of its calls, which makes their cache line slow", HELD,
     "pawl looks at each call that has not ended when it should have; cold calls", ["lies_unless_watched"]),
    ("executes the worker again with `LD_PRELOAD`", HELD, "pawl's own clock watches calls drawn by chance", ["clock_cheats"]),
    ("a Python kernel replaces `time.perf_counter_ns`", HELD, "the same", ["clock_cheats"]),
    ("interposes the host's functions by symbols", HELD, "they are not exported", ["fake_clock"]),
    ("protects its outputs and computes them in the fault handler", HELD,
     "pawl reads the outputs through its own mapping when the call ends", ["clock_cheats"]),
    ("claims more arithmetic than the CPU can do", HELD, "FP32 and FP64: three times the measured peak",
     ["impossible_times"]),
    ("remembers results by content", HELD, "each timed call has inputs with new values", ["remembers", "cached_by_first_content"]),
    ("remembers, and is honest for good after the first miss", HELD, "the same: it gains nothing", ["remembers_less"]),
    ("remembers by address within one request, found by `getrusage`", HELD,
     "the same, and some of these outputs are compared", ["remembers_less", "cached_by_pointer"]),
    ("computes in the untimed warm-up", HELD, "the warm-up has other inputs", ["remembers_less"]),
    ("mends remembered outputs where few inputs changed", HELD, "every value of every input is new",
     ["remembers_less", "test_new_inputs_are_new"]),
    ("keeps results by a key without an order (sort, norm, max, bins, in place)", HELD, "every value of every input is new",
     ["kept", "seen_inputs"]),
    ("keeps results by the one value of an input", HELD, "the same", ["kept"]),
    ("the same, of inputs so large that a draw takes longer than a flush (20 ms)", HELD,
     "samples with new inputs and samples beside them are pairs, and what the new ones take longer counts", ["kept"]),
    ("looks at some elements of its inputs alone", HELD, "the same, and some of these outputs are compared", ["kept"]),
    ("compares with kept inputs and mends what differs, elementwise or by rows of a matrix", HELD, "every value differs", ["kept"]),
    ("warm: keeps results by address, and works in one call of four", HELD, "outputs on new inputs are compared", ["seen_inputs"]),
    ("warm: keeps results, or mends them", HELD,
     "pairs of calls on usual and on new inputs; what the new ones take longer is added to all times, in Python too", ["kept", "seen_inputs"]),
    ("warm: keeps a part of the work, 29 % of it", HELD, "the same: certain from 1.02 on", ["kept", "seen_inputs", "seen_inputs_judged"]),
    ("warm: knows the first block by the words of calls, outputs that nobody has written yet, or a mark that a process left beside the tensors, and keeps results "
     "in later blocks alone", HELD, "before each block the shared memory looks as before the first one", ["test_no_kernel_tells_a_later_block"]),
    ("the same by other means", HELD, "one block of four has pairs by chance, and the last 32 pairs are judged alone: found in the first such block",
     ["test_pairs_by_chance_find_who_is_honest_at_first", "test_couples_by_chance_find_large_results_kept_later"]),
    ("warm: has a slow clock, and adds begins and ends of calls, or takes them back, so that who watches loses the true ones", HELD,
     "pawl counts them, and none may go back", ["adds_stamps", "takes_stamps_back"]),
    ("computes inputs ahead while they change", HELD, "other threads are held meanwhile; of large inputs the pairs of samples tell it too",
     ["test_who_works_while_inputs_change_gains_nothing", "kept"]),
    ("warm: keeps so little that noise hides it, or knows the pairs and is honest there alone", OPEN,
     "20 pairs on a busy machine do not tell 10 %; single calls differ from batches", ["keeps_little"]),
    ("keeps results on a GPU by a key without an order, by one value or a few, or mends what differs", HELD,
     "every value of every input of an unseen call is new; what it takes longer counts", ["test_who_keeps_results_gains_nothing", "kept_cuda"]),
    ("the same with inputs that the operator adjusts", HELD, "these are drawn and adjusted again", ["test_constant_inputs_are_new", "kept_cuda"]),
    ("returns an object in place of a tensor of PyTorch, which computes when pawl reads it", HELD, "it is refused",
     ["test_an_output_that_is_no_tensor_is_refused", "kept_torch"]),
    ("a Python kernel on a GPU replaces functions of PyTorch or of pawl that tell the time, or records an event of the timing once more", PARTLY,
     "the functions must be those of their files, and a graph has two events; timer and kernel share an interpreter, so who replaces this "
     "comparison too is not found",
     ["test_a_script_must_not_replace_functions_of_the_timing", "test_a_kernel_must_not_time_itself",
      "test_an_event_that_the_call_records_is_found", "kept_torch"]),
    ("a Python kernel on a CPU replaces the clock, its timed call or its answers", HELD, "pawl watches some calls with its own clock",
     ["clock_cheats", "python_cheats"]),
    ("a Python kernel keeps its output by the address or the object of an input, or works at the end of its process", HELD,
     "inputs are new, and pawl compares outputs", ["python_cheats", "kept_torch"]),
    ("a Python kernel returns an input that it has changed, or an object that computes when it is read", HELD,
     "inputs must stay as they are; an object is read inside of the timed call", ["python_cheats", "kept_torch"]),
    ("remembers with integer inputs, or with inputs that the operator adjusts", HELD, "these are drawn and adjusted again",
     ["test_new_inputs_are_adjusted"]),
    ("reuses results within a batch of warm calls", PARTLY, "outputs are overwritten between calls; a warning", ["skips_in_batches"]),
    ("computes changed inputs ahead in a thread or a process while the cache is flushed", HELD,
     "inputs change after the flush, while these are held", ["computes_ahead"]),
    ("the same in Python", HELD, "the same", ["computes_ahead_python"]),
    ("in Python: works while it loads its inputs or flushes the caches, and takes no late inputs for that", PARTLY,
     "the result has a warning, and there is no verdict beside a base that takes them", ["computes_ahead_python"]),
    ("the same on another stream of a GPU", HELD,
     "pairs of calls, of which one has inputs that change behind the flush, while pawl holds other threads; where it takes longer, all "
     "samples count so much longer: on an H200 work ahead of 5 to 50 us in calls of 18 to 63 us gains nothing",
     ["nobody_computes_unseen_inputs_ahead", "test_who_computes_ahead_gains_nothing", "ahead_cuda", "side_stream", "eager"]),
    ("the same, and its call does not look at its inputs", HELD, "the outputs of an unseen call are compared",
     ["test_outputs_of_changed_inputs_are_compared", "test_outputs_written_beside_the_timed_region_are_found_out"]),
    ("knows the unseen calls of a GPU, and is honest there alone", HELD,
     "they come at a place drawn by the system, and are compared with the samples around them", ["test_who_knows_the_pairs_gains_nothing"]),
    ("reads inputs on another stream of a GPU, so that they are in its L2 after the flush", PARTLY,
     "pawl holds other threads in unseen calls, one that stops inside the CUDA driver again at another moment; the pairs are certain in "
     "some blocks: on an H200 up to 7 % gained in a call of 11 us, before 30 % in one of 17 us",
     ["test_who_warms_the_cache_gains_nothing", "test_who_warms_the_cache_from_inside_the_driver_gains_nothing", "ahead_cuda"]),
    ("works on while the other version is timed: uses its CPUs, by threads or by a process", HELD,
     "the other version is stopped; without namespaces its first process alone", ["hinders_by_thread", "hinders_by_process"]),
    ("wakes itself while it is stopped: a timer sends it SIGCONT", HELD,
     "pawl sees that it got a CPU: it ends as crashed the third time, and one that starts is killed at once",
     ["test_who_wakes_itself_is_found_out"]),
    ("works on in a system call that no signal ends, while the other version is timed", HELD,
     "pawl sees its CPU time: it ends as crashed the third time",
     ["hinders_in_the_kernel", "test_who_works_on_in_the_kernel_is_found_out"]),
    ("writes into the outputs of the other version, which then is wrong", HELD, "the other version is stopped", ["spoils_outputs"]),
    ("takes the pages of its inputs away, which are zeros then", HELD, "pawl compares them", ["empties_inputs"]),
    ("takes the pages of its outputs away, and computes them in a handler of `userfaultfd`", HELD,
     "pawl looks whether they are there when a watched call ends", ["serves_faults"]),
    ("keeps who watches off the CPUs, by threads of the highest priority, and has a clock of its own", HELD,
     "pawl's own clock gives bounds, however late it looks", ["starves_who_watches"]),
    ("a process that shares its memory (`clone`) computes ahead", HELD, "it is stopped while the inputs change; needs namespaces",
     ["shares_memory_with_child"]),
    ("computes changed inputs in a signal handler of its first thread, on a stack of its own, by a timer", HELD,
     "a call counts where pawl sees it begin within 20 us; else again, or with all that it can have gained", ["protocol_stamp"]),
    ("the same, and the handler starts a process that does the work", HELD,
     "the CPU time of the kernel is a bound only where no process has started", ["protocol_stamp"]),
    ("says in place of the worker that the caches are flushed and the call has begun, by a handler of its first thread", PARTLY,
     "pawl follows a piece of the outputs from the change of the inputs: until it is written the call has not ended; on 2 CPUs at a "
     "load of 2 to 5 found within 30 blocks in 10 of 14 trials",
     ["fakes_words"]),
    ("traps after each instruction of the worker that waits for inputs", HELD, "a call counts where pawl sees it begin within 20 us",
     ["single_steps"]),
    ("has each system call of the worker come to a handler first (`PR_SET_SYSCALL_USER_DISPATCH`)", HELD, "the same: it gains nothing",
     ["dispatches_calls"]),
    ("maps memory of its own over the inputs", HELD, "pawl compares what its own mapping holds", ["maps_over_inputs"]),
    ("patches the system's page that tells the time (vDSO)", HELD, "pawl's own clock", ["patches_vdso"]),
    ("rewrites the begin of the call in its caller's registers and stack", HELD, "the same", ["rewrites_start"]),
    ("has `io_uring` write the outputs later", HELD, "outputs are looked at when the call ends", ["uses_io_uring"]),
    ("keeps results in System V memory for other processes", HELD, "an IPC namespace, and inputs of their own: it gains nothing",
     ["keeps_in_system_v"]),
    ("children of a forked reference take memory, each below the limit of one", HELD, "a control group for each forked process",
     ["test_a_forked_process_cannot_take_all_memory_in_children"]),
    ("keeps results in /dev/shm for other processes", HELD, "each sandbox has its own", ["worker_sandbox"]),
    ("stops, traces or reads the process of the other version", HELD, "another process namespace; Landlock",
     ["worker_sandbox"]),
    ("overwrites the base's plug-in in `.pawl/build`", HELD, "what it writes ends with it", ["stays_apart", "worker_sandbox"]),
    ("forges or reads `.pawl/oracle/*.expected`", HELD, "the folder is hidden", ["stays_apart", "worker_sandbox"]),
    ("reads the key of the seals", HELD, "its folder is hidden, and pawl is not dumpable", ["worker_sandbox", "sealed"]),
    ("without a sandbox but without the key: forges expected values, times of references", HELD,
     "seals: AES-256-GMAC, checked at each use", ["test_a_forged_entry_is_found_out", "sealed", "kept_references"]),
    ("without a sandbox but without the key: puts another plug-in, object or library in `.pawl/build`", HELD,
     "seals of what is built", ["test_forged_files_are_made_again", "sealed"]),
    ("forges kept objects in `.pawl/objects`", HELD, "what it writes ends with it, or Landlock forbids it; seals", ["stays_apart"]),
    ("without a sandbox: forges the journal of `tune`", HELD, "finalists are checked and measured anew", ["forged_journal"]),
    ("without a sandbox: overwrites or swaps a plug-in between two blocks", HELD,
     "inode, times and seal of the file, before each process and after its hello", ["worker_code"]),
    ("makes the key readable, replaces it by a link or a FIFO", HELD, "pawl refuses it, and trusts no earlier file",
     ["test_refused_keys", "sealed"]),
    ("reads /proc/PPID/fd, writes /proc/PPID/mem", HELD, "pawl is not dumpable, and not in its /proc", ["worker_sandbox"]),
    ("signals or traces pawl", HELD, "SIGSYS", ["stops_pawl", "traces_pawl", "test_process_shield"]),
    ("reaches the network, or a socket by name", HELD, "a network of its own; with Landlock alone it sees the network",
     ["worker_sandbox"]),
    ("leaves a daemon with an empty environment", HELD,
     "process 1 of the sandbox ends, and all with it; without namespaces the daemon becomes a child of pawl, which ends it",
     ["worker_sandbox", "test_orphans_end_with_who_left_them", "stays_apart"]),
    ("gives back the memory that the worker reads to flush the caches, so that its own tables stay there", HELD,
     "the sum of that memory must stay; who also changes the worker's code is not found", ["empties_flush"]),
    ("starts processes that start processes", HELD,
     "a control group, where pawl may make one: too many processes; all end with it", ["fork_bomb", "test_process_cgroup"]),
    ("takes memory in many processes, each below the limit of one", HELD, "the control group's memory", ["hogs_in_children"]),
    ("remounts or makes files writable", HELD, "no capabilities", ["worker_sandbox"]),
    ("a fork's suite says `isolation: off`", HELD, "PAWL_ISOLATION goes before it", ["isolation"]),
    ("`\"git_commit\": \"main\"` in the baseline", HELD, "hexadecimal, and an anchor is not HEAD", ["false_anchor"]),
    ("a FIFO in the place of a cache entry", HELD, "regular files alone, opened without blocking", ["test_oracle_cache"]),
    ("knows that it is the base, by its folder, a path, the files or their times, a file that git ignores, or a header there, and is slow", PARTLY,
     "both versions are built and run at one path, on copies of the files that git knows; build commands see them at one time; without namespaces each process "
     "and each build has copies in a new folder, but one that looks for the repository, and for the sizes of its files, can tell; so can a build command in a tree of "
     "more than 2000 files, but compilers of both versions see the ignored files of the working tree",
     ["knows_the_base", "arms", "test_a_build_cannot_tell_its_version", "test_a_source_cannot_tell_its_version",
      "test_a_change_that_needs_an_ignored_file_sees_no_more_than_its_base"]),
    ("commits a file at an ignored path that the suite of the base shares (`measure.files`), so that the base is built or run with it", HELD,
     "what one of them tracks there is not shared", ["test_a_change_gives_the_base_no_file_that_it_tracks", "test_a_change_takes_no_file_of_the_base_away"]),
    ("by what an earlier build of its tree left: a plug-in, objects, lists of headers", HELD,
     "the folder of compilers has a drawn name, so no source can name a file in it; that of a build command is new",
     ["test_a_source_cannot_tell_its_version", "test_a_build_cannot_tell_its_version"]),
    ("gets a priority, a session or long slices of its own, binds or slows other processes", HELD,
     "it has no capabilities and sees no other processes; without namespaces it has no rights over them",
     ["reaches_for_the_machine"]),
    ("seals, locks, pages out or punches holes into the shared memory", HELD, "the other version gains and loses nothing",
     ["reaches_for_the_machine"]),
    ("in Python: computes in a thread, a child or a `__del__` after the call", HELD, "the bytes are looked at when the call ends",
     ["reaches_for_the_machine"]),
    ("knows which calls are compared, or that the gate watches", HELD, "a look at a call drawn by chance",
     ["knows_the_calls", "knows_the_gate"]),
    ("on a machine with neither namespaces nor Landlock: forges evidence", OPEN,
     "`isolation: none` in the report; `required` refuses to run", ["isolation"]),
    ("on a GPU: a clock of its own, remembered results", HELD, "two clocks, replayed graphs, new inputs beside the timed calls",
     ["test_calls_that_do_nothing_are_found_out", "eager"]),
]

# Why defences without an entry stay.
NO_ENTRY = [
    "The thread of pawl that goes first is none of these defences: without it all entries are held. It stays because a bench beside two busy programs takes 13 and 17 s",
    "with it, and 24 and 26 s without ([measured](../adr/watched-calls.md)). The pairs of samples have no entry yet.",
    "The rows of new inputs, batches, one place and copies were measured before, at a load of 20. The same bits and the look by chance had no entry before",
    "`knows_the_calls` ran warm.",
]


# Honest kernels that look like these.
HONEST = [
    ("keeps a plan of its shape; sorts by branches; stops early by its data; needs no order (norm, max, bins)", ["kept"]),
    ("inputs in which the operator has made an order", ["test_permuted_twice_is_as_before"]),
    ("integer outputs that are rightly all 0xff", ["unwritten_outputs_are_known"]),
    ("calls that take longer than a quarter of the time limit", ["slow"]),
    ("other bits each time, said so", ["deterministic"]),
    ("inouts", ["inouts_are_restored"]),
    ("streams of its own, joined", ["own_streams"]),
    ("two launches, atomics", ["two_launches", "atomics"]),
    ("threads that it creates", ["test_worker_placement"]),
    ("prints much", ["prints"]),
    ("a destructor that never returns: pawl names it, and its results stand", ["hangs_at_exit"]),
    ("allocates, maps, locks, protects or advises memory, a stack of 4 MiB", ["allocates", "maps_pages", "locks_pages",
     "protects_inputs", "huge_pages", "huge_stack"]),
    ("a slow first call, a table made once, calls that differ in length", ["slow_first_call", "lazy_table", "work_that_varies"]),
    ("writes its outputs twice, backwards, as a copy first; reads them again", ["output_twice", "backwards",
     "copies_then_doubles", "checks_its_work"]),
    ("asks for its working folder", ["knows_the_base"]),
    ("reads clocks, cycles, its usage, `/proc`; prints; a scratch file", ["logs_its_time", "counts_cycles", "reads_its_usage",
     "reads_proc", "scratch_file"]),
    ("sleeps, yields, binds itself to a CPU, jumps, denormals", ["sleeps", "yields", "stays_on_a_cpu", "long_jump", "denormals"]),
    ("signals, a profiling timer", ["raises_a_signal", "profiling_timer"]),
    ("a thread for each call, pools that sleep or spin, a thread that only watches", ["thread_each_call", "thread_pool",
     "spinning_pool", "watchdog_thread"]),
    ("a process for each call, a process that stays, a child that shares its memory", ["process_each_call", "helper_process",
     "vm_child_each_call"]),
    ("drops pages, a memory file of its own, asks for how it is scheduled", ["drops_pages", "memory_file", "asks_the_scheduler"]),
    ("a call on a GPU that waits for a thread of the host", ["test_a_call_that_needs_a_held_thread_goes_on"]),
]

# (the user and the place, the level of isolation there, the outcome of the attacks)
PLACES = [
    ("root; CI", "full", "as the table says"),
    ("an ordinary user", "full", "the same; `worker_sandbox` failed once, by a wait of its own that is gone since"),
    ("an ordinary user; a seccomp filter refuses `unshare`, `setns`, `mount`, `clone3` and `clone` with namespaces", "files",
     "the same: the tests ran before pawl ended such daemons, and `stays_apart` again since, as root with `unshare` refused; "
     "it and `isolation` name `full` and so differ there"),
    ("the two above again, with `attacks`, `late_inputs` and `honest` alone, at a load of 3 to 6", "full, files", "the same"),
    ("root, an ordinary user, and root with the same calls refused, with `rivals`, `unseen` and the new ones of `attacks` and `honest` alone, at a load of 3",
     "full, full, files", "the same, but for `hinders_by_process` in `files`: it works on"),
    ("root, and an ordinary user, with `unshare` refused: `arms` alone, 500 and 1000 starts, with 200 more facts (ages of files, "
     "descriptors, clocks, the machine's counters), at a load of 17", "files", "nothing tells the arm of a plug-in"),
]
PLACES_TESTS = ("`late_inputs`, `honest`, `sealed`, `stays_apart`, `isolation`, `remembers`, `remembers_less`, "
                "`computes_ahead`, `knows_the_calls`, `knows_the_gate`, `clock_cheats`, `worker_sandbox`, `worker_code`, "
                "`worker_hostile`, `seal`, `shield`, `hold`")


def cell(tests):
    return " ".join(f"`{name}`" for name in tests) or "none"


def page():
    held, partly, unfrozen = (sum(state == wanted for _, state, _, _ in ROWS) for wanted in (HELD, PARTLY, OPEN))
    lines = ["# Attacks on a measurement, and what becomes of them", "",
             "`tests/plugins/red_team.py` writes this page. Each named test runs in CI.",
             f"Of {len(ROWS)} attacks {held} are held, {partly} in part, "
             f"{unfrozen} {'is' if unfrozen == 1 else 'are'} open. \"Held\" is for `isolation: full` or `files` "
             "([why](../adr/sandbox.md)) and, for clocks and inputs, for CPU kernels measured cold.", "",
             "| what the kernel does | state | how | tests |", "|---|---|---|---|"]
    lines += [f"| {what} | {state} | {how} | {cell(tests)} |" for what, state, how, tests in ROWS]
    lines += ["", "## Which defence catches what", "",
              "`tests/plugins/defences.py` switches each defence off, alone: it changes one line, builds and runs the tests that can tell, at a load of 5 to 25 on",
              "2 CPUs. With all defences they pass. An entry in the last column gets through without this defence, so this one alone holds it.", "",
              "| defence | file below `src/` | what gets through without it |", "|---|---|---|"]
    lines += [f"| {what} | `{file}` | {cell(entries)} |" for what, file, _, _, _, entries in DEFENCES.values()]
    alone = {}
    for what, _, _, _, _, entries in DEFENCES.values():
        for entry in entries:
            alone.setdefault(entry, []).append(what)
    lines += ["", "The same by entry. An entry with several defences needs each of them: its kernels differ, or one defence works through another.", "",
              "| entry | what alone holds it |", "|---|---|"]
    lines += [f"| `{entry}` | {'; '.join(whats)} |" for entry, whats in sorted(alone.items())]
    lines += ["", *NO_ENTRY]
    lines += ["", "## Honest kernels that look like these", "", "| kernel | tests |", "|---|---|"]
    lines += [f"| {what} | {cell(tests)} |" for what, tests in HONEST]
    lines += ["", "## Users and containers", "", f"The first row is CI, which has every test. The others are one run each of {PLACES_TESTS},",
              "on a virtual machine with 2 CPUs and a load of about 12. No honest kernel was accused.", "", "| who, where | isolation | the attacks |", "|---|---|---|"]
    lines += [f"| {who} | {level} | {what} |" for who, level, what in PLACES]
    return "\n".join(lines) + "\n"


def main():
    root = pathlib.Path(sys.argv[1])
    path = root / "docs/results/red-team.md"
    if sys.argv[2:] == ["--write"]:
        path.write_text(page())
    tests = [p for p in (root / "tests").rglob("*") if p.suffix in (".c", ".cu", ".h", ".py", ".sh") and p.name not in ("red_team.py", "defences.py")]
    words = set().union(*(re.findall(r"\w+", p.read_text(errors="replace")) for p in tests)) | {p.stem for p in tests}
    rows = [*ROWS, *HONEST, *DEFENCES.values()]
    wrong = faults(root)
    wrong += [f"there is no test '{name}'" for row in rows for name in row[-1] if name not in words and f"test_{name}" not in words]
    if path.read_text() != page():
        wrong.append("docs/results/red-team.md is not what this table makes; run it with --write")
    for fault in wrong:
        print(f"red_team.py: {fault}")
    return 1 if wrong else 0


sys.exit(main())
