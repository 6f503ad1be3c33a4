import { noSamples, silence } from './pcm.ts'

/** What becomes of the samples: they are kept by whoever gets them, used before the next are read, or counted only. */
export type BatchUse = 'kept' | 'passing' | 'counted'

/** Samples that are given on at once: some milliseconds of work. */
const usualSamples = 8_192

/**
 * Sound of many short frames, given on some at a time: each piece costs as much as decoding a frame. What an encoder put before the sound and behind it is
 * left out.
 */
export class Batch {
  readonly #use: BatchUse
  #sound: Float32Array = noSamples
  #room = 0
  /** What is there and was not given on. */
  #from = 0
  #to = 0
  #drop = 0
  #heldBack = 0

  constructor(use: BatchUse) {
    this.#use = use
  }

  /** Called before the first frame: how many of the first and of the last samples are no sound. */
  leaveOut(first: number, last: number): void {
    this.#drop = first
    this.#heldBack = last
  }

  hasRoomFor(samples: number): boolean {
    return this.#to + samples <= this.#room
  }

  /** Room for `least` samples, and for `likely` if that is not too much. All that can be is given on before. */
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

  /** The place for so many more samples, for which there is room; nobody writes to it when they are counted. */
  next(samples: number): Float32Array {
    this.#to += samples
    return this.#sound.subarray(this.#to - samples, this.#to)
  }

  /** What is known to be sound. With `passing`, good until room is made. */
  take(): Float32Array {
    const dropped = Math.min(this.#drop, this.#to - this.#from)
    this.#drop -= dropped
    this.#from += dropped
    const from = this.#from
    this.#from = Math.max(from, this.#to - this.#heldBack)
    return this.#use === 'counted' ? silence(this.#from - from) : this.#sound.subarray(from, this.#from)
  }
}
