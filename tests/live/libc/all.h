#include "text.h"
#include "numbers.h"
#include "formats.h"
