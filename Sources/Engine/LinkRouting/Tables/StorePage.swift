/// The URL of an app's page in the store of its platform, without the parts that depend on a link.
struct StorePage: Sendable {
    private let kind: RegisteredApp.Store.Kind
    private let url: String

    /// Nil without a store ID for the app's platform.
    init?(_ app: RegisteredApp) {
        let kind: RegisteredApp.Store.Kind
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

    /// Returns the page's URL, with the campaign if the result does not exceed the maximum length of a link. Uses
    /// `bytes` as its buffer.
    func url(campaign: String?, _ bytes: inout [UInt8]) -> String {
        guard let campaign else { return url }
        bytes.removeAll(keepingCapacity: true)
        bytes.append(utf8Of: url)
        switch kind {
        case .appStore:
            bytes.append(utf8Of: "?ct=")
            appendPercentEncoded(campaign.utf8, to: &bytes)
        case .playStore:
            // The referrer is a query within a query, which the store hands to the app.
            var referrer: [UInt8] = []
            referrer.append(utf8Of: "utm_campaign=")
            appendPercentEncoded(campaign.utf8, to: &referrer)
            bytes.append(utf8Of: "&referrer=")
            appendPercentEncoded(referrer, to: &bytes)
        }
        return bytes.count <= DeepLink.maximumLength ? String(decoding: bytes, as: UTF8.self) : url
    }
}

extension RegisteredApp {
    /// Returns the URL of the app's store page; nil without a store ID. The campaign is included if the result does not
    /// exceed the maximum length of a link.
    public func storeURL(campaign: String?) -> String? {
        var bytes: [UInt8] = []
        return StorePage(self)?.url(campaign: campaign, &bytes)
    }
}
