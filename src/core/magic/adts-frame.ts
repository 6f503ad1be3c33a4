/** The length in the header of a frame (ISO 14496-3, 1.A.2.2); undefined where the rate does not exist or the length is not more than the header. */
export function adtsBytes(bytes: Uint8Array, at: number): number | undefined {
  if (at + 6 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xf6) !== 0xf0) return undefined
  const length = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
  return ((bytes[at + 2]! >> 2) & 15) < 13 && length > 7 ? length : undefined
}
