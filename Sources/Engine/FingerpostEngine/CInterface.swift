import LinkRouting

#if canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// The functions of fingerpost_engine.h, which describes them. They are public because only public functions are exported
// from the library.

@_cdecl("fp_engine_create")
public func createEngine(
    _ json: UnsafePointer<UInt8>?,
    _ length: Int,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> UInt64 {
    error?.pointee = nil
    let failure: String
    do throws(Engine.Failure) {
        if let bytes = bytes(json, length) {
            let engine = try Engine(document: bytes)
            if let handle = EngineRegistry.shared.add(engine) { return handle }
            failure = wrongArgument("too many engines are open; close some with fp_engine_close.")
        } else {
            failure = wrongArgument("the document is NULL, or its length is negative; pass a text and its length.")
        }
    } catch let error {
        failure = error.json
    }
    error?.pointee = cText(failure)
    return 0
}

@_cdecl("fp_engine_close")
public func closeEngine(_ handle: UInt64) { EngineRegistry.shared.remove(handle) }

@_cdecl("fp_resolve")
public func resolve(_ handle: UInt64, _ request: UnsafePointer<UInt8>?, _ length: Int) -> UnsafeMutablePointer<CChar>? {
    guard let engine = EngineRegistry.shared.engine(handle) else {
        return cText(Engine.error("no_engine", "The handle \(handle) is not open; create an engine first."))
    }
    guard let bytes = bytes(request, length) else {
        return cText(Engine.error("invalid_request", "The request is NULL, or its length is negative."))
    }
    return cText(engine.answer(bytes))
}

@_cdecl("fp_library_info")
public func libraryInfo() -> UnsafeMutablePointer<CChar>? {
    let info = JSONNode.object([
        "formatVersion": .int(RouteTable.formatVersion),
        "features": .array(RouteTable.features.sorted().map(JSONNode.string)),
        "engines": .int(EngineRegistry.shared.count),
    ])
    return cText(info.json())
}

@_cdecl("fp_text_free")
public func freeText(_ text: UnsafeMutablePointer<CChar>?) { free(text) }

/// Nil for arguments that are not text. A `size_t` above the range of `Int` is negative.
private func bytes(_ start: UnsafePointer<UInt8>?, _ length: Int) -> UnsafeBufferPointer<UInt8>? {
    guard length >= 0, start != nil || length == 0 else { return nil }
    return UnsafeBufferPointer(start: start, count: length)
}

/// Copies a text into memory of `malloc`. JSON escapes U+0000, so the text has no zero byte.
private func cText(_ text: String) -> UnsafeMutablePointer<CChar>? { strdup(text) }

private func wrongArgument(_ message: String) -> String {
    Engine.Failure(errors: [DocumentError(path: "", position: .unknown, message: message)]).json
}
