import Crypto
package import LinkRouting

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

    /// The allow-listed items, in the link's order; one whose escapes are broken has no value to record.
    package func query(of link: Link, plus: Link.PlusSign) -> [Event.QueryItem] {
        guard !recordQuery.isEmpty else { return [] }
        return link.query.compactMap { item in
            guard let name = link.name(of: item, plus: plus), recordQuery.contains(name),
                let value = link.value(of: item, plus: plus)
            else { return nil }
            return Event.QueryItem(name: name, value: value)
        }
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
                path += escaped(link.pathBytes[start..<bytes.lowerBound]) + "{\(name)}"
                start = bytes.upperBound
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

    /// The client's address as far as it may be kept; nil for what is not an address.
    package func address(_ text: String, key: @autoclosure () -> Data) -> String? {
        switch address {
        case .none: return nil
        case .keyed:
            let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key()))
            return "hmac:" + code.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        case .truncated: return Self.truncated(text)
        }
    }

    private static func truncated(_ text: String) -> String? {
        let mapped = text.lowercased().hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
        let octets = mapped.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        if octets.count == 4 {
            guard let a = octets[0], let b = octets[1], let c = octets[2], octets[3] != nil else { return nil }
            return "\(a).\(b).\(c).0/24"
        }
        guard let groups = ipv6Groups(text) else { return nil }
        let kept = groups.prefix(3).map { String($0, radix: 16) }
        return kept.joined(separator: ":") + "::/48"
    }

    private static func ipv6Groups(_ text: String) -> [UInt16]? {
        let address = text.split(separator: "%", maxSplits: 1)[0]
        func groups(_ text: Substring) -> [UInt16]? {
            guard !text.isEmpty else { return [] }
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { UInt16($0, radix: 16) }
            return parts.contains(nil) ? nil : parts.compactMap(\.self)
        }
        guard let gap = address.firstRange(of: "::") else {
            guard let all = groups(address), all.count == 8 else { return nil }
            return all
        }
        guard let head = groups(address[..<gap.lowerBound]), let tail = groups(address[gap.upperBound...]),
            head.count + tail.count < 8
        else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
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
