/* SPDX-License-Identifier: Apache-2.0 */
/* Tries every way to leave something behind. A kernel, a build and a Python worker of a hostile
   change call it. leftovers.py looks for the remains, which all carry the mark. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static void leave_file(const char *path) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0755);
  if (fd < 0) return;
  if (write(fd, "\n# " LEFT_MARK "\n", sizeof "\n# " LEFT_MARK "\n" - 1) < 0) (void)fd;
  close(fd);
}

static void leave_files(const char *list) {
  char path[4096];
  for (const char *p = list; *p; p += strcspn(p, "\n"), p += *p == '\n') {
    snprintf(path, sizeof path, "%.*s", (int)strcspn(p, "\n"), p);
    leave_file(path);
  }
}

static void leave_sockets(void) {
  struct sockaddr_un abstract = {.sun_family = AF_UNIX};
  struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons(LEFT_PORT)};
  memcpy(abstract.sun_path + 1, LEFT_MARK, sizeof LEFT_MARK - 1);
  const int local = socket(AF_UNIX, SOCK_STREAM, 0), wide = socket(AF_INET, SOCK_STREAM, 0);
  if (!bind(local, (struct sockaddr *)&abstract,
            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof LEFT_MARK)))
    listen(local, 1);
  if (!bind(wide, (struct sockaddr *)&port, sizeof port)) listen(wide, 1);
}

/* A process that no parent knows, and that writes the results of the run anew. */
static void leave_process(void) {
  if (fork()) return;
  setsid();
  if (fork()) _exit(0);
  for (int i = 0; i < 1024; i++) close(i);
  prctl(PR_SET_NAME, LEFT_MARK, 0, 0, 0);
  signal(SIGTERM, SIG_IGN);
  leave_sockets();
  for (int i = 0; i < 60; i++) {
    leave_file(LEFT_RESULTS);
    sleep(1);
  }
  _exit(0);
}

/* A program that has no file. */
static void leave_program(void) {
  if (fork()) return;
  setsid();
  char name[] = LEFT_MARK "-memfd", time[] = "60", *argv[] = {name, time, NULL}, *none[] = {NULL};
  char bytes[65536];
  for (int i = 0; i < 1024; i++) close(i);
  const int from = open("/bin/sleep", O_RDONLY), to = memfd_create(name, 0);
  for (ssize_t got; from >= 0 && (got = read(from, bytes, sizeof bytes)) > 0;)
    if (write(to, bytes, (size_t)got) < got) break;
  fexecve(to, argv, none);
  _exit(0);
}

static void leave_ipc(void) {
  shmget(LEFT_PORT, 4096, IPC_CREAT | 0666);
  msgget(LEFT_PORT, IPC_CREAT | 0666);
  semget(LEFT_PORT, 1, IPC_CREAT | 0666);
  mq_open("/" LEFT_MARK, O_CREAT | O_RDWR, 0666, NULL);
  syscall(SYS_add_key, "user", LEFT_MARK, "x", (size_t)1, -4); /* the user's keyring */
}

static void leave_elsewhere(void) {
  chmod("/dev/full", 0676);
  chmod("/dev/nvidiactl", 0676);
  mknod(LEFT_DEVICE, S_IFCHR | 0666, (dev_t)0x103); /* a null device of its own */
  if (fork()) return;
  if (!unshare(CLONE_NEWUSER | CLONE_NEWNS) &&
      !mount("/proc/self/ns/user", LEFT_DEVICE, NULL, MS_BIND, NULL))
    leave_file(LEFT_DEVICE);
  _exit(0);
}

static void leave(void) {
  static int done;
  if (done++) return;
  leave_files(LEFT_FILES);
  leave_ipc();
  leave_process();
  leave_program();
  leave_elsewhere();
}

#ifdef LEFT_MAIN
int main(void) {
  leave();
  return 0;
}
#endif
