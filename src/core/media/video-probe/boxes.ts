/** Boxes of ISO 14496-12: a length, four letters, and what is in it. */
import { VideoError } from './fault.ts'
import type { VideoSource } from './source.ts'

export interface Box {
  type: string
  /** Where the box begins, where its content begins, and where both end, in the file or in the bytes that were searched. */
  at: number
  from: number
  to: number
}

/** The most boxes on the outermost level; a film of half a minute in fragments of one picture has some thousands. */
const maxOuterBoxes = 100_000
const maxInnerBoxes = 20_000

/** The boxes with which an mp4 may begin; some files have no `ftyp`. */
const firstBoxes = new Set(['ftyp', 'styp', 'moov', 'mdat', 'free', 'skip', 'wide'])
const mayReachToTheEnd = new Set(['mdat', 'free', 'skip'])

/** The boxes of a file, which end exactly where it ends. Throws `VideoError`. */
export function outerBoxes(source: VideoSource): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at < source.bytes; ) {
    if (source.bytes - at < 8) throw new VideoError(at === 0 ? 'not_video' : 'truncated')
    const head = source.read(at, Math.min(16, source.bytes - at))
    const box = headOf(head, at, source.bytes)
    if (at === 0 && !firstBoxes.has(box.type)) throw new VideoError('not_video')
    if (boxes.push(box) > maxOuterBoxes) throw new VideoError('malformed')
    if (box.to > source.bytes) throw new VideoError('truncated')
    at = box.to
  }
  return boxes
}

function headOf(head: Buffer, at: number, end: number): Box {
  const type = head.toString('latin1', 4, 8)
  if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) throw new VideoError(at === 0 ? 'not_video' : 'malformed')
  const short = head.readUInt32BE(0)
  if (short === 0 && mayReachToTheEnd.has(type)) return { type, at, from: at + 8, to: end }
  if (short !== 1) {
    if (short < 8) throw new VideoError('malformed')
    return { type, at, from: at + 8, to: at + short }
  }
  if (head.length < 16) throw new VideoError('truncated')
  const long = Number(head.readBigUInt64BE(8))
  if (long < 16) throw new VideoError('malformed')
  return { type, at, from: at + 16, to: at + long }
}

/** The boxes within bytes, from an offset on. Throws `malformed` for a box that exceeds the bytes. */
export function innerBoxes(bytes: Buffer, from = 0): Box[] {
  const boxes: Box[] = []
  for (let at = from; at + 8 <= bytes.length; ) {
    // Some writers end a list with four zeros, and some fill up with them.
    if (bytes.readUInt32BE(at) === 0) break
    const box = headOf(bytes.subarray(at, at + 16), at, bytes.length)
    if (box.to > bytes.length || boxes.push(box) > maxInnerBoxes) throw new VideoError('malformed')
    at = box.to
  }
  return boxes
}

/** Content of the first box of the type within bytes. */
export function contentOf(bytes: Buffer, type: string): Buffer | undefined {
  const box = innerBoxes(bytes).find((one) => one.type === type)
  return box && bytes.subarray(box.from, box.to)
}

/** Content of a box by its path. */
export const contentAt = (bytes: Buffer, ...path: string[]): Buffer | undefined =>
  path.reduce<Buffer | undefined>((inner, type) => inner && contentOf(inner, type), bytes)

/** Reads numbers in the order in which they stand. Throws `malformed` past the end. */
export class FieldReader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  skip(length: number): this {
    this.#take(length)
    return this
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#take(1))
  }

  u16(): number {
    return this.#bytes.readUInt16BE(this.#take(2))
  }

  u24(): number {
    return this.#bytes.readUIntBE(this.#take(3), 3)
  }

  u32(): number {
    return this.#bytes.readUInt32BE(this.#take(4))
  }

  i32(): number {
    return this.#bytes.readInt32BE(this.#take(4))
  }

  u64(): number {
    return Number(this.#bytes.readBigUInt64BE(this.#take(8)))
  }

  i64(): number {
    return Number(this.#bytes.readBigInt64BE(this.#take(8)))
  }

  text(length: number): string {
    const at = this.#take(length)
    return this.#bytes.toString('latin1', at, at + length)
  }

  /** The number of rows of the table that follows. Throws `malformed` if not all of them are there. */
  count(rowBytes: number): number {
    const rows = this.u32()
    if (rows * rowBytes > this.left) throw new VideoError('malformed')
    return rows
  }

  #take(length: number): number {
    if (length > this.left) throw new VideoError('malformed')
    const at = this.#at
    this.#at += length
    return at
  }
}
