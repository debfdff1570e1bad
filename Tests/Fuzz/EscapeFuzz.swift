@testable import LinkRouting

/// Escaped text never becomes syntax of the language into which it is written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEscapes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let html = text.escapedForHTML
    precondition(!html.utf8.contains { "<>\"'".utf8.contains($0) }, "no markup in HTML")
    precondition(html.unescapedFromXML.utf8.elementsEqual(text.utf8), "unescaping returns the text")
    let xml = text.escapedForXML
    precondition(!xml.utf8.contains { "<>\"\n\r\t".utf8.contains($0) }, "no markup in XML")
    precondition(!xml.unicodeScalars.contains { $0.isUnsafeToDisplay })

    let word = text.quotedForShell.utf8
    precondition(word.first == UInt8(ascii: "'") && word.last == UInt8(ascii: "'"))
    let inner = Array(word.dropFirst().dropLast())
    // As a shell parses it: each quote in the text closes the quotation, follows escaped, and reopens it.
    let quotes = text.utf8.count { $0 == UInt8(ascii: "'") }
    let zeros = text.utf8.count { $0 == 0 }
    precondition(inner.count == text.utf8.count + 3 * quotes + 2 * zeros, "only quotes and zeros are changed")
    precondition(inner.count { $0 == UInt8(ascii: "'") } == 3 * quotes)

    var isEscaped = false
    for byte in text.escapedForPrometheus.utf8 {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else {
            precondition(byte != UInt8(ascii: "\"") && byte != 0x0A, "a label contains no quote and no line break")
        }
    }
    precondition(!isEscaped)

    for line in text.commentLines {
        let scalars = Array(line.unicodeScalars)
        precondition(scalars.allSatisfy { $0 == "\t" || !$0.isUnsafeToDisplay })
        precondition(!zip(scalars, scalars.dropFirst()).contains { $0 == ("*", "/") || $0 == ("/", "*") })
    }
    for literal in [text.quotedForSwift, text.quotedForKotlin, text.quotedForJavaScript, text.quotedForYAML] {
        let scalars = literal.unicodeScalars.dropFirst().dropLast()
        precondition(literal.first == "\"" && literal.last == "\"")
        // Swift has no escapes for U+FDD0 to U+FDEF.
        precondition(scalars.allSatisfy { !$0.isUnsafeToDisplay || (0xFDD0...0xFDEF).contains($0.value) })
        var isEscaped = false
        for scalar in scalars {
            precondition(isEscaped || scalar != "\"", "no quote within a literal")
            isEscaped = !isEscaped && scalar == "\\"
        }
        precondition(!isEscaped)
    }

    let shown = text.escapedForTerminal
    precondition(shown.unicodeScalars.allSatisfy { $0 == "\t" || !$0.isUnsafeToDisplay })
    precondition(shown.escapedForTerminal.utf8.elementsEqual(shown.utf8), "escaping again changes nothing")
    let json = JSONNode.string(text).json().jsonEscapedForTerminal
    precondition(!json.unicodeScalars.contains { $0.isUnsafeToDisplay })
    let limits = JSONReader.Limits(maximumBytes: .max)
    precondition((try? JSONReader.parse(json, limits: limits).text)?.utf8.elementsEqual(text.utf8) == true)
    return 0
}
