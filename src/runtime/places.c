#include "runtime/places.h"

#include <sys/auxv.h>

#include "base/atomic.h"
#include "base/sys.h"

#define WINDOW    (UINT64_C(1) << SHADOW_WINDOW_BITS)
#define TERABYTE  (UINT64_C(1) << 40)
#define MEGABYTE  (UINT64_C(1) << 20)
#define ENOUGH    (TERABYTE / 2)
#define HEAP_ROOM (TERABYTE / 16)
enum { PAGE = 4096 };

/* How far down from `top` one comes to `to`, in the window; 0: `top` is in the place. */
static uintptr_t distance(uintptr_t top, const struct place *p)
{
    uintptr_t down = (top - p->to) % WINDOW;
    return down + (p->to - p->from) >= WINDOW ? 0 : down;
}

static uintptr_t room_below(uintptr_t top, const struct place *place, size_t count)
{
    uintptr_t room = WINDOW;
    for (size_t i = 0; i < count; i++)
        room = distance(top, &place[i]) < room ? distance(top, &place[i]) : room;
    return room;
}

/* Each step passes a place, or a good part of one. */
uintptr_t places_pad(uintptr_t top, const struct place *place, size_t count)
{
    uintptr_t pad = 0, room;
    while ((room = room_below(top - pad, place, count)) < ENOUGH && pad < 2 * WINDOW)
        pad += room + TERABYTE / 4;
    return pad;
}

/* Where the kernel puts large mappings now: the end of one. */
static uintptr_t next_top(void)
{
    void *probe = sys_map(NULL, TERABYTE, PROT_NONE, MAP_NORESERVE);
    if (probe == NULL)
        return 0;
    sys_unmap(probe, TERABYTE);
    return (uintptr_t)probe + TERABYTE;
}

/* The top of what is mapped later. */
static uintptr_t move_next(const struct place *place, size_t count)
{
    uintptr_t top = next_top(), pad = top != 0 ? places_pad(top, place, count) : 0;
    if (pad > 0)
        sys_map(NULL, pad, PROT_NONE, MAP_NORESERVE);
    return top - pad;
}

/* A page that may not be touched ends the heap; the C library then goes on with mappings. */
static void stop_heap(const struct place *heap, const struct place *others, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uintptr_t up = (others[i].from - heap->to) % WINDOW;
        uintptr_t at = (heap->to + (up > MEGABYTE ? up - MEGABYTE : 0) + PAGE - 1) & -(uintptr_t)PAGE;
        if (up < ENOUGH)
            sys_map((void *)at, PAGE, PROT_NONE, MAP_NORESERVE | MAP_FIXED_NOREPLACE);
    }
}

/* --- the heap's room --- */

static void *heap_room;

static uintptr_t heap_end(void)
{
    return (uintptr_t)sys_call3(SYS_brk, 0, 0, 0);
}

void places_hold_heap(void)
{
    heap_room = sys_map((void *)((heap_end() + PAGE - 1) & -(uintptr_t)PAGE), HEAP_ROOM, PROT_NONE,
                        MAP_NORESERVE | MAP_FIXED_NOREPLACE);
}

void places_release_heap(void)
{
    if (heap_room != NULL)
        sys_unmap(heap_room, HEAP_ROOM);
    heap_room = NULL;
}

/* --- who has which part of the window --- */

enum { CLAIM_BITS = 30, CLAIMS = 1 << (SHADOW_WINDOW_BITS - CLAIM_BITS) };

static uint8_t claims[CLAIMS]; /* by gigabyte of the window: 1 + the window's number, or 0 */

hot_inline uint8_t window_of(uintptr_t gigabyte)
{
    return (uint8_t)(1 + gigabyte / CLAIMS);
}

bool places_apart(uintptr_t address, size_t size)
{
    if (size > WINDOW)
        return false;
    for (uintptr_t at = address >> CLAIM_BITS; size != 0 && at <= (address + size - 1) >> CLAIM_BITS; at++) {
        uint8_t seen = load_relaxed(&claims[at % CLAIMS]);
        if (seen != 0 && seen != window_of(at))
            return false;
    }
    return true;
}

void places_claim(uintptr_t address, size_t size)
{
    for (uintptr_t at = address >> CLAIM_BITS; size != 0 && at <= (address + size - 1) >> CLAIM_BITS; at++) {
        uint8_t nobody = 0;
        __atomic_compare_exchange_n(&claims[at % CLAIMS], &nobody, window_of(at), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
}

/* What is there at the start, room for the heap, and what the kernel will give out next. */
static void claim_usual(const struct place *place, size_t count, uintptr_t top)
{
    for (size_t i = 0; i < count; i++)
        places_claim(place[i].from, place[i].to - place[i].from);
    places_claim(place[0].to, HEAP_ROOM);
    if (top != 0)
        places_claim(top - ENOUGH, ENOUGH);
}

bool places_keep_apart(void)
{
    uintptr_t linker = getauxval(AT_BASE), here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t libraries_end = (linker != 0 ? linker : (uintptr_t)&places_keep_apart) + MEGABYTE;
    uintptr_t shadow_end = freed_base + WINDOW / 2;
    struct place place[] = {
        {getauxval(AT_PHDR) & -(uintptr_t)PAGE, heap_end()},
        {libraries_end > shadow_end && libraries_end - shadow_end < TERABYTE ? shadow_end
                                                                             : libraries_end - 64 * MEGABYTE,
         libraries_end},
        {here - 8 * MEGABYTE, here + MEGABYTE},
    };
    size_t count = array_length(place);
    if (place[0].to < place[0].from || place[0].to - place[0].from > TERABYTE)
        place[0].to = place[0].from + 64 * MEGABYTE; /* the heap is somewhere else */
    bool apart = true;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            apart = apart && (i == j || distance(place[i].to, &place[j]) != 0);
    stop_heap(&place[0], place + 1, count - 1);
    places_hold_heap();
    claim_usual(place, count, move_next(place, count));
    return apart;
}
