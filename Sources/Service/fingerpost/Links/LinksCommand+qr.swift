import ArgumentParser
import Foundation
import LinkCatalog
import LinkRouting
import LinkServer
import Networking

extension LinksCommand {
    struct QR: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "qr",
            abstract: "Draw the QR code of a short link, in the terminal or as a file.",
            discussion: """
                EXAMPLES
                  fingerpost links qr shop spring
                  fingerpost links qr shop spring --output spring.svg --logo logo.png
                  fingerpost links qr shop spring --output spring.png --color '#003366'
                  fingerpost links qr --link https://www.acme.com/ --output home.png

                The code of a short link has _fp=qr in its query, so that its clicks are recorded with the source qr. A \
                link of --link stays as it is, and needs no server. The same options always give the same bytes.
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String?
        @ArgumentParser.Argument(help: "The code of the short link.") var code: String?
        @ArgumentParser.Option(help: "A link to draw instead of a short link.") var link: String?
        @ArgumentParser.Option(help: "svg, png or text (default: the ending of --output, else text).")
        var format: Format?
        @ArgumentParser.Option(help: "The file to write (default: standard output).") var output: String?
        @ArgumentParser.Option(help: "Width and height in pixels, at most 4096 (default: 512).") var size: Int?
        @ArgumentParser.Option(
            help: "L, M, Q or H: how much may be damaged, about 7, 15, 25 or 30 % (default: M; with a logo H)."
        )
        var level: QRCode.Level?
        @ArgumentParser.Option(help: "The width of the light border in modules, at most 16 (default: 4).")
        var quietZone: Int?
        @ArgumentParser.Option(help: "The color of the modules, such as '#003366' (default: black).")
        var color: RGBColor?
        @ArgumentParser.Option(help: "The color of the background, lighter than the other (default: white).")
        var background: RGBColor?
        @ArgumentParser.Option(help: "A PNG, JPEG or SVG of at most 64 KiB for the middle of an SVG.") var logo: String?
        @OptionGroup var admin: AdminOptions

        enum Format: String, CaseIterable, ExpressibleByArgument {
            case svg, png, text
        }

        /// The format that the options ask for.
        private var drawn: Format {
            format ?? output.flatMap { Format(rawValue: URL(filePath: $0).pathExtension.lowercased()) } ?? .text
        }

        func validate() throws {
            guard (link == nil) == (tenant != nil && code != nil), link == nil || tenant == nil else {
                throw ValidationError("Name a tenant and the code of a short link, or a link with --link.")
            }
            guard logo == nil || drawn == .svg else { throw ValidationError("--logo needs --format svg.") }
        }

        func run() async throws {
            if let output { try requireReplaceable(output, inputs: [logo].compactMap(\.self)) }
            do {
                let style = try QRCodeStyle(size: size, quietZone: quietZone, color: color, background: background)
                let logo = try logo.map { try QRCodeLogo(try readBytes($0)) }
                let code = try QRCode(try await drawnLink(), level: level ?? (logo == nil ? .medium : .high))
                switch drawn {
                case .svg: try put(Array(try code.svg(style, logo: logo).utf8))
                case .png: try put(try code.png(style))
                case .text where output == nil && StandardOutput.showsStyles:
                    // White on black, whatever the colours of the terminal are.
                    for line in code.text(style) {
                        StandardOutput.write("\u{1B}[38;5;231;48;5;16m\(line)\u{1B}[0m\n")
                    }
                case .text: try put(Array(code.text(style).map { $0 + "\n" }.joined().utf8))
                }
            } catch let error as QRCodeError {
                throw fail(error.description, .invalidUsage)
            }
        }

        /// Returns the link to draw: that of `--link`, or the short link's.
        private func drawnLink() async throws -> String {
            guard let tenant, let code else { return link ?? "" }
            let answer = try await reportingRefusals {
                try await admin.client().send(.get, LinkArguments.path(of: code, tenant))
            }
            guard let url = answer.body["url"]?.text else { throw fail(answer.body.shortLinkAddress, .failed) }
            return QRCode.marked(url)
        }

        private func put(_ bytes: [UInt8]) throws {
            if let output { return try write(bytes, toFile: output) }
            guard drawn != .png || isatty(STDOUT_FILENO) == 0 else {
                throw fail("a PNG is not for a terminal; name a file with --output.", .invalidUsage)
            }
            StandardOutput.write(bytes)
        }
    }
}

extension QRCode.Level: ExpressibleByArgument {}
extension RGBColor: ExpressibleByArgument {}
