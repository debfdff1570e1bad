/// A class of hosts that routes of the tenant can distinguish.
enum HostSpace: Hashable {
    /// Links of the tenant's schemes. The first scheme represents all.
    case scheme(String, firstSegmentIsHost: Bool)
    case exact(String, port: UInt16?)
    /// Exactly one label before `suffix`, covered by a wildcard domain.
    case label(ParameterType, suffix: HostName, port: UInt16?)
    /// Several labels before `suffix`, covered by a wildcard domain.
    case deeper(suffix: HostName, port: UInt16?)

    /// Returns all classes of a tenant's hosts, without duplicates. Web hosts come first.
    static func all(of identity: Identity) -> [HostSpace] {
        var spaces: [HostSpace] = []
        for domain in identity.domains {
            let own: [HostSpace] =
                domain.coversSubdomains
                ? [
                    .label(.plain, suffix: domain.name, port: domain.port),
                    .deeper(suffix: domain.name, port: domain.port),
                ] : [.exact(domain.host, port: domain.port)]
            spaces += own.filter { !spaces.contains($0) }
        }
        let scheme = identity.schemes.first { $0.hosts == .segment } ?? identity.schemes.first
        if let scheme { spaces.append(.scheme(scheme.name, firstSegmentIsHost: scheme.hosts == .segment)) }
        return spaces
    }

    /// Returns the classes of the tenant's hosts that a host condition may match; empty when it matches none.
    static func spaces(of condition: HostPattern, _ identity: Identity) -> [HostSpace] {
        switch condition {
        case .exact(let host): return exact(host.ascii, identity)
        case .label(let parameter, let suffix):
            let type = parameter?.type ?? .plain
            guard !type.isNever(shortest: 1) else { return [] }
            if let values = type.listedValues { return values.flatMap { exact("\($0).\(suffix.ascii)", identity) } }
            var spaces: [HostSpace] = []
            for domain in identity.domains {
                if domain.coversSubdomains {
                    guard domain.host == suffix.ascii || domain.name.isParent(of: suffix.ascii) else { continue }
                    spaces.append(.label(type, suffix: suffix, port: domain.port))
                } else if let label = label(of: domain.host, before: suffix),
                    type.accepts(Array(label.utf8)[...])
                {
                    spaces.append(.exact(domain.host, port: domain.port))
                }
            }
            return spaces
        }
    }

    private static func exact(_ host: String, _ identity: Identity) -> [HostSpace] {
        guard let link = try? DeepLink.parse("https://\(host)/"), link.host == host else { return [] }
        let owners = identity.domains.filter {
            $0.coversSubdomains ? $0.name.isParent(of: host) : $0.name.isWritten(host)
        }
        return owners.map { .exact(host, port: $0.port) }
    }

    private static func label(of host: String, before suffix: HostName) -> Substring? {
        guard let parent = HostName.parents(of: host).first(where: { _ in true }),
            parent == suffix.ascii || parent == suffix.unicode
        else { return nil }
        return host[..<host.unicodeScalars.index(before: parent.startIndex)]
    }

    /// Whether a route's host condition holds for every host of this class.
    func isTaken(by condition: HostPattern?) -> Bool {
        guard let condition else { return true }
        switch (self, condition) {
        case (.exact(let host, _), .exact(let other)): return other.isWritten(host)
        case (.exact(let host, _), .label(let parameter, let suffix)):
            guard let label = Self.label(of: host, before: suffix) else { return false }
            return parameter?.type.accepts(Array(label.utf8)[...]) ?? true
        case (.label(let type, let suffix, _), .label(let parameter, let other)):
            guard suffix.ascii == other.ascii else { return false }
            let part = SegmentForm(
                segment: .parameter(RoutePattern.Parameter(name: "", type: type)),
                letterCase: .sensitive
            )
            return parameter.map {
                SegmentForm(segment: .parameter($0), letterCase: .sensitive).takesAll(of: part)
            } ?? true
        default: return false
        }
    }

    /// Returns hosts in both classes, if both are one label below the same host.
    func commonLabels(with other: HostSpace) -> [HostSpace] {
        guard case .label(let type, let suffix, let port) = self, case .label(let otherType, suffix, port) = other
        else {
            return []
        }
        let forms = [type, otherType].map { type in
            SegmentForm(segment: .parameter(RoutePattern.Parameter(name: "", type: type)), letterCase: .sensitive)
        }
        return forms[0].commonTexts(with: forms[1]).map { String(decoding: $0, as: UTF8.self) }
            .filter(Self.isLabel).map { .exact("\($0).\(suffix.ascii)", port: port) }
    }

    private static func isLabel(_ text: String) -> Bool {
        text.utf8.allSatisfy { isLetter($0) && $0 & 0x20 != 0 || isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// Sample hosts of the class in URL form, with the port; none for a scheme.
    var samples: [String] {
        func written(_ host: String, _ port: UInt16?) -> String { host + (port.map { ":\($0)" } ?? "") }
        switch self {
        case .scheme: return []
        case .exact(let host, let port): return [written(host, port)]
        case .deeper(let suffix, let port): return [written("x.y.\(suffix.ascii)", port)]
        case .label(let type, let suffix, let port):
            let labels = type.samples(shortest: 1).map { String(decoding: $0, as: UTF8.self) }
            return labels.filter(Self.isLabel).map { written("\($0).\(suffix.ascii)", port) }
        }
    }
}
