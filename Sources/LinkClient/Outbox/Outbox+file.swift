import LinkRouting

/// The file: a line with the install, then a line for each event.
///
/// Events are appended; answered events are removed by replacing the file. A crash can therefore cut the last line only,
/// which is then ignored. A file without its first line is ignored as a whole: with another install, the server could
/// not recognize events that it has stored already.
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
        // After the last line feed is nothing, or a line that was cut.
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
