import LinkEvents
import LinkStorage

extension DataDirectory {
    /// The work of a short command. Whatever it refuses, and when there is no room, whether the last stop was clean stays as it
    /// was found; a file that failed is for the next start to check.
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
