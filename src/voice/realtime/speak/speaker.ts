import type { Speaker } from '../parts.ts'
import { outputSampleRate, SpokenItem } from './spoken-item.ts'

const tickMs = 20
const frameSamples = (outputSampleRate * tickMs) / 1_000
const msOf = (samples: number): number => (1_000 * samples) / outputSampleRate
/** The most samples that wait: five minutes, which is more than one answer has; 14 MB. */
export const maxWaitingSamples = 300 * outputSampleRate
/** The waiting samples below which there is room for more. */
export const roomBelowSamples = 10 * outputSampleRate
/** The gain of ducked sound: 18 dB lower. */
const duckedGain = 10 ** (-18 / 20)
/** The step of the gain per sample: from full to nothing in 10 ms. */
const gainStep = 1 / (0.01 * outputSampleRate)
/** The most remembered ids of items that were cut, whose sound may still come. */
const maxCut = 100

export interface SpeakerOptions {
  /** Plays 20 ms at 24 kHz, which the receiver keeps. `itemId` is undefined in silence. */
  play(frame: Float32Array, itemId: string | undefined): void
  /** The time from here to the caller's ear, in ms: the way and the buffer of the client. */
  tailMs(): number
}

/** Plays the speech of a call at the pace of the clock. Waiting sound is kept as 16-bit samples. */
export class PacedSpeaker implements Speaker {
  readonly #options: SpeakerOptions
  /** The items in the order in which they are played; the first ones may have been passed on, and not been heard yet. */
  #items: SpokenItem[] = []
  readonly #finishing = new Map<string, () => void>()
  readonly #cut = new Set<string>()
  #roomWanted: (() => void)[] = []
  #ticks = 0
  #gain = 1
  #target = 1
  /** The last 10 ms of the sound that was cut, fading. */
  #fading: Float32Array | undefined

  constructor(options: SpeakerOptions) {
    this.#options = options
  }

  get isPlaying(): boolean {
    return this.#items.some(isBegun)
  }

  /** The waiting milliseconds of all items. */
  get waitingMs(): number {
    return msOf(this.#waiting())
  }

  say(itemId: string, samples: Float32Array, words?: string): boolean {
    if (this.#cut.has(itemId) || this.#waiting() + samples.length > maxWaitingSamples) return false
    this.#itemOf(itemId).add(samples, words)
    return true
  }

  async waitForRoom(): Promise<void> {
    if (this.#waiting() < roomBelowSamples) return
    await new Promise<void>((resolve) => this.#roomWanted.push(resolve))
  }

  async finish(itemId: string): Promise<void> {
    const item = this.#items.find(({ id }) => id === itemId)
    if (!item) return
    item.isFinished = true
    await new Promise<void>((resolve) => {
      const before = this.#finishing.get(itemId)
      this.#finishing.set(itemId, () => {
        before?.()
        resolve()
      })
    })
  }

  duck(): void {
    this.#target = duckedGain
  }

  unduck(): void {
    this.#target = 1
  }

  cut(): { itemId: string; playedMs: number; heard: string } | undefined {
    const items = this.#items
    const first = items.find(isBegun)
    const samples = first ? first.played - this.#unheard(first) : 0
    const heard = first?.wordsOf(samples)
    this.#fading = this.#faded()
    this.#items = []
    this.#gain = 1
    this.#target = 1
    for (const { id } of items) this.#forget(id)
    this.#makeRoom()
    return first && { itemId: first.id, playedMs: Math.floor(msOf(samples)), heard: heard! }
  }

  /** Passes on one frame, of sound or of silence; called by the clock. */
  tick(): void {
    this.#ticks += 1
    const item = this.#next()
    const frame = this.#fading ?? new Float32Array(frameSamples)
    this.#fading = undefined
    if (item) {
      item.fill(frame)
      item.lastTick = this.#ticks
      this.#amplify(frame)
    } else this.#gain = this.#target
    this.#options.play(frame, item?.id)
    this.#endHeard()
    this.#makeRoom()
  }

  /** The first item that has a frame ready. Less than a frame waits for more, unless no more comes. */
  #next(): SpokenItem | undefined {
    if (this.#fading) return undefined
    return this.#items.find(
      ({ waiting, isFinished }) => waiting >= frameSamples || (isFinished && waiting > 0),
    )
  }

  #itemOf(id: string): SpokenItem {
    const known = this.#items.find((item) => item.id === id)
    if (known) return known
    const item = new SpokenItem(id)
    this.#items.push(item)
    return item
  }

  #waiting(): number {
    return this.#items.reduce((sum, { waiting }) => sum + waiting, 0)
  }

  /** The samples of an item that were passed on and have not been heard yet. */
  #unheard(item: SpokenItem): number {
    const tailMs = this.#options.tailMs() - tickMs * (this.#ticks - item.lastTick)
    return Math.min(item.played, Math.max(0, (tailMs * outputSampleRate) / 1_000))
  }

  #endHeard(): void {
    for (const item of [...this.#items]) {
      if (!item.isFinished || item.waiting > 0 || this.#unheard(item) > 0) continue
      this.#items = this.#items.filter((one) => one !== item)
      this.#resolve(item.id)
    }
  }

  #forget(id: string): void {
    this.#cut.add(id)
    if (this.#cut.size > maxCut) this.#cut.delete(this.#cut.values().next().value!)
    this.#resolve(id)
  }

  #resolve(id: string): void {
    this.#finishing.get(id)?.()
    this.#finishing.delete(id)
  }

  #makeRoom(): void {
    if (this.#roomWanted.length === 0 || this.#waiting() >= roomBelowSamples) return
    for (const resolve of this.#roomWanted.splice(0)) resolve()
  }

  #amplify(frame: Float32Array): void {
    for (let index = 0; index < frame.length; index++) {
      if (this.#gain !== this.#target) this.#gain = stepped(this.#gain, this.#target)
      frame[index]! *= this.#gain
    }
  }

  /** The next frame, fading to nothing: an abrupt end would be heard as a click. */
  #faded(): Float32Array | undefined {
    const item = this.#items.find(({ played, waiting }) => played > 0 && waiting > 0)
    if (!item) return undefined
    const frame = new Float32Array(frameSamples)
    item.fill(frame)
    this.#target = 0
    this.#amplify(frame)
    return frame
  }
}

const isBegun = ({ played, waiting }: SpokenItem): boolean => played > 0 || waiting > 0

const stepped = (gain: number, target: number): number =>
  gain < target ? Math.min(target, gain + gainStep) : Math.max(target, gain - gainStep)
