extension Link {
    /// Why a text is not a link that may be resolved.
    public struct Rejection: Error, Hashable, Sendable {
        public let code: Code
        /// The byte at which it was seen.
        public let offset: Int
        /// What may be known of the text: its scheme, host and port as far as they could be read, and its length in bytes.
        public let scheme: String?
        /// Of a web link, in look-up form.
        public let host: String?
        /// Of a web link; nil when absent, the scheme's default, or not read.
        public let port: UInt16?
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

        /// What is wrong and what to write instead. Never holds any of the link's own text.
        public var message: String {
            switch code {
            case .tooLong:
                "The link has \(length) bytes; at most \(Link.maximumLength) are allowed."
            case .noScheme:
                "The link has no scheme; write https://… or yourapp://…."
            case .controlCharacter:
                "A control character stands at byte \(offset); remove it, also where it is percent-encoded."
            case .forbiddenCharacter:
                "A space, quote, angle bracket, backtick or backslash stands at byte \(offset); percent-encode it."
            case .invalidUTF8:
                "The bytes or escapes at byte \(offset) are not UTF-8; write text as UTF-8 and percent-encode that."
            case .invalidEscape:
                "The '%' at byte \(offset) is not followed by two hexadecimal digits; write %25 for a percent sign."
            case .emptyHost:
                "A web link needs a host; write https://host/path."
            case .invalidHost:
                "The host at byte \(offset) is not one that a link can have; use letters, digits, '-' and '.', "
                    + "or an IPv6 address in brackets."
            case .userInfo:
                "A link has no user name or password (byte \(offset)); remove everything between '//' and the host."
            case .badPort:
                "The port at byte \(offset) is not a number from 0 to 65535 without leading zeros; "
                    + "a custom scheme has none."
            case .dotSegment:
                "The path has a segment '.' or '..' at byte \(offset); remove it, also where it is percent-encoded."
            }
        }
    }
}
