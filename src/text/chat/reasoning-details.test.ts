import { expect, test } from 'vitest'
import type { OpaqueContent } from '#core/turn'
import {
  addPiece,
  extraReasoningBytes,
  ReasoningBlocks,
  type ReasoningDetail,
  reasoningOf,
  withWholeDetails,
} from './reasoning-details.ts'

const assistant = (details: unknown[], more: Record<string, unknown> = {}) =>
  ({ role: 'assistant', reasoning_details: details as ReasoningDetail[], ...more }) as const

/** Two blocks of Messages and one of Responses, in the pieces of a stream. */
function streamed(): ReasoningDetail[] {
  const blocks = new ReasoningBlocks()
  const ended = (opaque: OpaqueContent) => blocks.end(opaque)!
  return [
    blocks.text('let me '),
    blocks.text('see'),
    ended({ wire: 'messages', signature: 'EqQB' }),
    ended({ wire: 'messages', data: 'EmwK' }),
    blocks.text('so'),
    ended({ wire: 'responses', data: 'gAAA', id: 'rs_1' }),
  ]
}

const neutral = [
  { type: 'reasoning', text: 'let me see', opaque: { wire: 'messages', signature: 'EqQB' } },
  { type: 'reasoning', text: '', opaque: { wire: 'messages', data: 'EmwK' } },
  { type: 'reasoning', text: 'so', opaque: { wire: 'responses', data: 'gAAA', id: 'rs_1' } },
]

test('the details of a whole answer are one a block, in the shapes of OpenRouter', () => {
  const whole: ReasoningDetail[] = []
  for (const piece of streamed()) addPiece(whole, piece)
  const claude = { format: 'anthropic-claude-v1' }
  expect(whole).toEqual([
    { type: 'reasoning.text', text: 'let me see', signature: 'EqQB', ...claude, index: 0 },
    { type: 'reasoning.encrypted', data: 'EmwK', ...claude, index: 1 },
    { type: 'reasoning.text', text: 'so', index: 2 },
    { type: 'reasoning.encrypted', data: 'gAAA', id: 'rs_1', format: 'openai-responses-v1', index: 2 },
  ])
  expect(reasoningOf(assistant(whole))).toEqual(neutral)
})

test('a client may send the pieces of a stream back as they came', () => {
  expect(reasoningOf(assistant(streamed()))).toEqual(neutral)
})

/** What is left of the details of a message when they are counted. */
const wholeOf = (details: unknown[]) => withWholeDetails([assistant(details)])[0]!.reasoning_details

test('the pieces of a stream are put together before they are counted, however many they are', () => {
  const blocks = new ReasoningBlocks()
  const pieces = Array.from({ length: 32_768 }, (_, at) => blocks.text(String(at % 10)))
  const signature = blocks.end({ wire: 'messages', signature: 'EqQB' })!
  const [block, ...others] = wholeOf([...pieces, signature])!
  expect(others).toEqual([])
  expect(block).toMatchObject({ text: expect.stringMatching(/^[0-9]{32768}$/), signature: 'EqQB', index: 0 })
  const summary = { type: 'reasoning.summary', format: 'openai-responses-v1', index: 0 }
  expect(
    wholeOf([
      { ...summary, summary: 'a ' },
      { ...summary, summary: 'b' },
    ]),
  ).toEqual([{ ...summary, summary: 'a b' }])
})

test('what is no piece of the same text stays apart: signed blocks of one index, encrypted ones, ones without an index', () => {
  const signed = { type: 'reasoning.text', text: 'a', signature: 's', index: 0 }
  const encrypted = { type: 'reasoning.encrypted', data: 'x', index: 0 }
  const bare = { type: 'reasoning.text', text: 'a' }
  const odd = { type: 'reasoning.text', text: { toString: 1 }, index: 0 }
  const details = [signed, signed, encrypted, encrypted, bare, bare, odd, odd, {}, {}]
  expect(wholeOf(details)).toEqual(details)
})

test('details of other gateways are read as far as a vendor here can read them', () => {
  const read = reasoningOf(
    assistant([
      { type: 'reasoning.text', text: 'a', signature: 'one' },
      { type: 'reasoning.text', text: 'b', signature: 'two', format: null, index: null },
      { type: 'reasoning.encrypted', data: 'x', format: 'anthropic-claude-v1' },
      { type: 'reasoning.summary', summary: 'c', format: 'openai-responses-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'y', format: 'openai-responses-v1', index: 0 },
      { type: 'reasoning.text', text: 'd', format: 'google-gemini-v1' },
      { type: 'reasoning.encrypted', data: 'z', format: 'google-gemini-v1' },
      { type: 'other', text: 'e' },
      { type: 'reasoning.text', text: 7, signature: {}, index: '0' },
      {},
    ]),
  )
  expect(read).toEqual([
    { type: 'reasoning', text: 'a', opaque: { wire: 'messages', signature: 'one' } },
    { type: 'reasoning', text: 'b', opaque: { wire: 'messages', signature: 'two' } },
    { type: 'reasoning', text: '', opaque: { wire: 'messages', data: 'x' } },
    { type: 'reasoning', text: 'c', opaque: { wire: 'responses', data: 'y' } },
    { type: 'reasoning', text: 'd' },
  ])
})

test('what another vendor has encrypted or signed goes to no vendor that could not read it', () => {
  const foreign = ['xai-responses-v1', 'azure-openai-responses-v1', 'unknown', undefined, null, 7]
  const details = foreign.flatMap((format) => [
    { type: 'reasoning.encrypted', data: 'x', format },
    ...(format == null ? [] : [{ type: 'reasoning.text', text: 'a', signature: 's', format }]),
  ])
  expect(reasoningOf(assistant(details))).toEqual(Array(4).fill({ type: 'reasoning', text: 'a' }))
})

test('plain reasoning counts where there are no details, and only an assistant has signed any', () => {
  const plain = [{ type: 'reasoning', text: 'a' }]
  expect(reasoningOf({ role: 'assistant', reasoning_content: 'a' })).toEqual(plain)
  expect(reasoningOf(assistant([{}], { reasoning: 'a', reasoning_content: 'b' }))).toEqual(plain)
  const signed = { type: 'reasoning.text', text: 'b', signature: 's' }
  expect(reasoningOf({ role: 'user', reasoning: 'a', reasoning_details: [signed] })).toEqual(plain)
  expect(reasoningOf({ role: 'assistant' })).toEqual([])
})

test('bytes that only an upstream of this wire gets are counted, and none twice', () => {
  const detail = { type: 'reasoning.text', text: 'سه', signature: 'abc' }
  const sent = Buffer.byteLength(`خخ${JSON.stringify([detail])}`)
  expect(extraReasoningBytes(assistant([detail], { reasoning: 'خخ' }))).toBe(sent - 7)
  expect(extraReasoningBytes({ role: 'assistant', reasoning: 'a' })).toBe(0)
})
