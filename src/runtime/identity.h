/* Included by pfcc -E: makes preprocessed text name the compiler and the plugins that pfcc uses (cli/pfcc_compiler.h),
 * for caches of compilations. */
#line 1 __photofinish_identity__
#undef __photofinish_identity__
