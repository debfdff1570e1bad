import Foundation

/// The link handling of an app without a table: `URLComponents` and a `switch`. It knows the shapes of the shop's links,
/// not its 10,000 routes: campaigns and lists are not looked up, and there are no conditions and no fallbacks.
enum HandWrittenLinks {
    enum Screen: Equatable {
        case campaign(String, source: String?)
        case product(Int, list: String)
        case brand(String, filter: String)
        case article(String)
        case filter(kind: String, colour: String?)
        case reviews(item: String, page: Int)
    }

    static func screen(for link: String) -> Screen? {
        guard let components = URLComponents(string: link) else { return nil }
        var path = components.path.split(separator: "/").map(String.init)
        func query(_ name: String) -> String? { components.queryItems?.first { $0.name == name }?.value }
        switch components.scheme?.lowercased() {
        case "https", "http":
            switch components.host?.lowercased() {
            case "shop.example": break
            case "magazine.shop.example", "outlet.shop.example", "shop.link":
                return path.count == 1 ? .article(path[0]) : nil
            default: return nil
            }
        case "shop":
            guard let host = components.host else { return nil }
            path.insert(host, at: 0)
        default: return nil
        }
        guard let section = path.first, isSection(section) else { return nil }
        switch (path.count, path.dropFirst(2).first) {
        case (2, _):
            if let colour = query("colour") { return .filter(kind: path[1], colour: colour) }
            return .campaign(path[1], source: query("utm_source"))
        case (3, let last?):
            if let product = Int(last) { return .product(product, list: path[1]) }
            return .brand(path[1], filter: last)
        case (4, "reviews"):
            guard let page = Int(path[3]), (1...999).contains(page) else { return nil }
            return .reviews(item: path[1], page: page)
        default: return nil
        }
    }

    private static func isSection(_ name: String) -> Bool {
        switch name {
        case "women", "men", "kids", "home", "garden", "beauty", "sports", "books", "music", "games", "toys", "food",
            "pets", "travel", "office", "tools", "outlet", "brands", "magazine", "gifts":
            true
        default: false
        }
    }
}
