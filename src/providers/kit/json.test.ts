import { expect, test } from 'vitest'
import { UpstreamError } from '#core/spec'
import { readJson, readSmallJson } from './json.ts'

const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

const failure = async (text: string): Promise<UpstreamError> => {
  for (const read of [readSmallJson, readJson])
    try {
      await read(Buffer.from(text), 1_000_000)
    } catch (error) {
      if (read === readJson && error instanceof UpstreamError) return error
    }
  throw new Error('the text is read')
}

test.each([
  [`{"content":[{"type":"tool_use","input":{"a":${lists(20_000)}}}]}`, true],
  [`{"choices":[{"message":{"tool_calls":[{"function":{"arguments":${lists(600)}}}]}}]}`, true],
  [`{"error":${lists(20_000)}}`, false],
  [`{"input":{"a":"\\"]"},"usage":${lists(600)}}`, false],
  [`{"usage":[{"note":"input"},${lists(600)}]}`, false],
  [lists(20_000), false],
])('levels without an end are the model’s only inside the arguments of a call: %#', async (text, byModel) => {
  expect(await failure(text)).toMatchObject({ fault: 'malformed', byModel })
})

test('a text that is not JSON is never the model’s', async () => {
  expect(await failure('{"input":[')).toMatchObject({ fault: 'malformed', byModel: false })
})
