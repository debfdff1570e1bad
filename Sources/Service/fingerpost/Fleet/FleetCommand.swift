import ArgumentParser
import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import PostgresStorage

/// Commands for nodes that share a catalog in PostgreSQL. They need no running node.
struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Show and manage nodes that share a catalog in PostgreSQL.",
        discussion: """
            EXAMPLES
              fingerpost fleet status --config /etc/fingerpost/fingerpost.yaml
              fingerpost fleet forget links-3 --config /etc/fingerpost/fingerpost.yaml

            The configuration's 'store' names the database. docs/fleet.md is the guide.
            """,
        subcommands: [
            Status.self, Verify.self, Drain.self, Rejoin.self, Forget.self, AcceptHistory.self, Prepare.self,
        ]
    )

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the nodes with their versions and what they have of the catalog.",
            discussion: """
                EXAMPLE
                  fingerpost fleet status --config /etc/fingerpost/fingerpost.yaml

                A node reports every 30 seconds; 'catalog' is the number of the last change of the audit log that it had
                then, and 'unshipped' the events of its log that were not in PostgreSQL. 'shipped until' is how long ago
                everything was. The exit code is 1 if no node has reported, or one has not for two minutes, does not
                follow the catalog or the short links, or has not shipped its log for two minutes; or if two logs are
                shipped under its name, of two machines, or for some seconds after its disk was replaced.
                """
        )

        @OptionGroup var store: StoreOptions

        func run() async throws {
            let now = SystemClock.now()
            let fleet = try await store.using { try await $0.fleet(at: now) }
            let rows = fleet.map { node, problem in
                func age(_ instant: Timestamp) -> String {
                    "\(max(now.milliseconds - instant.milliseconds, 0) / 1_000) s ago"
                }
                let unshipped = max(node.lastSequence - (node.shipped ?? 0), 0)
                return [
                    node.name, node.version, "\(node.catalog)", age(node.seenAt), "\(unshipped)",
                    node.shippedUntil.map(age) ?? "never", problem ?? "follows",
                ]
            }
            guard !rows.isEmpty else { throw fail("no node has reported yet.", .failed) }
            let titles = ["node", "version", "catalog", "reported", "unshipped", "shipped until", "state"]
            show(TextColumns(rows, under: titles))
            guard fleet.allSatisfy({ $0.problem == nil }) else { throw ExitCode(1) }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prove that the copies of the nodes' logs are whole.",
            discussion: """
                EXAMPLE
                  fingerpost fleet verify --config /etc/fingerpost/fingerpost.yaml

                For each log: no gap between its days, and each day has the rows that were shipped and neither erased nor
                dropped since. Every row is counted, and counts are exactly those of the rows while none of its log was
                erased or dropped. No event is there twice, as after a disk was copied.
                'after' is the seq up to which the log is that of another one, of a copied disk; 'absent' are rows that
                were gone before they were shipped. So last seq = after + absent + shipped, and
                rows = shipped - erased - dropped.
                Reads all rows. The exit code is 1 if something is wrong.
                """
        )

        @OptionGroup var store: StoreOptions

        func run() async throws {
            let (logs, faults) = try await store.using { try await LogCopy($0).verify() }
            guard !logs.isEmpty else { return show("No node has shipped its log yet.") }
            let rows = logs.map { log in
                [
                    log.node, log.log, "\(log.begunSequence)", "\(log.lastSequence)", "\(log.absent)", "\(log.shipped)",
                    "\(log.erased)", "\(log.dropped)", "\(log.shipped - log.erased - log.dropped)",
                ]
            }
            let titles = ["node", "log", "after", "last seq", "absent", "shipped", "erased", "dropped", "rows"]
            show(TextColumns(rows, under: titles))
            guard faults.isEmpty else {
                for fault in faults { StandardError.write(Array("fingerpost: \(fault)\n".utf8)) }
                throw ExitCode(1)
            }
            show("The copies are whole.")
        }
    }

    /// The log of a data directory that no process uses.
    struct LogOptions: ParsableArguments {
        @ArgumentParser.Option(help: "The data directory, which no process uses.") var data: String
        @ArgumentParser.Option(help: "The name of its node, if nothing of its log was shipped yet.") var node: String?
        @OptionGroup var store: StoreOptions

        /// - Parameter isNamed: Whether the node has the configuration's name if nothing else names it.
        func using<Result: Sendable>(
            isNamed: Bool = false,
            _ body: (LogShipment) async throws -> Result
        ) async throws -> Result {
            let configured = isNamed ? try await store.read().node : nil
            guard access(DataDirectory.ledger(in: data), F_OK) == 0 else {
                throw fail("\(data) has no log: name the data directory of a node.", .failed)
            }
            return try await store.using { store in
                do {
                    let directory = try DataDirectory(named: data, for: .createNode)
                    let log = try EventLog(directory.eventsPath, now: SystemClock.now)
                    let shipment = LogShipment(of: log, to: LogCopy(store), node: node ?? configured) {
                        UUID().uuidString
                    }
                    let result = try await body(shipment)
                    try log.close()
                    try directory.leaveAsFound()
                    return result
                } catch let error as StorageError {
                    throw fail(error)
                } catch let error as LogCopy.Refusal {
                    throw fail("\(error)", .failed)
                }
            }
        }
    }

    struct Drain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ship what is left on the disk of a node that will not run again.",
            discussion: """
                EXAMPLE
                  fingerpost fleet drain --data /mnt/links-3 --node links-3 \\
                    --config /etc/fingerpost/fingerpost.yaml
                """
        )

        @OptionGroup var log: LogOptions

        func run() async throws {
            let last = try await log.using { shipment in
                while try await shipment.next(at: SystemClock.now()) {}
                return shipment.position?.sequence ?? 0
            }
            show("Everything is shipped, up to seq \(last).")
        }
    }

    struct Rejoin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let the log of a copied disk be shipped under an id of its own.",
            discussion: """
                EXAMPLE
                  fingerpost fleet rejoin --data ./data --config /etc/fingerpost/fingerpost.yaml

                For a disk that was copied to a second machine, and for a virtual machine that was set back. End the node
                first. What the disk has in common with the log that was shipped is not shipped again.
                """
        )

        @OptionGroup var log: LogOptions

        func run() async throws {
            let common = try await log.using(isNamed: true) { try await $0.rejoin() }
            show("The log has a new id. It is shipped after seq \(common), up to which it is there already.")
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a node that is gone for good.",
            discussion: """
                EXAMPLES
                  fingerpost fleet forget links-3 --config /etc/fingerpost/fingerpost.yaml
                  fingerpost fleet forget links-3 --export --config /etc/links-3.yaml

                Links of apps do not expire while a node is missing, because it may have seen clicks. A node that still
                runs appears again. Its events stay. --export writes what it had not exported, from PostgreSQL, to the
                place of exports that the configuration names; use that of the node itself.
                """
        )

        @ArgumentParser.Argument(help: "The node's name in 'fingerpost fleet status'.") var node: String
        @Flag(help: "Export what the node had not exported.") var export = false
        @OptionGroup var store: StoreOptions

        func run() async throws {
            let now = SystemClock.now()
            if export {
                let configuration = try await self.store.read()
                let manifests = try await store.using { [node] in
                    try await ForgottenExports(node: node, configuration: configuration, store: $0).run()
                }
                for (manifest, isNew) in manifests {
                    show("\(manifest.name): \(manifest.rows) rows\(isNew ? "" : ", was there")")
                }
                if manifests.isEmpty { show("Everything was exported.") }
            }
            guard try await store.using({ [node] in try await $0.forget(node, at: now) }) else {
                throw fail("there is no node '\(node)'; 'fingerpost fleet status' lists them.", .failed)
            }
            show("\(node) is forgotten.")
        }
    }

    struct AcceptHistory: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let all nodes follow a database that lost changes.",
            discussion: """
                EXAMPLE
                  fingerpost fleet accept-history --config /etc/fingerpost/fingerpost.yaml

                For a failover or a recovery that lost publications, keys or short links. Each node then replaces its
                copy once, and the lost changes are gone everywhere. deploy/runbooks/catalog-away.md says how to look at
                them before.
                """
        )

        @OptionGroup var store: StoreOptions

        func run() async throws {
            try await store.using { try await $0.acceptHistory() }
            show("Accepted. The nodes follow within two seconds.")
        }
    }

    struct Prepare: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create or migrate the tables; `serve` does the same if its user may.",
            discussion: """
                EXAMPLE
                  FINGERPOST_STORE_USER=fingerpost_owner fingerpost fleet prepare \\
                    --config /etc/fingerpost/fingerpost.yaml

                For nodes whose user may not create tables. Run it with the new version before its nodes start.
                """
        )

        @OptionGroup var store: StoreOptions

        func run() async throws {
            let warnings = try await store.using { try await $0.prepare() }
            for warning in warnings { StandardError.write(Array("fingerpost: warning: \(warning)\n".utf8)) }
            show("The tables are up to date.")
        }
    }
}
