/* Linked into executables by gcc under the name libtsan_preinit.o: starts the runtime before any constructor. */
void __tsan_init(void);

__attribute__((section(".preinit_array"), used)) static void (*const start)(void) = __tsan_init;
