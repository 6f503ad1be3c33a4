/** Records the sound of a call as one file: the caller left, the assistant right. */
import { Resampler, type StereoOpus, stereoFrame, stereoRate } from '#core/sound'
import type { SpoolFile } from '#platform/spool'
import type { SoundClock } from '../clock.ts'
import { SampleQueue } from '../hear/sample-queue.ts'
import { outputSampleRate } from '../speak/spoken-item.ts'

/** The most frames of the caller that wait for their time: beyond that a burst makes the recording longer, and none of its sound is lost. */
const slackFrames = 10
/** The most frames written in one tick, so that waiting sound does not hold up the other calls. */
const framesPerTick = 12
/** The most frames written when the call ends. */
const maxAtEnd = 50
/** The most samples of one side that wait while the file is being opened. */
const maxWaitingSamples = 60 * stereoRate
/** The most bytes of pages that wait for the disk: minutes of sound. */
const maxWaitingBytes = 1024 * 1024
const filterWidth = 16

export interface RecorderOptions {
  clock: SoundClock
  /** The length at which the recording ends, as a complete file. */
  maxBytes: number
  open(): Promise<StereoOpus>
  /** Writes all pages to a file, as they come. */
  write(pages: AsyncIterable<Uint8Array>): Promise<SpoolFile>
  /** Called when there will be no file, at most once. */
  failed(error: unknown): void
}

/** Records from its construction until `end`. */
export class CallRecorder {
  readonly #options: RecorderOptions
  readonly #leave: () => void
  readonly #resampler = new Resampler(outputSampleRate, stereoRate, filterWidth)
  readonly #caller = new SampleQueue()
  readonly #assistant = new SampleQueue()
  readonly #file: Promise<SpoolFile | undefined>
  #encoder: StereoOpus | undefined
  /** The frames whose time has passed and that are not written. */
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

  /** Takes the caller's frames at 16 kHz, which are kept without a copy. */
  recordCaller(frame: Float32Array): void {
    if (this.#isOver) return
    this.#caller.put(frame)
    if (this.#caller.length > maxWaitingSamples) this.#fail(new Error('sound waits for its file'))
  }

  /** Takes the assistant's frames at 24 kHz; there are none in silence. They may come ahead of playback, and are written at its pace. */
  recordAssistant(frame: Float32Array): void {
    if (this.#isOver) return
    this.#assistant.put(this.#resampler.write(frame))
    if (this.#assistant.length > maxWaitingSamples) this.#fail(new Error('sound waits for its file'))
  }

  /** Ends the recording. Returns the whole file, which the caller disposes of; undefined where there is none. Never rejects. */
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
    // A page's bytes are kept free for the end of the file.
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

/** The largest page of Ogg: 255 times 255 bytes, and its head. */
const pageBytes = 65_307
