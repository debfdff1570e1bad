import LinkCatalog
import LinkRouting
import Testing

/// Common mistakes and their error messages: line, column, path, value, and the correction.
struct WrongDocumentTests {
    static let texts: [(String, String)] = [
        (
            "",
            "line 1, column 1: The document is empty; write at least one key."
        ),
        (
            "# nothing\n",
            "line 1, column 1: The document is empty; write at least one key."
        ),
        (
            "just text",
            #"line 1, column 1: "just text" is a string; write an object."#
        ),
        (
            "- a\n- b\n",
            #"line 1, column 1: ["a","b"] is a list; write an object."#
        ),
        (
            "formatVersion: 1\n",
            "line 1, column 1: The document has neither 'settings' nor 'table'; add one."
        ),
        (
            "tenant: shop\nsettings: {}\n",
            "line 1, column 1: 'formatVersion' is missing; add 'formatVersion: 1'."
        ),
        (
            "formatVersion: 1\nsettings: {}\nroutes: []\n",
            "line 3, column 1: routes: In a tenant file, this belongs under 'table'; indent it below 'table:'."
        ),
        (
            "tenant: shop\ndefaults: {}\nroutes: []\n",
            "line 3, column 1: routes: In a tenant file, this belongs under 'table'; indent it below 'table:'."
        ),
        (
            "formatVersion: 2\nsettings: {}\n",
            "line 1, column 16: formatVersion: unknown format 2; this engine reads formatVersion: 1."
        ),
        (
            "formatVersion: 1\ntenant: My Shop\nsettings: {}\n",
            #"line 2, column 9: tenant: "My Shop" is not an id; use 1 to 64 of a-z, 0-9, '.', '_' and '-', starting with a letter or digit."#
        ),
        (
            "formatVersion: \"1\"\nsettings: {}\n",
            #"line 1, column 16: formatVersion: unknown format "1"; this engine reads formatVersion: 1. Remove the quotes."#
        ),
        (
            "formatVersion: 1\nsettings:\ntable: {routes: []}\n",
            "line 2, column 1: settings: 'settings' is empty; add its keys, or remove it to keep what is live."
        ),
        (
            "formatVersion: 1\nsettings: {}\ntable:\n",
            "line 3, column 1: table: 'table' is empty; add its keys, or remove it to keep what is live."
        ),
        (
            "formatVersion: 1\ntable:\n  routes:\n",
            "line 3, column 3: table.routes: 'routes' is empty; add routes, or write [] if the table has none."
        ),
        (
            "formatVersion: 1\ntable:\n  defaults:\n  routes: []\n",
            "line 3, column 3: table.defaults: 'defaults' is empty; add its keys, or remove it."
        ),
        (
            "formatVersion: 1\ntable:\n  screens: ~\n  routes: []\n",
            "line 3, column 3: table.screens: 'screens' is empty; add its keys, or remove it."
        ),
        (
            "formatVersion: 1\nroutes:\n",
            "line 2, column 1: routes: 'routes' is empty; add routes, or write [] if the table has none."
        ),
        (
            "formatVersion: 1\ntenant: shop\nroutes:\n",
            "line 3, column 1: routes: In a tenant file, this belongs under 'table'; indent it below 'table:'."
        ),
        (
            "formatVersion: 1\ntenants: shop\nsettings: {}\n",
            "line 2, column 1: tenants: unknown key 'tenants'; did you mean 'tenant'?"
        ),
        (
            "formatVersion: 1\nsettings: {}\nsettings: {}\n",
            "line 3, column 1: Duplicate key 'settings'; remove one."
        ),
        (
            "formatVersion: 1\ntable:\n  routes:\n    - id: a\n      path: /a\n\n      # again\n      'id': b\n    - id: c\n",
            "line 8, column 7: Duplicate key 'id'; remove one."
        ),
        (
            "formatVersion: 1\ntable: {defaults: {}, routes: [], defaults: {}}\ndefaults: {}\n",
            "line 2, column 9: Duplicate key 'defaults'; remove one."
        ),
        (
            "formatVersion: 1\ntenant: a: b\n",
            "line 2, column 10: This is not YAML: mapping values are not allowed in this context; quote a string that contains ': ', or correct the indentation."
        ),
        (
            "formatVersion: 1\n\tsettings: {}\n",
            "line 2, column 1: This is not YAML: found a tab character that violates indentation; indent with spaces."
        ),
        (
            "formatVersion: 1\nsettings: {schemes: [a, b}\n",
            "line 2, column 26: This is not YAML: did not find expected ',' or ']'; separate by commas, close the bracket, and quote a string that contains ?, { or }."
        ),
        (
            "formatVersion: 1\ntable: {routes: [*common]}\n",
            "line 2, column 18: This is not YAML: found undefined alias; quote a string that starts with *, or write '&name' where the alias should point to."
        ),
        (
            "a: 1\n---\nb: 2\n",
            "line 2, column 1: A second document starts here; write only one document per file, without '---'."
        ),
        (
            "routes: {}\n",
            "line 1, column 9: routes: {} is an object; write a list."
        ),
        (
            "routes: [a]\n",
            #"line 1, column 10: routes[0]: "a" is a string; write an object."#
        ),
        (
            "formatVersion: 1\ntable: []\n",
            "line 2, column 8: table: [] is a list; write an object."
        ),
        (
            "{\"formatVersion\": 1, \"settings\": {},}",
            "line 1, column 36: there is a comma after the last value; remove it."
        ),
        (
            "{\"formatVersion\": 1 \"settings\": {}}",
            "line 1, column 21: a comma is missing before this; add ','."
        ),
        (
            "{'formatVersion': 1}",
            #"line 1, column 2: JSON keys need double quotes; write "…"."#
        ),
        (
            "{\"formatVersion\": 1,\n \"formatVersion\": 1}",
            "line 2, column 2: duplicate key 'formatVersion', first at line 1, column 2; remove one."
        ),
        (
            "{\"formatVersion\": 1, \"settings\": {\"schemes\": [a]}}",
            #"line 1, column 47: a string needs double quotes; write "…"."#
        ),
        (
            "formatVersion: 1\ncases: []\n",
            "line 2, column 1: cases: this is a suite; 'fingerpost test' reads it."
        ),
        (
            "public: {port: 8080}\n",
            "line 1, column 1: public: this is the configuration of the service; 'fingerpost serve --config' reads it."
        ),
        (
            "a: {b: “c”, d: {e}\n",
            "line 2, column 1: This is not YAML: did not find expected ',' or '}'; separate by commas, close the bracket, and quote a string that contains ?, { or }."
        ),
        (
            "a: {b: “/c/{d:int}”, e: f}\n",
            "line 1, column 12: This is not YAML: did not find expected ',' or '}'; write straight quotes (\") instead of typographic ones."
        ),
        (
            "[]",
            "line 1, column 1: [] is a list; write an object."
        ),
        (
            "{",
            "line 1, column 2: the text ends inside an object; add '}'."
        ),
        (
            "? [a]\n: b\n",
            "line 1, column 3: A key must be a string; write 'key: value'."
        ),
        (
            "a: @b\n",
            "line 1, column 4: This is not YAML: found character that cannot start any token; indent with spaces, and quote a string that starts with @, % or `."
        ),
        (
            "a: %b\n",
            "line 1, column 4: This is not YAML: found character that cannot start any token; indent with spaces, and quote a string that starts with @, % or `."
        ),
        (
            "a: 'x\n",
            "line 2, column 1: This is not YAML: found unexpected end of stream; close the quote."
        ),
        (
            "a: [1\n",
            "line 2, column 1: This is not YAML: did not find expected ',' or ']'; separate by commas, close the bracket, and quote a string that contains ?, { or }."
        ),
        (
            "  a: 1\n b: 2\n",
            "line 2, column 2: This is not YAML: did not find expected <document start>; correct the indentation, or quote the string."
        ),
        (
            "formatVersion: 1\ntable:\n  requires: [loops]\n  routes: []\n",
            "line 3, column 13: table.requires: this engine does not support loops; upgrade Fingerpost."
        ),
        (
            "formatVersion: 1\ntable:\n  defaults: {fallback: {signIn: required}}\n",
            "line 3, column 25: table.defaults.fallback.signIn: unknown key 'signIn'; allowed keys: open, web, store, forward, data, campaign, association."
        ),
        (
            "formatVersion: 1\ntable:\n  defaults: {plusIsSpace: yes}\n",
            #"line 3, column 27: table.defaults.plusIsSpace: "yes" is a string; write true or false."#
        ),
        (
            "formatVersion: 1\ntable:\n  default: {}\n",
            "line 3, column 3: table.default: unknown key 'default'; did you mean 'defaults'?"
        ),
        (
            "a: \u{01}\n",
            "line 1, column 4: This is not YAML: control characters are not allowed; write it as an escape in double quotes."
        ),
    ]

