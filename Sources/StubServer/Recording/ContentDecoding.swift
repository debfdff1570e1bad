import Gzip

/// The largest body that is decoded for a recording.
private let maximumDecodedBytes = 64 << 20

/// Undoes a content encoding; nil for one other than gzip, and for a body that is damaged or too large.
func decodedContent(_ body: [UInt8], _ encoding: String) -> [UInt8]? {
    switch encoding.lowercased() {
    case "identity", "": return body
    case "gzip", "x-gzip":
        var decoded: [UInt8] = []
        do {
            let stream = try GunzipStream()
            try stream.write(body) { piece in
                guard decoded.count + piece.count <= maximumDecodedBytes else { throw TooLarge() }
                decoded += piece
            }
            return stream.isWhole ? decoded : nil
        } catch {
            return nil
        }
    default: return nil
    }
}

private struct TooLarge: Error {}
