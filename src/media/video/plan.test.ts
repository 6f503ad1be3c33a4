import { expect, test } from 'vitest'
import type { VideoModel } from '#core/models'
import { orderFor, planVideo, pricedSettings, type VideoSpec } from './plan.ts'

const picture = { data: new Uint8Array(3), mediaType: 'image/png' }
const model = {
  id: 'test/film',
  kind: 'video',
  fallbacks: [],
  video: {
    combinations: [
      { resolution: '480p', durations: [5, 10], aspectRatios: ['1:1'], audio: 'never' },
      { resolution: '720p', durations: [4, 8], aspectRatios: ['16:9', '9:16'], audio: 'optional' },
      { resolution: '1080p', durations: [8], aspectRatios: ['16:9'], audio: 'always' },
    ],
    defaults: { resolution: '720p', seconds: 4, aspectRatio: '9:16', withAudio: true },
    references: { guide: 3, frames: 2 },
    takesSeed: false,
  },
} as unknown as VideoModel

const plan = (wish: Partial<VideoSpec>, of = model) =>
  planVideo(of, { prompt: 'گربه', ...wish }, (setting) => `at.${setting}`)

test('what is not named comes from the default', () => {
  expect(plan({})).toEqual({
    prompt: 'گربه',
    resolution: '720p',
    seconds: 4,
    aspectRatio: '9:16',
    withAudio: true,
    references: [],
  })
  expect(plan({ seconds: 8, withAudio: false })).toMatchObject({
    resolution: '720p',
    seconds: 8,
    withAudio: false,
  })
})

test('where the default does not stand with what is named, the first row is taken in which that stands', () => {
  expect(plan({ resolution: '1080p' })).toEqual({
    prompt: 'گربه',
    resolution: '1080p',
    seconds: 8,
    aspectRatio: '16:9',
    references: [],
  })
  expect(plan({ seconds: 10 })).toMatchObject({ resolution: '480p', aspectRatio: '1:1' })
  expect(plan({ aspectRatio: '1:1' })).toMatchObject({ resolution: '480p', seconds: 5 })
})

test('sound is asked for only where there is a choice, and counted in the price as it will be', () => {
  const of = (wish: Partial<VideoSpec>) => pricedSettings(model, plan(wish)).withAudio
  expect([of({}), of({ withAudio: false }), of({ resolution: '1080p' }), of({ resolution: '480p' })]).toEqual(
    [true, false, true, false],
  )
})

test.each<[string, Partial<VideoSpec>, string[]]>([
  ['seconds', { seconds: 7 }, ['5', '10', '4', '8']],
  ['seconds', { resolution: '1080p', seconds: 4 }, ['8']],
  ['aspectRatio', { resolution: '1080p', aspectRatio: '9:16' }, ['16:9']],
  ['aspectRatio', { seconds: 10, aspectRatio: '16:9' }, ['1:1']],
  ['withAudio', { resolution: '1080p', withAudio: false }, ['true']],
  ['withAudio', { resolution: '480p', withAudio: true }, ['false']],
  ['resolution', { resolution: '2k' as '480p' }, ['480p', '720p', '1080p']],
  ['references', { references: Array(4).fill(picture) }, ['1–3']],
  ['references', { references: Array(3).fill(picture), referenceMode: 'frames' }, ['1–2']],
  ['seed', { seed: 7 }, []],
])(
  '%s that stands with nothing else is refused at its place, with what it could be: %o',
  (setting, wish, supported) => {
    expect(() => plan(wish)).toThrow(
      expect.objectContaining({
        code: 'VIDEO_SETTING_NOT_SUPPORTED',
        status: 400,
        more: { param: `at.${setting}` },
        detail: expect.objectContaining({ supported }),
      }),
    )
  },
)

test('pictures keep their order and their mode; the first mode is that of the model', () => {
  const [first, second] = [
    { ...picture, width: 1 },
    { ...picture, width: 2 },
  ]
  expect(plan({ references: [first!, second!], referenceMode: 'frames' })).toMatchObject({
    references: [first, second],
    referenceMode: 'frames',
  })
  expect(plan({ references: [first!] }).referenceMode).toBe('guide')
  const frames = { ...model, video: { ...model.video, references: { frames: 1 } } } as VideoModel
  expect(plan({ references: [first!] }, frames).referenceMode).toBe('frames')
  const none = { ...model, video: { ...model.video, references: {} } } as VideoModel
  expect(() => plan({ references: [first!] }, none)).toThrow('VIDEO_SETTING_NOT_SUPPORTED')
  expect(() => plan({ referenceMode: 'guide' }, none)).toThrow('VIDEO_SETTING_NOT_SUPPORTED')
  expect(plan({}, none).references).toEqual([])
})

test('a fallback gets the same video, or none', () => {
  const loud = {
    ...model,
    video: {
      ...model.video,
      combinations: [{ resolution: '720p', durations: [4], aspectRatios: ['9:16'], audio: 'always' }],
      references: { guide: 1 },
      takesSeed: true,
    },
  } as VideoModel
  expect(orderFor(loud, model, plan({}))).toEqual({
    prompt: 'گربه',
    resolution: '720p',
    seconds: 4,
    aspectRatio: '9:16',
    references: [],
  })
  expect(orderFor(loud, model, plan({ withAudio: false }))).toBeUndefined()
  expect(orderFor(loud, model, plan({ seconds: 8 }))).toBeUndefined()
  expect(orderFor(loud, model, plan({ references: [picture, picture] }))).toBeUndefined()
  // A model without seeds makes the video all the same.
  expect(orderFor(model, loud, { ...plan({}), seed: 7 })).toEqual(plan({}))
})
