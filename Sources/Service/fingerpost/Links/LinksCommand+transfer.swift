import ArgumentParser
import Foundation
import LinkCatalog
import LinkRouting
import LinkServer
import Networking

extension LinkField.Origin: ExpressibleByArgument {}

extension LinksCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create short links from a CSV file or an export.",
            discussion: """
                EXAMPLES
                  fingerpost links import shop links.csv --dry-run
                  fingerpost links import shop old.csv --columns code=slug,target=goes_to
                  fingerpost links import shop takeout.csv --from firebase --errors failed.txt

                The first row names the columns. Those of Bitly, Branch, Dub, Kutt and Shlink are known. Ours are: \
                \(LinkField.allCases.map(\.rawValue).joined(separator: ", ")).
                A second run creates what is missing. Exit code 1 when rows failed. docs/short-links.md has recipes.
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Argument(help: "CSV with a header, or what 'links export' writes; - reads standard input.")
        var file: String
        @ArgumentParser.Option(help: "Our names of the columns and theirs, such as code=slug,target=url.")
        var columns: String?
        @ArgumentParser.Option(help: "firebase: the file is from Google Takeout.") var from: LinkField.Origin?
        @Flag(help: "Check the rows without creating links. Without a key, it asks no server.") var dryRun = false
        @ArgumentParser.Option(help: "Write the reasons of all failed rows to this file.") var errors: String?
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func validate() throws { _ = try named() }

        /// The headers of `--columns`.
        private func named() throws -> [LinkField: String] {
            var named: [LinkField: String] = [:]
            for pair in (columns ?? "").split(separator: ",") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, let field = LinkField(rawValue: String(parts[0])) else {
                    let known = LinkField.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError(
                        "--columns has '\(pair)'; write NAME=COLUMN with one of these names: \(known)."
                    )
                }
                named[field] = String(parts[1])
            }
            return named
        }

        func run() async throws {
            let hasKey = try readableKey(admin.key) != nil
            var client = dryRun && !hasKey ? nil : try admin.client()
            client?.needs = KeyNeeds(dryRun ? [.linksRead] : [.linksRead, .linksWrite])
            if let errors { try requireReplaceable(errors, inputs: [file]) }
            let input = try FileParts(file)
            let failed = try errors.map { try OutputFile($0) }
            var pages = ShortLinkPages(tenant: tenant, limit: dryRun ? .max : 1)
            var known = KnownLinks()
            if let client {
                try await reportingRefusals {
                    do {
                        while let page = try await pages.next(client), dryRun { page.forEach { known.insert($0) } }
                    } catch let refusal as AdminClient.Refusal where dryRun && refusal.code == "unknown_tenant" {
                        warn("the server has no tenant '\(tenant)' yet.")
                    }
                }
            } else {
                warn("without a key, the rows are not compared with the links of the server.")
            }
            var links = LinkImport(
                of: tenant,
                client: dryRun ? nil : client,
                named: try named(),
                origin: from,
                urls: client == nil ? nil : pages.urls,
                known: known,
                report: { try failed?.append($0.text.escapedForTerminal + "\n") }
            )
            let isShown = input.count > 0 && isatty(STDERR_FILENO) == 1
            var bar = ProgressBar(total: input.count, unit: "MiB", isTerminal: isShown)
            do {
                while let part = try input.next() {
                    bar.show(links.progress)
                    try await links.read(part)
                    bar.step()
                }
                try await links.end()
            } catch let refusal as AdminClient.Refusal {
                bar.end()
                throw refusal.failure.after(links)
            } catch let failure as CommandFailure {
                bar.end()
                throw failure.after(links)
            }
            bar.end()
            json ? show(links.json) : show(links.lines)
            guard links.failed == 0 else {
                throw fail("\(links.failed.counted("row")) failed:", .failed, more: links.failureLines)
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all short links, one JSON object per line, as 'links import' reads them.",
            discussion: """
                EXAMPLE
                  fingerpost links export shop --output links.ndjson
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Option(help: "The file to write (default: standard output).") var output: String?
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let client = try admin.client()
            if let output { try requireReplaceable(output) }
            let file = try output.map { try OutputFile($0) }
            var pages = ShortLinkPages(tenant: tenant)
            var count = 0
            try await reportingRefusals {
                while let page = try await pages.next(client) {
                    count += page.count
                    let text = page.map { $0.json() + "\n" }.joined()
                    if let file { try file.append(text) } else { show(document: text) }
                    try StandardOutput.flush()
                }
            }
            if let output { show("\(output): \(count.counted("link"))") }
        }
    }
}

extension CommandFailure {
    /// The failure of a request after others of the same import.
    fileprivate func after(_ links: LinkImport) -> CommandFailure {
        guard links.created > 0 else { return self }
        let line = "\(links.created.counted("link")) were created before; repeat the command to create the rest."
        return CommandFailure(lines: lines + [line], status: status)
    }
}

/// A file or standard input in parts of 1 MiB.
private struct FileParts {
    private static let size = 1 << 20

    private let path: String
    private let file: FileHandle
    /// The number of parts; 0 if it is unknown.
    let count: Int

    init(_ path: String) throws {
        self.path = path
        guard path != "-" else {
            file = .standardInput
            count = 0
            return
        }
        do {
            file = try FileHandle(forReadingFrom: URL(filePath: path))
        } catch {
            throw fail("\(path) cannot be read: \(unreadableReason(path, error)).", .unreadableInput)
        }
        var status = stat()
        let isRegular = fstat(file.fileDescriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        count = isRegular ? (Int(clamping: status.st_size) - 1) / Self.size + 1 : 0
    }

    /// Returns the next part; nil at the end.
    func next() throws -> [UInt8]? {
        do {
            guard let part = try file.read(upToCount: Self.size), !part.isEmpty else { return nil }
            return Array(part)
        } catch {
            throw fail("\(path) cannot be read: \(unreadableReason(path, error)).", .unreadableInput)
        }
    }
}

/// A file that is written in parts.
private struct OutputFile {
    private let path: String
    private let file: FileHandle

    init(_ path: String) throws {
        try write("", toFile: path)
        guard let file = FileHandle(forWritingAtPath: path) else { throw fail("\(path) cannot be written.", .ioError) }
        self.path = path
        self.file = file
    }

    func append(_ text: String) throws {
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            throw fail("\(path) cannot be written: \(unwritableReason(error)).", .ioError)
        }
    }
}
