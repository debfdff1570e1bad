package com.example.links;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Resolves links on the device with a tenant's table. JSON goes in and out, with the fields of POST /resolve.
 *
 * <p>The native library is built from fingerpost_jni.c, and loads libFingerpostEngine.so.
 */
public final class FingerpostEngine implements AutoCloseable {
    static {
        System.loadLibrary("fingerpost_jni");
    }

    private final AtomicLong handle;

    /**
     * @param tenant a tenant file as JSON, such as `fingerpost pull TENANT --json` writes.
     * @throws IllegalArgumentException if it is not a usable table; the message is JSON with all errors.
     */
    public FingerpostEngine(byte[] tenant) {
        handle = new AtomicLong(create(tenant));
    }

    /** Returns the answer to a request such as {"url": "acme://item/7", "context": {"platform": "android"}}. */
    public String resolve(String request) {
        // Bytes and not a String: JNI's strings are in modified UTF-8, which no JSON reader accepts.
        byte[] answer = resolve(handle.get(), request.getBytes(StandardCharsets.UTF_8));
        return new String(answer, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        long open = handle.getAndSet(0);
        if (open != 0) close(open);
    }

    private static native long create(byte[] tenant);

    private static native byte[] resolve(long handle, byte[] request);

    private static native void close(long handle);
}
