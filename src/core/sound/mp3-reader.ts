import { hasText, isEncoderTable, type Mp3Frame, readMp3Frame, skipId3 } from '#core/magic'
import { SampleBatch } from './batch.ts'
import { SoundError } from './fault.ts'
import { Mpg123 } from './mpg123.ts'

/** The bytes by which a tag and its length are recognised. */
const headBytes = 32
/** The most bytes between frames that are neither frame nor tag, which players skip. */
const maxRubbish = 65_536
/** The samples by which the output of every decoder of layer III is late. */
const decoderDelay = 529

/**
 * Reads MPEG audio that comes in chunks of any length; mpg123 decodes it, and is given whole frames only. Tags are skipped. Where an encoder left its
 * table (Xing, Info with LAME's part), its padding is cut off, and the frames and bytes that it counts must be there.
 */
export class Mp3Reader {
  readonly mediaType = 'audio/mpeg'
  readonly codec = 'mp3'
  rate = 0
  channels = 0
  readonly #decoder: Mpg123 | undefined
  #held: Uint8Array = new Uint8Array(0)
  /** Bytes of a tag that are still to come. */
  #skip = 0
  /** Whether a frame or a tag ended exactly before the next byte. */
  #inStep = false
  #rubbish = 0
  #frames = 0
  #frameSamples = 0
  #frameBytes = 0
  #table: EncoderTable | undefined
  readonly #batch: SampleBatch

  private constructor(batch: SampleBatch, decoder?: Mpg123) {
    this.#batch = batch
    this.#decoder = decoder
  }

  /** A reader that only counts the samples. */
  static counting(): Mp3Reader {
    return new Mp3Reader(new SampleBatch('counted'))
  }

  /** @param isPassing whether each piece is used before the next is read */
  static async open(isPassing: boolean): Promise<Mp3Reader> {
    return new Mp3Reader(new SampleBatch(isPassing ? 'passing' : 'kept'), await Mpg123.open())
  }

  write(chunk: Uint8Array): Iterable<Float32Array> {
    return this.#batches(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]), false)
  }

  *end(): Iterable<Float32Array> {
    yield* this.#batches(this.#held, true)
    const { frames = 0, bytes = 0 } = this.#table ?? {}
    // Some encoders count the table as a frame.
    if (this.#skip === 0 && this.#frames + 1 >= frames && this.#frameBytes >= bytes) return
    yield this.#lastSamples()
    this.#fail('truncated')
  }

  close(): void {
    void this.#decoder?.free()
  }

  /** Yields the sound that is good before a fault is thrown. */
  *#batches(bytes: Uint8Array, isEnd: boolean): Iterable<Float32Array> {
    try {
      yield* this.#read(bytes, isEnd)
    } catch (error) {
      yield this.#lastSamples()
      throw error
    }
    yield this.#batch.take()
  }

  /** The sound before a fault; an encoder's padding only as far as it reaches into the frames that are there. */
  #lastSamples(): Float32Array {
    const missing = Math.max(0, (this.#table?.frames ?? 0) - this.#frames)
    this.#batch.breakOff(missing * this.#frameSamples)
    return this.#batch.take()
  }

  *#read(bytes: Uint8Array, isEnd: boolean): Iterable<Float32Array> {
    let at = 0
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length - at)
      this.#skip -= skipped
      at += skipped
      const left = bytes.length - at
      if (left === 0 || (left < headBytes && !isEnd)) break
      const tag = tagBytes(bytes, at)
      if (tag > 0) {
        this.#skip = tag
        this.#inStep = true
        continue
      }
      const frame = readMp3Frame(bytes, at)
      const needed = frame ? frame.length + (this.#inStep ? 0 : 4) : 0
      if (frame && left < needed && !isEnd) break
      if (frame && this.#isCredible(bytes, at, frame)) {
        if (left < frame.length) this.#fail('truncated')
        if (!this.#batch.hasRoomFor(frame.samples)) {
          yield this.#batch.take()
          this.#batch.makeRoom(frame.samples, frame.samples * Math.ceil(left / frame.length))
        }
        this.#frame(bytes.subarray(at, at + frame.length), frame)
        at += frame.length
      } else {
        // A header is cut off; the bytes that many files have after the last frame are not this.
        if (isEnd && this.#inStep && left < 4 && bytes[at] === 0xff) this.#fail('truncated')
        at = this.#nextStart(bytes, at + 1)
      }
    }
    // The bytes are copied, since they belong to the caller; `slice` of a Buffer makes no copy.
    this.#held = new Uint8Array(bytes.subarray(at))
  }

