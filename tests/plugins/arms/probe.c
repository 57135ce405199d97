/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel, y = 2 x, that prints what it can see of the place that it runs in:
   tests/contract/arms.py looks for what tells the base from the candidate. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <pawl/kernel.h>

#include "version.h"

#define MOST_NAMES 512

static char said[1 << 15];
static size_t length, in_line;
static char read_text[1 << 16];

/* pawl keeps the last lines of what a kernel prints, so a line holds many facts. */
static void say(const char *name, const char *part, const char *format, ...) {
  char value[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(value, sizeof value, format, arguments);
  va_end(arguments);
  for (char *at = value; *at; at++)
    if (*at < '!' || *at > '~' || *at == ';' || *at == '=') *at = '_';
  const int added = snprintf(said + length, sizeof said - length, "%s%s%s=%s;", name,
                             *part ? "." : "", part, value);
  if (added < 0 || length + (size_t)added + 2 > sizeof said) abort();
  length += (size_t)added;
  in_line += (size_t)added;
  if (in_line > 1500) said[length++] = '\n', in_line = 0;
}

static unsigned hash(const char *text, size_t count) {
  unsigned value = 2166136261u;
  for (size_t i = 0; i < count; i++) value = (value ^ (unsigned char)text[i]) * 16777619u;
  return value;
}

static void say_text(const char *name, const char *part, const char *text, size_t count) {
  const size_t tail = count < 24 ? count : 24;
  say(name, part, "%u:%u:%.*s", hash(text, count), (unsigned)count, (int)tail, text + count - tail);
}

/* Reads a file as text, with a zero at its end. */
static size_t slurp(const char *path) {
  size_t count = 0;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  for (ssize_t got = 1; fd >= 0 && got > 0; count += got > 0 ? (size_t)got : 0)
    got = read(fd, read_text + count, sizeof read_text - 1 - count);
  if (fd >= 0) close(fd);
  read_text[count] = '\0';
  return count;
}

static void say_file(const char *path) {
  const size_t count = slurp(path);
  say_text("text", path, read_text, count);
}

/* The words between two separators are facts of their own. */
static void say_words(const char *path, const char *separators, size_t skip) {
  slurp(path);
  char *rest, part[16];
  int number = 0;
  for (char *word = strtok_r(read_text + skip, separators, &rest); word;
       word = strtok_r(NULL, separators, &rest)) {
    snprintf(part, sizeof part, "%d", number++);
    if (strlen(word) > 24)
      say_text(path, part, word, strlen(word));
    else
      say(path, part, "%s", word);
  }
}

/* The mounts without their numbers, which count up on the whole machine. */
static void say_mounts(void) {
  char *rest, part[16];
  int number = 0;
  slurp("/proc/self/mountinfo");
  for (char *line = strtok_r(read_text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    int skipped = 0;
    snprintf(part, sizeof part, "%d", number++);
    sscanf(line, "%*d %*d %*s %n", &skipped);
    say_text("mount", part, line + skipped, strlen(line + skipped));
  }
}

static void say_strings(const char *path) {
  const size_t count = slurp(path);
  char part[16];
  int number = 0;
  for (size_t at = 0; at < count; at += strlen(read_text + at) + 1) {
    snprintf(part, sizeof part, "%d", number++);
    say_text(path, part, read_text + at, strlen(read_text + at));
  }
}

static void say_time(const char *name, const char *part, struct timespec time) {
  say(name, part, "%lld.%09ld", (long long)time.tv_sec, time.tv_nsec);
}

static void say_stat(const char *name, const char *path) {
  struct stat info;
  if (stat(path, &info)) {
    say(name, "stat", "none");
    return;
  }
  say(name, "dev", "%llu", (unsigned long long)info.st_dev);
  say(name, "ino", "%llu", (unsigned long long)info.st_ino);
  say(name, "mode", "%o", info.st_mode);
  say(name, "nlink", "%llu", (unsigned long long)info.st_nlink);
  say(name, "owner", "%u:%u", info.st_uid, info.st_gid);
  say(name, "size", "%lld", (long long)info.st_size);
  say(name, "blocks", "%lld:%lld", (long long)info.st_blocks, (long long)info.st_blksize);
  say_time(name, "mtime", info.st_mtim);
  say_time(name, "ctime", info.st_ctim);
  say_time(name, "atime", info.st_atim);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Once in the order of the folder and once sorted. */
static void say_names(const char *name, const char *path) {
  static char *names[MOST_NAMES];
  char all[8192] = "";
  size_t count = 0;
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && count < MOST_NAMES && (entry = readdir(folder)); count++)
    names[count] = strdup(entry->d_name);
  if (folder) closedir(folder);
  for (int sorted = 0; sorted < 2; sorted++) {
    size_t used = 0;
    for (size_t i = 0; i < count && used + 256 < sizeof all; i++)
      used += (size_t)sprintf(all + used, "%.200s ", names[i]);
    say_text(name, sorted ? "names" : "order", all, used);
    qsort(names, count, sizeof *names, by_name);
  }
  for (size_t i = 0; i < count; i++) free(names[i]);
}

/* The pages of a file that are in memory. */
static void say_cached(const char *name, const char *path) {
  struct stat info;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info) || info.st_size == 0) return;
  const size_t bytes = (size_t)info.st_size, pages = (bytes + 4095) / 4096;
  void *data = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
  unsigned char *resident = calloc(pages, 1);
  size_t count = 0;
  mincore(data, bytes, resident);
  for (size_t i = 0; i < pages; i++) count += resident[i] & 1;
  say(name, "cached", "%zu", count);
  munmap(data, bytes);
  free(resident);
  close(fd);
}

