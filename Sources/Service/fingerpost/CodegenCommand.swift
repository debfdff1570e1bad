public import ArgumentParser
import LinkCatalog
import LinkRouting
import Networking
import ScreenCode

struct CodegenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codegen",
        abstract: "Generate the screens of a table as a type for an app, in Swift, Kotlin or TypeScript.",
        discussion: """
            EXAMPLES
              fingerpost codegen swift config/examples/shop.yaml --out ShopScreen.swift
              fingerpost codegen kotlin shop.yaml --package com.example.shop.links
              fingerpost codegen typescript --tenant shop

            The type has one case for each screen, with typed arguments, and reads the screens of a resolution. A \
            'switch' over it is exhaustive: with a new screen in the table, it does not compile until the app handles \
            the screen.
            The screens and their types are those of 'screens' in the table. Without it, they are inferred from the \
            routes. The same table always gives the same code.
            """
    )

    @ArgumentParser.Argument(help: "swift, kotlin or typescript.") var language: ScreenLanguage
    @ArgumentParser.Argument(help: "A tenant or table file; - reads standard input.") var table: String?
    @ArgumentParser.Option(help: "The tenant whose live table to read from a server, instead of a file.")
    var tenant: String?
    @ArgumentParser.Option(help: "The name of the generated type (default: the tenant and Screen, such as ShopScreen).")
    var name: String?
    @ArgumentParser.Option(help: "The package of Kotlin code.") var package = "links"
    @ArgumentParser.Option(help: "internal or public: the visibility of Swift code.")
    var access = ScreenCodeOptions.Access.internal
    @ArgumentParser.Option(help: "The file to write (default: standard output).") var out: String?
    @OptionGroup var admin: AdminOptions

    func validate() throws {
        guard (table == nil) != (tenant == nil) else {
            throw ValidationError("Name either a file, or with --tenant the tenant of a server.")
        }
        if let name, !ScreenCodeOptions.isName(name) {
            throw ValidationError(
                "'\(name)' is not the name of a type; use ASCII letters and digits, such as ShopScreen."
            )
        }
        guard ScreenCodeOptions.isPackage(package) else {
            throw ValidationError("'\(package)' is not a Kotlin package; write one such as com.example.links.")
        }
    }

    func run() async throws {
        if let out { try requireReplaceable(out, inputs: [table].compactMap(\.self)) }
        let source = try await source()
        var options = ScreenCodeOptions(tenant: source.tenant, package: package, access: access)
        if let name { options.typeName = name }
        let code: String
        do throws(ScreenCodeError) {
            code = try ScreenCatalog(tenant: source.tenant, table: source.table).code(in: language, options)
        } catch {
            throw fail(error.problems[0], .failed, more: Array(error.problems.dropFirst()))
        }
        guard let out else { return show(document: code) }
        try write(code, toFile: out)
    }

    private func source() async throws -> (tenant: TenantID, table: RouteTable) {
        guard let tenant else {
            let published = try OfflineTable(table ?? "-", now: SystemClock.now()).published
            return (published.tenant, published.router.table)
        }
        guard let id = TenantID(tenant) else { throw fail("'\(tenant)' is not the id of a tenant.", .unreadableInput) }
        let live = try await reportingRefusals { try await admin.client().send(.get, "tenants/\(id)/table").body }
        do {
            return (id, try RouteTable(DocumentField(live, path: "table")))
        } catch {
            throw fail("the table of '\(id)' cannot be read: \(error.errors[0].description)", .unreadableInput)
        }
    }
}

extension ScreenLanguage: ExpressibleByArgument {}
extension ScreenCodeOptions.Access: ExpressibleByArgument {}
