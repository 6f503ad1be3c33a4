import { concatenated, type Sound } from './pcm.ts'

export interface JoinOptions {
  /** Silence between two pieces. */
  gapMs?: number
  /** Every piece rises and falls so long at its ends, by half a cosine: a cut within a wave would click. */
  fadeMs?: number
}

/** Joins pieces that come in chunks: `cut` ends a piece. What is written leaves at once, but for the length of a fade. */
export class Joiner {
  readonly #gap: number
  readonly #fade: Float32Array
  /** Samples of this piece that would have to fade if it ended here. */
  #held = new Float32Array(0)
  #taken = 0
  #pieces = 0

  /** @param rate of all pieces, in Hz */
  constructor(rate: number, { gapMs = 120, fadeMs = 5 }: JoinOptions = {}) {
    this.#gap = Math.round((rate * gapMs) / 1_000)
    const length = Math.round((rate * fadeMs) / 1_000)
    this.#fade = Float32Array.from(
      { length },
      (_, index) => 0.5 - 0.5 * Math.cos((Math.PI * (index + 0.5)) / length),
    )
  }

  write(samples: Float32Array): Float32Array {
    if (samples.length === 0) return samples
    const isNew = this.#taken === 0
    const input = samples.slice()
    for (let index = 0; index < input.length && this.#taken + index < this.#fade.length; index++)
      input[index]! *= this.#fade[this.#taken + index]!
    this.#taken += input.length
    if (isNew) this.#pieces += 1
    const whole = concatenated([this.#held, input])
    const out = whole.slice(0, Math.max(0, whole.length - this.#fade.length))
    this.#held = whole.slice(out.length) as Float32Array<ArrayBuffer>
    return isNew && this.#pieces > 1 ? concatenated([new Float32Array(this.#gap), out]) : out
  }

  /** Ends a piece. One without samples makes no gap. */
  cut(): Float32Array {
    const tail = this.#held
    for (let index = 0; index < tail.length; index++) tail[tail.length - 1 - index]! *= this.#fade[index]!
    this.#held = new Float32Array(0)
    this.#taken = 0
    return tail
  }

  end(): Float32Array {
    return this.cut()
  }
}

/** Pieces of one rate, one after another. @throws RangeError for pieces of different rates, or none */
export function joined(sounds: readonly Sound[], options: JoinOptions = {}): Sound {
  const rate = sounds[0]?.rate
  if (rate === undefined || sounds.some((sound) => sound.rate !== rate))
    throw new RangeError('pieces that are joined need one rate')
  const joiner = new Joiner(rate, options)
  return {
    rate,
    samples: concatenated(sounds.flatMap(({ samples }) => [joiner.write(samples), joiner.cut()])),
  }
}
