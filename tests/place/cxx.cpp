/* C++: pointers to virtual functions, and exceptions. */
extern "C" {
void unknown();
void never_throws() noexcept;

struct Base {
    virtual ~Base();
    virtual int get();
    int value;
};

/* The pointer has an entry of its own; the table is constant. */
// expect dispatch: __tsan_vptr_read 1, reads 0
int dispatch(Base *b)
{
    return b->get();
}

/* What comes after a call that may throw is not certain. */
// expect may_throw: reads 1, writes 1
void may_throw(int *p)
{
    int a = *p;
    try {
        unknown();
    } catch (...) {
        return;
    }
    *p = a + 1;
}

/* Nor what the handler does: the check before is gone with the call, which may release. */
// expect in_handler: reads 2
int in_handler(volatile int *p)
{
    int a = *p;
    try {
        unknown();
    } catch (...) {
        return a + *p;
    }
    return a;
}

// expect throws: reads 1, writes 2
void throws(int *p, int limit)
{
    int a = *p;
    if (a > limit)
        throw a;
    *p = a + 1;
}

/* Left by the throw, or at its end: checked before either. */
// expect loop_that_throws: __pf_writes 2, writes 1
void loop_that_throws(int *a, int n, int limit)
{
    for (int i = 0; i < n; i++) {
        if (i * i > limit)
            throw i;
        a[i] = i;
    }
}

// expect loop_that_calls: __pf_writes 0, writes 1
void loop_that_calls(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        try {
            unknown();
        } catch (int) {
        }
        a[i] = i;
    }
}
}
