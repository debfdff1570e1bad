package import LinkRouting

extension TenantDocument {
    /// Later than any time that a file may name.
    private static let endOfTime = Timestamp(milliseconds: 253_402_300_799_999)

    /// Reads the short links of the file, which a stub server follows. A server stores them by an import.
    ///
    /// - Parameter targets: Decides where the links may lead; nil to permit every target.
    package func shortLinks(to targets: ShortLinkTargets? = nil) throws(DocumentError) -> [ShortLink] {
        guard let links else { return [] }
        var codes: Set<ShortCode> = []
        var found: [ShortLink] = []
        for field in try DocumentField(links, path: "links").list() {
            let new = try NewShortLink(field, NewShortLink.keysOfLine, by: .system, at: Self.endOfTime)
            guard let code = new.code else { throw field.error("the link has no code; add 'code'.") }
            guard codes.insert(code).inserted else {
                throw field.error("'\(code)' is the code of an earlier link as well; remove one.")
            }
            do throws(ShortLinkTargets.Refusal) {
                try targets?.require(new.content)
            } catch {
                switch error {
                case .invalid(let reason), .outsideLimit(let reason): throw field.error(reason)
                }
            }
            found.append(new.link(code))
        }
        return found
    }

    /// What is wrong with the short links: the first error. Their targets are checked if settings and table are known.
    func linkFindings(_ settings: Settings?, _ table: RouteTable?) -> [Finding] {
        guard links != nil else { return [] }
        var targets: ShortLinkTargets?
        if let settings, let table, let tenant = tenant ?? TenantID("local") {
            let published = PublishedTable(
                tenant: tenant,
                environment: .production,
                revision: nil,
                settingsRevision: 0,
                settings: settings,
                table: table
            )
            targets = ShortLinkTargets(published, in: Catalog([published]))
        }
        do throws(DocumentError) {
            _ = try shortLinks(to: targets)
            return []
        } catch {
            return [Finding(error)]
        }
    }
}
