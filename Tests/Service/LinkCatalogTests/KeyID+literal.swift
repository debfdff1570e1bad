import LinkCatalog

extension KeyID: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(rawValue: text) }
}
