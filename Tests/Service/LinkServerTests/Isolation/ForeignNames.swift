import LinkRouting

/// Another tenant's names, or unused names, for comparison of the answers.
struct ForeignNames {
    let tenant: String
    let host: String
    let scheme: String
    let app: String
    let route: String
    let draft: String
    let suite: String
    let shortLink: String
    let environment: String
    let install: String
    let idempotencyKey: String
    let key: String
    let session: String
    let event: String
    /// The name of a window, without the tenant's folder: `dt=…/hour=…/events-…`.
    let export: String
    /// An ETag that counts the tenant's own writes.
    let draftVersion: String
    let continuation: String

    /// The names that identify nothing else.
    var all: [String] {
        [
            tenant, host, scheme, app, route, draft, suite, shortLink, environment, install, idempotencyKey, key,
            session,
            event, export, continuation,
        ]
    }

    /// Unused names of the same length and form.
    static func invented(like real: ForeignNames) -> ForeignNames {
        func other(_ text: String) -> String { text.replacing("zebra", with: "okapi") }
        return ForeignNames(
            tenant: other(real.tenant),
            host: other(real.host),
            scheme: other(real.scheme),
            app: other(real.app),
            route: other(real.route),
            draft: other(real.draft),
            suite: other(real.suite),
            shortLink: other(real.shortLink),
            environment: other(real.environment),
            install: other(real.install),
            idempotencyKey: other(real.idempotencyKey),
            key: String(real.key.reversed()),
            session: String(real.session.reversed()),
            event: String(real.event.dropLast(12)) + "000000000000",
            export: "dt=2020-01-01/hour=00/events-20200101T000000.000Z.json",
            draftVersion: real.draftVersion,
            continuation: String(real.continuation.dropLast(8)) + "AAAAAAAA"
        )
    }
}
