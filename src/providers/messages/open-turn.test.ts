import { expect, test } from 'vitest'
import { reasoningMarks } from '#providers/kit'
import { isBegunElsewhere } from './open-turn.ts'

const markOf = reasoningMarks('messages', { baseUrl: 'https://api.example.com' })

const openTurn = (id: string) => [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'b' }] },
]

test.each([
  ['toolu_01a', false, false],
  ['toolu_bdrk_01a', false, false],
  ['toolu_vrtx_01a', false, false],
  ['toolu_x_D681PevKs', true, true],
  ['toolu_call_a', true, true],
  ['call_function_a', true, false],
  ['tooluse_a', true, false],
])('a turn of the calls %s was begun by a vendor other than Claude: %s', (id, atClaude, elsewhere) => {
  expect(isBegunElsewhere(openTurn(id), markOf('claude-opus-4-8'))).toBe(atClaude)
  expect(isBegunElsewhere(openTurn(id), markOf('MiniMax-M2'))).toBe(elsewhere)
})
