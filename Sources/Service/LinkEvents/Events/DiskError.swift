/// An error of the disk that tells a full disk from a failing one.
///
/// A full disk is ENOSPC or EDQUOT of a write: nothing acknowledged was lost, and the service recovers once there is
/// space. A failed fsync never counts as full, whatever its code, because the contents of the file are unknown
/// afterwards.
package protocol DiskError: Error, CustomStringConvertible {
    var isDiskFull: Bool { get }
}
