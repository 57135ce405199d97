/* SPDX-License-Identifier: Apache-2.0 */
/* Reaches for what is not its own, as PAWL_TEST_REACH says; PAWL_TEST_TARGET is what it reaches
   for. launch() returns 1 where it saw that it got it; where it cannot see, the test looks. */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scale.h"

static pid_t target_process(const char *target) { return (pid_t)strtol(target, NULL, 10); }

static int overwrites(const char *target) {
  const int fd = open(target, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0) return 0;
  const int got = write(fd, "forged", 6) == 6;
  close(fd);
  return got;
}

static int replaces(const char *target) {
  char other[4096];
  snprintf(other, sizeof other, "%s.new", target);
  return overwrites(other) && rename(other, target) == 0;
}

static int reads(const char *target) {
  char text[64];
  const int fd = open(target, O_RDONLY);
  const ssize_t got = fd >= 0 ? read(fd, text, sizeof text) : -1;
  if (fd >= 0) close(fd);
  return got > 0;
}

/* The memory of a process, at an address that every process has: its own code's. */
static int opens_memory(const char *target, int flags) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/mem", target);
  const int fd = open(path, flags);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static int reads_memory(const char *target) { return opens_memory(target, O_RDONLY); }

static int writes_memory(const char *target) { return opens_memory(target, O_RDWR); }

static int lists_descriptors(const char *target) {
  char path[64], link[256];
  snprintf(path, sizeof path, "/proc/%s/fd/1", target);
  return readlink(path, link, sizeof link) > 0;
}

static int signals(const char *target) {
  return kill(target_process(target), SIGURG) == 0; /* ignored by default */
}

static int traces(const char *target) {
  const pid_t pid = target_process(target);
  if (ptrace(PTRACE_ATTACH, pid, NULL, NULL)) return 0;
  waitpid(pid, NULL, 0);
  ptrace(PTRACE_DETACH, pid, NULL, NULL);
  return 1;
}

static int copies_memory(const char *target) {
  char here[8] = "";
  const struct iovec local = {here, sizeof here}, remote = {(void *)target_process, sizeof here};
  return process_vm_readv(target_process(target), &local, 1, &remote, 1, 0) > 0;
}

static int connects(const char *target) {
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)strtol(target, NULL, 10)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int got = fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
  if (fd >= 0) close(fd);
  return got;
}

static int connects_by_name(const char *target) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t length = strlen(target);
  memcpy(address.sun_path + 1, target, length); /* abstract: in no folder */
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const int got =
      fd >= 0 && connect(fd, (const struct sockaddr *)&address,
                         (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0;
  if (fd >= 0) close(fd);
  return got;
}

/* In a session of its own, with nothing of our environment: no mark to find it by. The target tells
 * it from others. */
static int leaves_daemon(const char *target) {
  char *const argv[] = {(char *)"sleep", (char *)(unsigned long)target, NULL}, *const nothing[] = {
                                                                                   NULL};
  int ends[2];
  char none;
  if (pipe2(ends, O_CLOEXEC)) return 0;
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    execve("/bin/sleep", argv, nothing);
    _exit(1);
  }
  close(ends[1]);
  waitpid(child, NULL, 0);
  while (read(ends[0], &none, 1) > 0) { /* its end comes when the daemon executes its program */
  }
  close(ends[0]);
  return 0;
}

static int makes_writable(const char *target) {
  (void)target;
  return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0;
}

static int opens_kernel_setting(const char *target) {
  const int fd =
      open(target,
           O_WRONLY); /* the name of a program that the kernel runs as root, outside of all this */
  if (fd >= 0) close(fd);
  return fd >= 0;
}

/* As the driver of a GPU does with each thread that it makes. */
static int names_its_thread(const char *target) {
  const int fd = open("/proc/thread-self/comm", O_WRONLY);
  const int got = fd >= 0 && write(fd, target, strlen(target)) > 0;
  if (fd >= 0) close(fd);
  return got;
}

static const struct {
  const char *name;
  int (*deed)(const char *target);
} deeds[] = {
    {"overwrites", overwrites},
    {"replaces", replaces},
    {"reads", reads},
    {"reads_memory", reads_memory},
    {"writes_memory", writes_memory},
    {"lists_descriptors", lists_descriptors},
    {"signals", signals},
    {"traces", traces},
    {"copies_memory", copies_memory},
    {"connects", connects},
    {"connects_by_name", connects_by_name},
    {"leaves_daemon", leaves_daemon},
    {"makes_writable", makes_writable},
    {"opens_kernel_setting", opens_kernel_setting},
    {"names_its_thread", names_its_thread},
};

static int launch(const struct pawl_launch *call) {
  const char *wanted = getenv("PAWL_TEST_REACH"), *target = getenv("PAWL_TEST_TARGET");
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
    if (wanted && target && !strcmp(deeds[i].name, wanted) && deeds[i].deed(target)) return 1;
  }
  return scale(call);
}

HOSTILE_KERNEL("reaches_out", .launch = launch)
