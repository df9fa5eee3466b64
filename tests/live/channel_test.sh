# Who listens at the other end of the channel: a process of root's or of the same user, or nobody.
. "$(dirname "$0")/lib.sh"
if [ "$(id -u)" -ne 0 ]; then
    echo "NOT TESTED: other users' sockets (it takes root)"
    exit 0
fi
build ends ends.c -O1

# Takes the name, says that it has, and notes what it is sent. To every message it answers that nothing counts.
cat >listener.c <<'C'
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "report/wire.h"
static char packet[WIRE_MOST_BYTES];
int main(int argc, char **argv)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path + 1, argv[1]);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(argv[1]));
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (argc < 2 || bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 8) != 0)
        return 1;
    puts("listening");
    fflush(stdout);
    for (int one; (one = accept(fd, NULL, NULL)) >= 0; close(one))
        while (recv(one, packet, sizeof packet, 0) > 0) {
            struct wire_verdict verdict = {
                .header = {.magic = WIRE_MAGIC, .kind = WIRE_VERDICT, .length = sizeof verdict}};
            puts("message");
            fflush(stdout);
            send(one, &verdict, sizeof verdict, MSG_NOSIGNAL);
        }
    return 0;
}
C
command_line="gcc listener.c" status=0
gcc -I"$live/../../src" -o listener listener.c >.out 2>.err || fail "does not build"
chmod 755 . listener

listen() { # AS...: as this user, at the name that programs look for
    PHOTOFINISH_CHANNEL=photofinish-test-$$-$RANDOM
    "$@" ./listener "$PHOTOFINISH_CHANNEL" >heard &
    listener=$!
    for ((i = 0; i < 1000; i++)); do
        grep -q listening heard && break
        sleep 0.01
    done
}
stop() {
    kill $listener
    wait $listener 2>/dev/null
}
nobody=(setpriv --reuid nobody --regid nogroup --clear-groups)
somebody=(setpriv --reuid daemon --regid nogroup --clear-groups)

# another user's is told nothing, and the report is written as it is without it
for as in "" "${somebody[*]}"; do
    listen "${nobody[@]}"
    # shellcheck disable=SC2086
    PHOTOFINISH_CHANNEL=$PHOTOFINISH_CHANNEL start $as ./ends
    stop
    exits 66
    races 1
    checks=$((checks + 1))
    [ "$(cat heard)" = listening ] || fail "another user was told of the race"
done

# the same user's, and root's, are
for as in "${nobody[*]}" ""; do
    # shellcheck disable=SC2086
    listen $as
    PHOTOFINISH_CHANNEL=$PHOTOFINISH_CHANNEL start "${nobody[@]}" ./ends
    stop
    exits 0
    races 0
    checks=$((checks + 1))
    grep -q message heard || fail "the listener was told nothing"
done
done_testing
