import Crypto
package import LinkRouting
package import Networking

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A tenant's rules for recorded data. Applied before an event is created, so that nothing else can reach the log.
package struct Redaction: Sendable, Hashable {
    /// The names of query items whose values are recorded.
    package var recordQuery: Set<ExactText>
    /// The names of traits whose values are recorded.
    package var recordTraits: Set<ExactText>
    /// The HMAC key for install identifiers; nil if installs are not recorded.
    package var installKey: Data?
    package var unmatchedPath: UnmatchedPath
    package var address: AddressPolicy

    package enum UnmatchedPath: Sendable, Hashable {
        case full
        /// Each segment is replaced by its type, such as `{int}`, unless it is one of the literals.
        case shape(literals: Set<ArraySlice<UInt8>>)
        case firstSegment, none
    }

    package enum AddressPolicy: Sendable, Hashable {
        /// /24 of IPv4, /48 of IPv6.
        case truncated
        /// HMAC-SHA256 with a key that changes daily.
        case keyed
        case none
    }

    package init(
        recordQuery: Set<ExactText>,
        recordTraits: Set<ExactText> = [],
        installKey: Data? = nil,
        unmatchedPath: UnmatchedPath,
        address: AddressPolicy
    ) {
        self.recordQuery = recordQuery
        self.recordTraits = recordTraits
        self.installKey = installKey
        self.unmatchedPath = unmatchedPath
        self.address = address
    }

    /// Returns the allow-listed query items in the link's order. Leaves out items that a sensitive parameter was
    /// captured from, and items with invalid escapes, which have no value to record.
    ///
    /// - Parameter ownCampaign: The names of the items that a short link added to the link, such as `utm_source`. They are
    ///   recorded, too: they are the tenant's own text, and tell nothing of a visitor.
    package func query(
        of link: DeepLink,
        plus: DeepLink.PlusSign,
        parameters: [CapturedParameter],
        recording ownCampaign: Set<String> = []
    ) -> [Event.QueryItem] {
        guard !recordQuery.isEmpty || !ownCampaign.isEmpty, !link.query.isEmpty else { return [] }
        return link.query.compactMap { item in
            guard let name = link.name(of: item, plus: plus),
                recordQuery.contains(ExactText(name)) || ownCampaign.contains(name),
                !parameters.contains(where: { $0.isSensitive && $0.location == .query(name) }),
                let value = link.value(of: item, plus: plus)
            else { return nil }
            return Event.QueryItem(name: name, value: value)
        }
    }

    /// Returns the host. If its first label is a sensitive parameter, the label is replaced by `{name}`.
    package func host(of link: DeepLink, parameters: [CapturedParameter]) -> String? {
        guard let hidden = parameters.first(where: { $0.isSensitive && $0.location == .host }) else { return link.host }
        return link.host.map { "{\(hidden.name)}" + $0.drop { $0 != "." } }
    }

    /// Returns the path to record. For a link that no route matched, returns as much of it as ``unmatchedPath`` allows;
    /// nil for `.none`. Such a link has parameters if its route led nowhere.
    package func path(of link: DeepLink, outcome: Outcome, parameters: [CapturedParameter]) -> String? {
        let hidden = parameters.contains(where: \.isSensitive) ? parameters.filter(\.isSensitive) : []
        guard outcome != .matched else { return Self.path(of: link, hiding: hidden) }
        return switch unmatchedPath {
        case .full: Self.path(of: link, hiding: hidden)
        case .shape(let literals): Self.shape(of: link, literals: literals)
        case .firstSegment: Self.path(of: link, hiding: hidden, segments: 1)
        case .none: nil
        }
    }

    /// The segments of a shape. The rest of a longer path is `{rest}`.
    private static let maximumShapeSegments = 8

    private static func shape(of link: DeepLink, literals: Set<ArraySlice<UInt8>>) -> String {
        guard link.segmentCount > 0 else { return "/" }
        var path: [UInt8] = []
        for index in 0..<min(link.segmentCount, maximumShapeSegments) {
            path.append(UInt8(ascii: "/"))
            let segment = link.pathBytes[link.segmentRange(index)]
            if literals.contains(segment) {
                appendEscaped(segment, to: &path)
            } else if let type = SegmentType(of: segment) {
                path.append(contentsOf: "{\(type.rawValue)}".utf8)
            }
        }
        if link.segmentCount > maximumShapeSegments { path.append(contentsOf: "/{rest}".utf8) }
        return String(decoding: path, as: UTF8.self)
    }

    /// Returns the first segments of the path, with each sensitive parameter replaced by `{name}`.
    private static func path(
        of link: DeepLink,
        hiding parameters: [CapturedParameter],
        segments most: Int = .max
    ) -> String {
        guard link.segmentCount > 0 else { return "/" }
        var path: [UInt8] = []
        path.reserveCapacity(link.pathBytes.count + 2 * link.segmentCount)
        for index in 0..<min(link.segmentCount, most) {
            path.append(UInt8(ascii: "/"))
            let range = link.segmentRange(index)
            guard !parameters.isEmpty else {
                appendEscaped(link.pathBytes[range], to: &path)
                continue
            }
            var hidden: [(bytes: Range<Int>, name: String)] = []
            for parameter in parameters {
                switch parameter.location {
                case .path(segment: index, let bytes): hidden.append((bytes, parameter.name))
                case .rest(let first) where first == index:
                    path.append(contentsOf: "{\(parameter.name)}".utf8)
                    return String(decoding: path, as: UTF8.self)
                default: continue
                }
            }
            var start = range.lowerBound
            for (bytes, name) in hidden.sorted(by: { $0.bytes.lowerBound < $1.bytes.lowerBound }) {
                // Clamped: if a place were ever wrong, too much is hidden and nothing traps.
                let begin = min(max(bytes.lowerBound, start), range.upperBound)
                appendEscaped(link.pathBytes[start..<begin], to: &path)
                path.append(contentsOf: "{\(name)}".utf8)
                start = min(max(bytes.upperBound, begin), range.upperBound)
            }
            appendEscaped(link.pathBytes[start..<range.upperBound], to: &path)
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// Returns the captured values as a JSON object, without the sensitive ones; nil if there are none.
    package func parameters(_ parameters: [CapturedParameter]) -> String? {
        guard parameters.contains(where: isRecorded) else { return nil }
        var writer = JSONWriter(reservingCapacity: 64)
        writer.beginObject()
        for parameter in parameters where isRecorded(parameter) {
            writer.key(escaping: parameter.name)
            writer.value(parameter.value)
        }
        writer.endObject()
        return writer.text
    }

    private func isRecorded(_ parameter: CapturedParameter) -> Bool {
        guard !parameter.isSensitive else { return false }
        // A value from the query is recorded only if its query item is allow-listed.
        if case .query(let name) = parameter.location { return recordQuery.contains(ExactText(name)) }
        return parameter.location != .fragment
    }

    /// Returns a two-letter country code in upper case; nil for any other text, because it might contain anything.
    package static func country(_ text: String?) -> String? {
        guard let text, text.utf8.count == 2 else { return nil }
        let letters = text.utf8.map { $0 & ~0x20 }
        guard letters.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) else { return nil }
        return String(decoding: letters, as: UTF8.self)
    }

    private static let maximumTraitValues = 16
    private static let maximumTraitBytes = 128

    /// Returns the allow-listed traits as a JSON object, sorted by name; nil if there are none. A trait with several
    /// values becomes a list. Keeps the first 16 values of a trait and the first 128 bytes of a value.
    package func traits(_ traits: [String: [String]]) -> String? {
        guard !recordTraits.isEmpty, !traits.isEmpty else { return nil }
        let recorded = traits.filter { recordTraits.contains(ExactText($0.key)) && !$0.value.isEmpty }.sorted {
            $0.key < $1.key
        }
        guard !recorded.isEmpty else { return nil }
        var writer = JSONWriter(reservingCapacity: 64)
        writer.beginObject()
        for (name, values) in recorded {
            let values = values.prefix(Self.maximumTraitValues).map { $0.utf8Prefix(Self.maximumTraitBytes) }
            writer.key(escaping: name)
            if values.count > 1 { writer.beginArray() }
            for value in values { writer.string(value) }
            if values.count > 1 { writer.endArray() }
        }
        writer.endObject()
        return writer.text
    }

    /// Returns the identifier of the caller's install; nil if installs are not recorded.
    package func install(_ stickyKey: String?) -> InstallID? {
        guard let installKey, let stickyKey else { return nil }
        return Self.install(stickyKey, key: installKey)
    }

    /// Returns the same id for every event of an install. It cannot be reversed or guessed without the HMAC key.
    package static func install(_ stickyKey: String, key: Data) -> InstallID {
        let code = HMAC<SHA256>.authenticationCode(for: Data(stickyKey.utf8), using: SymmetricKey(data: key))
        guard let bytes = Bytes16(Array(code.prefix(16))) else { preconditionFailure("a SHA-256 has 32 bytes") }
        return InstallID(bytes)
    }

    /// Returns the client's address as far as the policy allows; nil for `.none`. An IPv4-mapped IPv6 address
    /// (`::ffff:192.0.2.1`) is treated as IPv4.
    package func address(_ address: NetworkAddress, key: @autoclosure () -> Data) -> String? {
        guard self.address != .none else { return nil }
        guard self.address == .keyed else { return address.network }
        let code = HMAC<SHA256>.authenticationCode(for: address.bytes, using: SymmetricKey(data: key()))
        return "hmac:" + code.prefix(16).hexadecimal
    }
}

/// Appends a segment with URL escapes, so that a decoded `/` is not read as a separator.
private func appendEscaped(_ segment: ArraySlice<UInt8>, to path: inout [UInt8]) {
    for byte in segment {
        switch byte {
        case UInt8(ascii: "/"): path.append(contentsOf: "%2F".utf8)
        case UInt8(ascii: "%"): path.append(contentsOf: "%25".utf8)
        case UInt8(ascii: "{"): path.append(contentsOf: "%7B".utf8)
        case UInt8(ascii: "}"): path.append(contentsOf: "%7D".utf8)
        default: path.append(byte)
        }
    }
}
