/** Models of videos that a vendor's key switches on: those whose price and settings stand in a public document, which is named beside them. */
import type { BaseModel, ModelNamer } from '../../model-namer.ts'
import type { VideoCombination, VideoModel, VideoPricing, VideoSettings } from './video-model.ts'

const videoModel = (
  named: BaseModel,
  combinations: VideoCombination[],
  pricing: Partial<VideoPricing> & Pick<VideoPricing, 'rows'>,
  more: Partial<VideoSettings> = {},
): VideoModel => {
  const [first] = combinations
  const { references = {} } = more
  return {
    ...named,
    kind: 'video',
    inputModalities: Object.keys(references).length > 0 ? ['text', 'image'] : ['text'],
    video: {
      combinations,
      defaults: {
        resolution: first!.resolution,
        seconds: first!.durations[0]!,
        aspectRatio: first!.aspectRatios[0]!,
        withAudio: first!.audio !== 'never',
      },
      references,
      takesSeed: false,
      ...more,
    },
    pricing: { billed: 'ordered', trustsCost: false, ...pricing },
  }
}

const wideAndTall = ['16:9', '9:16']
const secondsTo = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** Veo takes only 8 s for 1080p (ai.google.dev/gemini-api/docs/veo). */
const veo = (audio: VideoCombination['audio']): VideoCombination[] => [
  { resolution: '720p', durations: [4, 6, 8], aspectRatios: wideAndTall, audio },
  { resolution: '1080p', durations: [8], aspectRatios: wideAndTall, audio },
]

/** The price of a second with sound, and of one without. */
const bySound = (heard: number, silent: number): VideoPricing['rows'] => [
  { audio: true, perSecond: heard },
  { audio: false, perSecond: silent },
]

/**
 * The prices are `pricing_skus` of openrouter.ai/api/v1/videos/models, as its clients keep them for their tests; OpenRouter reports the cost of each
 * video, which is charged up to these prices. One frame is allowed: with two, Veo makes 8 s only.
 */
const openRouterVideos = (named: ModelNamer): VideoModel[] => [
  videoModel(
    named('google/veo-3.1-fast', 'Veo 3.1 Fast'),
    veo('optional'),
    {
      rows: [
        { resolution: '720p', audio: true, perSecond: 0.1 },
        { resolution: '720p', audio: false, perSecond: 0.08 },
        ...bySound(0.12, 0.1),
      ],
      trustsCost: true,
    },
    { references: { frames: 1 }, takesSeed: true },
  ),
  videoModel(
    named('google/veo-3.1', 'Veo 3.1'),
    veo('optional'),
    { rows: bySound(0.4, 0.2), trustsCost: true },
    { references: { frames: 1 }, takesSeed: true },
  ),
]

/**
 * $0.07 a second of 720p and $0.105 of 1080p: muapi.ai/gemini-omni-1.2-flash, and docs.laozhang.ai, gemini-omni-video-generation, of 2026-11-11,
 * which quotes a share of these prices. Two cents a video are added for what the model thinks and reads, both billed as tokens. Veo itself has been
 * shut down at this address since 2026-10-22 (docs.apiyi.com, veo-3-1-preview-retired).
 */
const geminiVideos = (named: ModelNamer): VideoModel[] => [
  videoModel(
    named('gemini-omni-1.2-flash', 'Gemini Omni 1.2 Flash'),
    (['720p', '1080p'] as const).map((resolution) => ({
      resolution,
      // Between two frames the model makes ten seconds at most, else fifteen (developer.civitai.com, gemini-omni).
      durations: [5, ...secondsTo(3, 4), ...secondsTo(6, 10)],
      aspectRatios: wideAndTall,
      audio: 'always',
    })),
    {
      rows: [
        { resolution: '720p', perSecond: 0.07, perVideo: 0.02 },
        { resolution: '1080p', perSecond: 0.105, perVideo: 0.02 },
      ],
    },
    { references: { guide: 6, frames: 2 } },
  ),
]

/** Source: fal.ai/models/<model>/llms.txt. The models of fal that start from pictures have names of their own. */
const falVideos = (named: ModelNamer): VideoModel[] => [
  videoModel(
    named('fal-ai/kling-video/v3/turbo/pro/text-to-video', 'Kling 3 Turbo Pro'),
    [
      {
        resolution: '1080p',
        durations: [5, 3, 4, ...secondsTo(6, 15)],
        aspectRatios: [...wideAndTall, '1:1'],
        audio: 'always',
      },
    ],
    { rows: [{ perSecond: 0.14 }] },
  ),
  videoModel(
    named('fal-ai/veo3.1', 'Veo 3.1'),
    veo('optional'),
    { rows: bySound(0.4, 0.2) },
    { takesSeed: true },
  ),
]

export const readyMadeVideos = { openrouter: openRouterVideos, gemini: geminiVideos, fal: falVideos }