  #isCredible(bytes: Uint8Array, at: number, frame: Mp3Frame): boolean {
    if (this.#inStep) return true
    const next = at + frame.length
    return next >= bytes.length ? this.#frames === 0 : readMp3Frame(bytes, next) !== undefined
  }

  #nextStart(bytes: Uint8Array, from: number): number {
    let at = from
    while (at < bytes.length && bytes[at] !== 0xff && bytes[at] !== 0x49 && bytes[at] !== 0x54) at += 1
    this.#rubbish += at - from + 1
    if (this.#rubbish > maxRubbish) this.#fail('malformed')
    this.#inStep = false
    return at
  }

  #frame(bytes: Uint8Array, frame: Mp3Frame): void {
    this.#inStep = true
    this.#rubbish = 0
    if (this.rate !== 0 && frame.sampleRate !== this.rate) this.#fail('malformed')
    this.#frameBytes += bytes.length
    if (isEncoderTable(bytes, 0, frame)) {
      // Files that were joined have a table before each part; only the first table is believed.
      if (this.#frames === 0 && !this.#table) this.#believe(tableOf(bytes, frame))
      return
    }
    this.rate = frame.sampleRate
    this.channels ||= frame.channels
    this.#frames += 1
    this.#frameSamples = frame.samples
    const place = this.#batch.next(frame.samples)
    this.#decoder?.decode(bytes, place, frame.channels === 1)
  }

  #believe(table: EncoderTable): void {
    this.#table = table
    if (table.delay === undefined) return
    const padding = Math.max(0, (table.padding ?? 0) - decoderDelay)
    this.#batch.leaveOut(table.delay + decoderDelay, padding)
  }

  #fail(fault: 'malformed' | 'truncated'): never {
    throw new SoundError(fault, this.mediaType)
  }
}

interface EncoderTable {
  /** The frames with sound, and the bytes of all frames with the table's own; 0 if the table does not say. */
  frames: number
  bytes: number
  /** Samples that the encoder put before and after the sound. */
  delay?: number
  padding?: number
}

function tableOf(bytes: Uint8Array, frame: Mp3Frame): EncoderTable {
  const at = frame.headerBytes
  if (!hasText(bytes, at, 'Xing') && !hasText(bytes, at, 'Info')) return { frames: 0, bytes: 0 }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let place = at + 8
  const field = (flag: number, length: number): number => {
    if ((bytes[at + 7]! & flag) === 0 || place + length > bytes.length) return 0
    place += length
    return view.getUint32(place - length)
  }
  const table: EncoderTable = { frames: field(1, 4), bytes: field(2, 4) }
  field(4, 100)
  field(8, 4)
  const hasDelays = ['LAME', 'Lavf', 'Lavc'].some((name) => hasText(bytes, place, name))
  if (!hasDelays || place + 24 > bytes.length) return table
  const delays = (bytes[place + 21]! << 16) | (bytes[place + 22]! << 8) | bytes[place + 23]!
  return { ...table, delay: delays >> 12, padding: delays & 0xfff }
}

/** Bytes of the tag that begins here, or 0. */
function tagBytes(bytes: Uint8Array, at: number): number {
  if (hasText(bytes, at, 'ID3') && at + 10 <= bytes.length) return skipId3(bytes.subarray(at, at + 10))
  if (hasText(bytes, at, 'TAG')) return Math.min(128, Math.max(1, bytes.length - at))
  return 0
}
