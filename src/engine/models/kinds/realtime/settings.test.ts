import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { sandboxModels } from '#providers/sandbox'
import { loadConfig } from '#settings'
import { buildCatalogue, type Catalogue } from '../../catalogue.ts'
import { realtimeCost } from './price.ts'
import type { RealtimeModel } from './realtime-model.ts'

const entry = (more = '') => `models:
  - id: acme/talk
    kind: realtime
${more}`

const catalogueOf = (file: string): Catalogue =>
  buildCatalogue(loadConfig(readEnv({}), file), { providers: [], models: [], silent: [] }, sandboxModels)

function talk(file: string): RealtimeModel {
  const model = catalogueOf(file).find('acme/talk')
  if (model?.kind !== 'realtime') throw new Error('no model for calls')
  return model
}

function refusal(file: string): StartRefused {
  try {
    catalogueOf(file)
  } catch (error) {
    if (error instanceof StartRefused && error.fa) return error
    throw error
  }
  throw new Error('it was accepted')
}

test('a pipeline that names no models works with the defaults of the server', () => {
  expect(talk(entry())).toMatchObject({
    engine: 'pipeline',
    textModel: 'sandbox/fast',
    transcriptionModel: 'sandbox/transcribe',
    speechModel: 'sandbox/speech',
    pricing: { perMinute: 0 },
    sandbox: true,
    deployments: [],
  })
  const file = `${entry()}defaults: { text_model: sandbox/omni, transcription_model: sandbox/transcribe, speech_model: sandbox/speech }`
  expect(talk(file)).toMatchObject({ textModel: 'sandbox/omni' })
})

test('a pipeline works with the models that it names', () => {
  const models = '    text_model: sandbox/omni\n    speech_model: sandbox/speech\n'
  expect(talk(entry(`${models}    pricing: { per_minute: 0.02 }\n`))).toMatchObject({
    textModel: 'sandbox/omni',
    speechModel: 'sandbox/speech',
    pricing: { perMinute: 0.02 },
  })
})

test.each([
  ['    text_model: sandbox/speech\n', /text_model is sandbox\/speech, .*: write one of sandbox\/fast/],
  ['    text_model: acme/none\n', /text_model is acme\/none/],
  [
    '    transcription_model: sandbox/fast\n',
    /transcription_model is sandbox\/fast, .*: write one of sandbox\/transcribe/,
  ],
  ['    speech_model: sandbox/fast\n', /speech_model is sandbox\/fast, .*: write one of sandbox\/speech/],
  ['    engine: telephone\n', /engine/],
  ['    pricing: { per_minute: -1 }\n', /per_minute/],
])('what cannot work is refused with its place: %s', (more, sentence) => {
  expect(refusal(entry(more)).message).toMatch(sentence)
})

test('a call may be held with a text model too; a model that neither talks nor writes answers none', () => {
  const { realtimeOf, find } = catalogueOf('')
  expect(realtimeOf(find('sandbox/realtime')!)).toBe(find('sandbox/realtime'))
  expect(realtimeOf(find('sandbox/omni')!)).toMatchObject({
    id: 'sandbox/omni',
    engine: 'pipeline',
    textModel: 'sandbox/omni',
    transcriptionModel: 'sandbox/transcribe',
    speechModel: 'sandbox/speech',
  })
  expect(realtimeOf(find('sandbox/image')!)).toBeUndefined()
})

test('calls without a model have one only where the configuration names it', () => {
  expect(catalogueOf('').defaultRealtime).toBeUndefined()
  const named = (id: string) => `defaults: { realtime_model: ${id} }`
  expect(catalogueOf(named('sandbox/realtime')).defaultRealtime).toMatchObject({ id: 'sandbox/realtime' })
  expect(catalogueOf(named('sandbox/omni')).defaultRealtime).toMatchObject({ id: 'sandbox/omni' })
  expect(refusal(named('sandbox/image')).message).toMatch(
    /defaults\.realtime_model is sandbox\/image, .*: write one of sandbox\/realtime/,
  )
})

test('a minute is charged by the second, rounded up once', () => {
  const model = talk(entry('    pricing: { per_minute: 0.0000005 }\n'))
  const cost = (seconds: number) => realtimeCost(model, { creditsPerUsd: 1_000, markup: 1 }, { seconds })
  expect([cost(0), cost(1), cost(60), cost(61)]).toEqual([0n, 9n, 500n, 509n])
})
