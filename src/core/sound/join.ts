import { Slice } from '#platform/slices'
import { Limiter } from './limit.ts'
import { factorOf, LoudnessMeter } from './loudness.ts'
import { concatSamples, noSamples, type Sound, type SoundStream, secondsOf } from './pcm.ts'
import { resample } from './resample.ts'
import { slicesOf } from './slices.ts'

export interface JoinOptions {
  /** The rate of the result, in Hz. */
  rate: number
  /** Silence between two pieces. */
  gapMs?: number
  /**
   * The loudness of every piece, in LUFS; absent: it stays as it is. With a loudness, a piece is yielded when it has ended, or when half a minute of
   * it is there, from which its loudness is measured; its true peaks stay below -1 dB of full scale.
   */
  lufs?: number | undefined
}

/** How long every piece rises and falls at its ends, by half a cosine: a cut within a wave would click. */
const fadeMs = 5
/** The greatest change of loudness, in dB: a piece that is nearly silent must not be amplified to noise. */
const maxGainDb = 20
const ceilingDb = -1
/** The seconds of a piece by which its loudness is measured, which are the most that is held of it. */
const measuredSeconds = 30

/**
 * Joins pieces of speech that were made one by one to one sound, as they come: with gaps, without clicks, at one rate, and equally loud if `lufs` is
 * given. A piece without samples makes no gap. Pieces are read one after another, each to its end or until nobody reads on.
 * @throws what the pieces throw; SoundError `unsupported` for a rate that cannot be changed
 */
export async function* joinSpeech(
  pieces: AsyncIterable<SoundStream> | Iterable<SoundStream>,
  { rate, gapMs = 250, lufs }: JoinOptions,
): AsyncGenerator<Sound> {
  let isFirst = true
  for await (const piece of pieces) {
    const own = resample(piece, rate)
    let isOpen = false
    for await (const samples of fadeEnds(lufs === undefined ? own : levelLoudness(own, lufs), rate)) {
      const gap = isOpen || isFirst ? 0 : Math.round((rate * gapMs) / 1_000)
      if (gap > 0) yield { rate, samples: new Float32Array(gap) }
      isOpen = true
      isFirst = false
      yield { rate, samples }
    }
  }
}

/** The sound with rise and fall; the last samples are held until it is known that they are the last. */
async function* fadeEnds(sound: SoundStream, rate: number): AsyncGenerator<Float32Array> {
  const length = Math.round((rate * fadeMs) / 1_000)
  const curve = Float32Array.from(
    { length },
    (_, at) => 0.5 - 0.5 * Math.cos((Math.PI * (at + 0.5)) / length),
  )
  let held = noSamples
  let taken = 0
  for await (const { samples } of sound) {
    const whole = concatSamples([held, samples.slice()])
    for (let at = held.length; at < whole.length && taken < length; at++, taken++) whole[at]! *= curve[taken]!
    const ready = Math.max(0, whole.length - length)
    if (ready > 0) yield whole.subarray(0, ready)
    held = whole.slice(ready)
  }
  for (let at = 0; at < held.length; at++) held[held.length - 1 - at]! *= curve[at]!
  if (held.length > 0) yield held
}

async function* levelLoudness(sound: AsyncIterable<Sound>, lufs: number): AsyncGenerator<Sound> {
  const held: Sound[] = []
  let leveller: Leveller | undefined
  let meter: LoudnessMeter | undefined
  let seconds = 0
  for await (const piece of sound) {
    if (leveller) {
      yield leveller.write(piece)
      continue
    }
    meter ??= new LoudnessMeter(piece.rate)
    meter.write(piece.samples)
    held.push(piece)
    seconds += secondsOf(piece)
    if (seconds < measuredSeconds) continue
    leveller = new Leveller(piece.rate, lufs - meter.lufs)
    yield* leveller.writeAll(held.splice(0))
  }
  if (!meter) return
  leveller ??= new Leveller(held[0]!.rate, lufs - meter.lufs)
  yield* leveller.writeAll(held)
  yield leveller.end()
}

class Leveller {
  readonly #rate: number
  readonly #gain: number
  readonly #limiter: Limiter

  /** @param changeDb infinite for silence, which stays as it is */
  constructor(rate: number, changeDb: number) {
    this.#rate = rate
    this.#gain = Number.isFinite(changeDb) ? factorOf(Math.max(-maxGainDb, Math.min(maxGainDb, changeDb))) : 1
    this.#limiter = new Limiter(rate, factorOf(ceilingDb))
  }

  write({ samples }: Sound): Sound {
    return { rate: this.#rate, samples: this.#limiter.write(samples.map((sample) => sample * this.#gain)) }
  }

  async *writeAll(pieces: readonly Sound[]): AsyncGenerator<Sound> {
    const slice = new Slice()
    for (const piece of pieces) {
      if (slice.isOver()) await slice.next()
      yield this.write(piece)
    }
  }

  end(): Sound {
    return { rate: this.#rate, samples: this.#limiter.end() }
  }
}

/** Integrated loudness in LUFS (ITU-R BS.1770, gated); -Infinity for silence. */
export async function loudnessOf(sound: SoundStream): Promise<number> {
  const slice = new Slice()
  let meter: LoudnessMeter | undefined
  for await (const { rate, samples } of sound) {
    meter ??= new LoudnessMeter(rate)
    for await (const part of slicesOf(samples, slice)) meter.write(part)
  }
  return meter?.lufs ?? Number.NEGATIVE_INFINITY
}
