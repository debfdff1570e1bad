package import LinkCatalog

/// How a QR code is drawn.
package struct QRCodeStyle: Sendable, Hashable {
    /// Width and height of the image in pixels.
    package let size: Int
    /// The minimum width of the light border, in modules.
    package let quietZone: Int
    package let color: RGBColor
    package let background: RGBColor

    package static let sizes = 1...4_096
    package static let quietZones = 0...16
    /// Cameras confuse the modules of codes with less.
    private static let minimumContrast = 4.0

    /// - Parameters: By default 512 pixels, the quiet zone of 4 modules that the standard asks for, black, and white.
    package init(size: Int? = nil, quietZone: Int? = nil, color: RGBColor? = nil, background: RGBColor? = nil)
        throws(QRCodeError)
    {
        self.size = size ?? 512
        self.quietZone = quietZone ?? 4
        self.color = color ?? .black
        self.background = background ?? .white
        guard Self.sizes.contains(self.size) else {
            throw QRCodeError("The size must be 1 to \(Self.sizes.upperBound) pixels.")
        }
        guard Self.quietZones.contains(self.quietZone) else {
            throw QRCodeError("The quiet zone must be 0 to \(Self.quietZones.upperBound) modules.")
        }
        guard self.color.luminance <= self.background.luminance else {
            throw QRCodeError(
                "The color must be darker than the background, because many cameras find no light code on a dark ground. "
                    + "Swap \(self.color) and \(self.background)."
            )
        }
        let contrast = self.color.contrast(to: self.background)
        guard contrast >= Self.minimumContrast else {
            let tenths = Int(contrast * 10)
            throw QRCodeError(
                "The contrast of \(self.color) to \(self.background) is \(tenths / 10).\(tenths % 10):1, and cameras need "
                    + "at least 4:1. Choose a darker color or a lighter background."
            )
        }
    }

    /// The width and height of a module in whole pixels.
    func scale(of code: QRCode) throws(QRCodeError) -> Int {
        let side = code.width + 2 * quietZone
        guard size >= side else {
            throw QRCodeError(
                "The QR code has \(side) modules with its quiet zone, so its size must be at least \(side) pixels; "
                    + "cameras need 3 or more for each module."
            )
        }
        return size / side
    }
}
