package import LinkCatalog
package import LinkRouting
package import LinkServer

/// Resolves links against a tenant's file without a server.
package struct OfflineTable {
    private let catalog: Catalog
    /// The router for the file's table and settings.
    package let router: Router
    package let published: PublishedTable
    /// The tenant that the file names.
    private let tenant: TenantID?
    private let now: Timestamp
    /// The table of a file without settings, which applies to every link; nil for other files.
    private let tableWithoutSettings: PublishedTable?

    /// Loads a file.
    ///
    /// - Parameter now: The time of resolutions whose context names none.
    /// - Throws: A ``CommandFailure`` with exit code 65 if it is not a tenant file or has errors.
    package init(_ path: String, now: Timestamp) throws {
        self.now = now
        let text = try readText(path)
        do {
            let document = try TenantDocument(text)
            let (settings, table, findings) = document.checked()
            guard let table, !findings.contains(where: { $0.severity == .error }) else {
                let errors = FindingLines(findings.filter { $0.severity == .error }).lines
                let lines = errors.isEmpty ? ["it has no table"] : errors
                throw fail("\(path): \(lines[0])", .unreadableInput, more: lines.dropFirst().map { "  \($0)" })
            }
            guard let tenant = document.tenant ?? TenantID("local") else {
                preconditionFailure("'local' is an identifier")
            }
            let ownSettings = try settings ?? Settings(DocumentField(.object([:]), path: "settings"))
            let published = PublishedTable(
                tenant: tenant,
                environment: .production,
                revision: nil,
                settingsRevision: 0,
                settings: ownSettings,
                table: table
            )
            catalog = Catalog([published])
            router = published.router
            self.published = published
            self.tenant = document.tenant
            tableWithoutSettings = settings == nil ? published : nil
        } catch let error as DocumentError {
            throw fail("\(path): \(error.description)", .unreadableInput)
        }
    }

    /// Throws for a suite that cannot be about the file: one of another tenant, or with apps or environments that the
    /// settings do not have.
    ///
    /// - Throws: A ``CommandFailure`` with exit code 65.
    package func check(_ suite: LinkSuite) throws {
        if let tenant, let other = suite.tenant, other != tenant {
            throw fail(
                "\(suite.name ?? ""): the suite is for the tenant '\(other)', but the table is that of '\(tenant)'.",
                .unreadableInput
            )
        }
        guard tableWithoutSettings == nil else { return }
        let known = published.settings.namedEnvironments.map(\.rawValue).sorted()
        let named = suite.cases.reduce(suite.environments ?? []) { $0.union($1.environments ?? []) }
        if let name = named.map(\.rawValue).sorted().first(where: { !known.contains($0) }) {
            let near = name.nearest(among: known).map { "; did you mean '\($0)'?" } ?? "."
            throw fail("\(suite.name ?? ""): the settings have no environment '\(name)'\(near)", .unreadableInput)
        }
        for one in suite.cases {
            guard let reason = problem(of: one) else { continue }
            throw fail("\(suite.name ?? ""): line \(one.position.line): \(reason)", .unreadableInput)
        }
    }

    /// Returns what is wrong with the apps that a case names.
    private func problem(of one: LinkSuite.Case) -> String? {
        let apps = router.identity.apps
        for id in [one.app?.rawValue, one.context["app"]?.text].compactMap(\.self) {
            guard let app = apps.first(where: { $0.id.rawValue == id }) else {
                let near = id.nearest(among: apps.map(\.id.rawValue)).map { "; did you mean '\($0)'?" } ?? "."
                return "the settings have no app '\(id)'\(near)"
            }
            guard let platform = one.context["platform"]?.text, platform != app.platform.rawValue else { continue }
            return "the app '\(id)' is for \(app.platform.rawValue), but the context has the platform \(platform)."
        }
        return nil
    }

    /// Returns warnings about what a run of the suite passes over: an association file that no app is named for.
    package func warnings(about suite: LinkSuite) -> [String] {
        guard tableWithoutSettings == nil else { return [] }
        let untested = suite.cases.first { one in
            one.app == nil && (one.via == .system || one.via == .page) && (try? DeepLink.parse(one.link))?.isWeb == true
        }
        return untested.map { one in
            ["line \(one.position.line): 'via' tests the association file only with 'app'; add the id of an app."]
        } ?? []
    }

    /// Returns the warning that no route was tried for a case; nil if the settings have its host or scheme.
    package func unknownHostWarning(for one: LinkSuite.Case) -> String? {
        guard tableWithoutSettings == nil else { return nil }
        let answer = catalog.resolve(one.link, in: LinkContext(), explanation: .omitted)
        guard answer.table == nil, let link = answer.link else { return nil }
        return unknownHostWarning(for: link)
    }

    /// Returns a suite's failures against the table. A file without settings has no hosts, so its links go directly to
    /// the table.
    package func failures(of suite: LinkSuite) -> [SuiteFailure] {
        guard tableWithoutSettings != nil else { return suite.run(against: published, at: now) }
        return suite.cases.flatMap { one in
            var warnings: [String] = []
            let context =
                (try? LinkContext(DocumentField(one.context, path: "context"), warnings: &warnings)) ?? LinkContext()
            let answer = answer(one.link, in: context, explanation: one.wantsTrace ? .included : .omitted)
            let node = try? JSONReader.parse(answer.json(), limits: JSONReader.Limits(maximumBytes: 1 << 20))
            return one.failures(of: node ?? .null, suite: suite.name ?? "", sealsContinuations: false)
        }
    }

    /// Returns the response that a server would give, except for `id`, `recorded` and a sealed continuation.
    package func answer(_ url: String, in context: LinkContext, explanation: Router.Explanation = .omitted)
        -> ResolveResponse
    {
        var context = context
        context.now = context.now ?? now
        var answer = catalog.resolve(url, in: context, explanation: explanation)
        if let tableWithoutSettings, let link = answer.link {
            answer = CatalogResolution(
                link: link,
                table: tableWithoutSettings,
                resolution: tableWithoutSettings.router.resolve(link, in: context, explanation: explanation)
            )
        }
        var response = ResolveResponse(answer)
        if answer.resolution.action == .signIn {
            response.warnings.append("Only a server can issue a continuation; offline it is null.")
        }
        if tableWithoutSettings == nil, answer.table == nil, let link = answer.link {
            response.warnings.append(unknownHostWarning(for: link))
        }
        return response
    }

    /// Returns the warning that the file's settings have no such host or scheme, so that no route was tried.
    private func unknownHostWarning(for link: DeepLink) -> String {
        let identity = published.settings.identity
        let (kind, name) = link.host.map { ("domain", $0) } ?? ("scheme", link.scheme)
        let known = link.host == nil ? identity.schemes.map(\.name) : identity.domains.map(\.host)
        let near = name.nearest(among: known.sorted()).map { "; did you mean '\($0)'?" } ?? "."
        return "The settings of this file have no \(kind) '\(name)', so no route was tried\(near)"
    }
}

extension Finding {
    /// The finding as text for people: place, message, example link and fix.
    package var line: String { line(in: nil) }

    /// - Parameter file: The file that was checked, if the text does not name it before.
    package func line(in file: String?) -> String {
        let shown = example.map { message.contains($0) ? "" : " Example: \($0)." } ?? ""
        let location =
            position.flatMap {
                $0.line > 0 ? "\(file.map { "\($0), " } ?? "")line \($0.line), column \($0.column): " : nil
            } ?? ""
        return
            "\(severity.rawValue): \(location)\(path.isEmpty ? "" : path + ": ")\(message)\(shown)\(fix.isEmpty ? "" : " \(fix)")"
    }
}
