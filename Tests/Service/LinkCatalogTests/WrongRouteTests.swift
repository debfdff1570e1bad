import Testing

/// One invalid route of a table and its error message.
struct WrongRouteTests {
    static let routes: [(String, String)] = [
        (
            "- {id: a}",
            "line 4, column 7: table.routes[0]: 'path' is missing; add it."
        ),
        (
            "- {path: /a}",
            "line 4, column 7: table.routes[0]: 'id' is missing; add it."
        ),
        (
            "- {id: A b, path: /a}",
            #"line 4, column 12: table.routes[0].id: "A b" is not an id; use 1 to 64 of a-z, 0-9, '.', '_' and '-', starting with a letter or digit."#
        ),
        (
            "- {id: 7, path: /a}",
            "line 4, column 12: table.routes[0].id: 7 is a number; write a string."
        ),
        (
            "- {id: a, path: a}",
            "line 4, column 21: table.routes[0].path: Pattern 'a': a path must start with '/'; write '/a'."
        ),
        (
            "- {id: a, path: “/a”}",
            "line 4, column 21: table.routes[0].path: Pattern '“/a”': replace the typographic quotes; write '/a'."
        ),
        (
            "- {id: a, path: /a/?x}",
            "line 4, column 21: table.routes[0].path: Pattern '/a/?x': '?' is not part of a path; use 'query' or 'fragment', or %3F."
        ),
        (
            "- {id: a, pth: /a}",
            "line 4, column 15: table.routes[0].pth: unknown key 'pth'; did you mean 'path'?"
        ),
        (
            "- {id: a, path: /a, screen: Home}",
            "line 4, column 25: table.routes[0].screen: 'screen' belongs under 'open'; indent it."
        ),
        (
            "- {id: a, path: /a, platform: ios}",
            "line 4, column 25: table.routes[0].platform: 'platform' belongs under 'when'; indent it."
        ),
        (
            "- {id: a, path: /a, redirect: x}",
            "line 4, column 25: table.routes[0].redirect: unknown key 'redirect'; did you mean 'web'?"
        ),
        (
            "- {id: a, path: /a, when: {language: de}}",
            "line 4, column 32: table.routes[0].when.language: unknown key 'language'; did you mean 'locale'?"
        ),
        (
            "- {Id: a, path: /a}",
            "line 4, column 8: table.routes[0].Id: unknown key 'Id'; did you mean 'id'?"
        ),
        (
            "- {id: a, path: /a, when: {platform: iOS}}",
            #"line 4, column 42: table.routes[0].when.platform: "iOS" is not one of: ios, android, macos, windows, linux, other; did you mean 'ios'?"#
        ),
        (
            "- {id: a, path: /a, open: Home}",
            #"line 4, column 31: table.routes[0].open: write {screen: "Home"}."#
        ),
        (
            "- {id: a, path: /a, open: {arguments: {}}}",
            "line 4, column 31: table.routes[0].open: 'screen' is missing; add it."
        ),
        (
            "- {id: a, path: /a, open: {screen: Home, stack: Home}}",
            #"line 4, column 53: table.routes[0].open.stack: "Home" is a string; write a list."#
        ),
        (
            "- {id: a, path: /a, open: {screen: Home, uri: home}}",
            "line 4, column 51: table.routes[0].open.uri: Template 'home': a destination must start with its scheme, as in https://example.com/{id} or yourapp://{id}."
        ),
        (
            "- {id: a, path: /a, web: yourapp://x}",
            #"line 4, column 30: table.routes[0].web: "yourapp://x" is not a web page; write https://…, or use 'open'."#
        ),
        (
            "- {id: a, path: /a, signIn: yes}",
            #"line 4, column 33: table.routes[0].signIn: "yes" is not one of: required, optional."#
        ),
        (
            "- {id: a, path: /a, store: yes}",
            #"line 4, column 32: table.routes[0].store: "yes" is a string; write true, false or {campaign: spring}."#
        ),
        (
            "- {id: a, path: /a, minimumVersion: latest}",
            #"line 4, column 41: table.routes[0].minimumVersion: "latest" is not a version; write one such as "2.0"."#
        ),
        (
            "- {id: a, path: /a, forward: some}",
            #"line 4, column 34: table.routes[0].forward: "some" is not valid; write all, none, or a list of names."#
        ),
        (
            "- {id: a, path: /a, block: true}",
            "line 4, column 32: table.routes[0].block: true is a boolean; write a string."
        ),
        (
            "- {id: a, path: /a, sensitive: [token]}",
            "line 4, column 37: table.routes[0].sensitive[0]: 'sensitive' names 'token', which the route does not capture."
        ),
        (
            "- {id: a, path: /a, audience: internal}",
            #"line 4, column 35: table.routes[0].audience: "internal" is not one of: everyone, server."#
        ),
        (
            "- {id: a, path: /a, caseSensitive: no}",
            #"line 4, column 40: table.routes[0].caseSensitive: "no" is a string; write true or false."#
        ),
        (
            "- {id: a, path: /a, trailingSlash: yes}",
            #"line 4, column 40: table.routes[0].trailingSlash: "yes" is not one of: ignore, strict."#
        ),
        (
            "- {id: a, path: /a, query: {page: itn}}",
            "line 4, column 39: table.routes[0].query.page: 'itn' is not a type; use string, int, number, bool, uuid, slug, alpha, alnum, hex, date or a set (a,b). To compare with a string, write {equals: itn}."
        ),
        (
            "- {id: a, path: /a, when: {}}",
            "line 4, column 31: table.routes[0].when: 'when' is empty; leave it out or write a condition."
        ),
        (
            "- {id: a, path: /a, when: {platform: iphone}}",
            #"line 4, column 42: table.routes[0].when.platform: "iphone" is not one of: ios, android, macos, windows, linux, other."#
        ),
        (
            "- {id: a, path: /a, when: {osVersion: 17}}",
            #"line 4, column 43: table.routes[0].when.osVersion: 17 is a number; write {from: "17.0"}, {until: "18.0"} or both."#
        ),
        (
            "- {id: a, path: /a, when: {appVersion: {from: new}}}",
            #"line 4, column 51: table.routes[0].when.appVersion.from: "new" is not a version; write one such as "2.0"."#
        ),
        (
            "- {id: a, path: /a, when: {country: England}}",
            #"line 4, column 41: table.routes[0].when.country: "England" is not a country; write two letters such as GB."#
        ),
        (
            "- {id: a, path: /a, when: {locale: en_GB}}",
            #"line 4, column 40: table.routes[0].when.locale: "en_GB" is not a language tag; write one such as en or en-GB."#
        ),
        (
            "- {id: a, path: /a, when: {rollout: 120}}",
            "line 4, column 41: table.routes[0].when.rollout: 120 is not a percentage; write a number from 0 to 100, such as 10."
        ),
        (
            "- {id: a, path: /a, when: {time: {from: tomorrow}}}",
            #"line 4, column 45: table.routes[0].when.time.from: "tomorrow" is not a timestamp; write one such as 2026-11-21T10:00:00Z."#
        ),
        (
            "- {id: a, path: /a, when: {authenticated: yes}}",
            #"line 4, column 47: table.routes[0].when.authenticated: "yes" is a string; write true or false."#
        ),
        (
            "- {id: a, path: /a, experiment: {id: e, variants: []}}",
            "line 4, column 37: table.routes[0].experiment: an experiment must have 1 to 100 variants."
        ),
        (
            "- {id: a, path: /a, experiment: {id: e, variants: [{name: x}, {name: x}]}}",
            "line 4, column 67: table.routes[0].experiment.variants[1]: duplicate variant name 'x'; give each variant its own."
        ),
        (
            #"- {id: a, path: "/{a}{b}"}"#,
            "line 4, column 21: table.routes[0].path: Pattern '/{a}{b}': '{a}' and the parameter after it are adjacent; put a character between them."
        ),
        (
            #"- {id: a, path: "/{id:int(9..1)}"}"#,
            "line 4, column 21: table.routes[0].path: Pattern '/{id:int(9..1)}': parameter 'id': 'int(9..1)' is an empty range; put the smaller bound first."
        ),
        (
            #"- {id: a, path: "/{id:itn}"}"#,
            "line 4, column 21: table.routes[0].path: Pattern '/{id:itn}': parameter 'id': 'itn' is not a type; use string, int, number, bool, uuid, slug, alpha, alnum, hex, date or a set (a,b)."
        ),
        (
            #"- {id: a, path: "/{id}", query: {id: int}}"#,
            "line 4, column 7: table.routes[0]: the parameter 'id' is captured twice; give each its own name."
        ),
        (
            #"- {id: a, path: "/{id}/{id}"}"#,
            "line 4, column 21: table.routes[0].path: Pattern '/{id}/{id}': duplicate parameter name 'id'; give each parameter its own."
        ),
        (
            #"- {id: a, path: "/{rest...}/b"}"#,
            "line 4, column 21: table.routes[0].path: Pattern '/{rest...}/b': a rest parameter must be the last segment; move '{rest...}' to the end."
        ),
        (
            #"- {id: a, path: /a, block: yes, web: "https://x.example/"}"#,
            "line 4, column 42: table.routes[0].web: a route that blocks cannot have a destination; remove 'web' or 'block'."
        ),
        (
            #"- {id: a, path: /a, host: "{a}{b}.example.com"}"#,
            "line 4, column 31: table.routes[0].host: Pattern '{a}{b}.example.com': the parameter must be a whole label; write '{shop}.example.com'."
        ),
        (
            #"- {id: a, path: /a, open: {screen: Home, arguments: {x: "{x"}}}"#,
            #"line 4, column 61: table.routes[0].open.arguments.x: Template '{x': '{' has no '}'; write \{ for a literal brace."#
        ),
        (
            #"- {id: a, path: /a, query: {"a-b": int}}"#,
            "line 4, column 40: table.routes[0].query.a-b: 'a-b' is not a valid parameter name; write {capture: int, as: name}."
        ),
        (
            #"- {id: a, path: /a, query: {page: "int = x"}}"#,
            "line 4, column 39: table.routes[0].query.page: the default 'x' does not match the type int; write a value that does."
        ),
        (
            #"- {id: a, path: /a, web: "https://{host}/x"}"#,
            "line 4, column 30: table.routes[0].web: Template 'https://{host}/x': a parameter cannot supply the host or port; write the host out, followed by '/'."
        ),
        (
            #"- {id: a, path: /a, web: {mobile: "https://x.example/"}}"#,
            "line 4, column 31: table.routes[0].web.mobile: unknown key 'mobile'; allowed keys: ios, ipad, android, desktop, default."
        ),
        (
            #"- {id: a, path: /a, when: {time: {from: "2026-11-22T00:00:00Z", until: "2026-11-21T00:00:00Z"}}}"#,
            "line 4, column 38: table.routes[0].when.time: 'from' must be before 'until'."
        ),
    ]

    @Test(arguments: routes)
    func routeIsRefused(_ route: String, _ message: String) {
        #expect(refusals(of: "formatVersion: 1\ntable:\n  routes:\n    \(route)\n") == [message])
    }
}
