package import LinkRouting

/// The messages of `POST /_fp/events`.
package enum EventBatch {
    /// The tenant, environment and app of a batch.
    package struct Sender: Sendable, Hashable {
        package var tenant: TenantID
        package var environment: EnvironmentID
        package var install: String

        package init(tenant: TenantID, environment: EnvironmentID, install: String) {
            self.tenant = tenant
            self.environment = environment
            self.install = install
        }
    }

    /// The request's body.
    ///
    /// - Parameter events: The events, at least one, all of the same engine version.
    package static func body(_ events: [OutboxEvent], from sender: Sender) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.beginObject()
        writer.member("tenant", sender.tenant.rawValue)
        writer.member("environment", sender.environment.rawValue)
        writer.member("install", sender.install)
        writer.member("engineVersion", events.first?.engineVersion ?? "")
        writer.key("events")
        var body = writer.finish()
        body.append(UInt8(ascii: "["))
        for (index, event) in events.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += event.json
        }
        body += Array("]}".utf8)
        return body
    }

    /// The answer for one event.
    package struct Result: Sendable, Hashable {
        package let id: String
        /// Why the server did not store the event; nil if it is stored.
        package let rejection: String?
    }

    /// Reads the answers. Nil if the text is no answer to a batch.
    package static func results(_ bytes: [UInt8]) -> [Result]? {
        let limits = JSONReader.Limits(maximumBytes: 1 << 20, maximumDepth: 8, maximumValues: 10_000)
        guard let node = try? JSONReader.parse(bytes, limits: limits), let results = node["results"]?.elements else {
            return nil
        }
        return results.compactMap { node in
            guard let id = node["clientEventId"]?.text else { return nil }
            switch node["status"]?.text {
            case "stored", "duplicate": return Result(id: id, rejection: nil)
            case "rejected": return Result(id: id, rejection: node["detail"]?.text ?? "no reason given")
            default: return nil
            }
        }
    }
}
