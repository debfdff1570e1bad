/// Strings, numbers, and errors for invalid values.
extension JSONReader {
    /// Reads a string; its opening quote is next. A string without escapes is copied once.
    mutating func string() throws(JSONSyntaxError) -> String { try quotedText().text }

    /// Reads a string; its opening quote is next.
    mutating func quotedText() throws(JSONSyntaxError) -> QuotedText {
        index += 1
        let start = index
        index += JSONBytes.plainASCII(UnsafeBufferPointer(rebasing: bytes[index...]))
        var isASCII = true
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                let range = start..<index
                let decoded = isASCII ? nil : try text(range)
                index += 1
                return QuotedText(bytes: UnsafeBufferPointer(rebasing: bytes[range]), start: start, decoded: decoded)
            case UInt8(ascii: "\\"):
                let decoded = try escapedString(from: start)
                return QuotedText(bytes: UnsafeBufferPointer(rebasing: bytes[..<0]), start: start, decoded: decoded)
            default:
                if byte >= 0x80 { isASCII = false }
                try pass(byte)
            }
        }
        throw error(.unexpectedEnd, "the string is not closed; add '\"'.")
    }

    /// A string of the text that is being read. A string of ASCII without escapes, such as most keys, is compared in
    /// place and copied on request only.
    package struct QuotedText {
        /// The bytes between the quotes, unless ``decoded`` is set. Valid as long as the text that is being read.
        let bytes: UnsafeBufferPointer<UInt8>
        /// The offset after the opening quote.
        let start: Int
        let decoded: String?

        package var text: String { decoded ?? String(decoding: bytes, as: UTF8.self) }

        /// Calls `body` with the text as UTF-8.
        func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
            guard var decoded else { return body(bytes) }
            return decoded.withUTF8(body)
        }

        /// Compares bytes. `word` is ASCII.
        package static func ~= (word: StaticString, quoted: QuotedText) -> Bool {
            if let decoded = quoted.decoded { return decoded.isExactly(word.description) }
            return quoted.bytes.hasBytes(
                of: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
            )
        }
    }

    /// Reads the rest of a string from its first escape.
    private mutating func escapedString(from start: Int) throws(JSONSyntaxError) -> String {
        var text = try text(start..<index)
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return text
            case UInt8(ascii: "\\"):
                text.unicodeScalars.append(try escapedScalar())
            default:
                let run = index
                while let byte = peek(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { try pass(byte) }
                text += try self.text(run..<index)
            }
        }
        throw error(.unexpectedEnd, "the string is not closed; add '\"'.")
    }

    /// Advances past one raw byte of a string.
    @inline(__always)
    private mutating func pass(_ byte: UInt8) throws(JSONSyntaxError) {
        guard byte >= 0x20 else {
            throw error(
                .controlCharacter,
                "a string contains a control character; escape it, for example a line break as \\n."
            )
        }
        if byte & 0xC0 == 0x80 { continuationBytes += 1 }
        index += 1
    }

    private func text(_ range: Range<Int>) throws(JSONSyntaxError) -> String {
        let raw = UnsafeBufferPointer(rebasing: bytes[range])
        guard let text = String(validUTF8: raw) else {
            var offset = range.lowerBound
            while offset < range.upperBound, let length = utf8Length(at: offset, in: bytes) { offset += length }
            throw error(.notUTF8, "the string is not UTF-8 here; save the text as UTF-8.", at: offset)
        }
        return text
    }

    private mutating func escapedScalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let backslash = index
        index += 1
        let byte = peek()
        index += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var value = try hexadecimal(backslash)
            if (0xD800..<0xDC00).contains(value), take("\\u") {
                let low = try hexadecimal(index - 2)
                guard (0xDC00..<0xE000).contains(low) else { throw loneSurrogate(backslash) }
                value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw loneSurrogate(backslash) }
            return scalar
        case nil:
            index = bytes.count
            throw error(.unexpectedEnd, "the string is not closed; add '\"'.")
        default:
            throw error(
                .escape,
                "'\\' may be followed only by \" \\ / b f n r t or uXXXX; write \\\\ for a backslash.",
                at: backslash
            )
        }
    }

    /// Reads the four digits of the escape that starts at `backslash`.
    private mutating func hexadecimal(_ backslash: Int) throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = hexValue(byte) else {
                throw error(.escape, "\\u must be followed by four hexadecimal digits.", at: backslash)
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    private func loneSurrogate(_ backslash: Int) -> JSONSyntaxError {
        error(
            .loneSurrogate,
            "half of a surrogate pair is not a character; write both halves, as in \\uD83D\\uDE00.",
            at: backslash
        )
    }

    // MARK: Numbers

    /// Reads a number, which starts with a digit or `-`. The number is kept as written.
    mutating func number() throws(JSONSyntaxError) -> String {
        let start = index
        if peek() == UInt8(ascii: "-") { index += 1 }
        let firstDigit = peek()
        let integerDigits = digits()
        guard integerDigits > 0 else {
            throw error(
                .number,
                "'-' must be followed by a digit; JSON has no NaN or Infinity, write null or a string."
            )
        }
        guard integerDigits == 1 || firstDigit != UInt8(ascii: "0") else {
            throw error(.number, "a number cannot have leading zeros; remove them.", at: start)
        }
        if peek() == UInt8(ascii: ".") {
            index += 1
            guard digits() > 0 else { throw error(.number, "the decimal point must be followed by a digit.") }
        }
        if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
            index += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { index += 1 }
            guard digits() > 0 else { throw error(.number, "the exponent's 'e' must be followed by a digit.") }
        }
        if let byte = peek(), isLetter(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") {
            throw error(
                .number,
                "a number must be decimal, such as 12, -0.5 or 1e3; put anything else in double quotes.",
                at: start
            )
        }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self)
    }

    /// Advances past a run of digits and returns its length.
    private mutating func digits() -> Int {
        let start = index
        while let byte = peek(), isDigit(byte) { index += 1 }
        return index - start
    }

    // MARK: Mistakes

    /// Returns the error for a byte that starts no value.
    func notAValue(_ byte: UInt8) -> JSONSyntaxError {
        switch byte {
        case UInt8(ascii: "'"):
            return error(.singleQuote, "JSON strings need double quotes; write \"…\".")
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"):
            return error(.missingValue, "a value is missing here; add one.")
        case UInt8(ascii: "+"), UInt8(ascii: "."):
            return error(.number, "a number must start with a digit or '-'; write 1 for +1 and 0.5 for .5.")
        default:
            break
        }
        switch String(decoding: bytes[index...].prefix { isLetter($0) }, as: UTF8.self) {
        case "":
            return error(
                .unexpectedCharacter,
                "a value must be a string in double quotes, a number, true, false, null, […] or {…}."
            )
        case "NaN", "Infinity":
            return error(.number, "JSON has no NaN or Infinity; write null or a string.")
        case "True", "TRUE", "False", "FALSE", "Null", "NULL":
            return error(.unexpectedCharacter, "write true, false and null in lower case.")
        case "None", "nil", "undefined":
            return error(.unexpectedCharacter, "JSON has no such value; write null.")
        default:
            return error(.unexpectedCharacter, "a string needs double quotes; write \"…\".")
        }
    }
}
