import LinkRouting

/// The file: a line with the install, then a line for each event.
///
/// Events are appended, and answered events are removed by replacing the file. A crash can therefore truncate only the
/// last line, and a truncated line is ignored. A file without a readable first line is ignored as a whole: under
/// another install, the server would not recognize events that it has already stored.
extension Outbox {
    /// Maximum size of the file: the events, and what each line adds.
    package static let maximumFileBytes = maximumBytes + maximumEvents * 128 + 1_024

    /// The lines of the file.
    package var file: [UInt8] {
        var bytes = header
        for event in events { bytes += event.line }
        return bytes
    }

    private var header: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("install", install)
        writer.endObject()
        writer.endLine()
        return writer.finish()
    }

    /// The content of a file.
    package struct Reading: Sendable {
        package var outbox: Outbox
        /// Whether the file has lines that are damaged, so that it must be replaced before an event is appended.
        package var isDamaged: Bool
    }

    /// Reads a file. Nil if its first line cannot be read.
    package static func read(_ file: [UInt8]) -> Reading? {
        var lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The text after the last line feed is empty, or is a truncated line.
        let rest = lines.popLast() ?? []
        guard let first = lines.first,
            let node = try? JSONReader.parse(first, limits: JSONReader.Limits(maximumBytes: 1_024)),
            let install = node["install"]?.text, (1...128).contains(install.utf8.count)
        else { return nil }
        var outbox = Outbox(install: install)
        var isDamaged = !rest.isEmpty
        var known: Set<String> = []
        for line in lines.dropFirst() {
            guard let event = OutboxEvent(line: line), known.insert(event.id).inserted, outbox.add(event) == .added
            else {
                isDamaged = true
                continue
            }
        }
        return Reading(outbox: outbox, isDamaged: isDamaged)
    }
}