static void say_filesystem(const char *name, const char *path) {
  struct statfs info;
  if (statfs(path, &info)) return;
  say(name, "type", "%lx:%lx:%lx", (unsigned long)info.f_type, (unsigned long)info.f_flags,
      (unsigned long)info.f_bsize);
  say(name, "blocks_of_all", "%llu", (unsigned long long)info.f_blocks);
  say(name, "files_of_all", "%llu", (unsigned long long)info.f_files);
  say(name, "free_files", "%llu", (unsigned long long)info.f_ffree);
  say(name, "fsid", "%x:%x", info.f_fsid.__val[0], info.f_fsid.__val[1]);
}

static void say_link(const char *path) {
  char target[4096];
  const ssize_t count = readlink(path, target, sizeof target);
  if (count >= 0) say_text("link", path, target, (size_t)count);
}

static void say_place(const char *name, const char *path) {
  say_stat(name, path);
  say_cached(name, path);
}

static void say_folder(const char *name, const char *path) {
  say_stat(name, path);
  say_names(name, path);
  say_filesystem(name, path);
}

static void say_files(void) {
  char folder[4096], working[4096];
  Dl_info own;
  dladdr(said, &own);
  snprintf(folder, sizeof folder, "%s", own.dli_fname);
  if (strrchr(folder, '/')) *strrchr(folder, '/') = '\0';
  if (getcwd(working, sizeof working)) say_text("cwd", "", working, strlen(working));
  say_text("self", "path", own.dli_fname, strlen(own.dli_fname));
  say_text("source", "path", __FILE__, strlen(__FILE__));
  say_text("source", "time", __TIMESTAMP__, strlen(__TIMESTAMP__));
  say("self", "address", "%p", own.dli_fbase);
  say_place("self", own.dli_fname);
  say_folder("self_folder", folder);
  say_folder("cwd", ".");
  say_folder("parent", "..");
  say_folder("root", "/");
  say_folder("home", getenv("HOME") ? getenv("HOME") : "/root");
  say_folder("tmp", "/tmp");
  say_folder("shm", "/dev/shm");
  say_names("pts", "/dev/pts");
  say_place("program", "/proc/self/exe");
  say_place("suite", "pawl.yaml");
  say_place("kernel", "kernels/probe.c");
  say_place("table", "data/table.bin");
  say_stat("git", ".git");
  say_stat("cache", ".pawl");
}

