/** Draws a text as a QR code that a page shows without a request to anybody. */

/** The margin of four modules that ISO/IEC 18004 asks for. */
const border = 4

export interface QrCode {
  /** Width and height of the whole in modules, its margin included: the `viewBox` of an SVG. */
  size: number
  /** The dark modules as path data of SVG. */
  path: string
}

/** Throws for a text longer than about 2,900 bytes. */
export async function qrCodeOf(text: string): Promise<QrCode> {
  const { encode } = await import('uqr')
  const { size, data } = encode(text, { ecc: 'M', border })
  return { size, path: data.map(rowPath).join('') }
}

/** One rectangle for each run of dark modules of a row. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = ''
  for (let x = 0; x < row.length; ) {
    let end = x
    while (row[end]) end++
    if (end > x) path += `M${x} ${y}h${end - x}v1h-${end - x}z`
    x = Math.max(end, x + 1)
  }
  return path
}
