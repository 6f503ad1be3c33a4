import { expect, test } from 'vitest'
import { cleanName } from './clean-name.ts'

test('a name loses the signs that turn what follows, and keeps its half-spaces', () => {
  expect(cleanName('\u202eevil\u2069 می\u200cشود\u202c')).toBe('evil می\u200cشود')
})
