import Networking

/// Bodies with `Content-Encoding: gzip`.
enum BodyCoding {
    enum Failure: Error {
        case damaged
        case tooLarge
    }

    /// The maximum size in bytes of a body that a recording or a comparison decodes.
    static let largestRecordedBody = 64 << 20

    static func isGzip(_ encoding: String) -> Bool { ["gzip", "x-gzip"].contains(encoding.lowercased()) }

    /// - Parameter limit: The largest number of bytes of the result, so that a small body cannot fill the memory.
    static func gunzip(_ body: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        var decoded: [UInt8] = []
        do {
            let stream = try GunzipStream()
            try stream.write(body) { piece in
                guard decoded.count + piece.count <= limit else { throw Failure.tooLarge }
                decoded += piece
            }
            guard stream.isWhole else { throw Failure.damaged }
            return decoded
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .damaged
        }
    }

    /// Decodes a content encoding; nil for one other than gzip, and for a body that is damaged or too large.
    static func decoded(_ body: [UInt8], _ encoding: String) -> [UInt8]? {
        if ["identity", ""].contains(encoding.lowercased()) { return body }
        guard isGzip(encoding) else { return nil }
        do throws(Failure) {
            return try gunzip(body, limit: largestRecordedBody)
        } catch {
            return nil
        }
    }

    static func gzip(_ body: [UInt8]) throws -> [UInt8] { try GzipStream.compressed(body, level: 6) }
}
