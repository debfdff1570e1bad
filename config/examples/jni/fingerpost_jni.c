/* Connects FingerpostEngine.java to the C library. Compile it into libfingerpost_jni.so, and link FingerpostEngine. */
#include "fingerpost_engine.h"

#include <jni.h>
#include <string.h>

static void throw_text(JNIEnv *env, const char *class_name, const char *message) {
    jclass class = (*env)->FindClass(env, class_name);
    if (class != NULL) (*env)->ThrowNew(env, class, message);
}

JNIEXPORT jlong JNICALL Java_com_example_links_FingerpostEngine_create(JNIEnv *env, jclass self, jbyteArray tenant) {
    (void)self;
    if (tenant == NULL) {
        throw_text(env, "java/lang/NullPointerException", "tenant");
        return 0;
    }
    jsize length = (*env)->GetArrayLength(env, tenant);
    jbyte *bytes = (*env)->GetByteArrayElements(env, tenant, NULL);
    if (bytes == NULL) return 0;
    char *error = NULL;
    fp_engine engine = fp_engine_create((const char *)bytes, (size_t)length, &error);
    (*env)->ReleaseByteArrayElements(env, tenant, bytes, JNI_ABORT);
    if (engine == 0) throw_text(env, "java/lang/IllegalArgumentException", error != NULL ? error : "no memory");
    fp_text_free(error);
    return (jlong)engine;
}

JNIEXPORT jbyteArray JNICALL Java_com_example_links_FingerpostEngine_resolve(
    JNIEnv *env, jclass self, jlong handle, jbyteArray request) {
    (void)self;
    jsize length = (*env)->GetArrayLength(env, request);
    jbyte *bytes = (*env)->GetByteArrayElements(env, request, NULL);
    if (bytes == NULL) return NULL;
    char *answer = fp_resolve((fp_engine)handle, (const char *)bytes, (size_t)length);
    (*env)->ReleaseByteArrayElements(env, request, bytes, JNI_ABORT);
    if (answer == NULL) {
        throw_text(env, "java/lang/OutOfMemoryError", "fp_resolve");
        return NULL;
    }
    jsize count = (jsize)strlen(answer);
    jbyteArray result = (*env)->NewByteArray(env, count);
    if (result != NULL) (*env)->SetByteArrayRegion(env, result, 0, count, (const jbyte *)answer);
    fp_text_free(answer);
    return result;
}

JNIEXPORT void JNICALL Java_com_example_links_FingerpostEngine_close(JNIEnv *env, jclass self, jlong handle) {
    (void)env;
    (void)self;
    fp_engine_close((fp_engine)handle);
}
