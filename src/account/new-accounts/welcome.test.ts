import { expect, test } from 'vitest'
import { mailboxOf } from './welcome.ts'

test('a sub-address is the same mailbox, and another name is not', () => {
  expect(mailboxOf('sara+shop+2@example.org')).toBe('sara@example.org')
  expect(mailboxOf('sara@example.org')).toBe('sara@example.org')
  expect(mailboxOf('sara.shop@example.org')).toBe('sara.shop@example.org')
})
