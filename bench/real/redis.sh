usual=1000 # rounds of each connection
# Hashes and sets have their elements in an order that is drawn, so nothing prints all of them.
make_input() {
    some_text 1 | awk -v rounds="$size" '
        NR <= rounds {
            printf "SET @:%d \"%s\"\r\nGET @:%d\r\nAPPEND @:%d more\r\n", NR % 900, $0, NR % 700, NR % 300
            printf "HSET @h:%d %s\r\nHMGET @h:%d %s\r\n", NR % 50, $0, NR * 7 % 50, $0
            printf "RPUSH @l %s\r\nLRANGE @l -20 -1\r\nZADD @z %d %s %d %s\r\n", $0, NR, $1, NR * 7 % 100, $2
            printf "ZRANGE @z 0 10 WITHSCORES\r\nSADD @s:%d %s\r\nSINTERCARD 2 @s:1 @s:2\r\nINCR @n\r\n", NR % 20, $0
            if (NR % 500 == 0) printf "UNLINK @l\r\nSORT @s:3 ALPHA LIMIT 0 10\r\n"
        }
        END { printf "QUIT\r\n" }'
}
# The threads for input and output spin while there is much to do, so that their number would be what is measured: one
# of them beside the main thread. Large lists are freed by a thread, too.
workload() {
    start_client redis.socket $'DBSIZE\r\nDEBUG DIGEST\r\nQUIT\r\n' $'SHUTDOWN NOSAVE\r\n'
    command=(src/redis-server --port 0 --unixsocket redis.socket --save '' --io-threads 2 --io-threads-do-reads yes
        --enable-debug-command yes --dir "$PWD")
}
digest() { cat "$1.answers"; }
build_work() { build_client; }