    @Test(arguments: texts)
    func textIsRefused(_ text: String, _ message: String) {
        #expect(refusals(of: text) == [message])
    }

    @Test func allWrongRoutesAreReportedTogether() {
        let text = """
            formatVersion: 1
            table:
              routes:
                - {id: a, path: a}
                - {id: b, path: /b}
                - {id: b, path: /c}
                - {path: /d}
            """

        #expect(
            refusals(of: text) == [
                "line 4, column 21: table.routes[0].path: Pattern 'a': a path must start with '/'; write '/a'.",
                "line 6, column 7: table.routes[2]: duplicate id 'b', first used at routes[1] in line 5; give each route its own.",
                "line 7, column 7: table.routes[3]: 'id' is missing; add it.",
            ]
        )
    }

    @Test func errorsOfSettingsAndTableAreReportedTogether() {
        let text = """
            formatVersion: 1
            settings: {retentionDays: 0}
            table: {routes: [{id: a}]}
            """

        #expect(
            refusals(of: text) == [
                "line 2, column 27: settings.retentionDays: 0 is not a whole number from 1 to 36500.",
                "line 3, column 18: table.routes[0]: 'path' is missing; add it.",
            ]
        )
    }

    @Test func findingsOfACheckKnowTheirLines() throws {
        let text = """
            formatVersion: 1
            settings: {domains: [go.example.com]}
            table:
              routes:
                - id: a
                  path: /a
                  web: https://elsewhere.example/
            """

        let findings = try TenantDocument(text).checked().findings
        #expect(findings.map(\.code) == [.destinationNotAllowed])
        #expect(findings.first?.path == "table.routes[0].web")
        #expect(findings.first?.position?.line == 7)
        #expect(findings.first?.position?.column == 12)
    }
}

/// All errors reported for a document.
func refusals(of text: String) -> [String] {
    do {
        return try TenantDocument(text).checked().findings.map { finding in
            DocumentError(path: finding.path, position: finding.position ?? .unknown, message: finding.message)
                .description
        }
    } catch {
        return ["\(error)"]
    }
}
