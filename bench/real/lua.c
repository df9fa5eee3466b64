/* lua_threads THREADS JOBS <TEXT: an interpreter in each thread takes lines of TEXT from a queue that all share, and gives
 * back what it made of them. Prints the sum of that. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

enum { MOST_THREADS = 256, LINE = 512 };

static const char script[] =
    "local Tree = {}\n"
    "Tree.__index = Tree\n"
    "function Tree.new() return setmetatable({ size = 0 }, Tree) end\n"
    "function Tree:insert(key)\n"
    "  local place, from = self.root, nil\n"
    "  while place do\n"
    "    if place.key == key then place.count = place.count + 1 return end\n"
    "    from, place = place, key < place.key and place.left or key > place.key and place.right or nil\n"
    "  end\n"
    "  local node = { key = key, count = 1 }\n"
    "  self.size = self.size + 1\n"
    "  if not from then self.root = node elseif key < from.key then from.left = node else from.right = node end\n"
    "end\n"
    "local function walk(node, visit)\n"
    "  if node then walk(node.left, visit) visit(node.key, node.count) walk(node.right, visit) end\n"
    "end\n"
    "for job, line in take do\n"
    "  local tree, words, sum = Tree.new(), {}, 0\n"
    "  for word in line:gmatch('%a+') do\n"
    "    for length = 1, #word do tree:insert(word:sub(1, length)) end\n"
    "    words[#words + 1] = word:upper():gsub('[AEIOU]', function(c) return '<' .. c:lower() .. '>' end)\n"
    "  end\n"
    "  table.sort(words, function(a, b) return a:reverse() < b:reverse() end)\n"
    "  walk(tree.root, function(key, count) sum = (sum * 31 + #key * count) % 1000003 end)\n"
    "  local text = string.format('%d %d %s', job, sum, table.concat(words, ','))\n"
    "  for i = 1, #text do sum = (sum * 257 + text:byte(i)) % 1000003 end\n"
    "  give(sum + tree.size)\n"
    "end\n";

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long taken, jobs;
static long long sum;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "lua_threads: %s\n", what);
    exit(1);
}

/* Returns a number and a line, or nil. */
static int take(lua_State *lua)
{
    char line[LINE];
    pthread_mutex_lock(&mutex);
    long job = taken < jobs && fgets(line, sizeof line, stdin) != NULL ? ++taken : 0;
    pthread_mutex_unlock(&mutex);
    if (job == 0)
        return 0;
    lua_pushinteger(lua, job);
    lua_pushstring(lua, line);
    return 2;
}

static int give(lua_State *lua)
{
    long long part = luaL_checkinteger(lua, 1);
    pthread_mutex_lock(&mutex);
    sum += part;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *work(void *unused)
{
    (void)unused;
    lua_State *lua = luaL_newstate();
    if (lua == NULL)
        give_up("no interpreter");
    luaL_openlibs(lua);
    lua_register(lua, "take", take);
    lua_register(lua, "give", give);
    if (luaL_dostring(lua, script) != LUA_OK)
        give_up(lua_tostring(lua, -1));
    lua_close(lua);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST_THREADS];
    unsigned threads = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
    if (threads == 0 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: lua_threads THREADS JOBS\n");
        return 2;
    }
    jobs = atol(argv[2]);
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, NULL) != 0)
            give_up("no thread");
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%ld %lld\n", taken, sum);
    return 0;
}
