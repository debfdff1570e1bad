import CZlib
import LinkCatalog

extension QRCode {
    /// A PNG with a palette of two colours. Modules have whole pixels; what is left of the size widens the quiet zone.
    package func png(_ style: QRCodeStyle) throws(QRCodeError) -> [UInt8] {
        let scale = try style.scale(of: self)
        let border = (style.size - scale * width) / 2
        // A row begins with its filter: none. Each pixel is a bit, and 0 the background.
        let rowBytes = 1 + (style.size + 7) / 8
        var image = [UInt8](repeating: 0, count: border * rowBytes)
        for row in 0..<width {
            var pixels = [UInt8](repeating: 0, count: rowBytes)
            for column in 0..<width where self[row, column] {
                for x in (border + column * scale)..<(border + (column + 1) * scale) {
                    pixels[1 + x / 8] |= 0x80 >> UInt8(x % 8)
                }
            }
            for _ in 0..<scale { image += pixels }
        }
        image += [UInt8](repeating: 0, count: style.size * rowBytes - image.count)
        let size = Self.bigEndian(UInt32(style.size))
        var png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // A bit for each pixel, a palette, and the only methods of compression, filters and order.
        png += Self.chunk("IHDR", size + size + [1, 3, 0, 0, 0])
        png += Self.chunk("PLTE", style.background.components + style.color.components)
        png += Self.chunk("IDAT", try Self.compressed(image))
        png += Self.chunk("IEND", [])
        return png
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(type.utf8) + data
        let checksum = crc32(0, content, UInt32(content.count))
        return bigEndian(UInt32(data.count)) + content + bigEndian(UInt32(truncatingIfNeeded: checksum))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func compressed(_ bytes: [UInt8]) throws(QRCodeError) -> [UInt8] {
        var count = compressBound(UInt(bytes.count))
        var compressed = [UInt8](repeating: 0, count: Int(count))
        guard compress2(&compressed, &count, bytes, UInt(bytes.count), Z_BEST_COMPRESSION) == Z_OK else {
            throw QRCodeError("There is not enough memory for the image.")
        }
        return Array(compressed.prefix(Int(count)))
    }

    /// An SVG with a module as its unit.
    package func svg(_ style: QRCodeStyle, logo: QRCodeLogo? = nil) throws(QRCodeError) -> String {
        guard logo == nil || level == .high else {
            throw QRCodeError("A logo hides modules, so it needs the level H.")
        }
        let border = style.quietZone
        let side = width + 2 * border
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                let start = column
                while self[row, column] { column += 1 }
                if column > start {
                    path += "M\(border + start) \(border + row)h\(column - start)v1H\(border + start)z"
                }
                column += 1
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(style.size)" height="\(style.size)" \
            viewBox="0 0 \(side) \(side)"><rect width="\(side)" height="\(side)" fill="\(style.background)"/>\
            <path shape-rendering="crispEdges" fill="\(style.color)" d="\(path)"/>\
            \(logo.map { image($0, style) } ?? "")</svg>

            """
    }

    /// The logo in the middle, on a square of at most a fifth of the code's width. The square has an odd number of modules,
    /// as codes have, so that it hides whole ones.
    private func image(_ logo: QRCodeLogo, _ style: QRCodeStyle) -> String {
        let square = (width / 5 - 1) | 1
        let corner = style.quietZone + (width - square) / 2
        return """
            <rect x="\(corner)" y="\(corner)" width="\(square)" height="\(square)" fill="\(style.background)"/>\
            <image x="\(corner).5" y="\(corner).5" width="\(square - 1)" height="\(square - 1)" href="\(logo.dataURI)"/>
            """
    }

    /// Lines of half blocks with two rows of modules each. Light modules are drawn, for text that is light on dark.
    package func text(_ style: QRCodeStyle) -> [String] {
        let side = -style.quietZone..<width + style.quietZone
        return stride(from: side.lowerBound, to: side.upperBound, by: 2).map { row in
            side.map { column -> String in
                // The number of rows is odd, so the last line has only one.
                switch (self[row, column], self[row + 1, column] || !side.contains(row + 1)) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }.joined()
        }
    }
}
