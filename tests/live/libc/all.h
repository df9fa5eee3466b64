/* Every case: included once for the functions, once for the table. */
#include "text.h"
#include "numbers.h"
#include "formats.h"
#include "streams.h"
#include "times.h"
#include "files.h"
#include "system.h"
#include "descriptors.h"
