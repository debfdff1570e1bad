import CZlib

/// Decompresses one gzip file incrementally, in constant memory.
package final class GunzipStream {
    /// zlib keeps pointers to the address of the stream, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var output = [UInt8](repeating: 0, count: 64 << 10)
    /// Whether the end of the file has been read and its checksum verified.
    package private(set) var isWhole = false

    package struct Failure: Error { package let code: Int32 }

    package init() throws {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            stream.deallocate()
            throw Failure(code: code)
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses `bytes` and passes the output to `put`. Throws ``Failure`` if the data is not valid gzip or its
    /// checksum does not match.
    package func write(_ bytes: [UInt8], to put: (ArraySlice<UInt8>) throws -> Void) throws {
        guard !bytes.isEmpty else { return }
        guard !isWhole else { throw Failure(code: Z_DATA_ERROR) }
        var bytes = bytes
        try bytes.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                var code = Z_OK
                let count = output.withUnsafeMutableBufferPointer { out in
                    stream.pointee.next_out = out.baseAddress
                    stream.pointee.avail_out = UInt32(out.count)
                    code = inflate(stream, Z_NO_FLUSH)
                    return out.count - Int(stream.pointee.avail_out)
                }
                guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw Failure(code: code) }
                if count > 0 { try put(output[..<count]) }
                isWhole = code == Z_STREAM_END
            } while !isWhole && (stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0)
            guard stream.pointee.avail_in == 0 else { throw Failure(code: Z_DATA_ERROR) }
        }
    }
}
