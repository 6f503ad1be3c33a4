/** Megabytes of bytes: hashed and decoded without holding the event loop, freed when nobody needs them. */
import { createHash } from 'node:crypto'
import { Slice } from '#platform/slices'

const partBytes = 1024 * 1024
/** Of Base64, in characters: a multiple of four. */
const partCharacters = 1024 * 1024
const alphabet = /^[A-Za-z0-9+/]*$/
const lastPart = /^[A-Za-z0-9+/]*={0,2}$/

/** Frees the memory of a buffer now, and not when garbage is collected. It must be the only one on its memory, and is empty after that. */
export function freeBytes(bytes: Uint8Array): void {
  if (bytes.length > 0) (bytes.buffer as ArrayBuffer).transfer(0)
}

const firstBytes = 1024

/** Bytes that come in chunks of any size, in one buffer: a buffer for each chunk of one byte would cost two hundred times as much. */
export class GrowingBytes {
  length = 0
  #bytes: Buffer = Buffer.alloc(0)

  add(chunk: Uint8Array): void {
    const length = this.length + chunk.length
    if (length > this.#bytes.length) this.#grow(Math.max(firstBytes, length, 2 * this.#bytes.length))
    this.#bytes.set(chunk, this.length)
    this.length = length
  }

  /** All that came, in a buffer of its own (see `freeBytes`); from here on it begins anew. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.length)
    this.#bytes = Buffer.alloc(0)
    this.length = 0
    return bytes
  }

  #grow(bytes: number): void {
    const grown = Buffer.allocUnsafeSlow(bytes)
    grown.set(this.#bytes.subarray(0, this.length))
    freeBytes(this.#bytes)
    this.#bytes = grown
  }
}

/** SHA-256 in hexadecimal digits. */
export async function sha256InSlices(bytes: Uint8Array): Promise<string> {
  const slice = new Slice()
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.length; at += partBytes) {
    hash.update(bytes.subarray(at, at + partBytes))
    if (slice.isOver()) await slice.next()
  }
  return hash.digest('hex')
}

/**
 * Decodes Base64 of RFC 4648 §4 into a buffer of its own (see `freeBytes`): standard alphabet, whole padding, no white space;
 * `undefined` for anything else.
 */
export async function decodeBase64InSlices(text: string): Promise<Uint8Array | undefined> {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = Buffer.allocUnsafeSlow((text.length / 4) * 3 - padding)
  const slice = new Slice()
  let filled = 0
  for (let at = 0; at < text.length; at += partCharacters) {
    const part = text.slice(at, at + partCharacters)
    const isLast = at + partCharacters >= text.length
    if (!(isLast ? lastPart : alphabet).test(part)) return undefined
    filled += bytes.write(part, filled, 'base64')
    if (slice.isOver()) await slice.next()
  }
  return new Uint8Array(bytes.buffer, 0, filled)
}
