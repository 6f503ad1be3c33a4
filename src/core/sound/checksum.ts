/** The CRCs of Ogg (32 bits) and of FLAC (8 and 16), none of them reflected or inverted. */
const polynomials = { 8: 0x07, 16: 0x8005, 32: 0x04c1_1db7 } as const

const tables = {
  8: tableOf(8),
  16: tableOf(16),
  32: tableOf(32),
}

function tableOf(width: 8 | 16 | 32): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    // At the top of 32 bits, all widths are computed alike.
    let value = byte << 24
    for (let bit = 0; bit < 8; bit++)
      value = value < 0 ? (value << 1) ^ (polynomials[width] << (32 - width)) : value << 1
    return value
  })
}

export function checksumOf(bytes: Uint8Array, width: 8 | 16 | 32): number {
  const table = tables[width]
  let value = 0
  for (let index = 0; index < bytes.length; index++)
    value = (value << 8) ^ table[(value >>> 24) ^ bytes[index]!]!
  return value >>> (32 - width)
}
