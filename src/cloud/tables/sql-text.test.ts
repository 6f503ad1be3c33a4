import { expect, test } from 'vitest'
import { quoted, requireValidAlias } from './sql-text.ts'

test('a name that a request chooses has as many bytes as PostgreSQL keeps of it, and not one more', () => {
  expect(requireValidAlias('a'.repeat(63))).toBe('a'.repeat(63))
  expect(() => requireValidAlias('a'.repeat(64))).toThrow(/failed to parse/)
  // A Persian letter has two bytes.
  expect(requireValidAlias('ا'.repeat(31))).toBe('ا'.repeat(31))
  expect(() => requireValidAlias('ا'.repeat(32))).toThrow(/failed to parse/)
})

test('a name that is more than words is refused, and quotes hold whatever a name is made of', () => {
  for (const name of ['a"b', "a'b", 'a;b', 'a(b)', 'a\\b', 'a\nb', ''])
    expect(() => requireValidAlias(name), name).toThrow(/failed to parse/)
  expect(quoted('a"; drop table b; --')).toBe('"a""; drop table b; --"')
})
