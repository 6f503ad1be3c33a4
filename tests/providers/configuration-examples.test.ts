/** The configuration files of docs/examples start a server once their operator has filled in the missing values. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { buildCatalogue } from '#core/models'
import { readEnv } from '#platform/config'
import { sandboxModels } from '#sandbox'
import { loadConfig } from '#settings'

const folder = path.resolve(import.meta.dirname, '../../docs/examples/configuration')
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))

/** Whatever a file names is filled: figures with a number, the rest with a text. */
const filled = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => [name!, fillingOf(name!)]))
function fillingOf(name: string): string {
  if (name.endsWith('_ENDPOINT')) return 'https://arvancloudai.ir/gateway/models/some-model/some-token/v1'
  if (name.endsWith('_CONTEXT_TOKENS')) return '32000'
  if (name.endsWith('_OUTPUT_TOKENS')) return '4000'
  return name.endsWith('_USD') ? '0.5' : 'filled-in'
}

test.each(files)('%s is taken, and gives one model with an alias, its price and its provider', (name) => {
  const text = readFileSync(path.join(folder, name), 'utf8')
  const variables = filled(text)
  const config = loadConfig(readEnv(variables), text)
  const catalogue = buildCatalogue(config, { providers: [], models: [], silent: [] }, sandboxModels)
  const model = catalogue.find('gpt-4o-mini')
  expect(model).toBe(catalogue.defaults.text)
  expect(model).toMatchObject({
    aliases: ['gpt-4o-mini'],
    contextLength: 32_000,
    maxOutputTokens: 4_000,
    pricing: { inputPerMillion: 0.5, outputPerMillion: 0.5 },
  })
  const { baseUrl, apiKey, headers, dialects } = config.providers[0]!
  expect(new URL(baseUrl).protocol).toBe('https:')
  expect(apiKey ?? headers['authorization']).toContain('filled-in')
  expect(dialects).toEqual(['chat'])
})

test('the examples are those of AvalAI, Liara and ArvanCloud, and none bears a figure that nobody looked up', () => {
  expect(files.toSorted()).toEqual(['arvancloud.yaml', 'avalai.yaml', 'liara.yaml'])
  for (const name of files) {
    const text = readFileSync(path.join(folder, name), 'utf8')
    expect(text).toMatch(/^# .* on 2026-11-22:/m)
    expect(text).not.toMatch(
      /^\s+(context_length|max_output_tokens|input_per_million|output_per_million): [0-9]/m,
    )
  }
})

test.each(['configuration.md', 'configuration.fa.md'])('the servers of speech in %s start', (name) => {
  const text = readFileSync(path.join(folder, '../../guides', name), 'utf8')
  const yaml = /```yaml\n(providers:\n {2}- \{ id: speaches[^`]*)```/.exec(text)![1]!
  const config = loadConfig(readEnv({}), yaml)
  const catalogue = buildCatalogue(config, { providers: [], models: [], silent: [] }, sandboxModels)
  for (const id of ['house/heart', 'house/kokoro', 'house/piper'])
    expect(catalogue.find(id)).toMatchObject({ kind: 'audio', pricing: { perMinute: 0 } })
})

test.each(['configuration.md', 'configuration.fa.md'])('the models of videos in %s start', (name) => {
  const text = readFileSync(path.join(folder, '../../guides', name), 'utf8')
  const yaml = /```yaml\n(providers:\n {2}- \{ id: films[^`]*)```/.exec(text)![1]!
  const config = loadConfig(readEnv(filled(yaml)), yaml)
  const catalogue = buildCatalogue(config, { providers: [], models: [], silent: [] }, sandboxModels)
  for (const id of ['house/film', 'house/omni', 'house/kling'])
    expect(catalogue.find(id)).toMatchObject({ kind: 'video' })
})
