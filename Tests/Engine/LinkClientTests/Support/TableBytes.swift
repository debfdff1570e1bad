import LinkClient
import LinkRouting
import LinkTable
import Synchronization

/// Signed bytes that the signing functions would refuse to make.
enum TableBytes {
    /// The sample table with a change of its payload, signed correctly.
    static func signed(replacing text: String, with replacement: String) throws -> [UInt8] {
        let bytes = try Sample.signed()
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return [] }
        let payload = String(decoding: bytes[(end + 1)...], as: UTF8.self).replacing(text, with: replacement)
        let header = Array(bytes[..<end].prefix { $0 != UInt8(ascii: ".") })
        let signature = try Sample.key().signature(of: header + [UInt8(ascii: ".")] + Array(payload.utf8))
        return header + Array("..\(Base64URL.text(of: signature))\n\(payload)".utf8)
    }
}

/// Remembers durations.
final class Recorder: Sendable {
    private let content = Mutex<[Duration]>([])

    /// Returns the number of values.
    func add(_ value: Duration) -> Int {
        content.withLock { content in
            content.append(value)
            return content.count
        }
    }

    var values: [Duration] { content.withLock { $0 } }
}
