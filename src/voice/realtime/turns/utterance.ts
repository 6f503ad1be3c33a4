import { type RecentFrames, Samples } from './samples.ts'

export const maxFrames = 3_000
/** So much speech behind a pause does not change what its transcription says. */
const littleFrames = 6
/** Of silence that goes with the words: 200 ms. */
const tailFrames = 10

/** What somebody says, while it is not decided yet what becomes of it. Positions are frames since the call's first. */
export class Utterance {
  readonly number: number
  readonly from: number
  readonly samples = new Samples(maxFrames * 320)
  /** Behind the last frame that was speech. */
  voicedUntil: number
  voicedFrames: number
  /** 100 ms went by without speech; it goes on with three voiced frames of four. */
  isPausing = false
  /** Its listener knows of it. */
  isKnown = false
  /** It came while the assistant spoke, and it is not known whether it is to interrupt. */
  isOverlapping: boolean
  /** Where the assistant's voice was lowered for it, while it is. */
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

  /** @param until the frame behind the last one wanted */
  takeFrom(recent: RecentFrames, until: number): void {
    for (let frame = this.from; frame < until; frame++) this.samples.append(recent.at(frame))
  }

  pausedWith(pause: number): void {
    this.#pause = { number: pause, voicedFrames: this.voicedFrames }
  }

  /** Its early transcription is of all that was said until now. */
  get pause(): number | undefined {
    return this.#pause && this.voicedFrames - this.#pause.voicedFrames < littleFrames
      ? this.#pause.number
      : undefined
  }

  /** The pause that has just become of no use, once. */
  voidPause(): number | undefined {
    const number = this.#pause?.number
    if (number === undefined || this.pause !== undefined) return undefined
    this.#pause = undefined
    return number
  }

  /** One that is of less of it than is known already tells nothing. */
  hear(text: string, until: number): void {
    if (until >= (this.#heard?.until ?? 0)) this.#heard = { text, until }
  }

  /** Of all that was said until now; undefined: not known yet. */
  get words(): string | undefined {
    return this.#heard && this.#heard.until + littleFrames > this.voicedUntil ? this.#heard.text : undefined
  }

  /** Whatever was heard of it. */
  get firstWords(): string {
    return this.#heard?.text ?? ''
  }

  get startMs(): number {
    return this.from * 20
  }

  /** Behind the last frame of what is handed out at the end. */
  get takenUntil(): number {
    return Math.min(this.from + this.samples.length / 320, this.voicedUntil + tailFrames)
  }
}
