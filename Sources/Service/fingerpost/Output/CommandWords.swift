/// Replaces what a server says in terms of HTTP with the commands that do the same.
package struct CommandWords: Sendable {
    /// A text of a server, and what a command says instead.
    package struct Phrase: Sendable {
        package let http: String
        let command: String
    }

    private let tenant: String
    /// The options that create a key for the request.
    private let keyOptions: String

    /// - Parameter tenant: The tenant of the request; nil for a request that belongs to none.
    package init(tenant: String?) {
        self.tenant = tenant ?? "TENANT"
        keyOptions = "--data DIR" + (tenant.map { " \(OptionText("tenant", $0).text)" } ?? "")
    }

    package func replacing(in text: String) -> String {
        phrases.reduce(text) { $0.replacing($1.http, with: $1.command) }
    }

    /// A phrase precedes all that are a part of it.
    package var phrases: [Phrase] {
        [
            Phrase(
                http: "write it with PUT …/draft, or list drafts at …/drafts.",
                command:
                    "'fingerpost drafts list \(tenant)' lists the drafts. Choose one with --draft NAME, or write one "
                    + "with 'fingerpost routes import \(tenant) FILE'."
            ),
            Phrase(
                http: "Merge both sides in 'conflicts', write the result with PUT …/draft?base=LIVE, where LIVE is the "
                    + "number of the live revision, then publish it.",
                command: "Pull the live table ('fingerpost pull \(tenant) -f NEW'), make your change in that file, and "
                    + "apply it ('fingerpost apply -f NEW'). Both sides:"
            ),
            Phrase(
                http: "Replace it with PUT …/draft, or remove it with DELETE …/draft.",
                command: "Replace it with 'fingerpost routes import \(tenant) FILE --replace', or remove it with "
                    + "'fingerpost drafts remove \(tenant)'."
            ),
            Phrase(
                http: "Replace them with PUT …/settings.",
                command: "Replace them with 'fingerpost apply -f FILE'."
            ),
            Phrase(http: "or remove it with DELETE.", command: "or remove it with 'fingerpost suites remove'."),
            Phrase(http: "with PUT …/suites/", command: "with 'fingerpost suites push', from a file named "),
            Phrase(http: "list them at …/suites.", command: "'fingerpost suites list \(tenant)' lists them."),
            Phrase(http: "list them at …/short-links.", command: "'fingerpost links list \(tenant)' lists them."),
            Phrase(http: "list them at …/drafts.", command: "'fingerpost drafts list \(tenant)' lists them."),
            Phrase(http: "list them at …/revisions.", command: "'fingerpost revisions list \(tenant)' lists them."),
            Phrase(
                http: "Archive it first: POST …/archive.",
                command: "Archive it first: 'fingerpost tenants archive \(tenant)'."
            ),
            Phrase(
                http: "Make it active again with POST …/unarchive.",
                command: "Make it active again with 'fingerpost tenants unarchive \(tenant)'."
            ),
            Phrase(
                http: "Create a new one with POST /admin/v1/keys.",
                command: "Create a new one with 'fingerpost keys create --data DIR'."
            ),
            Phrase(
                http: "'fingerpost keys create --scope ",
                command: "'fingerpost keys create \(keyOptions) --scope "
            ),
            Phrase(http: "list them at /admin/v1/keys.", command: "'fingerpost keys list --data DIR' lists them."),
            Phrase(http: "or read …/events?after= instead.", command: "or read without --follow."),
            Phrase(
                http: "write its settings to create it.",
                command: "create it with 'fingerpost apply -f FILE'."
            ),
            Phrase(
                http: "name its environment with '?environment=",
                command: "name its environment with '--from "
            ),
            Phrase(
                http: "Read it again, then repeat the request with its new ETag.",
                command: "Repeat the command: it reads the new version."
            ),
            Phrase(
                http: "Correct what 'findings' lists.",
                command: "'fingerpost check FILE' shows the lines of these errors:"
            ),
            Phrase(
                http: "or promote with {\"force\": true}.",
                command: "or promote with --force. It would change back:"
            ),
            Phrase(
                http: "Add them to the table, or apply it with {\"removeOthers\": true}.",
                command:
                    "Add them to the file, change only your own routes with --owner OWNER, or use --remove-others. "
                    + "It would do this:"
            ),
            Phrase(
                http: "or publish with {\"override\": {\"reason\": …}}.",
                command: "or publish with --override REASON."
            ),
        ]
    }
}
