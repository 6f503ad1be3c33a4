import { expect, test } from 'vitest'
import type { OpaqueContent } from '#core/turn'
import { isForeign, seal, unseal } from './sealed.ts'

test.each<[OpaqueContent, string | undefined]>([
  [{ wire: 'messages', signature: 'EqQB' }, 'let me see'],
  [{ wire: 'messages', data: 'EmwK' }, undefined],
  [{ wire: 'chat', data: 'x', id: 'i' }, undefined],
])('%j is sealed for a client of Responses, and opened as it was', (opaque, text) => {
  const sealed = seal(opaque, 'responses', text)!
  expect(isForeign(sealed)).toBe(true)
  expect(unseal(sealed)).toEqual({ opaque, ...(text !== undefined && { text }) })
})

test('data of the client’s own wire are not sealed', () => {
  expect(seal({ wire: 'responses', data: 'gAAA', id: 'rs_1' }, 'responses')).toBe('gAAA')
  expect(unseal('gAAA')).toBeUndefined()
})

test('damaged and hostile data have no fields', () => {
  const sealed = (text: string) => `kherad.messages.${Buffer.from(text).toString('base64url')}`
  const hostile = [
    '',
    '{',
    'null',
    '7',
    '[]',
    JSON.stringify('a'.repeat(1_000_000)),
    '['.repeat(20_000),
    '{"data":{}}',
    '{"data":"x","more":[[],[]]}',
    '{"data":"x","a":1,"b":2,"c":3,"d":4}',
    `[${'[],'.repeat(1_000_000)}[]]`,
    JSON.stringify({ data: 'a'.repeat(1_000_000) }),
  ]
  for (const text of hostile) expect(unseal(sealed(text))).toEqual({ opaque: { wire: 'messages' } })
})
