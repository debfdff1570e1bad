import CZlib

/// Compresses to gzip incrementally, in constant memory. The output is deterministic for the same bytes, level and zlib
/// version, regardless of how the bytes are split into writes: zlib gets blocks of one size, and its header contains
/// neither a time nor a name.
package final class GzipStream {
    /// zlib keeps pointers to the address of the stream, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var block: [UInt8] = []
    private var output = [UInt8](repeating: 0, count: blockSize)

    private static let blockSize = 64 << 10

    package struct Failure: Error { package let code: Int32 }

    /// - Parameter level: 1 (fast) to 9 (small).
    package init(level: Int) throws {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        block.reserveCapacity(Self.blockSize)
        // A window of 15 bits, + 16 for the gzip format.
        let code = deflateInit2_(
            stream,
            Int32(clamping: level),
            Z_DEFLATED,
            15 + 16,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard code == Z_OK else {
            stream.deallocate()
            throw Failure(code: code)
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses `bytes` and passes available output to `put`.
    package func write(_ bytes: [UInt8], to put: (ArraySlice<UInt8>) throws -> Void) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.blockSize - block.count)
            block += part
            rest = rest.dropFirst(part.count)
            guard block.count == Self.blockSize else { return }
            try run(Z_NO_FLUSH, put)
        }
    }

    /// Ends the gzip stream and passes the remaining output to `put`.
    package func finish(to put: (ArraySlice<UInt8>) throws -> Void) throws { try run(Z_FINISH, put) }

    /// Returns the compressed bytes in one piece.
    package static func compressed(_ bytes: [UInt8], level: Int) throws -> [UInt8] {
        var compressed: [UInt8] = []
        let stream = try GzipStream(level: level)
        try stream.write(bytes) { compressed += $0 }
        try stream.finish { compressed += $0 }
        return compressed
    }

    private func run(_ flush: Int32, _ put: (ArraySlice<UInt8>) throws -> Void) throws {
        defer { block.removeAll(keepingCapacity: true) }
        try block.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            var code = Z_OK
            repeat {
                let count = output.withUnsafeMutableBufferPointer { out in
                    stream.pointee.next_out = out.baseAddress
                    stream.pointee.avail_out = UInt32(out.count)
                    code = deflate(stream, flush)
                    return out.count - Int(stream.pointee.avail_out)
                }
                guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw Failure(code: code) }
                if count > 0 { try put(output[..<count]) }
            } while stream.pointee.avail_out == 0 || (flush == Z_FINISH && code != Z_STREAM_END)
        }
    }
}
