/* What some interceptors do before the real call and after it, for the hooks around system calls that a program makes by
 * hand (runtime/syscall_hooks.c). Each is described where it is defined. */
#pragma once

#include <sys/select.h>
#include <sys/socket.h>

#include "runtime/thread.h"

struct epoll_event;
struct flock;
struct msghdr;
struct pollfd;
struct sembuf;
struct timespec;
struct watch;

/* poll.c. The sets: for reading, for writing, for exceptions; each may be NULL */
HIDDEN void poll_begins(const struct pollfd *fds, unsigned long count, const struct timespec *wait,
                        uintptr_t pc);
HIDDEN void poll_ends(struct thread *t, struct pollfd *fds, unsigned long count, uintptr_t pc);
HIDDEN void select_begins(int count, fd_set *const set[3], const void *wait, size_t wait_size, uintptr_t pc);
HIDDEN void select_ends(struct thread *t, int count, fd_set *const set[3], uintptr_t pc);

/* epoll.c. The last two: after a call that `epoll_noting` came before, with what it returned; without */
HIDDEN struct watch *epoll_noting(struct thread *t, int epoll, int what, int fd,
                                  const struct epoll_event *event);
HIDDEN void epoll_noted(struct thread *t, int epoll, int what, int fd, const struct watch *w, int result);
HIDDEN void epoll_noted_last(struct thread *t, int epoll, int what, int fd, int result);
HIDDEN void epoll_woken(struct thread *t, int epoll, struct epoll_event *event, int events, uintptr_t pc);

/* socket.c */
HIDDEN socklen_t name_room(const void *name, const socklen_t *size);
HIDDEN void name_given(void *name, socklen_t *size, socklen_t room, uintptr_t pc);
HIDDEN void message_sending(struct thread *t, int fd, const struct msghdr *m, uintptr_t pc);
HIDDEN socklen_t message_receiving(const struct msghdr *m, uintptr_t pc);
HIDDEN void message_received(struct thread *t, struct msghdr *m, socklen_t name_room, ssize_t size,
                             uintptr_t pc);

/* queue.c */
HIDDEN void messages_sending(struct thread *t, int id, const void *message, size_t size, uintptr_t pc);
HIDDEN void messages_received(struct thread *t, int id, void *message, size_t size, uintptr_t pc);
HIDDEN void semaphores_operating(struct thread *t, int id, const struct sembuf *operation, size_t count,
                                 uintptr_t pc);
HIDDEN void semaphores_operated(struct thread *t, int id, const struct sembuf *operation, size_t count);
HIDDEN void semaphores_setting(struct thread *t, int id, int command);

/* fd_life.c */
HIDDEN void fd_control(struct thread *t, int fd, int command, const struct flock *lock, uintptr_t pc);
HIDDEN void fd_controlled(struct thread *t, int fd, int command, const struct flock *lock, int result,
                          uintptr_t pc);

/* signal_order.c */
HIDDEN void signal_order_sending(struct thread *t, pid_t to, int number);
HIDDEN void signal_order_timer_set(struct thread *t);

/* mmap.c */
HIDDEN void mapping_forget(void *address, size_t size);
HIDDEN void mapping_moved(void *old, size_t old_size, void *moved, size_t new_size);
