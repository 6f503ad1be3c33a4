import { type RecentFrames, SampleBuffer } from './samples.ts'

export const maxFrames = 3_000
/** Less speech than this after a pause does not change its transcription. */
const negligibleFrames = 6
/** The silence that is kept after the words: 200 ms. */
const tailFrames = 10

/** Speech of the caller before it is decided what becomes of it. Positions are frames since the call's first. */
export class Utterance {
  readonly number: number
  readonly from: number
  readonly samples = new SampleBuffer(maxFrames * 320)
  /** The frame after the last frame of speech. */
  voicedUntil: number
  voicedFrames: number
  /** Whether 100 ms passed without speech; speech goes on with three voiced frames of four. */
  isPausing = false
  /** Whether the listener was told of it. */
  isAnnounced = false
  /** Whether it came while the assistant spoke, and may still prove to be an interruption. */
  isOverlapping: boolean
  /** The frame at which the assistant's voice was lowered for it; undefined while it is not. */
  duckedAt: number | undefined
  wasDucked = false
  #pause: { number: number; voicedFrames: number } | undefined
  #heard: { text: string; until: number } | undefined

  constructor(
    number: number,
    from: number,
    at: { voicedUntil: number; voicedFrames: number; overlaps: boolean },
  ) {
    this.number = number
    this.from = from
    this.voicedUntil = at.voicedUntil
    this.voicedFrames = at.voicedFrames
    this.isOverlapping = at.overlaps
  }

  /** @param until the frame after the last one wanted */
  takeFrom(recent: RecentFrames, until: number): void {
    for (let frame = this.from; frame < until; frame++) this.samples.append(recent.at(frame))
  }

  recordPause(pause: number): void {
    this.#pause = { number: pause, voicedFrames: this.voicedFrames }
  }

  /** The pause whose early transcription covers all speech until now. */
  get pause(): number | undefined {
    return this.#pause && this.voicedFrames - this.#pause.voicedFrames < negligibleFrames
      ? this.#pause.number
      : undefined
  }

  /** The number of the pause whose transcription has just become useless; returned once. */
  voidPause(): number | undefined {
    const number = this.#pause?.number
    if (number === undefined || this.pause !== undefined) return undefined
    this.#pause = undefined
    return number
  }

  /** Takes a transcript; one that covers less than the known one is ignored. */
  addTranscript(text: string, until: number): void {
    if (until >= (this.#heard?.until ?? 0)) this.#heard = { text, until }
  }

  /** The words of all speech until now; undefined while they are not known. */
  get words(): string | undefined {
    return this.#heard && this.#heard.until + negligibleFrames > this.voicedUntil
      ? this.#heard.text
      : undefined
  }

  /** The latest known words, even if they do not cover all speech. */
  get latestWords(): string {
    return this.#heard?.text ?? ''
  }

  get startMs(): number {
    return this.from * 20
  }

  /** The frame after the last one that belongs to the finished turn. */
  get takenUntil(): number {
    return Math.min(this.from + this.samples.length / 320, this.voicedUntil + tailFrames)
  }
}
