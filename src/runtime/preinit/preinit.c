/* Linked into executables by pfcc, and by gcc under the name libtsan_preinit.o: starts the runtime before any constructor. It
 * does not call __tsan_init, which says that there is instrumented code. */
void __pf_start(void);

__attribute__((section(".preinit_array"), used)) static void (*const start)(void) = __pf_start;
