import HTTPTransport

extension ConnectionLimits {
    init(_ limits: ServerLimits, bodySeconds: Int) {
        self.init(
            uriBytes: limits.uriBytes,
            headerBytes: limits.headerBytes,
            headerFields: limits.headerFields,
            headSeconds: limits.headSeconds,
            bodySeconds: bodySeconds,
            idleSeconds: limits.idleSeconds,
            stalledSeconds: limits.stalledSeconds,
            proxyHeaderSeconds: limits.proxyHeaderSeconds
        )
    }
}
