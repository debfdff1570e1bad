@testable import LinkRouting
@testable import StubMatching

/// Any bytes are a HAR file or a specific error. What is written reads back with the same requests and answers, and what
/// is recorded from a file is made of valid mappings.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHAR(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let file: HARFile
    do throws(MappingError) {
        file = try HARFile(bytes)
    } catch {
        precondition(!error.title.isEmpty)
        _ = error.description
        return 0
    }
    guard let again = try? HARFile(Array(file.json(.off).json().utf8)) else {
        preconditionFailure("a written HAR file reads back")
    }
    precondition(again.entries.count == file.entries.count && again.omitted.isEmpty)
    for (entry, other) in zip(file.entries, again.entries) {
        precondition(entry.method == other.method && entry.origin == other.origin && entry.target == other.target)
        precondition(entry.status == other.status && entry.startedAt == other.startedAt)
        precondition(entry.requestBody == other.requestBody && entry.responseBody == other.responseBody)
    }
    let document = JSONNode.object(["persist": .bool(true)])
    guard let specification = try? RecordingSpecification(MappingField(document)),
        let recording = try? Recording(file.events, specification, mask: .off, decoded: { body, _ in body })
    else { return 0 }
    for recorded in recording.stubs {
        let stub = try? StubMapping(MappingField(recorded.json), templating: .perStub) {
            "0f1e2d3c-0000-4000-8000-000000000001"
        }
        precondition(stub != nil, "a recorded stub is a valid mapping")
    }
    return 0
}
