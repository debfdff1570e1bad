/// Helpers that lay out a text.
let layoutHelpers: [String: TemplateHelper] = [
    "center": { call, rendering in
        let (text, missing, pad) = try padding(call, &rendering)
        return .text(repeated(pad, missing / 2) + text + repeated(pad, missing - missing / 2))
    },
    "ljust": { call, rendering in
        let (text, missing, pad) = try padding(call, &rendering)
        return .text(text + repeated(pad, missing))
    },
    "rjust": { call, rendering in
        let (text, missing, pad) = try padding(call, &rendering)
        return .text(repeated(pad, missing) + text)
    },
    "abbreviate": { call, rendering in
        let text = try call.text(call.subject, &rendering)
        guard let width = try call.integer(call[1]), width >= 4 else {
            throw call.failure("write a width of 4 or more")
        }
        return .text(text.utf16.count <= width ? text : prefix(text, width - 3) + "...")
    },
    "wordWrap": { call, rendering in
        let text = try call.text(call.subject, &rendering)
        guard let width = try call.integer(call[1]), width >= 1 else {
            throw call.failure("write a width of 1 or more")
        }
        return .text(wrapped(text, width))
    },
    "stringFormat": { call, rendering in
        let format = try call.text(call.subject, &rendering)
        return .text(try JavaFormat.text(format, Array(call.arguments.dropFirst()), call, &rendering))
    },
]

private func padding(
    _ call: TemplateInvocation,
    _ rendering: inout TemplateRendering
) throws(Template.Failure) -> (text: String, missing: Int, pad: String) {
    let text = try call.text(call.subject, &rendering)
    guard let size = try call.integer(call.options["size"]) else { throw call.failure("add 'size=' with a number") }
    guard (0...largestHelperSize).contains(size) else {
        throw call.failure("the size must be 0 to \(largestHelperSize)")
    }
    try rendering.spend(size / 16)
    let pad = call.options["pad"]?.text ?? " "
    return (text, max(0, size - text.utf16.count), String(pad.prefix(1)))
}

private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

private func prefix(_ text: String, _ count: Int) -> String {
    String(decoding: text.utf16.prefix(count), as: UTF16.self)
}

/// Breaks lines at spaces. A word that is longer than the width keeps a line of its own.
private func wrapped(_ text: String, _ width: Int) -> String {
    var lines: [String] = []
    var line = ""
    var length = 0
    for word in TextPieces(text, separator: " ").pieces {
        let count = word.utf16.count
        if !lines.isEmpty || length > 0, length > 0, length + 1 + count > width {
            lines.append(line)
            (line, length) = (word, count)
        } else {
            line += length > 0 ? " " + word : word
            length += length > 0 ? 1 + count : count
        }
    }
    return (lines + [line]).joined(separator: "\n")
}
