import ArgumentParser
import Foundation
import StubMatching
import StubServer

struct ImportHAR: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "har",
        abstract: "Make stubs from a HAR file, which browsers and proxies export.",
        discussion: """
            EXAMPLES
              fingerpost stub import har session.har Tests/Stubs
              fingerpost stub import har session.har Stubs --host api.example.com

            The stubs are those that a recording of the same requests makes: the same names, masks and order, without \
            volatile headers. A second import of the same requests writes the same files. Requests without an answer, and \
            answers whose body the file does not contain, are reported and left out.

            EXIT CODES
              0 success
              65 the file is wrong, cannot be read or has no usable request
              74 the folder cannot be written
              78 the folder has other content
            """
    )

    @ArgumentParser.Argument(help: "The HAR file, or - for standard input.") var file: String
    @ArgumentParser.Argument(help: "The folder for mappings and __files; made if it is missing.") var folder: String
    @ArgumentParser.Option(help: "Only requests to this host; may be repeated.") var host: [String] = []
    @OptionGroup var masking: StubMaskOptions

    func run() throws {
        let archive = try self.archive()
        do {
            let imported = try HARImport(archive, hosts: Set(host.map { $0.lowercased() }), mask: masking.mask)
            let (count, omitted) = try imported.write(to: folder)
            for omission in omitted {
                warn("fingerpost: left out: \(omission.method) \(omission.url): \(omission.reason)")
            }
            guard count > 0 else { throw fail("\(file) has no request to import.", .unreadableInput) }
            show("\(count.counted("stub")) in \(folder)/mappings")
            try StandardOutput.flush()
        } catch let failure as HARImport.SeveralHosts {
            throw fail("\(file): \(failure)", .unreadableInput)
        } catch let failure as StubStartFailure {
            throw fail(failure.description, .wrongConfiguration)
        } catch let error as CocoaError {
            throw fail("\(folder) cannot be written: \(error.localizedDescription).", .ioError)
        }
    }

    private func archive() throws -> HARFile {
        if file != "-", let attributes = try? FileManager.default.attributesOfItem(atPath: file),
            let size = attributes[.size] as? Int, size > HARFile.maximumBytes
        {
            throw fail(
                "\(file) has \(size) bytes; at most \(HARFile.maximumBytes) are read. Export fewer requests.",
                .unreadableInput
            )
        }
        do {
            return try HARFile(try readBytes(file))
        } catch let error as MappingError {
            // A document without JSON is another file.
            let reason = error.pointer == nil ? " is not a HAR file, which is JSON" : ""
            throw fail("\(file)\(reason): \(error)", .unreadableInput)
        }
    }
}
