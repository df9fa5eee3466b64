/* Writers for races of a running program: text for people, JSON for programs. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "report/live.h"

void live_race_text(const struct live_race *race, const struct options *options, bool precise, bool colors,
                    FILE *out);

/* Its last line alone: what and where. */
void live_race_summary(const struct live_race *race, bool precise, FILE *out);
/* The line that stands for a race which is in the baseline. */
void live_race_known(const struct live_race *race, const char *fingerprint, FILE *out);

/* By the option of that name: always, never, or auto: to a terminal, unless NO_COLOR is set (no-color.org). */
bool colors_wanted(const char *option, int fd);

/* One line for a frame, by TSan's stack_trace_format ("DEFAULT": ours); and just its place, file:line. */
void frame_write(FILE *out, const char *format, size_t number, const struct live_frame *frame);
void frame_place(FILE *out, const char *file, uint32_t line);
/* A name in a line of text (trace/show.h). */
void text_shown(FILE *out, const char *text);

/* One element of "races" (DESIGN §7). */
json_t *live_race_json(const struct live_race *race);

/* Any text as a JSON string, whatever its bytes; NULL as null. */
json_t *live_json_text(const char *text);
