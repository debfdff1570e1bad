import LinkRouting

extension Event {
    /// Passes the values of ``EventColumn/all`` of each event to `body`, without collecting them. Calls `end` after those of an
    /// event.
    package static func forEachValue(
        of events: [Event],
        from first: Int64,
        _ body: (EventValue, EventColumn.Storage) throws -> Void,
        end: () throws -> Void
    ) throws {
        try withoutActuallyEscaping(body) { body in
            for (sequence, event) in zip(first..., events) {
                var values = Values(content: event.content, eventSequence: sequence, body: body)
                try Fields.visit(&values)
                try end()
            }
        }
    }

    private struct Values: EventFieldVisitor {
        typealias Failure = any Error

        let content: Content
        let eventSequence: Int64
        let body: (EventValue, EventColumn.Storage) throws -> Void

        func sequence(_: String) throws { try body(.integer(eventSequence), .integer) }

        @inline(__always) func visit(
            _: String,
            _ field: WritableKeyPath<Fields, some EventFieldValue>,
            _ storage: EventColumn.Storage,
            _: ExportForm
        ) throws {
            try body(content.fields[keyPath: field].value, storage)
        }
    }

    /// A value of a row that its field cannot have.
    package struct UnreadableColumn: Error {
        /// The index in ``EventColumn/all``.
        package let index: Int
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
        typealias Failure = Event.UnreadableColumn

        var fields = blank
        var eventSequence: Int64 = 0
        private let row: [EventValue]
        private var index = 0

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

        mutating func sequence(_: String) throws(Failure) {
            guard let value = Int64(row[index]) else { throw Failure(index: index) }
            eventSequence = value
            index += 1
        }

        @inline(__always) mutating func visit<Value: EventFieldValue>(
            _: String,
            _ field: WritableKeyPath<Event.Fields, Value>,
            _: EventColumn.Storage,
            _: ExportForm
        ) throws(Failure) {
            guard let value = Value(row[index]) else { throw Failure(index: index) }
            fields[keyPath: field] = value
            index += 1
        }
    }
}

extension Event {
    /// The approximate memory size, for the recorder's limits. Allocates nothing.
    package var byteCount: Int {
        var size = Size(content: content)
        Fields.visit(&size)
        return size.byteCount
    }

    private struct Size: EventFieldVisitor {
        let content: Content
        var byteCount = MemoryLayout<Fields>.stride

        func sequence(_: String) {}

        @inline(__always) mutating func visit(
            _: String,
            _ field: WritableKeyPath<Fields, some EventFieldValue>,
            _: EventColumn.Storage,
            _: ExportForm
        ) {
            byteCount += content.fields[keyPath: field].byteCount
        }
    }
}
