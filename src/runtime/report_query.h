/* What programs may ask about a race while it is reported: __tsan_on_report() and the questions of
 * <sanitizer/tsan_interface.h>'s debugging interface. */
#pragma once

#include "report/wire.h"
#include "runtime/thread.h"

/* The report has been written: the program's hook, if it has one, is called with it. The caller holds the
 * report's lock; the thread is inside the runtime, so that the hook's own accesses are not checked. */
HIDDEN void report_show(const struct wire_header *message);
