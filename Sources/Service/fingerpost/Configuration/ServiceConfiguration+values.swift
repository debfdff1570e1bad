import Networking

extension ServiceConfiguration {
    /// Parses address ranges separated by commas or spaces; an empty text yields none.
    static func ranges(_ key: String, _ text: String) throws -> [AddressRange] {
        try text.split { $0 == "," || $0.isWhitespace }.map { text in
            guard let range = AddressRange(text) else {
                throw Invalid(
                    message:
                        "\(key): '\(text)' is not a range; write ADDRESS/BITS, such as 10.0.0.0/8, separated by commas."
                )
            }
            return range
        }
    }
}
