/**
 * A model kind that is passed to the list's constructor is known everywhere: in the configuration, the catalogue, on cards and in
 * documents.
 */

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type AnyModel, buildCatalogue, modelKind, openKinds } from '#core/models'
import { modelsOf } from '#core/models/settings'
import { editorSchema, loadConfig, readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { sandboxModels } from '#sandbox'
import { settings } from '#settings'
import { modelCard } from './schema.ts'

const SpeechEntry = Type.Object({
  id: Type.String(),
  kind: Type.Literal('speech'),
  deployments: Type.Array(Type.Object({ provider: Type.String(), model: Type.String() })),
  pricing: Type.Object({ per_character: Type.Number({ minimum: 0, maximum: 1 }) }),
})

/** A model kind that speaks texts, at a price for each character. */
const speech = modelKind({
  kind: 'speech' as string,
  entry: SpeechEntry,
  readEntry: (typed: Static<typeof SpeechEntry>, place) => ({
    where: place.sourcePosition(),
    id: typed.id,
    kind: 'speech' as string,
    aliases: [],
    deployments: typed.deployments.map((one) => ({ ...one, weight: 1, priority: 0 })),
    fallbacks: [],
    perCharacter: typed.pricing.per_character,
  }),
  dialects: ['chat'],
  missingDialect: {
    en: 'does not speak: add chat to its dialects',
    fa: 'نمی‌گوید: chat را به dialects آن بیفزایید',
  },
  modelOf: ({ perCharacter }, { named }) => ({
    ...named,
    kind: 'speech' as string,
    inputModalities: ['text' as const],
    perCharacter,
  }),
  pricing: Type.Object({
    currency: Type.Literal('USD'),
    per_character: Type.Number(),
    credits_per_usd: Type.Number(),
  }),
  card: ({ perCharacter }) => ({
    output_modalities: ['audio'],
    context_length: null,
    max_output_tokens: null,
    features: [],
    reasoning: { supported_efforts: [] },
    media_input: null,
    pricing: { per_character: perCharacter },
    studio_settings: null,
  }),
  figures: () => ({ abilities: ['speech'] }),
  details: ({ perCharacter }) => ({ pricing: { per_character: perCharacter } }),
  prices: ({ perCharacter }) => [perCharacter],
  operation: 'speech',
  callProvider: (provider: { speak(text: string): Promise<Uint8Array> }, text: string) =>
    provider.speak(text),
  mayRepeat: ({ executed }) => !executed,
  mayReleaseClaim: ({ executed }) => !executed,
  lines: ({ perCharacter }, { creditsPerUsd, markup }, characters: number) => [
    {
      unit: 'characters',
      quantity: characters,
      price: BigInt(Math.ceil(perCharacter * creditsPerUsd * markup * 1_000_000)) * 1_000_000n,
    },
  ],
  worstCase: ({ perCharacter }, { creditsPerUsd, markup }, text: string) =>
    BigInt(Math.ceil(perCharacter * creditsPerUsd * markup * 1_000_000)) * BigInt(text.length),
})

const kinds = openKinds([speech as never])
const withSpeech = settings.map((section) => (section.name === 'models' ? modelsOf(kinds) : section))
const file = `providers: [{ id: acme, base_url: http://127.0.0.1:9000/v1 }]
models:
  - { id: acme/voice, kind: speech, deployments: [{ provider: acme, model: v }], pricing: { per_character: 0.00002 } }
`

test('a further kind is read from the file, is in the catalogue, and has its card and its price', () => {
  const config = loadConfig(withSpeech, readEnv({}), file)
  const catalogue = buildCatalogue(config, { providers: [], models: [], silent: [] }, sandboxModels, kinds)
  const model = catalogue.find('acme/voice') as AnyModel
  expect(model).toMatchObject({ kind: 'speech', ownedBy: 'acme', perCharacter: 0.00002 })
  const kind = catalogue.kinds.of(model)
  expect(kind.card(model)).toMatchObject({
    output_modalities: ['audio'],
    pricing: { per_character: 0.00002 },
  })
  expect(kind.price(model, config.defaults, 10)).toBe(200_000n)
  expect(kind.worstCase(model, config.defaults, 'hello')).toBe(100_000n)
})

test('what its entry lacks is refused with the place and how to fix it, and a kind that nobody has with those there are', () => {
  const refusal = (text: string): string => {
    try {
      loadConfig(withSpeech, readEnv({}), text)
    } catch (error) {
      if (error instanceof StartRefused) return error.message
    }
    throw new Error('the start was not refused')
  }
  expect(refusal(file.replace('per_character: 0.00002', ''))).toMatch(
    /:3: models\[0\]\.pricing\.per_character is missing/,
  )
  expect(refusal(file.replace('kind: speech', 'kind: smell'))).toMatch(
    /kind is "smell": write one of text, image, audio, video, transcription, embedding, realtime, speech\./,
  )
})

test('documents of the API and editors know it', () => {
  const card = JSON.stringify(modelCard(kinds))
  expect(card).toContain('"speech"')
  expect(card).toContain('per_character')
  expect(JSON.stringify(editorSchema(withSpeech))).toContain('per_character')
})

test('the schema for editors takes the examples as they are, and refuses an unknown entry', () => {
  const check = new Ajv({ strict: false }).compile(editorSchema(settings))
  const folder = path.resolve(import.meta.dirname, '../../../docs/examples/configuration')
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.yaml'))) {
    const isTaken = check(parse(readFileSync(path.join(folder, name), 'utf8')))
    expect(check.errors ?? []).toEqual([])
    expect(isTaken).toBe(true)
  }
  expect(check({ quotas: {} })).toBe(false)
  expect(check({ models: [{ id: 'a/b', kind: 'image', context_length: 1 }] })).toBe(false)
  expect(check({ work: { max_minutes: '\x24{MINUTES}' } })).toBe(true)
})

test('every variable that a room declares is written down for operators', () => {
  const page = path.resolve(import.meta.dirname, '../../../docs/operations/environment.md')
  const documented = readFileSync(page, 'utf8')
  const declared = settings.flatMap(({ variables }) => variables.map(({ name }) => name.toUpperCase()))
  expect(declared.filter((name) => !documented.includes(name))).toEqual([])
})
