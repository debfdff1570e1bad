import Foundation
import LinkRouting
import TestSupport
import Testing
import fingerpost

/// A file that does not contain all routes may be that of one team, or not a pulled one.
struct RemovalAdviceTests {
    private static let owned = "{id: a, path: /a, owner: events}"
    private static let other = "{id: b, path: /b}"

    @Test(
        arguments: [
            ([owned], "", #"[{"id":"x"}]"#, "use --owner events: it changes only the routes of that owner." as String?),
            (
                ["{id: a, path: /a, owner: \"le gal; rm -rf\"}"], "", #"[{"id":"x"}]"#,
                "use --owner 'le gal; rm -rf': it changes only the routes of that owner."
            ),
            (
                ["{id: a, path: /a, owner: -x}"], "", #"[{"id":"x"}]"#,
                "use --owner=-x: it changes only the routes of that owner."
            ),
            (
                [owned], "", #"[{"id":"x","owner":"events"},{"id":"y","owner":"blog"}]"#,
                "use --owner events: it changes only the routes of that owner."
            ),
            // Only routes of the owner are removed, as they would be with --owner.
            (
                [owned], "", #"[{"id":"x","owner":"events"}]"#,
                "'fingerpost pull acme -f FILE' writes a file to edit."
            ),
            ([owned, other], "", #"[{"id":"x"}]"#, "'fingerpost pull acme -f FILE' writes a file to edit."),
            // An edited file removes what its author removed.
            ([owned, other], "basedOn: 7", #"[{"id":"x"}]"#, nil), ([owned], "basedOn: 7", #"[{"id":"x"}]"#, nil),
            ([owned], "", "[]", nil),
            ([], "", #"[{"id":"x"}]"#, "'fingerpost pull acme -f FILE' writes a file to edit."),
        ] as [([String], String, String, String?)]
    )
    func removedRoutesGetAdvice(_ routes: [String], _ base: String, _ removed: String, _ end: String?) async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/acme.yaml"
            let table = "table: {routes: [\(routes.joined(separator: ", "))]}"
            try "formatVersion: 1\ntenant: acme\n\(base)\n\(table)\n"
                .write(toFile: path, atomically: true, encoding: .utf8)
            let body = try JSONReader.parse(
                #"{"changes":{"removed":\#(removed)}}"#,
                limits: JSONReader.Limits(maximumBytes: 4_096)
            )
            let plan = TablePlanning.Plan(body: body, live: "1", settingsRevision: 1)
            let advice = try TableFile(path, tenant: nil).advice(about: plan)
            #expect(end.map { advice?.hasSuffix($0) == true } ?? (advice == nil), "\(advice ?? "none")")
        }
    }
}
