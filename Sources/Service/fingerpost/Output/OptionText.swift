import LinkRouting

/// An option with its value, to paste into a shell: `--owner blog`, or `--owner 'Jane Doe'`.
struct OptionText {
    let text: String

    /// - Parameter name: The name without dashes.
    init(_ name: String, _ value: String) {
        let word = !value.isEmpty && value.utf8.allSatisfy(Self.isPlain) ? value : value.quotedForShell
        // The argument parser takes a word with a dash at its beginning for the next option.
        text = "--\(name)\(value.hasPrefix("-") ? "=" : " ")\(word)"
    }

    /// The options that have a value, such as `--route blog --outcome matched`; empty for none.
    static func list(_ options: [(name: String, value: String?)]) -> String {
        options.compactMap { option in option.value.map { OptionText(option.name, $0).text } }.joined(separator: " ")
    }

    /// Whether no shell treats the byte in a special way.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"):
            true
        default: false
        }
    }
}
