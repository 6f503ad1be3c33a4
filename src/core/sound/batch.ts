import { noSamples, silence } from './pcm.ts'

/** How the samples are used: the receiver keeps them, uses them before the next are read, or only counts them. */
export type BatchUse = 'kept' | 'passing' | 'counted'

/** How many samples are passed on at once: some milliseconds of work. */
const usualSamples = 8_192

/**
 * Collects the sound of many short frames and passes it on in larger pieces, since each piece costs as much as decoding a frame. Samples that an
 * encoder put before and after the sound are left out.
 */
export class SampleBatch {
  readonly #use: BatchUse
  #sound: Float32Array = noSamples
  #room = 0
  /** Where the samples begin that were not passed on, and where they end. */
  #from = 0
  #to = 0
  #drop = 0
  #heldBack = 0

  constructor(use: BatchUse) {
    this.#use = use
  }

  /** Sets how many of the first and of the last samples are no sound; called before the first frame. */
  leaveOut(first: number, last: number): void {
    this.#drop = first
    this.#heldBack = last
  }

  /** Leaves out less at the end: the sound breaks off so many samples before it. */
  breakOff(missing: number): void {
    this.#heldBack = Math.max(0, this.#heldBack - missing)
  }

  hasRoomFor(samples: number): boolean {
    return this.#to + samples <= this.#room
  }

  /** Makes room for `least` samples, and for `likely` if that is not too much. Everything that can be passed on must be taken before. */
  makeRoom(least: number, likely: number): void {
    const held = this.#to - this.#from
    this.#room = held + Math.max(least, Math.min(likely, usualSamples))
    if (this.#use === 'passing' && this.#room <= this.#sound.length) {
      this.#sound.copyWithin(0, this.#from, this.#to)
    } else if (this.#use !== 'counted') {
      const kept = this.#sound.subarray(this.#from, this.#to)
      this.#sound = new Float32Array(this.#room)
      this.#sound.set(kept)
    }
    this.#from = 0
    this.#to = held
  }

  /** The place for the next samples, for which there must be room; nothing is written to it when samples are counted. */
  next(samples: number): Float32Array {
    this.#to += samples
    return this.#sound.subarray(this.#to - samples, this.#to)
  }

  /** The samples that are known to be sound. With `writeTransient`, they are valid until room is made. */
  take(): Float32Array {
    const dropped = Math.min(this.#drop, this.#to - this.#from)
    this.#drop -= dropped
    this.#from += dropped
    const from = this.#from
    this.#from = Math.max(from, this.#to - this.#heldBack)
    return this.#use === 'counted' ? silence(this.#from - from) : this.#sound.subarray(from, this.#from)
  }
}
