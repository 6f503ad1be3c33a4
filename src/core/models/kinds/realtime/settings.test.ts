import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { sandboxModels } from '#sandbox'
import { loadConfig } from '#settings'
import { buildCatalogue, type Catalogue } from '../../catalogue.ts'
import { sumOfLines } from '../cost.ts'
import { realtimeLines, relayPricing, relayTranscriptionCost } from './price.ts'
import type { RealtimeModel } from './realtime-model.ts'

const entry = (more = '') => `models:
  - id: acme/talk
    kind: realtime
${more}`

const catalogueOf = (file: string): Catalogue =>
  buildCatalogue(loadConfig(readEnv({}), file), { providers: [], models: [], silent: [] }, sandboxModels)

const provider =
  'providers: [{ id: talk, base_url: "https://talk.test/v1", api_key: secret, dialects: [realtime] }]\n'
const tokens =
  'text_input_per_million: 4, audio_input_per_million: 32, text_output_per_million: 16, audio_output_per_million: 64'
/** An entry of the engine `relay`; `more` follows its deployments. */
const relay = (more = `    pricing: { ${tokens} }\n`) =>
  `${provider}${entry(`    engine: relay\n    deployments: [{ provider: talk, model: voice-1 }]\n${more}`)}`

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
  expect(catalogueOf('').defaults.realtime).toBeUndefined()
  const named = (id: string) => `defaults: { realtime_model: ${id} }`
  expect(catalogueOf(named('sandbox/realtime')).defaults.realtime).toMatchObject({ id: 'sandbox/realtime' })
  expect(catalogueOf(named('sandbox/omni')).defaults.realtime).toMatchObject({ id: 'sandbox/omni' })
  expect(refusal(named('sandbox/image')).message).toMatch(
    /defaults\.realtime_model is sandbox\/image, .*: write one of sandbox\/realtime/,
  )
})

test('a minute is charged by the second, rounded up once', () => {
  const model = talk(entry('    pricing: { per_minute: 0.0000005 }\n'))
  const cost = (seconds: number) =>
    sumOfLines(realtimeLines(model, { creditsPerUsd: 1_000, markup: 1 }, { seconds }))
  expect([cost(0), cost(1), cost(60), cost(61)]).toEqual([0n, 9n, 500n, 509n])
})

test('a relay has the voices and limits of its upstream, and a price of each kind of tokens', () => {
  const model = talk(
    relay(`    realtime: { voices: [marin, cedar], transcription_model: ears-1 }
    pricing: { ${tokens}, cached_audio_input_per_million: 0.4, per_minute: 0.01, transcription_per_minute: 0.006 }\n`),
  )
  expect(model).toMatchObject({
    engine: 'relay',
    deployments: [{ provider: 'talk', model: 'voice-1' }],
    relay: {
      voices: ['marin', 'cedar'],
      transcriptionModel: 'ears-1',
      maxInputTokens: 8_000,
      maxOutputTokens: 1_200,
    },
  })
  if (model.engine !== 'relay') throw new Error('no relay')
  const conversion = { creditsPerUsd: 1_000, markup: 1 }
  // Micro-credits of a million tokens; where no price is written, pictures cost as text does, and cached tokens as uncached ones.
  expect(relayPricing(model, conversion)).toMatchObject({
    textInput: 4_000_000_000n,
    imageInput: 4_000_000_000n,
    cachedTextInput: 4_000_000_000n,
    audioInput: 32_000_000_000n,
    cachedAudioInput: 400_000_000n,
    audioOutput: 64_000_000_000n,
  })
  expect(sumOfLines(realtimeLines(model, conversion, { seconds: 60 }))).toBe(10_000_000n)
  const cost = (seconds: number) => relayTranscriptionCost(model, conversion, seconds).microcredits
  expect([cost(0), cost(0.0001), cost(0.5), cost(60)]).toEqual([0n, 100n, 50_000n, 6_000_000n])
})

test.each([
  [relay(''), /pricing is missing: write per_minute, or all of text_input_per_million/],
  [relay('    pricing: { text_input_per_million: 4 }\n'), /pricing\.audio_input_per_million is missing/],
  [
    relay(`    realtime: { transcription_model: ears-1 }\n    pricing: { ${tokens} }\n`),
    /pricing\.transcription_per_minute is missing: write what a minute/,
  ],
  [
    relay(`    text_model: sandbox/fast\n    pricing: { ${tokens} }\n`),
    /text_model .*engine: pipeline, or leave it out/,
  ],
  [
    entry(`    engine: relay\n    pricing: { per_minute: 0 }\n`),
    /deployments is missing: write at least one/,
  ],
  [
    entry('    deployments: [{ provider: sandbox, model: x }]\n'),
    /deployments .*engine: relay \(or passthrough\) beside it/,
  ],
  [entry('    realtime: { voices: [a] }\n'), /realtime .*engine: relay \(or passthrough\) beside it/],
  [entry('    pricing: { text_input_per_million: 1 }\n'), /per_minute alone, .*or engine: relay/],
  [entry('    engine: telephone\n'), /engine .*pipeline, relay or passthrough/],
  [entry('    engine: passthrough\n    pricing: { per_minute: 0 }\n'), /deployments is missing/],
  [
    relay().replace('engine: relay', 'engine: passthrough').replace('[realtime]', '[gemini]'),
    /talk, which has no calls over WebRTC of its own/,
  ],
  [
    relay().replace('[realtime]', '[chat]'),
    /talk, which has no models that hear and speak by themselves: add the dialect/,
  ],
  [relay().replace('provider: talk,', 'provider: sandbox,'), /sandbox, which has no models that hear/],
  [relay(`    realtime: { max_output_tokens: 4097 }\n    pricing: { ${tokens} }\n`), /16 … 4096/],
  [relay(`    realtime: { max_input_tokens: 499 }\n    pricing: { ${tokens} }\n`), /500 … 1000000/],
])('a relay that could not be held or paid is refused, in both languages', (file, sentence) => {
  const refused = refusal(file)
  expect(refused.message).toMatch(sentence)
  expect(refused.fa).toMatch(/[آ-ی]/)
})

test('a relay whose price is its time alone has free tokens', () => {
  const model = talk(relay('    pricing: { per_minute: 0.05 }\n'))
  expect(model).toMatchObject({ pricing: { perMinute: 0.05, perMillion: { audioOutput: 0 } } })
})

test('a passthrough has the settings and the prices of a relay', () => {
  const model = talk(relay().replace('engine: relay', 'engine: passthrough'))
  expect(model).toMatchObject({
    engine: 'passthrough',
    deployments: [{ provider: 'talk', model: 'voice-1' }],
    relay: { maxInputTokens: 8_000, maxOutputTokens: 1_200 },
    pricing: { perMillion: { audioOutput: 64 } },
  })
})
