/// Whether the proxies before the public port send a PROXY header.
package enum ProxyProtocol: String, Sendable, CaseIterable {
    case off, v2
}
