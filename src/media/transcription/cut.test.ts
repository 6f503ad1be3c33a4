import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { type Pause, planPieceSpans } from './cut.ts'

const rules = { maxSeconds: 60, overlapSeconds: 8, alwaysOverlaps: false }

test('a recording that fits is one piece', () => {
  expect(planPieceSpans({ ...rules, seconds: 60, pauses: [] })).toEqual([{ from: 0, to: 60, joint: 'first' }])
})

test('is cut in the middle of the longest pause of the last part, and nowhere else', () => {
  const pauses = [
    { start: 10, end: 14 },
    { start: 40, end: 41 },
    { start: 50, end: 50.3 },
  ]
  expect(planPieceSpans({ ...rules, seconds: 90, pauses })).toEqual([
    { from: 0, to: 40.5, joint: 'first' },
    { from: 40.5, to: 90, joint: 'silence' },
  ])
})

test('without a pause the next piece begins earlier', () => {
  expect(planPieceSpans({ ...rules, seconds: 90, pauses: [] })).toEqual([
    { from: 0, to: 60, joint: 'first' },
    { from: 52, to: 90, joint: 'overlap' },
  ])
})

test('speakers need overlaps: pieces end in pauses and begin in pauses, and have enough in common', () => {
  const pauses = Array.from({ length: 100 }, (_, index) => ({ start: index * 5 + 4.5, end: index * 5 + 5 }))
  const spans = planPieceSpans({
    seconds: 400,
    maxSeconds: 150,
    overlapSeconds: 30,
    alwaysOverlaps: true,
    pauses,
  })
  for (const [index, { from, joint }] of spans.entries()) {
    if (index === 0) continue
    expect(joint).toBe('overlap')
    expect(spans[index - 1]!.to - from).toBeGreaterThanOrEqual(30)
    expect(pauses.some(({ start, end }) => from >= start && from <= end)).toBe(true)
  }
})

const pausesIn = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 900 }), length: fc.integer({ min: 2, max: 60 }) }), {
    maxLength: 300,
  })
  .map((some) => {
    const pauses: Pause[] = []
    let at = 0
    for (const { gap, length } of some) {
      pauses.push({ start: at + gap / 10, end: at + (gap + length) / 10 })
      at = pauses.at(-1)!.end
    }
    return pauses
  })

test('whatever the pauses: pieces cover all of it, none is too long or tiny, and no word is cut where a pause is near', () => {
  fc.assert(
    fc.property(
      pausesIn,
      fc.integer({ min: 1, max: 14_400_000 }),
      fc.integer({ min: 10, max: 1_200 }),
      fc.boolean(),
      (pauses, milliseconds, maxSeconds, alwaysOverlaps) => {
        const seconds = milliseconds / 1_000
        const overlapSeconds = alwaysOverlaps ? maxSeconds / 4 : Math.min(8, maxSeconds / 4)
        const spans = planPieceSpans({ seconds, maxSeconds, overlapSeconds, alwaysOverlaps, pauses })
        expect([spans[0]!.from, spans.at(-1)!.to]).toEqual([0, seconds])
        expect(spans.length).toBeLessThanOrEqual(1 + Math.ceil(seconds / (maxSeconds / 4)))
        for (const [index, { from, to, joint }] of spans.entries()) {
          expect(to - from).toBeLessThanOrEqual(maxSeconds + 1e-3)
          if (spans.length > 1) expect(to - from).toBeGreaterThanOrEqual(1 - 1e-3)
          const before = spans[index - 1]
          if (!before) continue
          if (joint === 'silence') {
            expect(from).toBe(before.to)
            expect(pauses.some(({ start, end }) => start <= from + 1e-3 && from - 1e-3 <= end)).toBe(true)
          } else expect(before.to - from).toBeGreaterThanOrEqual(overlapSeconds - 2e-3)
        }
      },
    ),
    { numRuns: 300 },
  )
})

/** Pauses of any length down to zero, one within another, and out of order. */
const oddPauses = fc
  .array(
    fc.record({
      start: fc.double({ min: -5, max: 60, noNaN: true }),
      length: fc.double({ min: -1, max: 30, noNaN: true }),
    }),
    { maxLength: 40 },
  )
  .map((some) => some.map(({ start, length }): Pause => ({ start, end: start + length })))

test('pieces that are tiny, with whatever pauses, cover all of it and end; those of no time are refused', () => {
  fc.assert(
    fc.property(
      oddPauses,
      fc.double({ min: 0.1, max: 60, noNaN: true }),
      fc.double({ min: 0, max: 12, noNaN: true }),
      fc.boolean(),
      (pauses, seconds, maxSeconds, alwaysOverlaps) => {
        const overlapSeconds = Math.min(8, maxSeconds / 4)
        const cut = () => planPieceSpans({ seconds, maxSeconds, overlapSeconds, alwaysOverlaps, pauses })
        // A piece of less than some milliseconds is rounded away.
        if (maxSeconds < 0.01 && seconds > maxSeconds) {
          try {
            cut()
          } catch (error) {
            expect(String(error)).toContain('do not get past')
          }
          return
        }
        const spans = cut()
        expect([spans[0]!.from, spans.at(-1)!.to]).toEqual([0, seconds])
        for (const [index, { from, to }] of spans.entries()) {
          expect(to - from).toBeLessThanOrEqual(maxSeconds + 1e-3)
          const before = spans[index - 1]
          if (!before) continue
          expect(from).toBeGreaterThan(before.from)
          expect(from).toBeLessThanOrEqual(before.to)
        }
      },
    ),
    { numRuns: 500 },
  )
  const nothing = { seconds: 3, maxSeconds: 0, overlapSeconds: 0, alwaysOverlaps: false, pauses: [] }
  expect(() => planPieceSpans(nothing)).toThrow('pieces of 0 s')
})
