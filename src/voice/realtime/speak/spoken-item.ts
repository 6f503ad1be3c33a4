/** In samples at 24 kHz. */
export const speakingRate = 24_000
/** Nobody says a letter in less, by which the length of sound that has not come yet is estimated. */
const msPerLetter = 50

interface Piece {
  readonly words: string
  readonly from: number
  length: number
}

/** One item of the conversation as it is spoken: what waits of it, and which of its words were heard. */
export class SpokenItem {
  readonly id: string
  #waiting: Int16Array[] = []
  /** Of the first that waits: so many samples have been played. */
  #at = 0
  #waitingLength = 0
  readonly #pieces: Piece[] = []
  #added = 0
  #played = 0
  isFinished = false
  /** When a frame of it was last handed on, in ticks of the speaker. */
  lastTick = 0

  constructor(id: string) {
    this.id = id
  }

  /** Samples that have not been handed on. */
  get waiting(): number {
    return this.#waitingLength
  }

  /** Samples that have been handed on. */
  get played(): number {
    return this.#played
  }

  add(samples: Float32Array, words: string | undefined): void {
    if (words !== undefined) this.#pieces.push({ words, from: this.#added, length: 0 })
    const piece = this.#pieces.at(-1)
    if (piece) piece.length += samples.length
    this.#added += samples.length
    if (samples.length > 0) this.#waiting.push(integersOf(samples))
    this.#waitingLength += samples.length
  }

  /** Fills a frame from what waits, as far as it reaches. */
  fill(frame: Float32Array): void {
    let at = 0
    while (at < frame.length) {
      const first = this.#waiting[0]
      if (!first) break
      const count = Math.min(frame.length - at, first.length - this.#at)
      for (let index = 0; index < count; index++) frame[at + index] = first[this.#at + index]! / 32_768
      at += count
      this.#at += count
      if (this.#at < first.length) continue
      this.#waiting.shift()
      this.#at = 0
    }
    this.#waitingLength -= at
    this.#played += at
  }

  /** The words of the first so many samples: whole ones, by their share in the letters of their piece. */
  wordsOf(samples: number): string {
    const heard: string[] = []
    for (const [index, { words, from, length }] of this.#pieces.entries()) {
      const isWhole = this.isFinished || index < this.#pieces.length - 1
      const expected = isWhole
        ? length
        : Math.max(length, (words.length * msPerLetter * speakingRate) / 1_000)
      if (samples < from + expected) {
        if (samples > from) heard.push(shareOf(words, (samples - from) / expected))
        break
      }
      heard.push(words.trim())
    }
    return heard.filter((words) => words !== '').join(' ')
  }
}

function shareOf(text: string, share: number): string {
  const words = text.trim().split(/\s+/)
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  let passed = 0
  const heard = words.filter((word) => {
    passed += word.length
    return passed <= share * letters
  })
  return heard.join(' ')
}

/** What is beyond full scale is clipped. */
function integersOf(samples: Float32Array): Int16Array {
  const integers = new Int16Array(samples.length)
  for (let index = 0; index < samples.length; index++)
    integers[index] = Math.max(-32_768, Math.min(32_767, samples[index]! * 32_768))
  return integers
}
