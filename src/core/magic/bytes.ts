/** A view for reading numbers; callers check the bounds. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Whether the bytes at the offset are this ASCII text. */
export function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  if (at + text.length > bytes.length) return false
  for (let index = 0; index < text.length; index++)
    if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

/** Whether these bytes are anywhere in a head of some kilobytes. */
export const includesBytes = (bytes: Uint8Array, wanted: readonly number[]): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(Buffer.from(wanted))

/** Whether these bytes are at the offset. */
export function hasBytes(bytes: Uint8Array, at: number, wanted: readonly number[]): boolean {
  return at + wanted.length <= bytes.length && wanted.every((byte, index) => bytes[at + index] === byte)
}
