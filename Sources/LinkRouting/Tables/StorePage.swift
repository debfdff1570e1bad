/// An app's page in the store of its platform, without what a link adds to it.
struct StorePage: Sendable {
    private let kind: App.Store.Kind
    private let url: String

    /// Nil without a store ID.
    init?(_ app: App) {
        let kind: App.Store.Kind
        let head: String
        switch app.platform {
        case .ios: (kind, head) = (.appStore, "https://apps.apple.com/app/id")
        case .android: (kind, head) = (.playStore, "https://play.google.com/store/apps/details?id=")
        case .macos, .windows, .linux, .other: return nil
        }
        guard let store = app.stores.first(where: { $0.kind == kind }) else { return nil }
        self.kind = kind
        url = head + store.id
    }

    /// The page, with the campaign where a link has room for it; made in `bytes`.
    func url(campaign: String?, _ bytes: inout [UInt8]) -> String {
        guard let campaign else { return url }
        bytes.removeAll(keepingCapacity: true)
        bytes.append(utf8Of: url)
        switch kind {
        case .appStore:
            bytes.append(utf8Of: "?ct=")
            appendPercentEncoded(campaign.utf8, to: &bytes)
        case .playStore:
            // A query within a query: what the store hands to the app.
            var referrer: [UInt8] = []
            referrer.append(utf8Of: "utm_campaign=")
            appendPercentEncoded(campaign.utf8, to: &referrer)
            bytes.append(utf8Of: "&referrer=")
            appendPercentEncoded(referrer, to: &bytes)
        }
        return bytes.count <= Link.maximumLength ? String(decoding: bytes, as: UTF8.self) : url
    }
}

extension App {
    /// The app's page in its store, with the campaign where the store takes one and a link has room for it; nil without a
    /// store ID.
    public func storeURL(campaign: String?) -> String? {
        var bytes: [UInt8] = []
        return StorePage(self)?.url(campaign: campaign, &bytes)
    }
}