static void say_process(void) {
  static const char *const files[] = {
      "/proc/self/limits",      "/proc/self/cgroup",        "/proc/self/uid_map",
      "/proc/self/personality", "/proc/self/oom_score_adj", "/proc/self/timerslack_ns",
      "/proc/self/comm",        "/proc/sysvipc/shm",        "/proc/net/dev",
      "/proc/self/fdinfo/3",    "/proc/self/fdinfo/4",      "/proc/self/fdinfo/5"};
  static const char *const links[] = {"/proc/self/cwd",    "/proc/self/exe",    "/proc/self/root",
                                      "/proc/self/ns/mnt", "/proc/self/ns/pid", "/proc/self/fd/0",
                                      "/proc/self/fd/1",   "/proc/self/fd/2",   "/proc/self/fd/3",
                                      "/proc/self/fd/4",   "/proc/self/fd/5"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) say_file(files[i]);
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) say_link(links[i]);
  say_mounts();
  say_names("descriptors", "/proc/self/fd");
  say_names("processes", "/proc");
  say_strings("/proc/self/cmdline");
  say_strings("/proc/self/environ");
  say_words("/proc/self/stat", " ", 0);
  say_words("/proc/self/status", "\n", 0);
  say("process", "", "%d", getpid());
  say("parity", "", "%d", getpid() % 2);
  say("parent_process", "", "%d:%d:%d", getppid(), getpgrp(), getsid(0));
  const mode_t mask = umask(0);
  umask(mask);
  say("umask", "", "%o", mask);
  say("cpu", "", "%d", sched_getcpu());
  cpu_set_t cpus;
  sched_getaffinity(0, sizeof cpus, &cpus);
  say("cpus", "", "%d:%u", CPU_COUNT(&cpus), hash((const char *)&cpus, sizeof cpus));
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  say("usage", "faults", "%ld", usage.ru_minflt);
  say("usage", "reads", "%ld:%ld", usage.ru_majflt, usage.ru_inblock);
  say("usage", "peak", "%ld", usage.ru_maxrss);
}

/* The names of what is mapped, without addresses, and where some of it lies. */
static void say_memory(const struct pawl_launch *call) {
  static char names[1 << 14];
  size_t used = 0, count = 0;
  char *rest;
  slurp("/proc/self/maps");
  for (char *line = strtok_r(read_text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    const char *path = strchr(line, '/') ? strchr(line, '/') : strchr(line, '[');
    if (path && used + 256 < sizeof names)
      used += (size_t)snprintf(names + used, 256, "%.250s ", path);
    count++;
  }
  say_text("maps", "names", names, used);
  say("maps", "count", "%zu", count);
  say("address", "stack", "%p", (void *)&rest);
  say("address", "break", "%p", sbrk(0));
  say("address", "inputs", "%p", call->tensors[0].data);
  say("address", "outputs", "%p", call->tensors[1].data);
  say("address", "library", "%p", dlsym(RTLD_DEFAULT, "malloc"));
  say("address", "vdso", "%lx", getauxval(AT_SYSINFO_EHDR));
  say("address", "random", "%lx", getauxval(AT_RANDOM));
}

static const char *supports(const struct pawl_shape *shape) {
  return shape->dtype == PAWL_F32 ? NULL : "only f32";
}

static int launch(const struct pawl_launch *call) {
  static int calls;
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  for (int64_t i = 0; i < call->tensors[0].size[0]; i++) y[i] = 2 * x[i];
  if (calls++) return 0;
  say("version", "", "%d", VERSION);
  say_files();
  say_process();
  say_memory(call);
  said[length++] = '\n';
  return write(STDOUT_FILENO, said, length) != (ssize_t)length;
}

static const struct pawl_kernel self = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_kernel),
    .name = "probe",
    .operator_name = "scale",
    .device = PAWL_CPU,
    .flags = PAWL_KERNEL_DETERMINISTIC,
    .supports = supports,
    .launch = launch,
};

const struct pawl_kernel *pawl_kernel_entry(void) { return &self; }
