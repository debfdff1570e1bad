package import HTTPTransport
package import LinkCatalog
import LinkRouting

extension PublishingService.Failure: ProblemConvertible {
    package var problem: Problem { Problem(self) }
}

extension Problem {
    fileprivate init(_ failure: PublishingService.Failure) {
        switch failure {
        case .unknownTenant(let tenant):
            self.init(
                .unknownTenant,
                "There is no tenant '\(tenant)'; check its name, or write its settings to create it."
            )
        case .unknownRoute(let route): self.init(.unknownRoute, "The draft has no route '\(route)'.")
        case .unknownRevision(let revision):
            self.init(.unknownRevision, "There is no revision \(revision); list them at …/revisions.")
        case .unknownEnvironment(let environment, let named):
            let known = named.map(\.rawValue).sorted()
            let hint = environment.nearest(among: named).map { "Did you mean '\($0)'? " } ?? ""
            // A key that is limited to environments may see none of them.
            let list = known.isEmpty ? "" : "Its environments are \(known.joined(separator: ", ")). "
            self.init(
                .unknownEnvironment,
                "The tenant has no environment '\(environment)'. \(hint)\(list)To use another one, "
                    + "add it to 'environments' in the settings."
            )
        case .noDraft(let name):
            self.init(.noDraft, "There is no draft '\(name)'; write it with PUT …/draft, or list drafts at …/drafts.")
        case .conflicts(let conflicts):
            self.init(
                .conflict,
                "The draft and a revision published after its base change the same items: "
                    + conflicts.map { "\($0.kind.rawValue) '\($0.subject)'" }.joined(separator: ", ")
                    + ". Merge both sides in 'conflicts', write the result with PUT …/draft?base=LIVE, where LIVE is "
                    + "the number of the live revision, then publish it."
            )
            extensions = [JSONNode.Member("conflicts", .array(conflicts.map(\.json)))]
        case .unasked(let unasked, let environment):
            switch unasked.kind {
            case .undoing:
                self.init(
                    .undoesChanges,
                    "The promotion would undo changes of '\(environment)' that the revision does not have; nothing was "
                        + "changed. Make them in the revision's environment too, or promote with {\"force\": true}."
                )
            case .removingOthers:
                let owners = Set(unasked.diff.removed.map { $0.owner.map { "of '\($0)'" } ?? "without an owner" })
                self.init(
                    .removesOthers,
                    "The table has no routes \(owners.sorted().joined(separator: " or ")), and would remove those in "
                        + "'\(environment)'; nothing was changed. Add them to the table, or apply it with "
                        + "{\"removeOthers\": true}."
                )
            }
            extensions = [JSONNode.Member("changes", unasked.diff.json)]
        case .suites(let failures):
            let count = failures.count == 1 ? "1 expectation" : "\(failures.count) expectations"
            self.init(
                .suitesFailed,
                "\(count) of the stored suites \(failures.count == 1 ? "fails" : "fail"); nothing was changed. Correct the draft or "
                    + "the suite, or publish with {\"override\": {\"reason\": …}}."
            )
            extensions = [JSONNode.Member("suiteFailures", .array(failures.map(\.json)))]
        case .outsideLimit(let refusals):
            self.init(.forbidden, "The key does not permit these changes: \(refusals.joined(separator: "; ")).")
        case .settingsOutsideLimit(let grant):
            let need =
                grant.isForWholeTenants
                ? "which needs the scope '\(KeyGrant.Scope.admin.rawValue)'"
                : "which needs a key without limits on environments or routes"
            self.init(
                .forbidden,
                "The file changes 'settings', \(need); this key may change the table only. Take the settings from the "
                    + "server, or leave them out of the file."
            )
        case .tooManyRoutes(let count, let maximum):
            self.init(
                .invalidTable,
                "The table has \(count) routes; at most \(maximum) are allowed here (limits.tableRoutes)."
            )
        case .busy:
            self.init(.busy, "Other changes were published at the same time. Try again in a second.")
            hints = [.retryAfter(seconds: 1)]
        case .findings(let findings):
            self.init(
                .invalidTable,
                "The table has errors; nothing was changed. Correct what 'findings' lists.",
                findings: findings
            )
        }
    }
}

extension [Finding] {
    /// The findings as the API lists them.
    var json: JSONNode {
        var writer = JSONWriter()
        writer.findings(self)
        let list = try? JSONReader.parse(writer.bytes, limits: JSONReader.Limits(maximumBytes: 256 << 20))
        return list ?? .null
    }
}
