import { expect, test } from 'vitest'
import { reasoningMarks, signerOf } from './reasoning-mark.ts'

const anthropic = 'https://api.anthropic.com/v1'
const proxy = 'https://proxy.example:4000/v1'

test.each([
  [anthropic, 'claude-opus-4-8', 'claude'],
  [anthropic, 'opus', 'claude'],
  [proxy, 'us.anthropic.claude-sonnet-5-v1:0', 'claude'],
  ['https://openrouter.ai/api/v1', 'anthropic/claude-haiku-4.5', 'claude'],
  ['https://openrouter.ai/api/v1', 'google/gemini-3-pro', 'openrouter.ai/gemini'],
  [proxy, 'MiniMax-M2', 'proxy.example:4000/minimax'],
  [proxy, 'accounts/x/models/kimi-k2', 'proxy.example:4000/kimi'],
  ['https://api.openai.com/v1', 'gpt-5', 'api.openai.com'],
  ['https://api.openai.com/v1', 'o3', 'api.openai.com'],
  [proxy, '2025', 'proxy.example:4000/'],
])('what %s signs for %s is signed by %s', (baseUrl, model, signer) => {
  expect(signerOf(baseUrl, model)).toBe(signer)
})

test('a signature is known by its vendor’s mark; one without a mark is of the vendor whose wire it is', () => {
  const marks = (baseUrl: string, model: string, isOneOfSeveralSigners = true) =>
    reasoningMarks('messages', { baseUrl, isOneOfSeveralSigners })(model)
  const claude = marks(anthropic, 'claude-opus-4-8')
  const other = marks(proxy, 'MiniMax-M2')
  const third = marks(proxy, 'glm-5')
  expect(claude.write('EqQB')).toBe('EqQB')
  const marked = other.write('abc')
  expect(marked).not.toContain('proxy')
  expect([other, claude, third].map((mark) => mark.read(marked))).toEqual(['abc', undefined, undefined])
  expect([claude, other].map((mark) => mark.read('EqQB'))).toEqual(['EqQB', undefined])
  expect([claude.unsigned, other.read(other.unsigned), third.read(other.unsigned)]).toEqual([
    undefined,
    '',
    undefined,
  ])
  for (const nothing of [undefined, null, '', 7, {}]) expect(claude.read(nothing)).toBeUndefined()
  expect(claude.read('kherad.responses.e30')).toBeUndefined()
})

test('where a wire has one vendor, its signatures have no mark', () => {
  const mark = reasoningMarks('messages', { baseUrl: proxy })('smart')
  expect(mark.write('abc')).toBe('abc')
  expect(mark.read('abc')).toBe('abc')
  expect(mark.read('')).toBeUndefined()
  expect(mark.read('kherad.0123456789ab.abc')).toBeUndefined()
})
