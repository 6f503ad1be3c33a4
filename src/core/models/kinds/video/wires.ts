/** What the dialects of video can do, so that an entry which promises more is refused at the start and not after a hold. */
import type { VideoResolution } from '#core/turn'
import type { Sentence } from '#platform/config'
import type { Dialect } from '../../provider-settings.ts'
import type { VideoEntry } from './settings.ts'

interface VideoWire {
  /** The wire's resolutions; absent: any. */
  resolutions?: readonly VideoResolution[]
  aspectRatios?: readonly string[]
  /** True: sound is made whatever is ordered. */
  isAlwaysHeard?: true
  /** The most pictures that guide a video. */
  maxGuides?: number
  /** True: a completed job reports what it cost. */
  saysCost?: true
}

/**
 * A provider with several of these dialects makes videos by the first (src/connect.ts). What a fal model takes is stated by its own schema at each
 * order.
 */
const wires: Partial<Record<Dialect, VideoWire>> = {
  openrouter: { saysCost: true },
  gemini: {
    resolutions: ['720p', '1080p'],
    aspectRatios: ['16:9', '9:16'],
    isAlwaysHeard: true,
    maxGuides: 6,
  },
  fal: {},
}

/** A provider needs one of these. */
export const videoDialects = Object.keys(wires) as Dialect[]

/** Returns what the entry promises and the wire of these dialects cannot do, and how to fix it; undefined if there is nothing. */
export function unableVideo(
  { video, pricing }: Pick<VideoEntry, 'video' | 'pricing'>,
  dialects: readonly Dialect[],
): Sentence | undefined {
  const wire = Object.entries(wires).find(([dialect]) => dialects.some((own) => own === dialect))?.[1]
  if (!wire) return undefined
  for (const { resolution, aspectRatios, audio } of video.combinations) {
    if (wire.resolutions && !wire.resolutions.includes(resolution))
      return unableValue('resolution', resolution, wire.resolutions)
    const ratio = aspectRatios.find((one) => wire.aspectRatios && !wire.aspectRatios.includes(one))
    if (ratio) return unableValue('aspect_ratios', ratio, wire.aspectRatios!)
    if (wire.isAlwaysHeard && audio !== 'always') return unableSilence
  }
  const { guide = 0 } = video.references
  if (wire.maxGuides !== undefined && guide > wire.maxGuides) return unableGuides(guide, wire.maxGuides)
  return pricing.trustsCost && !wire.saysCost ? unableCost : undefined
}

const unableValue = (setting: string, value: string, known: readonly string[]): Sentence => ({
  en: `which makes videos of ${known.join(', ')} and not of ${value}: write combinations with ${setting} of these`,
  fa: `که ویدیوی ${known.join('، ')} می‌سازد و نه ${value}: در combinations مقدار ${setting} را از این‌ها بنویسید`,
})

const unableSilence: Sentence = {
  en: 'which makes sound with every video and leaves no choice: write audio: always in combinations',
  fa: 'که همراه هر ویدیو صدا می‌سازد و انتخابی نمی‌گذارد: در combinations بنویسید audio: always',
}

const unableGuides = (wanted: number, max: number): Sentence => ({
  en: `which takes ${max} pictures to guide a video at most and not ${wanted}: write video.references.guide: ${max}`,
  fa: `که حداکثر ${max} تصویر راهنما برای ویدیو می‌گیرد و نه ${wanted}: بنویسید video.references.guide: ${max}`,
})

const unableCost: Sentence = {
  en: 'which does not say what a video cost: leave pricing.trust_cost out',
  fa: 'که نمی‌گوید ویدیو چند تمام شد: pricing.trust_cost را بردارید',
}
