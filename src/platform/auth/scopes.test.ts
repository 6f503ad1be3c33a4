import { expect, test } from 'vitest'
import { declareScopes, isScope, scopes } from './scopes.ts'

test('the scopes of the contract are there from the start, and none is declared twice', () => {
  expect(scopes.slice(0, 18)).toHaveLength(18)
  expect(isScope('usage:read')).toBe(true)
  expect(isScope('pigeons:read')).toBe(false)
  expect(() => declareScopes('usage:read')).toThrow('The scope usage:read is declared twice.')
  expect(scopes.filter((scope) => scope === 'usage:read')).toHaveLength(1)
})
