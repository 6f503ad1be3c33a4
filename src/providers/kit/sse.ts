import { UpstreamError } from '#core/spec'
import { GrowingBytes } from '#platform/bytes'

/** Receives the data of one event; `event` is its name, `message` when the upstream sent none. */
export type SseListener = (data: string, event: string) => void

const lineFeed = 10
const carriageReturn = 13
const colon = 58
const space = 32
const dataField = Buffer.from('data')
const eventField = Buffer.from('event')
/** The largest event of any wire is a Base64 image or audio file. */
const standardMaxEventBytes = 16 * 1024 * 1024

/**
 * Incremental parser of `text/event-stream` (WHATWG HTML, section 9.2): takes bytes split anywhere and emits complete events. Lines are
 * found as bytes and decoded as a unit, so a split character is never corrupted. More lenient than the standard in two things: `end()` emits
 * an event whose closing blank line is missing, and a byte order mark may begin any line, since some servers write one before each event.
 * Throws `UpstreamError` malformed when one event exceeds `maxEventBytes`.
 */
export class SseReader {
  readonly #listener: SseListener
  readonly #maxEventBytes: number
  /** Bytes of an incomplete line. */
  readonly #held = new GrowingBytes()
  #data: string | undefined
  #eventBytes = 0
  #event = 'message'
  /** The last byte was CR: an LF right after it belongs to the same line end. */
  #afterCarriageReturn = false

  constructor(listener: SseListener, maxEventBytes = standardMaxEventBytes) {
    this.#listener = listener
    this.#maxEventBytes = maxEventBytes
  }

  push(bytes: Uint8Array): void {
    const chunk = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let position = 0
    if (this.#afterCarriageReturn && chunk.length > 0) {
      if (chunk[0] === lineFeed) position = 1
      this.#afterCarriageReturn = false
    }
    // Each kind of line end is searched again only past its last position: otherwise a chunk with many ends of one kind would be scanned to
    // its end for every line.
    let nextReturn = chunk.indexOf(carriageReturn, position)
    let nextFeed = chunk.indexOf(lineFeed, position)
    while (position < chunk.length) {
      if (nextReturn !== -1 && nextReturn < position) nextReturn = chunk.indexOf(carriageReturn, position)
      if (nextFeed !== -1 && nextFeed < position) nextFeed = chunk.indexOf(lineFeed, position)
      const end = nextReturn !== -1 && (nextFeed === -1 || nextReturn < nextFeed) ? nextReturn : nextFeed
      if (end === -1) {
        this.#hold(chunk.subarray(position))
        return
      }
      this.#takeLine(chunk, position, end)
      position = end + 1
      if (end !== nextReturn) continue
      if (position === chunk.length) this.#afterCarriageReturn = true
      else if (chunk[position] === lineFeed) position += 1
    }
  }

  /** Ends the stream: emits the event that is still buffered. */
  end(): void {
    if (this.#held.length > 0) this.#takeLine(Buffer.alloc(0), 0, 0)
    this.#dispatch()
  }

  #hold(piece: Buffer): void {
    this.#checkSize(this.#held.length + piece.length)
    this.#held.add(piece)
  }

  #takeLine(chunk: Buffer, start: number, end: number): void {
    if (this.#held.length === 0) {
      this.#line(chunk, start, end)
      return
    }
    this.#held.add(chunk.subarray(start, end))
    const line = this.#held.take()
    this.#line(line, 0, line.length)
  }

  #line(bytes: Buffer, from: number, end: number): void {
    let start = from
    if (bytes[start] === 0xef && end - start >= 3 && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf)
      start += 3
    if (start === end) {
      this.#dispatch()
      return
    }
    const first = bytes[start]
    if (first === colon) return
    // `data` and `event` are distinguished by their first letter.
    if (first === dataField[0]) {
      const value = field(bytes, start, end, dataField)
      if (value === undefined) return
      this.#eventBytes += end - start
      this.#checkSize(this.#eventBytes)
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    } else if (first === eventField[0]) {
      this.#event = field(bytes, start, end, eventField) || this.#event
    }
  }

  #dispatch(): void {
    const [data, event] = [this.#data, this.#event]
    this.#data = undefined
    this.#eventBytes = 0
    this.#event = 'message'
    if (data !== undefined) this.#listener(data, event)
  }

  #checkSize(bytes: number): void {
    if (bytes > this.#maxEventBytes) {
      throw new UpstreamError('malformed', { detail: `an event of more than ${this.#maxEventBytes} bytes` })
    }
  }
}

/** The value after `name:` and one optional space; undefined when the line is of another field. */
function field(bytes: Buffer, start: number, end: number, name: Buffer): string | undefined {
  const after = start + name.length
  if (after > end) return undefined
  for (let place = 1; place < name.length; place++) if (bytes[start + place] !== name[place]) return undefined
  if (after === end) return ''
  if (bytes[after] !== colon) return undefined
  const value = bytes[after + 1] === space && after + 1 < end ? after + 2 : after + 1
  return bytes.toString('utf8', value, end)
}
