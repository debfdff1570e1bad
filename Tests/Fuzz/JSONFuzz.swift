@testable import LinkRouting

/// Any bytes are JSON or a specific error. A value that was read is written and read back unchanged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let limits = JSONReader.Limits(maximumBytes: 8_192, maximumDepth: .max)
    for keys in [JSONReader.DuplicateKeys.refuse, .keep] {
        do throws(JSONSyntaxError) {
            let node = try JSONReader.parse(bytes, limits: limits, duplicateKeys: keys)
            for layout in [JSONWriter.Layout.compact, .pretty] {
                // Line breaks of pretty printing must not exceed the limit of the input.
                let wide = JSONReader.Limits(maximumBytes: .max, maximumDepth: .max)
                let again = try JSONReader.parse(node.json(layout), limits: wide, duplicateKeys: keys)
                precondition(again == node, "the written JSON reads back as the node")
            }
        } catch {
            precondition((0...bytes.count).contains(error.offset), "an error lies within the text")
            precondition(error.line >= 1 && error.column >= 1 && !error.message.isEmpty)
        }
    }
    return 0
}
