/** Large buffers: they are hashed and decoded without blocking the event loop, and freed as soon as they are not needed. */
import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Slice } from '#platform/slices'

const partBytes = 1024 * 1024
/** Characters of Base64 per slice: a multiple of four. */
const partCharacters = 1024 * 1024

const largeBytes = 4 * 1024 * 1024
/** Smaller buffers are left to the garbage collector, because a call to free them costs more; buffers up to this size may share memory. */
const smallBytes = 64 * 1024
/** From this size on glibc returns memory to the system as soon as it is freed; smaller blocks may stay with the process. */
const givenBackBytes = 33 * 1024 * 1024

/**
 * A buffer with its own memory, of at least this many bytes. A large one reserves more address space than it needs, which is free until
 * written, so that its memory returns to the system when it is freed.
 */
export const ownBuffer = (bytes: number): Buffer<ArrayBuffer> =>
  Buffer.allocUnsafeSlow(bytes > largeBytes ? Math.max(bytes, givenBackBytes) : bytes)

/** A buffer for short-lived bytes, like `ownBuffer`; a small one shares its memory with others, which costs a tenth. */
export const shortLivedBuffer = (bytes: number): Buffer<ArrayBuffer> =>
  bytes <= smallBytes ? Buffer.allocUnsafe(bytes) : ownBuffer(bytes)

/**
 * Frees the memory of a buffer now, not at the next garbage collection; nothing may use it any more. It must be the only view of its
 * memory, and is empty afterwards. The memory of a small buffer stays.
 */
export function freeBytes(bytes: Uint8Array): void {
  if (bytes.buffer.byteLength > Math.max(smallBytes, Buffer.poolSize))
    (bytes.buffer as ArrayBuffer).transfer(0)
}

const firstBytes = 1024

/** Collects chunks of any size in one buffer. Keeping a buffer for each one-byte chunk would cost two hundred times as much. */
export class GrowingBytes {
  length = 0
  #bytes: Buffer = Buffer.alloc(0)

  add(chunk: Uint8Array): void {
    const length = this.length + chunk.length
    if (length > this.#bytes.length) this.#grow(Math.max(firstBytes, length, 2 * this.#bytes.length))
    this.#bytes.set(chunk, this.length)
    this.length = length
  }

  /** Returns all collected bytes in one buffer, for `freeBytes`, and starts over empty. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.length)
    this.#bytes = Buffer.alloc(0)
    this.length = 0
    return bytes
  }

  #grow(bytes: number): void {
    const grown = shortLivedBuffer(bytes)
    grown.set(this.#bytes.subarray(0, this.length))
    freeBytes(this.#bytes)
    this.#bytes = grown
  }
}

/** The SHA-256 of the bytes in hexadecimal digits. */
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
  const length = decodedLength(text)
  if (length === undefined) return undefined
  const bytes = ownBuffer(length)
  const slice = new Slice()
  for (let at = 0; at < text.length; at += partCharacters) {
    if (!writeBase64(text.slice(at, at + partCharacters), bytes, (at / 4) * 3, length)) return undefined
    if (slice.isOver()) await slice.next()
  }
  return new Uint8Array(bytes.buffer, 0, length)
}

/** Decodes Base64 like `decodeBase64InSlices`, but at once; for a text that is not large. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const length = decodedLength(text)
  if (length === undefined) return undefined
  const bytes = Buffer.allocUnsafeSlow(length)
  return writeBase64(text, bytes, 0, length) ? new Uint8Array(bytes.buffer, 0, length) : undefined
}

/** The number of bytes that the text decodes to. Undefined if padding is missing, too long, or stands before the end. */
function decodedLength(text: string): number | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const isPadded = text.length % 4 === 0 && text.indexOf('=') === (padding > 0 ? text.length - padding : -1)
  return isPadded ? (text.length / 4) * 3 - padding : undefined
}

/**
 * Writes the bytes of a part that consists of whole groups. Returns false for characters outside the alphabet: Node's decoder skips most of them, so
 * that fewer bytes come out, accepts those of the URL alphabet, and takes only the lower byte of others. A regular expression over each character
 * would take eight times as long as all these checks together.
 */
function writeBase64(part: string, bytes: Buffer, at: number, length: number): boolean {
  const isAscii = Buffer.byteLength(part) === part.length
  if (!isAscii || part.includes('-') || part.includes('_')) return false
  return bytes.write(part, at, 'base64') === Math.min((part.length / 4) * 3, length - at)
}

/** Delay of the collection after the last large release: a caller that continues at once creates more garbage. */
const quietMs = 2_000
let collecting: NodeJS.Timeout | undefined

/**
 * Schedules a garbage collection after large values were released. V8 does not collect in an idle process: the garbage of thirty uploads of
 * 27 MB would stay for good.
 */
export function collectWhenQuiet(): void {
  clearTimeout(collecting)
  collecting = setTimeout(() => void garbageCollector()?.({ type: 'major', execution: 'async' }), quietMs)
  collecting.unref()
}

/** After this many characters of released texts a garbage collection runs: V8 by itself would let twice as many pile up. */
const releasedCharacters = 20 * 1024 * 1024
let released = 0

/**
 * Call this when a large text is not needed any more, such as Base64 that was decoded. Each time `releasedCharacters` have come together, a garbage
 * collection runs at once, so that concurrent large requests do not add up their garbage. Resolves when the collection is done.
 */
export async function noteReleasedText(characters: number): Promise<void> {
  released += characters
  if (released < releasedCharacters) return
  released = 0
  await garbageCollector()?.({ type: 'major', execution: 'async' })
}

type GarbageCollector = (how: { type: 'major'; execution: 'async' }) => Promise<void>

/** Node exposes `gc` only with a flag. */
function garbageCollector(): GarbageCollector | undefined {
  setFlagsFromString('--expose-gc')
  return runInNewContext('globalThis.gc') as GarbageCollector | undefined
}

/** The bytes of 32-bit floats, lowest byte first, as on every machine that runs this program; they share the memory of `numbers`. */
export const littleEndian = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** The floats of little-endian bytes, copied into memory of their own; the length must be a multiple of four. */
export const fromLittleEndian = (bytes: Uint8Array): Float32Array =>
  new Float32Array(new Uint8Array(bytes).buffer)
