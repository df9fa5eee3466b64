#include "trace/event.h"

const char *const op_word[OP_COUNT] = {
#define X(name, word, operand) word,
    TRACE_OPS(X)
#undef X
};

const uint8_t op_operand[OP_COUNT] = {
#define X(name, word, operand) operand,
    TRACE_OPS(X)
#undef X
};
