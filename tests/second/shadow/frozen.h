#include "first_shadow.h"
