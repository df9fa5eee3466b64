/* What a program can see of its own surroundings, before and after everything that the runtime has a part in:
 * errno, masks of signals, floating point, alignment of stacks. The same program without us is the judge. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <xmmintrin.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int counter;
static __int128 wide;
static int shared[4096];
static char text[64];

/* --- what there is to see --- */

static unsigned control_word(void)
{
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

/* It is an error of ours, or the compiler's, if this faults. */
static const char *aligned(void)
{
    _Alignas(16) char place[16];
    __asm__ volatile("movaps %%xmm0, %0" : "=m"(place));
    return (uintptr_t)place % 16 == 0 ? "aligned" : "not aligned";
}

static uint64_t mask(void)
{
    sigset_t set;
    uint64_t bits = 0;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    for (int i = 1; i < _NSIG; i++)
        bits |= (uint64_t)(sigismember(&set, i) == 1) << (i - 1);
    return bits;
}

static void show(const char *where)
{
    int e = errno;
    unsigned status = _mm_getcsr(), word = control_word();
    int exceptions = fetestexcept(FE_ALL_EXCEPT);
    printf("%s: errno %d, mxcsr %x, control %x, exceptions %x, rounding %x, mask %lx, %s\n", where, e, status,
           word, exceptions, fegetround(), mask(), aligned());
    feclearexcept(FE_ALL_EXCEPT); /* printf may raise some */
    feraiseexcept(exceptions);
    _mm_setcsr(status);
    errno = e;
}

/* --- what may disturb --- */

static void *thread(void *unused)
{
    show("thread");
    errno = 5;
    pthread_mutex_lock(&lock);
    counter++;
    shared[0]++;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
    show("thread's end");
    return unused;
}

static void on_signal(int number)
{
    show("handler");
    atomic_fetch_add(&counter, number);
    errno = 9;
}

static void everything(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_rwlock_rdlock(&readers);
    pthread_rwlock_unlock(&readers);
    char *block = malloc(100);
    block = realloc(block, 100000);
    memset(block, 1, 100000);
    memcpy(block + 5000, block, 5000);
    free(block);
    strcpy(text, "some text");
    strcat(text, " and more");
    atomic_fetch_add(&counter, 1);
    __atomic_fetch_add(&wide, 1, __ATOMIC_SEQ_CST);
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < 4096; i++)
        shared[i] += i;
    if (write(-1, text, 0) >= 0)
        puts("?");
}

static void with_threads(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&lock);
    struct timespec past = {0, 0};
    pthread_cond_timedwait(&condition, &lock, &past);
    pthread_mutex_unlock(&lock);
}

static void at_exit(void)
{
    show("exit");
}

int main(void)
{
    sigset_t some;
    show("main");
    atexit(at_exit);
    signal(SIGUSR1, on_signal);
    errno = 77;
    everything();
    show("everything");
    fesetround(FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
    _mm_setcsr(_mm_getcsr() | _MM_FLUSH_ZERO_ON);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    sigaddset(&some, SIGRTMIN + 3);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    show("other state");
    everything();
    show("everything again");
    with_threads();
    show("threads");
    raise(SIGUSR1);
    show("signal");
    raise(SIGUSR2); /* blocked */
    sigpending(&some);
    printf("pending: %d\n", sigismember(&some, SIGUSR2));
    signal(SIGUSR2, on_signal);
    sigemptyset(&some);
    pthread_sigmask(SIG_SETMASK, &some, NULL);
    show("unblocked");
    sigfillset(&some);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    static int more[1 << 20]; /* memory that is new to everybody, with all signals blocked */
    for (int i = 0; i < 1 << 20; i += 64)
        more[i] = i;
    everything();
    printf("%d\n", more[64]);
    return 0;
}
