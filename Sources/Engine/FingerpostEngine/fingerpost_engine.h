/* The engine of Fingerpost as a C library: resolves links with a tenant's table, on the device.
 *
 * Texts are UTF-8. JSON goes in and out, with the fields of POST /resolve; docs/app.md has an example.
 *
 * Ownership: The caller keeps all texts that it passes; the library reads them only during the call. Every text that the
 * library returns ends with a zero byte and belongs to the caller, who passes it to fp_text_free once.
 * A handle is a number, not an address. A handle that is 0, unknown or closed is an error, never a crash.
 *
 * Threads: All functions may be called from any thread at the same time. fp_engine_close does not wait for calls that
 * use the handle; they finish with the table that they have.
 *
 * Time: The library has no clock. Put the time into "context": {"now": "2026-11-24T10:00:00Z"}; without it, conditions
 * on the time are unknown. */
#ifndef FINGERPOST_ENGINE_H
#define FINGERPOST_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A table with its settings, ready for resolutions; 0 is none. */
typedef uint64_t fp_engine;

/* Creates an engine from a tenant file as JSON: {"formatVersion": 1, "tenant": …, "settings": …, "table": …}. At most
 * 64 MiB and 1,024 open engines.
 *
 * Returns 0 on failure. If error is not NULL, *error is then {"errors": [{"path", "line", "column", "message"}]}, and
 * NULL on success. */
fp_engine fp_engine_create(const char *json, size_t length, char **error);

/* Closes a handle. Closing it twice does nothing. */
void fp_engine_close(fp_engine engine);

/* Resolves a link. The request is {"url": …, "context": {…}, "explain": true}, at most 64 KiB; context and explain are
 * optional.
 *
 * Returns the answer of POST /resolve without "id", "recorded", "environment" and "revision"; "tenant" is null.
 * The continuation of "sign_in" is null, because only a server can issue one. On failure, returns
 * {"error": {"code", "message"}} with the code "no_engine" or "invalid_request". Returns NULL only if there is no
 * memory. */
char *fp_resolve(fp_engine engine, const char *request, size_t length);

/* Returns {"formatVersion", "features", "engines"}: what this library reads, and the number of open engines. */
char *fp_library_info(void);

/* Frees a text of this library. NULL is allowed. */
void fp_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
