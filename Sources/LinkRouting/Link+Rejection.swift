extension Link {
    /// Why a text is not a link that may be resolved.
    public struct Rejection: Error, Hashable, Sendable {
        public let code: Code
        /// The byte at which it was seen.
        public let offset: Int
        /// What may be recorded of the text: its scheme and host as far as they could be read, and its length in bytes.
        public let scheme: String?
        public let host: String?
        public let length: Int

        public enum Code: String, Sendable, CaseIterable {
            case tooLong = "too_long"
            case invalidUTF8 = "invalid_utf8"
            case controlCharacter = "control_character"
            case forbiddenCharacter = "forbidden_character"
            case noScheme = "no_scheme"
            case emptyHost = "empty_host"
            case invalidHost = "invalid_host"
            case userInfo = "user_info"
            case badPort = "bad_port"
            case invalidEscape = "invalid_escape"
            case dotSegment = "dot_segment"
        }

        /// What is wrong and what to write instead. Never holds any of the link's own text.
        public var message: String {
            switch code {
            case .tooLong: "The link has \(length) bytes; at most \(Link.maximumLength) are allowed."
            case .invalidUTF8: "The link is not UTF-8 at byte \(offset)."
            case .controlCharacter: "A control character at byte \(offset); remove it, also when it is percent-encoded."
            case .forbiddenCharacter:
                "A space, quote, angle bracket, backtick or backslash at byte \(offset); percent-encode it."
            case .noScheme: "The link has no scheme; write https://… or yourapp://…."
            case .emptyHost: "A web link needs a host; write https://host/path."
            case .invalidHost: "The host is not one that a link can have; use letters, digits, '-' and '.'."
            case .userInfo: "A link has no user name or password; remove what stands before the '@'."
            case .badPort: "The port is not a number from 0 to 65535 without leading zeros."
            case .invalidEscape: "'%' at byte \(offset) is not an escape of UTF-8 text; write %25 for a percent sign."
            case .dotSegment: "The path has a segment '.' or '..'; remove it, also when it is percent-encoded."
            }
        }
    }
}
