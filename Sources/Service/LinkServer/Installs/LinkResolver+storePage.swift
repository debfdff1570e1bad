import LinkCatalog
import LinkEvents
import LinkRouting

extension LinkResolver {
    /// Returns the store page of a click, or that of the app that the link opens; nil if there is neither. The referrer for
    /// Google Play carries a token, with which the app asks for the link after its installation.
    ///
    /// - Parameter event: The event of the click; nil for a page without a token.
    func storePage(of link: ResolvedLink, recordedAs event: Event?) throws -> DeepLink? {
        let answer = link.answer
        let registered = answer.table?.settings.identity.apps.first { $0.id == answer.resolution.app }
        guard let destination = answer.resolution.destination,
            let store = destination.store
                ?? (destination.uri == nil ? nil : registered?.storeURL(campaign: destination.campaign)),
            let page = try? DeepLink.parse(store)
        else { return nil }
        guard page.host == "play.google.com", let app = registered?.id, let event else { return page }
        let token = try installTokens.seal(
            InstallToken(
                tenant: answer.tenant,
                environment: answer.environment,
                app: app,
                click: event.content.fields.id.description,
                clickedAt: event.content.fields.recordedAt,
                link: link.textForInstall
            )
        )
        // The engine writes the referrer as the last item of the page's query.
        let mark = store.contains("&referrer=") ? "%26" : "&referrer="
        // The person reaches the store in any case.
        return (try? DeepLink.parse("\(store)\(mark)fp%3D\(token)")) ?? page
    }
}

extension LinkResolver.ResolvedLink {
    /// The link that an install token carries: of a short link, without the query, which leads nowhere. Nil for a long one,
    /// and for one with a sensitive value, because stores keep referrers.
    fileprivate var textForInstall: String? {
        guard !answer.resolution.parameters.contains(where: \.isSensitive), followed?.isSensitive != true else {
            return nil
        }
        let isShort = followed?.shortLink != nil
        let text = isShort ? String(link.text.prefix { $0 != "?" && $0 != "#" }) : link.text
        return text.utf8.count <= InstallToken.longestLink ? text : nil
    }
}
