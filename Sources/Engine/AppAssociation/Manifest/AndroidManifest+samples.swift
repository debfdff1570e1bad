extension AndroidManifest.IntentFilter {
    /// Links that the filter accepts, one for each of its schemes, hosts and paths.
    ///
    /// They are for filters without malformed patterns and without sets, such as the generated ones.
    package var sampleLinks: [String] {
        schemes.flatMap { scheme -> [String] in
            guard !hosts.isEmpty else { return ["\(scheme)://x"] }
            return hosts.flatMap { host -> [String] in
                let name = host.name.hasPrefix("*") ? "www" + host.name.dropFirst() : host.name
                let authority = host.port.map { "\(name):\($0)" } ?? name
                return (paths.isEmpty ? ["/"] : paths.map(\.sample)).map { path in
                    "\(scheme)://\(authority)\(path.hasPrefix("/") ? "" : "/")\(path)"
                }
            }
        }
    }
}

extension PlatformPattern {
    /// A text that the pattern probably matches.
    fileprivate var sample: String {
        switch self {
        case .literal(let text), .prefix(let text), .suffix(let text): return text
        case .simple(let pattern), .advanced(let pattern):
            var text = String.UnicodeScalarView()
            var rest = pattern.unicodeScalars[...]
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\\": if let escaped = rest.popFirst() { text.append(escaped) }
                case ".": text.append("x")
                case "*": continue
                default: text.append(scalar)
                }
            }
            return String(text)
        }
    }
}
