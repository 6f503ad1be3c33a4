/**
 * Every usage that stands in the tests as a vendor sends it is believed. Most of these answers are kept without the request that they answered:
 * so each is held against the smallest request that there is, one byte and no tool, which bounds it at least.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { plausibleUsage, possibleInput } from '#core/metering'
import type { AnswerPart, Turn } from '#core/turn'
import { transcripts as messages } from '../providers/messages-wire.ts'
import { transcripts as responses } from '../providers/responses-wire.ts'

const smallest: Turn = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  tools: [],
  toolChoice: { type: 'auto' },
  parallelToolCalls: true,
  output: { type: 'text' },
  maxOutputTokens: 128_000,
  stop: [],
  stream: true,
  source: { wire: 'chat' },
}

const folders = ['fixtures', 'providers', 'clients', 'harness']
/** Objects without objects inside, in which the figures of one usage stand together. */
const flat = /\{[^{}]*\}/g
/** Input by itself and, of Anthropic's wire, what its cache gave and took beside it. */
const counts =
  /(?<![\w-])['"]?(?:prompt_tokens|input_tokens|cache_read_input_tokens|cache_creation_input_tokens|prompt_n|cache_n|promptTokenCount)['"]?:\s*([\d_]+)/g

const inputsIn = (text: string): number[] =>
  (text.match(flat) ?? []).flatMap((object) => {
    const found = [...object.matchAll(counts)].map(([, digits]) => Number(digits!.replaceAll('_', '')))
    return found.length > 0 ? found.reduce((sum, count) => sum + count, 0) : []
  })

test('every figure of input in the answers of vendors can be, whatever was asked', () => {
  const root = path.resolve(import.meta.dirname, '..')
  const found = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|json|jsonl|txt|sse)$/.test(name))
      .flatMap((name) => {
        const file = path.join(folder, name)
        return inputsIn(readFileSync(path.join(root, file), 'utf8')).map((input) => ({ file, input }))
      }),
  )
  expect(found.length).toBeGreaterThan(40)
  const { total } = possibleInput(smallest)!
  expect(found.filter(({ input }) => input > total)).toEqual([])
})

const textOf = (part: AnswerPart): string =>
  part.type === 'text' || part.type === 'reasoning' || part.type === 'refusal'
    ? part.text
    : part.type === 'tool-arguments'
      ? part.delta
      : part.type === 'tool-call'
        ? part.name
        : ''

const seenIn = (parts: readonly AnswerPart[]) => {
  const texts = parts.map(textOf).filter((text) => text !== '')
  const calls = parts.filter(({ type }) => type === 'tool-call').length
  return { deltas: texts.length, bytes: Buffer.byteLength(texts.join('')), reasoningBytes: 0, calls }
}

test.each([...messages, ...responses].map(({ name, parts }) => ({ name, parts })))(
  'the usage of this transcript is charged as it is claimed: $name',
  ({ parts }) => {
    const model = { contextLength: 128_000, features: [] }
    const turn = { ...smallest, upstreamSearches: 5 }
    const usages = parts.flatMap((part) => (part.type === 'usage' ? [part.usage] : []))
    for (const usage of usages)
      expect(plausibleUsage(usage, { turn, model, seen: seenIn(parts) })).toBe(usage)
  },
)
