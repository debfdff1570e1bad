extension String {
    /// Whether the text may be the name of an IANA time zone, such as `Europe/Paris` or `Etc/GMT+2`. Foundation also
    /// accepts offsets such as `GMT+14:99`, and reads a name only up to its first NUL.
    package var isTimeZoneName: Bool {
        guard utf8.count <= 64, utf8.first.map(Self.isLetter) == true, !isOffset else { return false }
        return utf8.allSatisfy { Self.isLetter($0) || (0x30...0x39).contains($0) || "/_+-".utf8.contains($0) }
    }

    private var isOffset: Bool {
        let name = utf8.map { $0 | 0x20 }
        return (name.starts(with: "gmt".utf8) || name.starts(with: "utc".utf8)) && name.count > 3
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
