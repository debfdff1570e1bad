import LinkCatalog
import LinkClient
import LinkRouting
import LinkTable

/// Compares the answers of apps with those of the server, over random tables, links and contexts.
package enum ClientComparison {
    /// What was compared.
    package struct Tally: Sendable {
        package var answers = 0
        package var undecided = 0
        package var matched = 0

        package init(answers: Int = 0, undecided: Int = 0, matched: Int = 0) {
            self.answers = answers
            self.undecided = undecided
            self.matched = matched
        }

        package static func + (left: Tally, right: Tally) -> Tally {
            Tally(
                answers: left.answers + right.answers,
                undecided: left.undecided + right.undecided,
                matched: left.matched + right.matched
            )
        }
    }

    /// An app gave another answer than the server, or did not decide although it could.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String
    }

    private static let linksOfTable = 50

    /// Compares 50 links with one table.
    package static func run(seed: UInt64) throws -> Tally {
        var random = RandomTenant(seed: seed)
        let hasSecrets = random.chance(50)
        let knowsCountry = random.chance(30)
        let settingsText = random.settings()
        let tableText = random.table(hasSecrets ? .some : .none)
        let (settings, table) = (try Document.readJSON(settingsText), try Document.readJSON(tableText))
        let server = try Server(settings: settings, table: table)
        let app = try app(settings, table, serverFacts: knowsCountry ? ["country"] : [])
        var tally = Tally()
        for _ in 0..<linksOfTable {
            let (link, context) = (random.link(), random.context())
            var known = context
            known.app = app.scope
            // The server may know the country of a caller that does not name one.
            if knowsCountry { known.country = context.country ?? random.pick([nil, "GB", "FR", "US"]) }
            let expected = server.answer(link, in: known)
            tally.answers += 1
            func difference(_ problem: String, _ found: String) -> Difference {
                Difference(
                    description: """
                        seed \(seed): \(problem)
                        link: \(link)
                        context: \(known)
                        app: \(found)
                        server: \(expected.text)
                        settings: \(settingsText)
                        table: \(tableText)
                        """
                )
            }
            switch app.client.resolve(link, in: context) {
            case .resolved(let answer):
                let found = text(of: answer.resolution, owned: expected.isOwned)
                guard found == expected.text else { throw difference("the answers differ", found) }
                if answer.outcome == .matched { tally.matched += 1 }
            case .undecided(let reason):
                tally.undecided += 1
                switch reason {
                case .serverRoute where hasSecrets: continue
                case .serverFact where knowsCountry && context.country == nil: continue
                default: throw difference("the app must decide", "\(reason)")
                }
            }
        }
        return tally
    }

    private static let tenant = "acme"

    /// A client with the signed table of the app `ios`.
    private static func app(
        _ settings: JSONNode,
        _ table: JSONNode,
        serverFacts: [String]
    ) throws -> (client: LinkClient, scope: AppID) {
        guard let id = AppID("ios"), let tenant = TenantID(tenant) else { preconditionFailure("the ids are valid") }
        let claims = TableClaims(
            scope: TableScope(tenant: tenant, app: id),
            revision: Revision(rawValue: 1),
            settingsRevision: 1,
            serverFacts: serverFacts,
            issuedAt: Timestamp(milliseconds: 0)
        )
        let key = try TablePrivateKey(seed: Array(repeating: 1, count: 32))
        let bytes = try SignedTable.sign(TableContent(claims, table: table, settings: settings), with: key)
        let client = try LinkClient.preview(signed: bytes, keys: [key.publicKey], claims.scope)
        return (client, id)
    }

    fileprivate static func text(of resolution: Resolution, owned: Bool) -> String {
        let source = TenantID(tenant).map {
            AnswerSource(tenant: $0, environment: .production, revision: Revision(rawValue: 1))
        }
        var writer = JSONWriter()
        writer.beginObject()
        resolution.write(to: &writer, of: owned ? source : nil)
        writer.endObject()
        return writer.text
    }

    /// The server, with one tenant.
    private struct Server {
        private let catalog: Catalog

        init(settings: JSONNode, table: JSONNode) throws {
            guard let tenant = TenantID(ClientComparison.tenant) else { preconditionFailure("the id is valid") }
            catalog = Catalog([
                PublishedTable(
                    tenant: tenant,
                    environment: .production,
                    revision: Revision(rawValue: 1),
                    settingsRevision: 1,
                    settings: try Settings(DocumentField(settings, path: "settings")),
                    table: try RouteTable(DocumentField(table, path: "table"))
                )
            ])
        }

        func answer(_ link: String, in context: LinkContext) -> (text: String, isOwned: Bool) {
            let answer = catalog.resolve(link, in: context, explanation: .omitted)
            return (ClientComparison.text(of: answer.resolution, owned: answer.table != nil), answer.table != nil)
        }
    }
}
