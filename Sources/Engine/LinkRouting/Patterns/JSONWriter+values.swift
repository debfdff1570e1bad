extension JSONWriter {
    /// Writes a captured value with its JSON type.
    public mutating func value(_ value: ParameterValue) {
        switch value {
        case .string(let text): string(text)
        case .int(let number): int(number)
        case .number(let lexeme): number(lexeme)
        case .bool(let flag): bool(flag)
        case .list(let texts):
            beginArray()
            for text in texts { string(text) }
            endArray()
        }
    }
}
