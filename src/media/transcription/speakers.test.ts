import { expect, test } from 'vitest'
import type { SpokenSegment } from '#core/turn'
import type { PieceTranscript } from './heard.ts'
import { bestAssignment, SpeakerLabels, speakerLabel } from './speakers.ts'

const heard = (from: number, to: number, turns: [string, number, number][]): PieceTranscript => {
  const segments = turns.map(
    ([speaker, start, end]): SpokenSegment => ({ speaker, start, end, text: speaker }),
  )
  return { from, to, text: '', language: undefined, segments, words: undefined, isTimed: true }
}
const speakersOf = ({ segments }: PieceTranscript): (string | undefined)[] =>
  segments.map(({ speaker }) => speaker)

test('labels are given by first appearance, and follow the voices that speak at the same time', () => {
  const labels = new SpeakerLabels(undefined)
  const first = labels.withLabels(
    heard(0, 100, [
      ['x', 0, 80],
      ['y', 80, 90],
      ['x', 90, 100],
    ]),
    undefined,
  )
  expect(speakersOf(first)).toEqual(['A', 'B', 'A'])
  const second = labels.withLabels(
    heard(70, 200, [
      ['1', 70, 80],
      ['0', 80, 90.2],
      ['1', 90.2, 120],
      ['2', 120, 150],
    ]),
    first,
  )
  expect(speakersOf(second)).toEqual(['A', 'B', 'A', 'C'])
  expect([labels.labels, labels.unmatched]).toEqual([['A', 'B', 'C'], []])
})

test('a voice that the overlap does not have is the one that is left where their number is known, else new and told', () => {
  const turns: [string, number, number][] = [
    ['x', 0, 40],
    ['y', 40, 100],
  ]
  for (const [count, expected, unmatched] of [
    [2, ['B', 'A'], []],
    [undefined, ['B', 'C'], ['C']],
  ] as const) {
    const labels = new SpeakerLabels(count)
    const first = labels.withLabels(heard(0, 100, turns), undefined)
    const second = labels.withLabels(
      heard(70, 200, [
        ['0', 70, 110],
        ['1', 110, 200],
      ]),
      first,
    )
    expect([speakersOf(second), labels.unmatched]).toEqual([expected, unmatched])
  }
})

test('voices are matched so that they share as much as can be together, not each as much as it can', () => {
  // On its own, the first row would take the first column.
  expect(
    bestAssignment([
      [10, 9],
      [9, 0.1],
    ]),
  ).toEqual([
    [0, 1],
    [1, 0],
  ])
  expect(bestAssignment([[0.1]])).toEqual([])
  expect(bestAssignment([])).toEqual([])
  const many = Array.from({ length: 30 }, (_, row) =>
    Array.from({ length: 30 }, (_, column) => (row === column ? 5 : 1)),
  )
  expect(bestAssignment(many).every(([row, column]) => row === column)).toBe(true)
})

test('there are more letters than the alphabet has', () => {
  expect([0, 25, 26, 51, 52, 701, 702].map(speakerLabel)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA'])
})
