import Foundation

/// The description of a key of the configuration, as a comment of config/fingerpost.yaml has it:
/// `# NAME (TYPE, optional, default: VALUE, from A to B): MEANING`, continued on lines that are indented by two more.
struct ConfigurationKeyDescription {
    let name: String
    let type: String
    let standard: String
    let limits: String
    let meaning: String

    /// The descriptions of all keys of the file, in its order.
    static func all(in text: String) -> [ConfigurationKeyDescription] {
        var paragraphs: [String] = []
        var isOpen = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("#   "), isOpen {
                paragraphs[paragraphs.count - 1] += " " + line.dropFirst(4)
            } else {
                isOpen = line.contains(" (string, optional, default: ") || line.contains(" (int, optional, default: ")
                if isOpen { paragraphs.append(String(line.dropFirst(2))) }
            }
        }
        return paragraphs.compactMap(ConfigurationKeyDescription.init)
    }

    private init?(_ paragraph: String) {
        guard let head = paragraph.firstRange(of: " ("), let colon = paragraph.firstRange(of: "): ") else { return nil }
        name = String(paragraph[..<head.lowerBound])
        meaning = String(paragraph[colon.upperBound...])
        let description = paragraph[head.upperBound..<colon.lowerBound]
        guard let mark = description.firstRange(of: ", optional, default: ") else { return nil }
        type = description[..<mark.lowerBound] == "int" ? "integer" : "string"
        let value = description[mark.upperBound...]
        let bounds = value.firstRange(of: ", from ")
        let written = String(value[..<(bounds?.lowerBound ?? value.endIndex)])
        standard = written == "none" || written == "\"\"" ? "" : Self.quoted(written)
        limits = bounds.map { String(value[$0.upperBound...]) } ?? ""
    }

    /// Marks a value as code; a default in words is unchanged.
    private static func quoted(_ value: String) -> String {
        let parts = value.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return Int(value) == nil ? value : "`\(value)`" }
        return "`\(parts[1])`\(parts[2])"
    }
}
