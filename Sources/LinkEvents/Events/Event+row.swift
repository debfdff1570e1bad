import LinkRouting

extension Event {
    /// Appends the event's values of ``EventColumn/all``.
    package func values(sequence: Int64, into row: inout [EventValue]) {
        var writer = RowWriter(event: self, eventSequence: sequence, row: [])
        swap(&writer.row, &row)
        Fields.visit(&writer)
        swap(&writer.row, &row)
    }

    private struct RowWriter: EventFieldVisitor {
        let event: Event
        let eventSequence: Int64
        var row: [EventValue]

        mutating func sequence(_: String) { row.append(.integer(eventSequence)) }

        @inline(__always) mutating func visit<Value: EventFieldValue>(
            _: String,
            _ field: WritableKeyPath<Fields, Value>,
            _: EventColumn.Storage,
            _: ExportForm
        ) {
            row.append(event.content.fields[keyPath: field].value)
        }

        func derived(_: String, _: (Fields) -> String?) {}
    }

    /// A value of a row that its field cannot have.
    package struct UnreadableColumn: Error {
        /// The place in ``EventColumn/all``.
        package let place: Int
    }
}

extension StoredEvent {
    /// Reads the values of ``EventColumn/all``.
    package init(_ row: [EventValue]) throws(Event.UnreadableColumn) {
        var reader = RowReader(row)
        try Event.Fields.visit(&reader)
        self.init(sequence: reader.eventSequence, event: Event(reader.fields))
    }

    private struct RowReader: EventFieldVisitor {
        var fields = blank
        var eventSequence: Int64 = 0
        private let row: [EventValue]
        private var place = 0

        /// Every field is read into it.
        private static let blank = Event.Fields(
            id: "",
            recordedAt: Timestamp(milliseconds: 0),
            tenant: .none,
            environment: .production,
            outcome: .unmatched,
            linkLength: 0,
            source: "",
            node: "",
            requestID: "",
            method: ""
        )

        init(_ row: [EventValue]) { self.row = row }

        mutating func sequence(_: String) {
            if case .integer(let number) = row[place] { eventSequence = number }
            place += 1
        }

        @inline(__always) mutating func visit<Value: EventFieldValue>(
            _: String,
            _ field: WritableKeyPath<Event.Fields, Value>,
            _: EventColumn.Storage,
            _: ExportForm
        ) throws(Event.UnreadableColumn) {
            guard let value = Value(row[place]) else { throw Event.UnreadableColumn(place: place) }
            fields[keyPath: field] = value
            place += 1
        }

        func derived(_: String, _: (Event.Fields) -> String?) {}
    }
}

extension Event {
    /// The approximate memory size, for the recorder's limits. Allocates nothing.
    package var byteCount: Int {
        var size = Size(event: self)
        Fields.visit(&size)
        return size.byteCount
    }

    private struct Size: EventFieldVisitor {
        let event: Event
        var byteCount = MemoryLayout<Fields>.stride

        func sequence(_: String) {}

        @inline(__always) mutating func visit(
            _: String,
            _ field: WritableKeyPath<Fields, some EventFieldValue>,
            _: EventColumn.Storage,
            _: ExportForm
        ) {
            byteCount += event.content.fields[keyPath: field].byteCount
        }

        func derived(_: String, _: (Fields) -> String?) {}
    }
}
