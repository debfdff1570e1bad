import FoundationEssentials

/// An image in the middle of a QR code.
package struct QRCodeLogo: Sendable, Hashable {
    /// The whole image, with only letters, digits and `:;,/+=`.
    let dataURI: String

    package static let maximumBytes = 64 << 10

    package init(_ bytes: [UInt8]) throws(QRCodeError) {
        guard bytes.count <= Self.maximumBytes else {
            throw QRCodeError(
                "The logo has \(bytes.count) bytes; the maximum is \(Self.maximumBytes). Make it smaller."
            )
        }
        guard let type = Self.type(of: bytes) else {
            throw QRCodeError("The logo is neither a PNG nor a JPEG nor an SVG.")
        }
        dataURI = "data:\(type);base64,\(Data(bytes).base64EncodedString())"
    }

    private static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        guard let text = String(validating: bytes, as: UTF8.self)?.drop(while: { $0.isWhitespace || $0 == "\u{FEFF}" }),
            ["<svg", "<?xml", "<!--", "<!DOCTYPE svg"].contains(where: { text.hasPrefix($0) }), text.contains("<svg")
        else { return nil }
        return "image/svg+xml"
    }
}
