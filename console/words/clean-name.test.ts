import { expect, test } from 'vitest'
import { cleanName, isolatedName } from './clean-name.ts'

test('a name loses the signs that turn what follows, and keeps its half-spaces', () => {
  expect(cleanName('\u202eevil\u2069 می\u200cشود\u202c')).toBe('evil می\u200cشود')
})

test('a name within a sentence keeps its direction to itself', () => {
  expect(isolatedName('\u202eAnn\u2069')).toBe('\u2068Ann\u2069')
})
