/* JSON pieces that several commands write. */
#pragma once

#include <jansson.h>

#include "trace/names.h"

/* A name as a JSON string, in its shown form (trace/show.h). */
json_t *report_json_text(struct name name);
