import { expect, test } from 'vitest'
import { initialsOf } from './initials.ts'

test.each([
  ['سارا رضایی', 'س\u200cر'],
  ['Sara von Berg', 'S\u200cB'],
  ['مهسا', 'م'],
  ['  ', ''],
  ['😀 x', '😀\u200cx'],
])('the initials of %o', (name, initials) => expect(initialsOf(name)).toBe(initials))
