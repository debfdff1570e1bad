/// The settings, routes and links of a large shop. Each route differs from the others in path, screen, arguments and web
/// pages, as the routes of editors do. The same index always gives the same route.
enum ShopTable {
    static let tenant = "shop"
    static let app = "ios"

    static let settings = #"""
        {"domains": ["shop.example", "*.shop.example", "shop.link"], "schemes": ["shop"],
         "apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "example.shop",
                   "stores": [{"kind": "appStore", "id": "123456789"}]},
                  {"id": "android", "platform": "android", "package": "example.shop"}],
         "destinations": {"hosts": ["www.shop.example", "m.shop.example"]}}
        """#

    /// The table as JSON.
    static func table(routes count: Int) -> String {
        let routes = (0..<count).map(route).joined(separator: ",")
        return #"{"formatVersion": 1, "defaults": {"fallback": {"web": "https://www.shop.example/{path}"}}, "#
            + #""routes": [\#(routes)]}"#
    }

    private static let sections = [
        "women", "men", "kids", "home", "garden", "beauty", "sports", "books", "music", "games", "toys", "food", "pets",
        "travel", "office", "tools", "outlet", "brands", "magazine", "gifts",
    ]
    private static let things = [
        "shoes", "boots", "jackets", "shirts", "jeans", "dresses", "bags", "watches", "lamps", "chairs", "tables",
        "sofas", "plants", "candles", "knives", "pans", "rugs", "beds", "tents", "bikes", "skis", "balls", "rackets",
        "novels", "guides", "records", "guitars", "consoles", "puzzles", "dolls", "coffee", "tea", "wine", "chocolate",
    ]
    private static let qualities = [
        "red", "blue", "green", "black", "white", "new", "vintage", "organic", "leather", "cotton", "wool", "linen",
        "oak", "steel", "light", "warm", "small", "large", "classic", "modern", "italian", "nordic", "summer", "winter",
    ]
    private static let hosts = ["magazine.shop.example", "outlet.shop.example", "shop.link"]

    /// Words that identify the index.
    private static func words(_ index: Int) -> (section: String, thing: String, quality: String, number: Int) {
        (
            sections[index % sections.count], things[index / 3 % things.count], qualities[index / 7 % qualities.count],
            index / 2
        )
    }

    private static func route(_ index: Int) -> String {
        let (section, thing, quality, number) = words(index)
        let id = "\(section)-\(quality)-\(thing)-\(index)"
        let name = "\(quality)-\(thing)-\(number)"
        let start = #"{"id": "\#(id)", "path": "#
        return switch index % 10 {
        case 0, 1, 2:
            // A landing page of a campaign.
            start
                + #""/\#(section)/\#(name)", "open": {"screen": "Campaign", "arguments": {"campaign": "\#(name)"}}, "#
                + #""web": "https://www.shop.example/c/\#(name)"}"#
        case 3, 4:
            start
                + #""/\#(section)/\#(name)/{product:int}", "open": {"screen": "ProductDetail", "#
                + #""arguments": {"product": "{product}", "list": "\#(name)"}, "stack": ["Home", "ProductDetail"]}}"#
        case 5, 6:
            start
                + #""/\#(section)/{brand}/\#(name)", "open": {"screen": "BrandList", "#
                + #""arguments": {"brand": "{brand}", "filter": "\#(quality)"}}, "#
                + #""web": {"ios": "https://m.shop.example/b/{brand}/\#(name)", "#
                + #""default": "https://www.shop.example/b/{brand}/\#(name)"}}"#
        case 7:
            start
                + #""/\#(name)", "host": "\#(hosts[index / 10 % hosts.count])", "#
                + #""open": {"screen": "Article", "arguments": {"article": "\#(name)"}}}"#
        case 8:
            start
                + #""/\#(section)/\#(name)", "when": {"platform": ["ios", "android"], "appVersion": {"from": "3.2"}}, "#
                + #""query": {"colour": "slug?"}, "#
                + #""open": {"screen": "Filter", "arguments": {"kind": "\#(thing)", "colour": "{colour}"}}, "#
                + #""store": {"campaign": "\#(quality)"}}"#
        default:
            start
                + #""/\#(section)/\#(name)/reviews/{page:int(1..999)}", "caseSensitive": false, "#
                + #""open": {"screen": "Reviews", "arguments": {"item": "\#(name)", "page": "{page}"}}, "#
                + #""signIn": "required"}"#
        }
    }

    /// A link that matches the route of an index.
    static func link(_ index: Int) -> String {
        let (section, thing, quality, number) = words(index)
        let name = "\(quality)-\(thing)-\(number)"
        let shop = "https://shop.example"
        return switch index % 10 {
        case 0, 1, 2: "\(shop)/\(section)/\(name)?utm_source=mail&utm_campaign=\(quality)"
        case 3, 4: "\(shop)/\(section)/\(name)/\(10_000 + index)"
        case 5, 6: "\(shop)/\(section)/acme-\(index % 50)/\(name)"
        case 7: "https://\(hosts[index / 10 % hosts.count])/\(name)"
        case 8: "shop://\(section)/\(name)?colour=\(quality)"
        default: "\(shop)/\(section)/\(name)/reviews/\(1 + index % 90)"
        }
    }
}
