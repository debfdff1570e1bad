public import LinkRouting

extension AssetLinks {
    /// The maximum size of a file in bytes. Source: Android's `StatementRetriever`.
    public static let maximumBytes = 1 << 20

    /// Returns the findings on a file: everything that Android or Google's verifier handles differently than its author
    /// meant. Any bytes are valid input. The findings are in the order of ``AssociationFinding/precedes(_:_:)``, at
    /// most 100 of one code.
    /// - Parameters:
    ///   - hosting: The HTTP response of the file, if it is known. The bytes are inspected only if its status is 200.
    ///   - budget: Its cancellation ends all checks; the findings are then incomplete. Its steps are not spent, because
    ///     comparing rules has a limit of its own.
    public static func validate(
        _ bytes: [UInt8],
        hosting: AssociationHosting? = nil,
        within budget: WorkBudget = .associationValidation
    ) -> [AssociationFinding] {
        var findings = AndroidFindings(budget: budget)
        if let hosting {
            hosting.judge(&findings)
            // The body of an error response is not an association file.
            guard hosting.status == 200 else { return findings.sorted }
        }
        inspectSize(bytes.count, &findings)
        do {
            AndroidFileInspection.inspect(try AssetLinks(parsing: bytes), &findings)
        } catch {
            let code: AssociationFinding.Code = error.kind == .html ? .androidHTML : .androidInvalidJSON
            findings.add(
                code,
                "",
                error.position,
                "The file is not JSON: \(error.message) Android drops the whole file, so no app is verified.",
                fix: error.kind == .html
                    ? "Serve the JSON file itself at /.well-known/assetlinks.json; usually a catch-all page "
                        + "answers instead."
                    : "Correct the file at this position."
            )
        }
        return findings.sorted
    }

    /// Returns the finding on a file that Android drops for its size in bytes; empty if there is none.
    static func findings(onSize size: Int) -> [AssociationFinding] {
        var findings = AndroidFindings(budget: .unlimited)
        inspectSize(size, &findings)
        return findings.all
    }

    private static func inspectSize(_ size: Int, _ findings: inout AndroidFindings) {
        guard size > maximumBytes else { return }
        findings.add(
            .androidTooLarge,
            "",
            AssociationFinding.wholeFile,
            "The file has \(size) bytes; Android's source drops a file of more than \(maximumBytes).",
            fix: "Merge rules with wildcards, or move statements into included files."
        )
    }
}

extension AssociationHosting {
    fileprivate func judge(_ findings: inout AndroidFindings) {
        let place = AssociationFinding.wholeFile
        if isRedirect {
            findings.add(
                .androidRedirect,
                "",
                place,
                "The URL redirects\(target) with status \(status); Android does not follow it, so no app is verified.",
                fix: "Serve the file with status 200 on this host itself."
            )
        } else if status != 200 {
            findings.add(
                .androidNotServed,
                "",
                place,
                "The URL answers with status \(status), so no app is verified.",
                fix: "Serve the file with status 200 to every client, on every host in the manifest."
            )
        } else if mediaType != "application/json" {
            findings.add(
                .androidContentType,
                "",
                place,
                "The content type is '\(contentType ?? "")'; Google requires application/json and may reject other "
                    + "types.",
                fix: "Send 'Content-Type: application/json'."
            )
        }
    }
}
