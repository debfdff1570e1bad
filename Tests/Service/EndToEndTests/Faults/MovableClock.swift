import Foundation
import Testing

/// A wall clock that a test sets while the process runs: libfaketime reads it from a file at every access. Other clocks
/// are not affected.
struct MovableClock {
    private let file: String

    static let isHere = FileManager.default.isExecutableFile(atPath: "/usr/bin/faketime")
    static let skipped: Comment = "SKIPPED: install the package faketime to run this"

    /// faketime names its shared memory after its process. Killed ones leave it behind, and a later process with the same id would
    /// not start.
    static let afterKilledOnes = [
        "/bin/sh", "-c", #"rm -f /dev/shm/faketime_shm_$$ /dev/shm/sem.faketime_sem_$$; exec "$@""#, "sh",
    ]

    /// `time` is in UTC, as in `2027-03-28 00:59:57`. The clock advances from there.
    init(file: String, at time: String) throws {
        self.file = file
        try set(time)
    }

    func set(_ time: String) throws { try Data("@\(time)\n".utf8).write(to: URL(filePath: file), options: .atomic) }

    /// The prefix of a command that gives it this clock. -m supports multi-threaded programs. Unsets the wrapper's own
    /// FAKETIME, which would override the file.
    var launcher: [String] {
        Self.afterKilledOnes + [
            "/usr/bin/env", "TZ=UTC", "FAKETIME_TIMESTAMP_FILE=\(file)", "FAKETIME_NO_CACHE=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1", "faketime", "-m", "-f", "+0", "env", "-u",
            "FAKETIME",
        ]
    }
}
