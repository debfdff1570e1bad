extension DeepLink {
    /// The reason why a text is not a link that can be resolved.
    public struct Rejection: Error, Hashable, Sendable {
        public let code: Code
        /// The byte offset at which the problem was found.
        public let offset: Int
        /// The scheme, in lower case; nil when it could not be read.
        public let scheme: String?
        /// Host of a web link, in lookup form; nil when it could not be read.
        public let host: String?
        /// Port of a web link; nil when absent, the scheme's default, or not read.
        public let port: UInt16?
        /// Length of the text, in bytes.
        public let length: Int

        public enum Code: String, Sendable, CaseIterable {
            case tooLong = "too_long"
            case noScheme = "no_scheme"
            case controlCharacter = "control_character"
            case forbiddenCharacter = "forbidden_character"
            case invalidUTF8 = "invalid_utf8"
            case invalidEscape = "invalid_escape"
            case emptyHost = "empty_host"
            case invalidHost = "invalid_host"
            case userInfo = "user_info"
            case badPort = "bad_port"
            case dotSegment = "dot_segment"
        }

        /// The rejection of the whole text, of which only the bytes from `start` were parsed.
        func moved(by start: Int, in text: [UInt8]) -> Rejection {
            Rejection(code: code, offset: offset + start, scheme: scheme, host: host, port: port, length: text.count)
        }

        /// The problem, and what to write instead. It never contains any of the link's own text.
        public var message: String {
            switch code {
            case .tooLong:
                "The link has \(length) bytes; at most \(DeepLink.maximumLength) are allowed."
            case .noScheme:
                "The link has no scheme; write https://… or yourapp://…."
            case .controlCharacter:
                "The link has a control character at byte \(offset); remove it, percent-encoded or not."
            case .forbiddenCharacter:
                "The link has a space, quote, angle bracket, backtick or backslash at byte \(offset); "
                    + "percent-encode it."
            case .invalidUTF8:
                "The bytes or escapes at byte \(offset) are not UTF-8; write the text as UTF-8, then percent-encode it."
            case .invalidEscape:
                "The '%' at byte \(offset) is not followed by two hexadecimal digits; write %25 for a percent sign."
            case .emptyHost:
                "A web link needs a host; write https://host/path."
            case .invalidHost:
                "The host at byte \(offset) is not valid; use letters, digits, '-' and '.', or an IPv6 address in "
                    + "brackets."
            case .userInfo:
                "A link cannot have a user name or password (byte \(offset)); remove everything between '//' and "
                    + "the host."
            case .badPort:
                host == nil
                    ? "A port in a link with a custom scheme is not supported (byte \(offset)); write it as a segment of the "
                        + "path or as a query item."
                    : "The port at byte \(offset) is not a number from 0 to 65535 without leading zeros."
            case .dotSegment:
                "The path has a segment '.' or '..' at byte \(offset); remove it, percent-encoded or not."
            }
        }
    }
}
