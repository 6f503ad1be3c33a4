import { expect, test } from 'vitest'
import fc from '../../../../tests/harness/fast-check.ts'
import { sourcePositions } from './positions.ts'
import { mappingsOf } from './source-map.ts'

/** Another encoder of source maps than the one that is tested. */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
function encoded(numbers: readonly number[]): string {
  return numbers
    .map((number) => {
      let text = ''
      let rest = number < 0 ? -number * 2 + 1 : number * 2
      do {
        const digit = rest % 32
        rest = Math.floor(rest / 32)
        text += digits[rest > 0 ? digit + 32 : digit]
      } while (rest > 0)
      return text
    })
    .join('')
}

test('of the mappings of a bundle those of one file are kept, and each place is found again', async () => {
  const segment = fc.record({
    gap: fc.integer({ min: 1, max: 5_000 }),
    source: fc.integer({ min: 0, max: 2 }),
    line: fc.integer({ min: 0, max: 100_000 }),
    column: fc.integer({ min: 0, max: 128_000 }),
    endsLine: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { maxLength: 40 }), async (segments) => {
      let [mappings, line, column] = ['', 1, 0]
      let last = { source: 0, line: 0, column: 0 }
      let inLine = 0
      const own: { at: { line: number; column: number }; place: { line: number; column: number } }[] = []
      for (const one of segments) {
        const start = inLine === 0 ? one.gap : column + one.gap
        const deltas = [
          inLine === 0 ? start : one.gap,
          one.source - last.source,
          one.line - last.line,
          one.column - last.column,
        ]
        mappings += (inLine === 0 ? '' : ',') + encoded(deltas)
        column = start
        last = one
        inLine++
        if (one.source === 1)
          own.push({ at: { line, column: start + 1 }, place: { line: one.line + 1, column: one.column + 1 } })
        if (one.endsLine) {
          mappings += ';'
          line++
          column = inLine = 0
        }
      }
      const kept = mappingsOf(mappings, 1)
      const found = await sourcePositions(
        kept,
        own.map(({ at }) => at),
      )
      expect(found).toEqual(own.map(({ place }) => place))
    }),
  )
})

test('a place before all that is known comes from nowhere', async () => {
  expect(
    await sourcePositions(mappingsOf(encoded([5, 0, 2, 3]), 0), [
      ...[
        { line: 1, column: 5 },
        { line: 1, column: 6 },
        { line: 2, column: 1 },
      ],
    ]),
  ).toEqual([undefined, { line: 3, column: 4 }, undefined])
})
