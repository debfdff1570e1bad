/// An error of the disk that says whether the disk is what is wrong, or only its room.
///
/// Full is ENOSPC and EDQUOT of a write: nothing was done that was acknowledged, and it heals by itself. A sync that fails is
/// never that, whatever it says: nobody knows then what the file holds.
package protocol DiskError: Error, CustomStringConvertible {
    var isDiskFull: Bool { get }
}
