/// The URL of an app's page in the store of its platform, without the parts that depend on a link.
struct StorePage: Sendable {
    private let kind: RegisteredApp.Store.Kind
    private let url: String
    private let providerToken: String?
    /// The source of links that name none.
    private let source: String?

    /// The maximum length of a campaign (`ct`) in the App Store.
    static let longestAppStoreCampaign = 30

    /// Nil without a store ID for the app's platform.
    init?(_ app: RegisteredApp, tenant: TenantID?) {
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
        providerToken = store.providerToken
        source = tenant?.rawValue
    }

    /// Returns the page's URL, with the campaign if the result does not exceed the maximum length of a link. Uses
    /// `bytes` as its buffer.
    func url(_ campaign: StoreCampaign, _ bytes: inout [UInt8]) -> String {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(utf8Of: url)
        switch kind {
        case .appStore: appendAppStoreItems(campaign[.campaign], to: &bytes)
        case .playStore: appendReferrer(campaign, to: &bytes)
        }
        return bytes.count <= DeepLink.maximumLength ? String(decoding: bytes, as: UTF8.self) : url
    }

    /// Appends the items of Apple's campaign links: provider token, campaign and media type.
    private func appendAppStoreItems(_ campaign: String?, to bytes: inout [UInt8]) {
        guard campaign != nil || providerToken != nil else { return }
        var mark = "?"
        if let providerToken {
            bytes.append(utf8Of: "?pt=\(providerToken)")
            mark = "&"
        }
        if let campaign {
            bytes.append(utf8Of: "\(mark)ct=")
            let text = String(String.UnicodeScalarView(campaign.unicodeScalars.prefix(Self.longestAppStoreCampaign)))
            appendPercentEncoded(text.utf8, to: &bytes)
        }
        bytes.append(utf8Of: "&mt=8")
    }

    /// Appends the referrer: a query within a query, which the store hands to the app.
    private func appendReferrer(_ campaign: StoreCampaign, to bytes: inout [UInt8]) {
        guard !campaign.isEmpty else { return }
        var referrer: [UInt8] = []
        for item in StoreCampaign.Item.allCases {
            guard let value = campaign[item] ?? (item == .source ? source : nil) else { continue }
            if !referrer.isEmpty { referrer.append(UInt8(ascii: "&")) }
            referrer.append(utf8Of: "\(item.rawValue)=")
            appendPercentEncoded(value.utf8, to: &referrer)
        }
        bytes.append(utf8Of: "&referrer=")
        appendPercentEncoded(referrer, to: &bytes)
    }
}

/// What a store learns about where a person comes from.
struct StoreCampaign {
    /// In the order in which a referrer has them.
    enum Item: String, CaseIterable {
        case source = "utm_source"
        case medium = "utm_medium"
        case campaign = "utm_campaign"
        case term = "utm_term"
        case content = "utm_content"
    }

    private var values: [Item: String] = [:]

    var isEmpty: Bool { values.isEmpty }

    subscript(item: Item) -> String? {
        get { values[item] }
        set { values[item] = newValue }
    }
}

extension RegisteredApp {
    /// Returns the URL of the app's store page; nil without a store ID. The campaign is included if the result does not
    /// exceed the maximum length of a link.
    public func storeURL(campaign: String?) -> String? {
        var bytes: [UInt8] = []
        var items = StoreCampaign()
        items[.campaign] = campaign
        return StorePage(self, tenant: nil)?.url(items, &bytes)
    }
}
