import { Slice } from '#platform/slices'
import { concatSamples, type SoundStream } from './pcm.ts'
import { slicesOf } from './slices.ts'
import { VoiceDetector } from './voice.ts'

/** A detector that rather takes noise for speech than a whisper for noise. */
const options = { strictness: 0, minSpeechMs: 100 } as const
/** Quiet sound is heard so much louder; a recording whose speech is quieter still cannot be told from one of nothing. */
const maxGain = 10
/** No louder than this, so that loud speech is not clipped. */
const loudest = 0.5

/** So much is heard before the noise is known: what lasts is noise then, however loud it begins. Shorter sound may be one syllable. */
const learnedSeconds = 3

/**
 * Whether somebody speaks in a sound, which is read no further than that. It is found without a model, so that noise which changes may be taken for
 * speech.
 * @throws what the sound throws
 */
export async function hasSpeech(sound: SoundStream): Promise<boolean> {
  const slice = new Slice()
  const gain = new Gain()
  using detectors = new DisposableStack()
  let detector: VoiceDetector | undefined
  let first: Float32Array[] | undefined = []
  let seconds = 0
  const isFound = async (samples: Float32Array): Promise<boolean> => {
    for await (const part of slicesOf(samples, slice))
      if (detector!.write(gain.next(part)).length > 0) return true
    return false
  }
  for await (const { rate, samples } of sound) {
    detector ??= detectors.use(await VoiceDetector.open(rate, options))
    seconds += samples.length / rate
    first?.push(samples.slice())
    if (first && seconds < learnedSeconds) continue
    const heard = first ? concatSamples(first) : samples
    if (first) for await (const part of slicesOf(heard, slice)) detector.learn(gain.next(part))
    first = undefined
    if (await isFound(heard)) return true
  }
  if (first && first.length > 0 && (await isFound(concatSamples(first)))) return true
  return (detector?.end() ?? []).length > 0
}

/** Makes a sound louder, by less once it has been loud. */
class Gain {
  #peak = 0

  next(samples: Float32Array): Float32Array {
    for (const sample of samples) this.#peak = Math.max(this.#peak, Math.abs(sample))
    const gain = this.#peak === 0 ? 1 : Math.min(maxGain, loudest / this.#peak)
    return samples.map((sample) => gain * sample)
  }
}
