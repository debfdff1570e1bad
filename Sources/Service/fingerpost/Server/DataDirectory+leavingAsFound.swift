import LinkEvents
import LinkStorage

extension DataDirectory {
    /// Runs the work of a short command. After success, a refusal or a full disk, the record of the last clean or
    /// unclean stop stays as it was found. After any other disk failure the directory counts as uncleanly stopped, so
    /// that the next start checks the files.
    func leavingAsFound<Result>(_ work: () async throws -> Result) async throws -> Result {
        let result: Result
        do {
            result = try await work()
        } catch {
            let isRefusal = (error as? StorageError)?.isRefusal ?? false
            if isRefusal || (error as? any DiskError)?.isDiskFull ?? true { try leaveAsFound() }
            throw error
        }
        try leaveAsFound()
        return result
    }
}
