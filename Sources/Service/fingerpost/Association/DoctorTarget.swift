import LinkRouting

/// The domain that `doctor` examines: `HOST`, `*.HOST` or either with a port.
package struct DoctorTarget {
    /// The host that serves the file, in ASCII.
    package let host: String
    package let port: UInt16?
    package let isWildcard: Bool
    /// The host with `www.` added or removed, which people treat as the same host; nil if there is none.
    package let twin: String?

    package init(_ text: String) throws {
        let isWildcard = text.hasPrefix("*.")
        let parts = text.dropFirst(isWildcard ? 2 : 0).split(separator: ":", omittingEmptySubsequences: false)
        let port = parts.count == 2 ? UInt16(parts[1]) : nil
        guard parts.count == 1 || port != nil, let name = try? HostName(parts[0]) else {
            throw fail(
                "'\(text)' is not a domain; write www.acme.com, *.acme.com or www.acme.com:8443.",
                .unreadableInput
            )
        }
        host = name.ascii
        self.port = port
        self.isWildcard = isWildcard
        let labels = host.split(separator: ".")
        twin =
            if labels.first == "www", !isWildcard {
                labels.dropFirst().joined(separator: ".")
            } else if labels.count == 2 || isWildcard {
                "www.\(host)"
            } else {
                nil
            }
    }
}
