import Crypto
package import LinkRouting
import OutboundHTTP

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a tenant lets be recorded. Applied before an event exists, so that nothing else can reach the log.
package struct Redaction: Sendable, Hashable {
    /// The names of query items whose values are recorded.
    package var recordQuery: Set<String>
    package var unmatchedPath: UnmatchedPath
    package var address: AddressPolicy

    package enum UnmatchedPath: Sendable, Hashable {
        case full, firstSegment, none
    }

    package enum AddressPolicy: Sendable, Hashable {
        /// /24 of IPv4, /48 of IPv6.
        case truncated
        /// HMAC-SHA256 under a key of the day.
        case keyed
        case none
    }

    package init(recordQuery: Set<String>, unmatchedPath: UnmatchedPath, address: AddressPolicy) {
        self.recordQuery = recordQuery
        self.unmatchedPath = unmatchedPath
        self.address = address
    }

    /// The allow-listed items, in the link's order, without those that a sensitive parameter was captured from; one whose
    /// escapes are broken has no value to record.
    package func query(
        of link: Link,
        plus: Link.PlusSign,
        parameters: [Resolution.Parameter]
    ) -> [Event.QueryItem] {
        guard !recordQuery.isEmpty else { return [] }
        return link.query.compactMap { item in
            guard let name = link.name(of: item, plus: plus), recordQuery.contains(name),
                !parameters.contains(where: { $0.isSensitive && $0.place == .query(name) }),
                let value = link.value(of: item, plus: plus)
            else { return nil }
            return Event.QueryItem(name: name, value: value)
        }
    }

    /// The host, with `{name}` for its first label where that is a sensitive parameter.
    package func host(of link: Link, parameters: [Resolution.Parameter]) -> String? {
        guard let hidden = parameters.first(where: { $0.isSensitive && $0.place == .host }) else { return link.host }
        return link.host.map { "{\(hidden.name)}" + $0.drop { $0 != "." } }
    }

    /// The path of a link that a route or fallback answered, or that nothing did.
    package func path(of link: Link, outcome: Outcome, parameters: [Resolution.Parameter]) -> String? {
        guard outcome != .matched else { return Self.path(of: link, hiding: parameters.filter(\.isSensitive)) }
        return switch unmatchedPath {
        case .full: Self.path(of: link, hiding: [])
        case .firstSegment: link.segmentCount == 0 ? "/" : "/" + escaped(link.pathBytes[link.segments[0].range])
        case .none: nil
        }
    }

    /// The path with each sensitive parameter as `{name}`.
    private static func path(of link: Link, hiding parameters: [Resolution.Parameter]) -> String {
        guard link.segmentCount > 0 else { return "/" }
        var path = ""
        for index in link.segments.indices {
            let range = link.segments[index].range
            var hidden: [(bytes: Range<Int>, name: String)] = []
            for parameter in parameters {
                switch parameter.place {
                case .path(segment: index, let bytes): hidden.append((bytes, parameter.name))
                case .rest(let first) where first == index: return path + "/{\(parameter.name)}"
                default: continue
                }
            }
            path += "/"
            var start = range.lowerBound
            for (bytes, name) in hidden.sorted(by: { $0.bytes.lowerBound < $1.bytes.lowerBound }) {
                // Clamped: were a place ever wrong, too much is hidden and nothing traps.
                let begin = min(max(bytes.lowerBound, start), range.upperBound)
                path += escaped(link.pathBytes[start..<begin]) + "{\(name)}"
                start = min(max(bytes.upperBound, begin), range.upperBound)
            }
            path += escaped(link.pathBytes[start..<range.upperBound])
        }
        return path
    }

    /// The captured values as a JSON object, without the sensitive ones; nil when there is none.
    package func parameters(_ parameters: [Resolution.Parameter]) -> String? {
        let recorded = parameters.filter { parameter in
            guard !parameter.isSensitive else { return false }
            // A value from the query is recorded only where its item may be.
            if case .query(let name) = parameter.place { return recordQuery.contains(name) }
            return parameter.place != .fragment
        }
        guard !recorded.isEmpty else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        for parameter in recorded {
            writer.key(parameter.name)
            writer.value(parameter.value)
        }
        writer.endObject()
        return writer.text
    }

    /// The client's address as far as it may be kept; nil for what is not an address. Every way to write one address gives
    /// the same text, and an IPv4 address in an IPv6 one (`::ffff:192.0.2.1`) is that IPv4 address.
    package func address(_ text: String, key: @autoclosure () -> Data) -> String? {
        guard address != .none, let address = NetworkAddress(text) else { return nil }
        guard self.address == .keyed else { return address.network }
        let code = HMAC<SHA256>.authenticationCode(for: address.bytes, using: SymmetricKey(data: key()))
        return "hmac:" + code.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

/// A segment as a URL writes it, so that a decoded `/` is not read as a separator.
private func escaped(_ segment: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in segment {
        switch byte {
        case UInt8(ascii: "/"): text += Array("%2F".utf8)
        case UInt8(ascii: "%"): text += Array("%25".utf8)
        case UInt8(ascii: "{"): text += Array("%7B".utf8)
        case UInt8(ascii: "}"): text += Array("%7D".utf8)
        default: text.append(byte)
        }
    }
    return String(decoding: text, as: UTF8.self)
}
