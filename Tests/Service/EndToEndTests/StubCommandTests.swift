import Foundation
import LinkRouting
import TestSupport
import Testing

/// `fingerpost stub` as a process: how it starts, where it runs, and how it ends.
struct StubCommandTests {
    private static let tool = RunningServer.products.appending(path: "fingerpost").path

    /// Runs a shell script, in which `$0` is the program. Returns the exit code, and standard output and error together.
    private static func shell(_ script: String, _ arguments: [String] = []) async throws -> (
        status: Int32, text: String
    ) {
        let result = try await runBeside("timeout", ["60", "sh", "-c", "exec 2>&1; \(script)", tool] + arguments)
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    /// The line that a server prints when it is ready.
    private static func announcement(in text: String) throws -> JSONNode {
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("{") }, "\(text)")
        return try JSONReader.parse(String(line), limits: JSONReader.Limits(maximumBytes: 1 << 20))
    }

    // MARK: The end

    @Test func emptyStandardInputIsExplained() async throws {
        let (status, text) = try await Self.shell(#""$0" stub </dev/null"#)
        #expect(status == 0)
        #expect(text.contains("standard input is closed") && text.contains("--detach"), "\(text)")
    }

    @Test func endOfStandardInputStopsTheServerSilently() async throws {
        try await withTemporaryDirectory { directory in
            // The pipe stays open until the server has announced itself.
            let script = #"""
                mkfifo "$1/in"; "$0" stub <"$1/in" >"$1/out" 2>"$1/err" & pid=$!
                exec 3>"$1/in"
                until [ -s "$1/out" ]; do sleep 0.05; done
                exec 3>&-
                wait $pid; echo "status $?"; cat "$1/err"
                """#
            let text = try await Self.shell(script, [directory]).text
            #expect(text == "status 0\n")
        }
    }

    // MARK: In the background

    @Test func detachedServerRunsUntilItIsStopped() async throws {
        try await withTemporaryDirectory { directory in
            let pidFile = directory + "/stub.pid"
            let start = try await Self.shell(#""$0" stub --detach --pid-file "$1" </dev/null"#, [pidFile])
            #expect(start.status == 0)
            let line = try Self.announcement(in: start.text)
            let url = try #require(line["url"]?.text)
            let pid = try #require(line["pid"]?.int)
            #expect(try String(contentsOfFile: pidFile, encoding: .utf8) == "\(pid)\n")
            #expect(try await Self.shell(#"curl -sf "$1/__admin/health""#, [url]).text.contains("healthy"))

            let second = try await Self.shell(#""$0" stub --detach --pid-file "$1""#, [pidFile])
            #expect(second.status == 75)
            #expect(second.text.contains("a stub server runs with \(pidFile)"))

            let stop = try await Self.shell(#""$0" stub stop --pid-file "$1""#, [pidFile])
            #expect(stop.status == 0)
            #expect(stop.text.isEmpty)
            // The process is gone when its parent has read its status.
            try waitUntil("process \(pid) is gone") { kill(Int32(pid), 0) != 0 }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)

            let again = try await Self.shell(#""$0" stub stop --pid-file "$1""#, [pidFile])
            #expect(again.status == 0)
            #expect(again.text == "fingerpost: no stub server runs with \(pidFile)\n")
        }
    }

    /// A script that only stops the server would otherwise not learn that the run has failed.
    @Test(arguments: [("--strict", 1, true), ("--lenient", 0, false)])
    func stopHasTheExitCodeOfTheServer(_ flag: String, _ status: Int32, _ isHinted: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let script = #"""
                "$0" stub --detach --pid-file "$1/pid" "$2" >"$1/out" || exit 99
                url=$(sed 's/.*"url":"\([^"]*\)".*/\1/' "$1/out")
                curl -s "$url/nothing" >/dev/null
                "$0" stub stop --pid-file "$1/pid"; echo "status $? $url"; ls -A "$1"
                """#
            let text = try await Self.shell(script, [directory, flag]).text
            let url = try #require(text.firstMatch(of: /status \d+ (\S+)/)?.output.1)
            #expect(text.hasSuffix("status \(status) \(url)\nout\n"), "\(text)")
            let hint = "had no answer; 'fingerpost stub report \(url)', before the server stops, prints which."
            #expect(text.contains(hint) == isHinted, "\(text)")
        }
    }

    @Test func detachedServerThatCannotStartPassesItsExitCodeOn() async throws {
        try await withTemporaryDirectory { directory in
            let script = #""$0" stub "$1/missing" --detach --pid-file "$1/pid""#
            let (status, text) = try await Self.shell(script, [directory])
            #expect(status == 65)
            #expect(text.contains("'\(directory)/missing' does not exist"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test func detachedServerNeedsAPIDFile() async throws {
        let (status, text) = try await Self.shell(#""$0" stub --detach"#)
        #expect(status == 64)
        #expect(text.contains("--pid-file"))
    }

    /// The process is this test: it must not be stopped, because no stub server has locked the file.
    @Test(arguments: ["self", "none"])
    func staleFileIsRemovedAndNoProcessStopped(process: String) async throws {
        try await withTemporaryDirectory { directory in
            let pidFile = directory + "/stub.pid"
            let pid = process == "self" ? getpid() : Int32.max
            try Data("\(pid)\n".utf8).write(to: URL(filePath: pidFile))
            let (status, text) = try await Self.shell(#""$0" stub stop --pid-file "$1""#, [pidFile])
            #expect(status == 1)
            #expect(text == "fingerpost: no stub server runs with \(pidFile); the file was removed.\n")
            #expect(!FileManager.default.fileExists(atPath: pidFile))
        }
    }

    @Test(arguments: [("", 65), ("hello\n", 65), ("1\n", 65), ("-5\n", 65)])
    func otherFileIsUnchanged(content: String, status: Int32) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/notes"
            try Data(content.utf8).write(to: URL(filePath: file))
            let result = try await Self.shell(#""$0" stub stop --pid-file "$1""#, [file])
            #expect(result.status == status)
            #expect(result.text.contains("holds no process id"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == content)
        }
    }

    // MARK: Mistakes

    @Test(arguments: ["service/catalog.db", "control.sock"])
    func productionDataIsRefused(name: String) async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory + "/service", withIntermediateDirectories: false)
            try Data().write(to: URL(filePath: "\(directory)/\(name)"))
            let (status, text) = try await Self.shell(#""$0" stub "$1" </dev/null"#, [directory])
            #expect(status == 78)
            #expect(text.contains("\(directory) is the data directory of a Fingerpost service"))
            #expect(text.split(separator: "\n").count == 1)
        }
    }

    private static let folders = #"""
        cd "$1"; mkdir -p st/mappings flat empty files/__files; touch acme.yaml st/mappings/b.yaml
        echo '{"request":{"url":"/a"}}' >flat/a.json; cp flat/a.json st/mappings
        "$0" stub $2 </dev/null; echo "status $?"
        """#

    @Test(arguments: [
        ("acme.yaml", 65, "acme.yaml is not a folder; name one with 'mappings', or a tenant file with --tenant.\n"),
        ("st/mappings", 65, "st/mappings is the folder 'mappings' itself; name its parent folder, DIRECTORY/st\n"),
        ("flat", 65, "flat has JSON files, but no folder 'mappings'; move them to flat/mappings\n"),
        ("empty", 0, "fingerpost: empty has no folder 'mappings': no stub is loaded\n"),
        ("st", 0, "fingerpost: st/mappings/b.yaml is not read; mappings are JSON\n"),
    ])
    func folderWithoutReadableMappingsIsReported(folder: String, status: Int, message: String) async throws {
        try await withTemporaryDirectory { directory in
            let printed = try await Self.shell(Self.folders, [directory, folder]).text
            let text = printed.replacing(directory, with: "DIRECTORY")
            #expect(text.contains(message) && text.hasSuffix("status \(status)\n"), "\(text)")
        }
    }

    /// Such a server has other answers than stubs, or will have stubs.
    @Test(arguments: ["files", "empty --proxy-all http://127.0.0.1:1", "empty --record http://127.0.0.1:1"])
    func folderWithoutMappingsHasOtherUses(options: String) async throws {
        try await withTemporaryDirectory { directory in
            let text = try await Self.shell(Self.folders, [directory, options]).text
            #expect(!text.contains("no stub is loaded") && text.contains(#""stubs":0"#), "\(text)")
        }
    }

    @Test(arguments: ["--record", "--proxy-all"])
    func targetWithoutAValidPortIsRefused(option: String) async throws {
        try await withTemporaryDirectory { directory in
            let script = #""$0" stub "$1/stubs" "$2" http://127.0.0.1:99999 </dev/null; echo "status $?"; ls -A "$1""#
            let text = try await Self.shell(script, [directory, option]).text
            #expect(text.contains("\(option): '99999' is not a port; write 1 to 65535."), "\(text)")
            #expect(text.hasSuffix("status 64\n"), "\(text)")
        }
    }

    @Test func portInUseIsOneLine() async throws {
        try await withTemporaryDirectory { directory in
            let script = #"""
                "$0" stub --detach --pid-file "$1/pid" >"$1/out" || exit 99
                port=$(sed 's/.*"port":\([0-9]*\).*/\1/' "$1/out")
                "$0" stub --port "$port" </dev/null; echo "status $?"
                "$0" stub --port 0 --https-port "$port" --ca-dir "$1/ca" </dev/null; echo "status $?"
                "$0" stub stop --pid-file "$1/pid"
                """#
            let lines = try await Self.shell(script, [directory]).text.split(separator: "\n")
            #expect(lines.count == 5, "\(lines)")
            for line in [lines[0], lines[3]] {
                #expect(line.hasPrefix("fingerpost: cannot listen on 127.0.0.1:") && line.contains("port is in use"))
            }
            #expect([lines[1], lines[4]] == ["status 69", "status 69"])
        }
    }

    // MARK: Clock and chance

    /// Two runs with the same seed and clock, and one with another seed.
    @Test func clockAndSeedFixTheAnswers() async throws {
        try await withTemporaryDirectory { directory in
            let mapping = #"""
                {"request":{"urlPath":"/"},"response":{"body":"{{now}} {{randomValue type='UUID'}}",
                 "transformers":["response-template"]}}
                """#
            let script = #"""
                "$0" stub --detach --pid-file "$1/pid" --clock 2026-01-01T00:00:00Z --seed "$2" >"$1/out" || exit 99
                url=$(sed 's/.*"url":"\([^"]*\).*/\1/' "$1/out")
                curl -sf -o "$1/mapping" -d "$3" "$url/__admin/mappings"
                curl -sf "$url/"; echo
                "$0" stub stop --pid-file "$1/pid"
                """#
            var answers: [String] = []
            for seed in ["7", "7", "8"] {
                let result = try await Self.shell(script, [directory, seed, mapping])
                #expect(result.status == 0)
                answers.append(result.text)
            }
            #expect(answers[0].hasPrefix("2026-01-01T00:00:00Z "), "\(answers)")
            #expect(answers[0] == answers[1])
            #expect(answers[0] != answers[2])
        }
    }

    // MARK: HTTPS

    @Test func curlTrustsThePrintedAuthority() async throws {
        try await withTemporaryDirectory { directory in
            let script = #"""
                "$0" stub ca --ca-dir "$1/ca" >"$1/ca.pem" 2>"$1/note" || exit 99
                "$0" stub --detach --pid-file "$1/pid" --https-port 0 --ca-dir "$1/ca" --https-name api.example.test \
                    >"$1/out" || exit 99
                url=$(sed 's/.*"httpsURL":"\([^"]*\).*/\1/' "$1/out")
                port=${url##*:}
                curl -sf --cacert "$1/ca.pem" "$url/__admin/health" || echo "failed $?"
                curl -sf --cacert "$1/ca.pem" --resolve "api.example.test:$port:127.0.0.1" \
                    "https://api.example.test:$port/__admin/health" || echo "failed $?"
                curl -s "$url/__admin/health" || echo "untrusted"
                curl -s --cacert "$1/ca.pem" --resolve "b.test:$port:127.0.0.1" "https://b.test:$port/" || echo "untrusted"
                "$0" stub stop --pid-file "$1/pid"
                """#
            let (status, text) = try await Self.shell(script, [directory])
            #expect(status == 0)
            #expect(text.components(separatedBy: "healthy").count == 3, "\(text)")
            #expect(text.components(separatedBy: "untrusted").count == 3, "\(text)")
            #expect(!text.contains("failed"), "\(text)")
            let note = try String(contentsOfFile: directory + "/note", encoding: .utf8)
            #expect(note == "fingerpost: made a certificate authority, \(directory)/ca/ca.pem\n")
            let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/ca/ca-key.pem")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    /// The refusal of a page of another site, and the option that it names.
    @Test func pageMayCallOnlyAServerThatHasItsName() async throws {
        let script = #"""
            trap '"$0" stub stop --pid-file "$1/pid" >/dev/null' EXIT
            "$0" stub "$1" --detach --pid-file "$1/pid" $2 >"$1/out" || exit 99
            url=$(sed 's/.*"url":"\([^"]*\).*/\1/' "$1/out")
            curl -s -X PUT -H 'Origin: https://stub.test' -d text "$url/__admin/files/a.txt"
            curl -s -H 'Host: stub.test' -d '{}' "$url/__admin/mappings"
            ls "$1/__files/a.txt"
            """#
        for (option, isRefused) in [("", true), ("--https-name stub.test", false)] {
            try await withTemporaryDirectory { directory in
                let text = try await Self.shell(script, [directory, option]).text
                #expect(text.components(separatedBy: "--https-name").count == (isRefused ? 3 : 1), "\(text)")
                #expect(text.contains("No such file") == isRefused, "\(text)")
                #expect(text.contains(#""id""#) != isRefused, "\(text)")
            }
        }
    }

    @Test func openKeyIsRefused() async throws {
        try await withTemporaryDirectory { directory in
            let script = #"""
                "$0" stub ca --ca-dir "$1/ca" >"$1/ca.pem" 2>"$1/note"
                chmod 640 "$1/ca/ca-key.pem"
                "$0" stub --https-port 0 --ca-dir "$1/ca" </dev/null
                """#
            let (status, text) = try await Self.shell(script, [directory])
            #expect(status == 78)
            #expect(text.contains("run: chmod 600 \(directory)/ca/ca-key.pem"))
        }
    }

    // MARK: Options of WireMock

    /// The usual command lines of WireMock.
    @Test func optionsOfWireMockAreAccepted() async throws {
        try await withTemporaryDirectory { directory in
            let script = #"""
                url() { sed 's/.*"url":"\([^"]*\).*/\1/' "$1"; }
                "$0" stub --verbose --port 0 --root-dir "$1" --disable-banner --container-threads 20 --timeout=1000 \
                    --enable-stub-cors --no-request-journal --detach --pid-file "$1/target.pid" >"$1/target" || exit 99
                target=$(url "$1/target")
                curl -s -i -H 'Origin: https://a.test' "$target/a" | tr -d '\r' | grep -i '^access-control-allow-origin'
                curl -s "$target/__admin/requests" | grep requestJournalDisabled
                "$0" stub --root-dir "$1/stubs" --proxy-all "$target" --record-mappings --match-headers 'X-A, X-B' \
                    --print-all-network-traffic --detach --pid-file "$1/recorder.pid" >"$1/recorder" || exit 99
                curl -s -o "$1/answer" -H 'X-B: two' "$(url "$1/recorder")/a"
                "$0" stub stop --pid-file "$1/recorder.pid"
                "$0" stub stop --pid-file "$1/target.pid"
                grep -A1 '"X-B"' "$1"/stubs/mappings/*.json
                """#
            let (status, text) = try await Self.shell(script, [directory])
            #expect(status == 0)
            #expect(text.components(separatedBy: "have no effect here\n").count == 3, "\(text)")
            #expect(text.contains("Access-Control-Allow-Origin: https://a.test\n"), "\(text)")
            #expect(text.contains(#/"requestJournalDisabled" ?: true/#), "\(text)")
            #expect(text.contains("fingerpost: recorded 1 stub\n") && text.contains("two"), "\(text)")
        }
    }

    // MARK: Recordings and archives

    /// A target, a recording, and what verify says of the same and of a changed target.
    @Test func recordingIsVerified() async throws {
        try await withTemporaryDirectory { directory in
            let script = #"""
                url() { sed 's/.*"url":"\([^"]*\).*/\1/' "$1"; }
                "$0" stub --detach --pid-file "$1/target.pid" >"$1/target" || exit 99
                target=$(url "$1/target")
                curl -sf -o "$1/mapping" -d "$2" "$target/__admin/mappings"
                "$0" stub "$1/stubs" --record "$target" --detach --pid-file "$1/recorder.pid" >"$1/recorder" || exit 99
                curl -sf "$(url "$1/recorder")/a"; echo
                "$0" stub stop --pid-file "$1/recorder.pid"
                "$0" stub verify "$1/stubs" "$target"; echo "status $?"
                curl -sf -o "$1/mapping" -X PUT -d "$3" "$target/__admin/mappings/0f1e2d3c-0000-4000-8000-000000000001"
                "$0" stub verify "$1/stubs" "$target"; echo "status $?"
                "$0" stub verify "$1/stubs" "$target" --ignore-field a --json >"$1/report"; echo "status $?"
                "$0" stub stop --pid-file "$1/target.pid"
                "$0" stub verify "$1/stubs" "$target"; echo "status $?"
                """#
            func mapping(_ value: Int) -> String {
                #"{"id":"0f1e2d3c-0000-4000-8000-000000000001","request":{"url":"/a"},"#
                    + #""response":{"jsonBody":{"a":\#(value)},"headers":{"Content-Type":"application/json"}}}"#
            }
            let result = try await Self.shell(script, [directory, mapping(1), mapping(2)])
            let lines = result.text.split(separator: "\n").map(String.init)
            #expect(lines.prefix(2) == [#"{"a":1}"#, "fingerpost: recorded 1 stub"], "\(lines)")
            #expect(lines.contains("1 same, 0 drifted, 0 unanswered, 0 skipped"))
            #expect(lines.contains("            /a: recorded 1, now 2"))
            #expect(lines.filter { $0.hasPrefix("status") } == ["status 0", "status 1", "status 0", "status 69"])
            let text = try String(contentsOfFile: directory + "/report", encoding: .utf8)
            let report = try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 1 << 20))
            #expect(report["same"]?.int == 1)
        }
    }

    @Test func deadTargetIsNotRecorded() async throws {
        try await withTemporaryDirectory { directory in
            let script = #"""
                mkfifo "$1/in"; "$0" stub "$1/stubs" --record http://127.0.0.1:1 <"$1/in" >"$1/out" 2>"$1/err" & pid=$!
                exec 3>"$1/in"
                until [ -s "$1/out" ]; do sleep 0.05; done
                curl -s -o "$1/answer" "$(sed 's/.*"url":"\([^"]*\).*/\1/' "$1/out")/a"
                exec 3>&-
                wait $pid; echo "status $?"; cat "$1/err"
                """#
            let text = try await Self.shell(script, [directory]).text
            #expect(
                text.hasPrefix("status 69\nfingerpost: not recorded: GET /a: the target did not answer\n"),
                "\(text)"
            )
            #expect(text.contains("nothing was recorded; check that http://127.0.0.1:1 is the service to record"))
        }
    }

    @Test func archiveIsImportedAndExported() async throws {
        try await withTemporaryDirectory { directory in
            let entry =
                #"{"startedDateTime":"2026-01-01T10:00:00Z","request":{"method":"GET","url":"http://a.test/a"},"#
                + #""response":{"status":200,"content":{"text":"A"}}}"#
            let har = #"{"log":{"entries":[\#(entry)]}}"#
            let script = #"""
                printf %s "$2" | "$0" stub import har - "$1/stubs"; echo "status $?"
                "$0" stub export har "$1/stubs" --base-url http://a.test >"$1/out.har"; echo "status $?"
                "$0" stub import har "$1/out.har" "$1/stubs"; echo "status $?"
                ls "$1/stubs/mappings" | wc -l
                echo '{"log":{"entries":[{}]}}' | "$0" stub import har - "$1/stubs"; echo "status $?"
                "$0" stub import har "$1/out.har" "$1"; echo "status $?"
                "$0" stub export har "$1"; echo "status $?"
                """#
            let lines = try await Self.shell(script, [directory, har]).text.split(separator: "\n").map {
                $0.drop { $0 == " " }
            }
            #expect(
                lines.filter { $0.hasPrefix("status") }.map { $0.suffix(2) } == [" 0", " 0", " 0", "65", "78", "65"],
                "\(lines)"
            )
            #expect(lines[0] == "1 stub in \(directory)/stubs/mappings")
            #expect(lines.contains("1"))
            #expect(lines.contains { $0.contains("/log/entries/0: 'request' is missing") })
            #expect(lines.contains { $0.contains("has other content") })
        }
    }
}
