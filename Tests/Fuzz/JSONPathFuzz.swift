@testable import LinkRouting
@testable import StubMatching

/// A JSONPath, a tab and a document. Neither traps, the steps are bounded, and the views of a result agree.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSONPath(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0x09, maxSplits: 1, omittingEmptySubsequences: false)
    let path: JSONPath
    do throws(JSONPath.SyntaxError) {
        path = try JSONPath(String(decoding: parts[0], as: UTF8.self))
    } catch {
        precondition(!error.message.isEmpty && error.position >= 0)
        return 0
    }
    guard parts.count == 2,
        let document = try? JSONReader.parse(parts[1], limits: .stubs, duplicateKeys: .keep)
    else { return 0 }
    // A small budget, so that a run takes milliseconds.
    var steps = 50_000
    guard let result = try? path.evaluate(document, spending: &steps) else { return 0 }
    precondition(steps <= 50_000, "an evaluation spends steps")
    switch result {
    case .nothing: precondition(!result.isMatch && result.node == nil && result.texts.isEmpty)
    case .value, .list: precondition(result.node != nil)
    }
    if case .list(let nodes) = result { precondition(result.isMatch == !nodes.isEmpty) }
    var again = 50_000
    precondition((try? path.evaluate(document, spending: &again)) == result, "a path finds the same again")
    return 0
}
