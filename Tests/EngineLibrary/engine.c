/* engine TENANT.json REQUESTS: tests the C library. Prints the answer of each line of REQUESTS, and exits with 1 if a
 * function does not keep its contract. */
#include "fingerpost_engine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "engine.c: %s\n", what);
    exit(1);
}

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    require(file != NULL, path);
    require(fseek(file, 0, SEEK_END) == 0, "seek");
    long size = ftell(file);
    require(size >= 0, "size");
    rewind(file);
    char *text = malloc((size_t)size + 1);
    require(text != NULL, "memory");
    require(fread(text, 1, (size_t)size, file) == (size_t)size, "read");
    text[size] = 0;
    fclose(file);
    *length = (size_t)size;
    return text;
}

/* A literal and its length. */
#define TEXT(literal) literal, sizeof(literal) - 1

static void require_answer(fp_engine engine, const char *request, size_t length, const char *part) {
    char *answer = fp_resolve(engine, request, length);
    require(answer != NULL, "every request has an answer");
    if (strstr(answer, part) == NULL) fprintf(stderr, "engine.c: %s lacks %s\n", answer, part);
    require(strstr(answer, part) != NULL, "the answer has another text");
    fp_text_free(answer);
}

static void require_refused(const char *json, size_t length, const char *part) {
    char *error = (char *)1;
    require(fp_engine_create(json, length, &error) == 0, "a wrong document has no engine");
    require(error != NULL && error != (char *)1, "a wrong document has an error");
    if (strstr(error, part) == NULL) fprintf(stderr, "engine.c: %s lacks %s\n", error, part);
    require(strstr(error, part) != NULL, "the error has another text");
    fp_text_free(error);
    require(fp_engine_create(json, length, NULL) == 0, "the error is optional");
}

static void test_wrong_arguments(fp_engine engine) {
    require_refused(NULL, 5, "NULL");
    require_refused("{}", (size_t)-1, "negative");
    require_refused(NULL, 0, "errors");
    require_refused(TEXT("{"), "line");
    require_refused(TEXT("[]"), "write an object");
    require_refused(TEXT("{\"formatVersion\":2,\"settings\":{},\"table\":{}}"), "formatVersion: 1");
    const char *wrong = "{\"formatVersion\":1,\"settings\":{},\"table\":{\"routes\":[{\"id\":\"a\"},{\"path\":\"/\"}]}}";
    require_refused(wrong, strlen(wrong), "table.routes[1]");
    require_answer(0, TEXT("{}"), "no_engine");
    require_answer(engine + 1000, TEXT("{}"), "no_engine");
    require_answer(engine, NULL, 3, "invalid_request");
    require_answer(engine, "{}", (size_t)-1, "invalid_request");
    require_answer(engine, NULL, 0, "invalid_request");
    require_answer(engine, TEXT("{}"), "'url' is missing");
    require_answer(engine, TEXT("{\"url\":1}"), "write a string");
    require_answer(engine, TEXT("{\"url\":\"\\u0000\"}"), "rejected");
    require_answer(engine, TEXT("{\"url\":\"a://b\",\"context\":{\"platform\":7}}"), "invalid_request");
    require_answer(engine, TEXT("{\"url\":\"a://b\",\"context\":{\"x\":7}}"), "warnings");
    fp_text_free(NULL);
    fp_engine_close(0);
    fp_engine_close(engine + 1000);
}

/* Every prefix of a document and of a request, and random bytes: an answer or an error, never a crash. */
static void test_damaged_texts(fp_engine engine, const char *document, size_t length) {
    size_t step = length / 500 + 1;
    for (size_t count = 0; count < length; count += step) {
        char *error = NULL;
        char *copy = malloc(count + 1);
        require(copy != NULL, "memory");
        memcpy(copy, document, count);
        require(fp_engine_create(copy, count, &error) == 0, "a part of a document is refused");
        require(error != NULL, "a part of a document has an error");
        fp_text_free(error);
        free(copy);
    }
    unsigned long long seed = 42;
    for (int round = 0; round < 20000; round++) {
        static const char model[] =
            "{\"url\":\"yourapp://product/7?a=b#c\",\"context\":{\"platform\":\"ios\"},\"explain\":true}";
        char request[sizeof model];
        size_t count = 0;
        memcpy(request, model, sizeof model);
        for (int change = 0; change < 3; change++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            request[(seed >> 33) % (sizeof model - 1)] = (char)(seed >> 24);
            count = 60 + (seed >> 40) % (sizeof model - 60);
        }
        char *answer = fp_resolve(engine, request, count);
        require(answer != NULL && answer[0] == '{', "every request has an answer");
        fp_text_free(answer);
    }
}

static fp_engine shared;

static void *resolve_often(void *unused) {
    (void)unused;
    const char *request = "{\"url\":\"yourapp://product/7\",\"context\":{\"platform\":\"ios\"}}";
    for (int round = 0; round < 5000; round++) {
        char *answer = fp_resolve(shared, request, strlen(request));
        require(answer != NULL && (strstr(answer, "\"outcome\"") || strstr(answer, "no_engine")), "an answer of a thread");
        fp_text_free(answer);
    }
    return NULL;
}

static void test_threads(const char *document, size_t length) {
    pthread_t threads[4];
    shared = fp_engine_create(document, length, NULL);
    require(shared != 0, "an engine for threads");
    for (int index = 0; index < 4; index++) require(pthread_create(&threads[index], NULL, resolve_often, NULL) == 0, "thread");
    fp_engine_close(shared);
    fp_engine_close(shared);
    for (int index = 0; index < 4; index++) require(pthread_join(threads[index], NULL) == 0, "join");
}

int main(int count, char **arguments) {
    require(count == 3, "usage: engine TENANT.json REQUESTS");
    size_t length = 0, requests_length = 0;
    char *document = read_file(arguments[1], &length);
    char *requests = read_file(arguments[2], &requests_length);
    char *error = NULL;
    fp_engine engine = fp_engine_create(document, length, &error);
    if (engine == 0) fprintf(stderr, "%s\n", error);
    require(engine != 0 && error == NULL, "the document is accepted");
    for (char *line = strtok(requests, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *answer = fp_resolve(engine, line, strlen(line));
        require(answer != NULL, "every request has an answer");
        puts(answer);
        fp_text_free(answer);
    }
    test_wrong_arguments(engine);
    test_damaged_texts(engine, document, length);
    test_threads(document, length);
    fp_engine_close(engine);
    require_answer(engine, TEXT("{\"url\":\"a://b\"}"), "no_engine");
    char *info = fp_library_info();
    require(info != NULL && strstr(info, "\"formatVersion\":1") && strstr(info, "\"engines\":0"), "the library's info");
    fp_text_free(info);
    free(document);
    free(requests);
    return 0;
}
