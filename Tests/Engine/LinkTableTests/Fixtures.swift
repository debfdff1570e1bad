import LinkRouting
import LinkTable

/// A small tenant with everything that an app's table leaves out.
enum Sample {
    static let scope = TableScope(tenant: id("acme"), app: id("ios"))
    static let issuedAt = Timestamp(milliseconds: 1_800_000_000_000)

    static let settings = json(
        """
        {"domains": ["links.acme.com", {"host": "www.acme.com", "serves": "association", "port": null}],
         "schemes": [{"name": "acme", "host": "ignore"}],
         "apps": [
           {"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme.app",
            "stores": [{"kind": "appStore", "id": "123456789"}], "domains": ["links.acme.com"]},
           {"id": "beta", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme.beta",
            "environments": ["staging"]},
           {"id": "android", "platform": "android", "package": "com.acme.app"}],
         "destinations": {"hosts": ["www.acme.com"]},
         "association": {"webcredentials": true},
         "privacy": {"recordQuery": ["secret-name"]}}
        """
    )

    static let table = json(
        """
        {"formatVersion": 1,
         "defaults": {"fallback": {"web": "https://www.acme.com/", "association": "open"}},
         "routes": [
           {"id": "product", "path": "/product/{id:int}", "owner": "Shop Team", "tags": ["hidden-tag"],
            "note": "hidden note", "open": {"screen": "product", "arguments": {"id": "{id}"}}},
           {"id": "staff-sale", "path": "/sale/{code}", "audience": "server", "caseSensitive": false,
            "when": {"traits": {"staff": [true]}}, "web": "https://www.acme.com/hidden-target"}]}
        """
    )

    static func claims(revision: Int64 = 7, settingsRevision: Int64 = 3) -> TableClaims {
        TableClaims(
            scope: scope,
            revision: Revision(rawValue: revision),
            settingsRevision: settingsRevision,
            issuedAt: issuedAt
        )
    }

    static func content(_ claims: TableClaims = claims()) throws -> TableContent {
        try TableContent(claims, table: table, settings: settings)
    }

    /// The key of which every byte is `byte`.
    static func key(_ byte: UInt8 = 1) throws -> TablePrivateKey {
        try TablePrivateKey(seed: Array(repeating: byte, count: 32))
    }

    static func signed(_ claims: TableClaims = claims()) throws -> [UInt8] {
        try SignedTable.sign(content(claims), with: key())
    }
}

func id<ID: Identifier>(_ text: String) -> ID {
    guard let id = ID(text) else { preconditionFailure("'\(text)' is no identifier") }
    return id
}

func json(_ text: String) -> JSONNode {
    do {
        return try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 1 << 20))
    } catch {
        preconditionFailure("\(error.message)")
    }
}
