import CQREncode

/// A QR code (ISO/IEC 18004) of a link. The same link and level always give the same modules.
package struct QRCode: Sendable, Hashable {
    package let level: Level
    /// The number of modules on each side, without the quiet zone: 21 to 177.
    package let width: Int
    /// Row by row; true for a dark module.
    package let modules: [Bool]

    /// The part of a code that may be damaged: about 7, 15, 25 and 30 %.
    package enum Level: String, Sendable, CaseIterable {
        case low = "L"
        case medium = "M"
        case quartile = "Q"
        case high = "H"

        /// The size of the largest code, in bytes.
        package var capacity: Int {
            switch self {
            case .low: 2_953
            case .medium: 2_331
            case .quartile: 1_663
            case .high: 1_273
            }
        }

        fileprivate var code: QRecLevel {
            switch self {
            case .low: QR_ECLEVEL_L
            case .medium: QR_ECLEVEL_M
            case .quartile: QR_ECLEVEL_Q
            case .high: QR_ECLEVEL_H
            }
        }
    }

    package init(_ link: String, level: Level) throws(QRCodeError) {
        let bytes = Array(link.utf8)
        // Readers guess the encoding of other bytes, each in its own way.
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw QRCodeError(
                "A QR code holds a link of ASCII characters without spaces; percent-encode all others."
            )
        }
        guard bytes.count <= level.capacity else {
            let advice = level == .low ? "Shorten the link." : "Shorten the link, or choose a lower level."
            throw QRCodeError(
                "The link has \(bytes.count) bytes, and a QR code of level \(level.rawValue) holds at most "
                    + "\(level.capacity). \(advice)"
            )
        }
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, level.code) else {
            throw QRCodeError("There is not enough memory for the QR code.")
        }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        self.level = level
        self.width = width
        // Only the lowest bit of each byte is the colour.
        modules = UnsafeMutableBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
    }

    /// Whether a module is dark. All modules outside of the code are light.
    package subscript(row: Int, column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
    }

    /// Adds the query item that codes on paper have. A click with it is recorded with the source `qr`; routes never see it.
    package static func marked(_ link: String) -> String {
        let fragment = link.utf8.firstIndex(of: UInt8(ascii: "#")) ?? link.endIndex
        let start = link[..<fragment]
        let separator =
            switch start.utf8.last {
            case UInt8(ascii: "?"), UInt8(ascii: "&"): ""
            default: start.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            }
        return "\(start)\(separator)_fp=qr\(link[fragment...])"
    }
}

/// The reason why a QR code cannot be made, and what to do.
package struct QRCodeError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
