package import CoreMetrics
import HTTPTransport
package import LinkCatalog
package import LinkEvents
import LinkRouting
import LinkTable
package import Logging

/// Records what apps decided with their own engines: decides again with the same table, compares, and stores each event
/// once.
package struct AppEventRecorder: Sendable {
    private let linkResolver: LinkResolver
    private let tables: RevisionTables
    private let agreements: AgreementCounts

    /// The number of earlier revisions whose tables are used for one message. Events of further ones are unchecked.
    private static let mostRevisions = 4

    package init(
        linkResolver: LinkResolver,
        tables: RevisionTables,
        metrics: any MetricsFactory,
        logger: Logger
    ) {
        self.linkResolver = linkResolver
        self.tables = tables
        agreements = AgreementCounts(metrics: metrics, logger: logger, uptime: linkResolver.uptime)
    }

    /// Stores the events of a message, which belongs to `tenant`.
    ///
    /// - Parameter key: The owner of the request's key.
    /// - Throws: A ``Problem`` if nothing was stored, so that the app must send the message again.
    package func record(
        _ request: AppEventsRequest,
        of tenant: PublishedTable,
        by caller: LinkResolver.Caller,
        with key: KeyOwner,
        arrivedAt arrival: ContinuousClock.Instant?
    ) async throws -> [AppEventResult] {
        let catalog = linkResolver.catalog.current
        let old = await oldCatalogs(of: request, tenant: tenant.tenant, live: catalog)
        let latency = arrival.map { (linkResolver.uptime() - $0).microseconds }
        var keys = ReportedKeys(request, of: tenant.tenant, in: catalog)
        var codes: LinkResolver.KnownCodes = [:]
        var results: [AppEventResult?] = []
        var events: [(index: Int, event: Event)] = []
        for item in request.events {
            // Resolving a link may take milliseconds; other tasks run in between.
            await Task.yield()
            do {
                let decision = try item.decision.get()
                let report = try await AppEventReport(
                    decision,
                    request,
                    tenant: tenant,
                    catalog: catalog,
                    old: old,
                    linkResolver: linkResolver,
                    codes: &codes
                )
                var fields = try report.event(linkResolver, caller, &keys)
                fields.latencyMicroseconds = latency
                linkResolver.observe?(
                    ObservedLink(
                        url: decision.url,
                        context: decision.context,
                        environment: request.environment,
                        catalog: catalog,
                        followed: report.followedAnswer,
                        event: fields
                    )
                )
                events.append((results.count, Event(fields, reportHash: report.hash)))
                results.append(nil)
            } catch let refusal as AppEventReport.Refusal {
                results.append(.rejected(item, refusal.reason, refusal.detail))
            } catch let error as DocumentError {
                results.append(.rejected(item, .invalidEvent, error.description))
            }
        }
        let statuses = try await store(events.map { $0.event }, with: key)
        for (status, (index, _)) in zip(statuses, events) {
            results[index] = AppEventResult(clientEventID: request.events[index].clientEventID, status: status)
        }
        return results.compactMap(\.self)
    }

    /// Loads the tables of the revisions that are not live any more, by version.
    private func oldCatalogs(
        of request: AppEventsRequest,
        tenant: TenantID,
        live: Catalog
    ) async -> [TableVersion: Catalog] {
        let current = live.table(of: tenant, in: request.environment).map(TableVersion.init)
        var versions: [TableVersion] = []
        for item in request.events {
            guard case .success(let decision) = item.decision,
                let version = decision.version(tenant, request.environment), version != current,
                !versions.contains(version)
            else { continue }
            versions.append(version)
        }
        var found: [TableVersion: Catalog] = [:]
        for version in versions.prefix(Self.mostRevisions) { found[version] = await tables.catalog(of: version) }
        return found
    }

    private func store(_ events: [Event], with key: KeyOwner) async throws(Problem) -> [AppEventResult.Status] {
        guard !events.isEmpty else { return [] }
        guard linkResolver.isRecording else {
            return events.map { _ in .rejected(.recordingDisabled, detail: "This server records no events.") }
        }
        switch await linkResolver.recorder.record(events, by: key) {
        case .stored(_, let duplicates):
            let duplicates = Set(duplicates)
            for (index, event) in events.enumerated() where !duplicates.contains(index) {
                linkResolver.tenants.count(event.content.fields.outcome, of: event.content.fields.tenant)
                agreements.count(event.content.fields)
            }
            return events.enumerated().map { index, event in
                duplicates.contains(index) ? .duplicate : .stored(id: event.content.fields.id)
            }
        case .refused(.unstorable):
            guard events.count > 1 else {
                return [.rejected(.notRecorded, detail: "The log cannot store this event.")]
            }
            var statuses: [AppEventResult.Status] = []
            for event in events { statuses += try await store([event], with: key) }
            return statuses
        case .refused(let refusal), .overLimit(let refusal, _):
            throw Problem(
                unrecorded: refusal,
                "The events could not be recorded. Keep them, and send the same message again"
            )
        }
    }
}

extension AppEventResult {
    fileprivate static func rejected(
        _ item: AppEventsRequest.Item,
        _ reason: Refusal,
        _ detail: String
    ) -> AppEventResult {
        AppEventResult(clientEventID: item.clientEventID, status: .rejected(reason, detail: detail))
    }
}

extension AppDecision {
    /// The version of the table that decided; nil if the app names none.
    func version(_ tenant: TenantID, _ environment: EnvironmentID) -> TableVersion? {
        guard let revision, let settingsRevision else { return nil }
        return TableVersion(
            tenant: tenant,
            environment: environment,
            revision: revision,
            settingsRevision: settingsRevision
        )
    }
}
