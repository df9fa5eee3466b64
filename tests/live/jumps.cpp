// Functions that are left by jumps: one race after each, whose stack must be that of the place jumped to. The argument
// says which.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <ucontext.h>

#include "../programs/unseen.h"

extern "C" void in_c(int depth, void (*then)()); // jumps_c.c

static int x;
static sigjmp_buf back;
static const char *way;
static volatile char stack_room[1 << 16];

static bool is(const char *name)
{
    return strcmp(way, name) == 0;
}

__attribute__((noinline)) static void race()
{
    x++;
    __asm__ volatile(""); // not a tail call
}

__attribute__((noinline)) static void leave()
{
    if (is("throw") || is("throw-c") || is("cleanup") || is("rethrow"))
        throw 1;
    if (is("exit-cleanup"))
        pthread_exit(nullptr);
    if (is("_longjmp"))
        _longjmp(back, 1);
    else if (is("siglongjmp") || is("altstack"))
        siglongjmp(back, 1);
    else
        longjmp(back, 1);
}

__attribute__((noinline)) static void deep(int depth)
{
    volatile char local[64];
    local[depth] = 1;
    if (depth > 0)
        deep(depth - 1);
    else if (is("throw-c"))
        in_c(3, leave);
    else
        leave();
    local[depth] = 2;
}

static void handler(int)
{
    deep(3);
}

struct cleaner {
    ~cleaner()
    {
        race();
    }
};

__attribute__((noinline)) static void middle()
{
    cleaner c;
    deep(3);
}

__attribute__((noinline)) static void rethrow()
{
    try {
        deep(3);
    } catch (int) {
        deep(2);
    }
}

__attribute__((noinline)) static void jump_back()
{
    if (is("alloca")) {
        volatile char *room = (volatile char *)__builtin_alloca(1000);
        room[0] = 1;
        if (sigsetjmp(back, 1) == 0)
            deep(3);
    } else if (is("altstack")) {
        stack_t alternate = {};
        alternate.ss_sp = (void *)stack_room;
        alternate.ss_size = sizeof stack_room;
        sigaltstack(&alternate, nullptr);
        struct sigaction action = {};
        action.sa_handler = handler;
        action.sa_flags = SA_ONSTACK;
        sigaction(SIGUSR1, &action, nullptr);
        if (sigsetjmp(back, 1) == 0)
            raise(SIGUSR1);
    } else if (sigsetjmp(back, 1) == 0) {
        deep(3);
    }
    race();
}

static ucontext_t outer, inner;

__attribute__((noinline)) static void back_out()
{
    swapcontext(&inner, &outer);
    __asm__ volatile("");
}

static void on_other_stack(int depth, void *pointer)
{
    if (depth != 7 || pointer != &inner)
        abort();
    back_out();
    if (is("context"))
        race();
    back_out();
}

__attribute__((noinline)) static void go_in()
{
    swapcontext(&outer, &inner);
    __asm__ volatile("");
}

__attribute__((noinline)) static void contexts()
{
    getcontext(&inner);
    inner.uc_stack.ss_sp = (void *)stack_room;
    inner.uc_stack.ss_size = sizeof stack_room;
    inner.uc_link = &outer;
    makecontext(&inner, (void (*)())on_other_stack, 2, 7, &inner);
    for (int i = 0; i < 3; i++) // to the end of it
        go_in();
    if (is("context-end"))
        race();
    __asm__ volatile("");
}

static void *first(void *)
{
    if (is("context") || is("context-end")) {
        contexts();
        return nullptr;
    }
    if (is("cleanup") || is("exit-cleanup")) {
        try {
            middle();
        } catch (int) {
        }
    } else if (is("throw") || is("throw-c")) {
        try {
            deep(3);
        } catch (int) {
            race();
        }
    } else if (is("rethrow")) {
        try {
            rethrow();
        } catch (int) {
            race();
        }
    } else {
        jump_back();
    }
    return nullptr;
}

static void *start(void *)
{
    struct at_end {
        ~at_end()
        {
            unseen_signal(1);
        }
    } signal;
    first(nullptr);
    return nullptr;
}

static void *second(void *)
{
    unseen_wait(1);
    x = 0;
    return nullptr;
}

int main(int, char **argv)
{
    pthread_t a, b;
    way = argv[1];
    pthread_create(&a, nullptr, start, nullptr);
    pthread_create(&b, nullptr, second, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
}
