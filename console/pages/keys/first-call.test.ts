import { expect, test } from 'vitest'
import { firstCallOf, mostMicrocredits, samplesOf } from './first-call.ts'

const pricing = {
  currency: 'USD',
  input_per_million: 0.1,
  output_per_million: 0.4,
  cache_write_per_million: 0.1,
  credits_per_usd: 1_000,
}
const model = (id: string, over = {}) => ({ id, aliases: [], kind: 'text', default: false, pricing, ...over })
const models = [
  model('house/image', { kind: 'image', default: true }),
  model('acme/deep'),
  model('acme/fast', { default: true, aliases: ['fast'] }),
]
const idOf = (scopes: string[], allowed: string[] | null = null) => {
  const call = firstCallOf({ scopes, models: allowed }, models)
  return call.name === 'chat' ? call.model.id : call.name
}

test('the first call is a chat with a text model that the key may use, else a free call that it may make', () => {
  const text = ['models:read', 'responses:write', 'usage:read']
  expect(idOf(text)).toBe('acme/fast')
  expect(idOf(text, ['fast'])).toBe('acme/fast')
  expect(idOf(text, ['house/image', 'acme/deep'])).toBe('acme/deep')
  expect(idOf(text, ['house/image'])).toBe('models')
  expect(idOf(['studio:write', 'models:read'])).toBe('models')
  expect(idOf(['studio:write', 'usage:read'])).toBe('balance')
  expect(idOf(['files:read'])).toBe('none')
})

test('the most is that of prompt and answer, rounded up', () => {
  // 49 tokens of prompt at 0.1, 1,000 of the answer at 0.4 + 0.1 USD a million; a dollar is 1,000 credits.
  expect(mostMicrocredits(model('a'), 'hi')).toBe(504_900n)
  const cached = { ...pricing, cache_write_per_million: 0.125 }
  expect(mostMicrocredits(model('a', { pricing: cached }), 'hi')).toBe(609_800n)
  expect(mostMicrocredits(model('a', { pricing: {} }), 'hi')).toBe(0n)
})

test('names with quotes stay texts in every language', () => {
  const filled = { origin: 'https://k.example', secret: 'khr_1', message: `it's "so"` }
  for (const { code } of samplesOf({ name: 'chat', model: model(`a'b"c`) }, filled)) {
    expect(code).toContain('khr_1')
    expect(code).toContain('https://k.example')
    expect(code.replaceAll("'\\''", "'")).toContain(JSON.stringify(`a'b"c`))
    expect(code.replaceAll("'\\''", "'")).toContain(JSON.stringify(`it's "so"`))
  }
})
