/** The rate of speech: 24 kHz, in samples a second. */
export const outputSampleRate = 24_000
/** The least time of a spoken letter, by which the length of sound that has not come yet is estimated. */
const msPerLetter = 50

interface SpokenPiece {
  readonly words: string
  readonly from: number
  length: number
}

/** One item of the conversation as it is spoken: its waiting sound, and the words of it that were heard. */
export class SpokenItem {
  readonly id: string
  #waiting: Int16Array[] = []
  /** How many samples of the first waiting piece have been played. */
  #at = 0
  #waitingLength = 0
  readonly #pieces: SpokenPiece[] = []
  #added = 0
  #played = 0
  isFinished = false
  /** The tick of the speaker in which a frame of the item was last passed on. */
  lastTick = 0

  constructor(id: string) {
    this.id = id
  }

  /** The samples that have not been passed on. */
  get waiting(): number {
    return this.#waitingLength
  }

  /** The samples that have been passed on. */
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

  /** Fills a frame from the waiting sound, as far as it reaches. */
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

  /** The words of the first `samples` samples: whole words, by their share of the letters of their piece. */
  wordsOf(samples: number): string {
    const heard: string[] = []
    for (const [index, { words, from, length }] of this.#pieces.entries()) {
      const isWhole = this.isFinished || index < this.#pieces.length - 1
      const expected = isWhole
        ? length
        : Math.max(length, (words.length * msPerLetter * outputSampleRate) / 1_000)
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

/** The samples as 16-bit integers; values beyond full scale are clipped. */
function integersOf(samples: Float32Array): Int16Array {
  const integers = new Int16Array(samples.length)
  for (let index = 0; index < samples.length; index++)
    integers[index] = Math.max(-32_768, Math.min(32_767, samples[index]! * 32_768))
  return integers
}
