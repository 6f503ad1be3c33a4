import { expect, test } from 'vitest'
import type { TranscriptionModel } from '#core/models'
import { SoundError } from '#core/sound'
import { Failure } from '#platform/errors'
import { planCandidates } from './candidates.ts'
import type { OpenedRecording, TranscriptionSpec } from './transcription.ts'

const transcription = {
  formats: ['mp3', 'wav'],
  maxSeconds: 600,
  maxBytes: 1e7,
  timestamps: 'none',
  vad: true,
}
const pricing = { perMinute: 0.06, minimumSeconds: 0, inputPerMillion: 0, outputPerMillion: 0 }
const modelOf = (id: string, fallbacks: string[] = []) =>
  ({ kind: 'transcription', id, fallbacks, transcription, pricing }) as unknown as TranscriptionModel

/** What is sent of a recording of a minute by a model and its fallback, where `speechIn` is as it is given. */
async function sentOf(speechIn: () => Promise<boolean[]>): Promise<[string, number][]> {
  const measured = {
    mediaType: 'audio/mpeg',
    codec: 'mp3',
    seconds: 60,
    packetSeconds: 60,
    isDecodable: true,
  }
  const recording = { source: new Uint8Array(1e6), recording: { measured, speechIn } }
  const candidates = await planCandidates({ models: { find: () => modelOf('other') } } as never, {
    model: modelOf('asked', ['other']),
    spec: { timestamps: 'none', where: (setting) => setting } satisfies TranscriptionSpec,
    recording: recording as unknown as OpenedRecording,
    caller: {} as never,
  })
  return candidates.map(({ model, spans }) => [model.id, spans.length])
}

test('a recording whose silence cannot be heard here, or not now, is sent as it came', async () => {
  const whole = [
    ['asked', 1],
    ['other', 1],
  ]
  const full = new Failure('SPOOL_FULL', {}, {})
  for (const error of [new SoundError('busy'), new SoundError('malformed'), new SoundError('too_long'), full])
    expect(await sentOf(() => Promise.reject(error))).toEqual(whole)
  expect(await sentOf(async () => [true])).toEqual(whole)
  expect(await sentOf(async () => [false])).toEqual([['asked', 0]])
})

test('who has left is not taken for somebody who speaks', async () => {
  await expect(sentOf(() => Promise.reject(new Error('left')))).rejects.toThrow('left')
})
