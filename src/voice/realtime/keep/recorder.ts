/** The sound of a call as one file: the caller left, the assistant right. */
import { Resampler, type StereoOpus, stereoFrame, stereoRate } from '#core/sound'
import type { SpoolFile } from '#platform/spool'
import type { SoundClock } from '../clock.ts'
import { SampleQueue } from '../hear/sample-queue.ts'
import { speakingRate } from '../speak/spoken-item.ts'

/** What a caller has said by now waits for so many frames at most: what came in a burst makes the recording longer, and none of it is lost. */
const slackFrames = 10
/** Written in one tick at most, so that what has waited does not hold the other calls. */
const framesPerTick = 12
/** The same when the call ends. */
const maxAtEnd = 50
/** Of one side, while the file is being opened. */
const maxWaitingSamples = 60 * stereoRate
/** Pages that wait for the disk: minutes of sound. */
const maxWaitingBytes = 1024 * 1024
const filterWidth = 16

export interface RecorderOptions {
  clock: SoundClock
  /** The recording ends there, whole. */
  maxBytes: number
  open(): Promise<StereoOpus>
  /** Writes all pages, as they come, to a file. */
  write(pages: AsyncIterable<Uint8Array>): Promise<SpoolFile>
  /** There will be no file. Called at most once. */
  failed(error: unknown): void
}

/** Records from its making until `end`. */
export class CallRecorder {
  readonly #options: RecorderOptions
  readonly #leave: () => void
  readonly #resampler = new Resampler(speakingRate, stereoRate, filterWidth)
  readonly #caller = new SampleQueue()
  readonly #assistant = new SampleQueue()
  readonly #file: Promise<SpoolFile | undefined>
  #encoder: StereoOpus | undefined
  /** Frames that time has passed and that are not written. */
  #due = 0
  #frames = 0
  #bytes = 0
  #pages: Uint8Array[] = []
  #waitingBytes = 0
  #wake: (() => void) | undefined
  #isOver = false
  #error: unknown

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#leave = options.clock.join({
      tick: (frames) => this.#tick(frames),
      failed: (error) => this.#fail(error),
    })
    this.#file = this.#write()
  }

  /** What the caller says: frames at 16 kHz, which are kept as they are. */
  heard(frame: Float32Array): void {
    if (this.#isOver) return
    this.#caller.put(frame)
    if (this.#caller.length > maxWaitingSamples) this.#fail(new Error('sound waits for its file'))
  }

  /** What the assistant says: frames at 24 kHz, none in silence. It may be ahead of the ear: it is written at the pace of the ear. */
  said(frame: Float32Array): void {
    if (this.#isOver) return
    this.#assistant.put(this.#resampler.write(frame))
    if (this.#assistant.length > maxWaitingSamples) this.#fail(new Error('sound waits for its file'))
  }

  /** The whole file, to be disposed of; undefined where there is none. Never rejects. */
  end(): Promise<SpoolFile | undefined> {
    const encoder = this.#encoder
    if (!this.#isOver && encoder) {
      const rest = Math.ceil(this.#caller.length / stereoFrame)
      for (let index = 0; index < Math.min(rest, maxAtEnd); index++) this.#frame(encoder)
      if (this.#frames > 0) this.#send(encoder.end())
    }
    this.#stop()
    return this.#file
  }

  async #write(): Promise<SpoolFile | undefined> {
    try {
      using encoder = await this.#options.open()
      if (this.#isOver) return undefined
      this.#encoder = encoder
      this.#send(encoder.head())
      return await this.#options.write(this.#read())
    } catch (error) {
      this.#fail(error)
      return undefined
    } finally {
      this.#encoder = undefined
    }
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const pages = this.#pages.splice(0)
      this.#waitingBytes = 0
      yield* pages
      if (this.#pages.length > 0) continue
      if (this.#error) throw this.#error
      if (this.#isOver) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #tick(frames: number): void {
    this.#due += frames
    if (!this.#encoder) return
    const late = Math.floor(this.#caller.length / stereoFrame) - slackFrames
    const count = Math.min(framesPerTick, Math.max(this.#due, late))
    for (let index = 0; index < count; index++) this.#frame(this.#encoder)
    this.#due = Math.max(0, this.#due - count)
  }

  #frame(encoder: StereoOpus): void {
    // A page more than this has is what its end may take.
    if (this.#bytes + pageBytes > this.#options.maxBytes) return
    const silence = new Float32Array(stereoFrame)
    const page = encoder.write(
      this.#caller.take(stereoFrame) ?? silence,
      this.#assistant.take(stereoFrame) ?? silence,
    )
    this.#frames += 1
    this.#send(page)
  }

  #send(page: Uint8Array): void {
    if (page.length === 0) return
    this.#pages.push(page)
    this.#bytes += page.length
    this.#waitingBytes += page.length
    if (this.#waitingBytes > maxWaitingBytes) this.#fail(new Error('the disk is too slow'))
    this.#wake?.()
  }

  #fail(error: unknown): void {
    if (this.#error) return
    this.#error = error
    this.#stop()
    this.#options.failed(error)
  }

  #stop(): void {
    this.#isOver = true
    this.#leave()
    this.#caller.clear()
    this.#assistant.clear()
    this.#wake?.()
  }
}

/** Of Ogg: 255 times 255, and its head. */
const pageBytes = 65_307
