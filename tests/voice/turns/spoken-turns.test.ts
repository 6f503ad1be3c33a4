/** What is measured against these turns holds only for a set that has what it says. */
import { expect, test } from 'vitest'
import { spokenTurns } from './spoken-turns.ts'

const pausesOf = (text: string): number[] => [...text.matchAll(/\[(\d+)\]/g)].map(([, ms]) => Number(ms))

test('there are sixty different turns, with pauses of 350 to 1,000 ms, always within a turn', () => {
  expect(new Set(spokenTurns.map(({ says }) => says)).size).toBe(60)
  const pauses = spokenTurns.flatMap(({ says }) => pausesOf(says))
  expect(pauses.length).toBeGreaterThanOrEqual(60)
  expect(Math.min(...pauses)).toBe(350)
  expect(Math.max(...pauses)).toBe(1_000)
  for (const { says } of spokenTurns)
    expect(says.split(/\[\d+\]/)).not.toContainEqual(expect.stringMatching(/^\s*$/))
})

test('a turn without a certain end follows a question, or says itself that it is not sure', () => {
  const unsure = spokenTurns.filter(({ end }) => end === 'unsure')
  expect(unsure.length).toBeGreaterThanOrEqual(10)
  expect(unsure.filter(({ after }) => !after).map(({ says }) => says)).toEqual([
    'نمی‌دونم والا [800] شاید بریم شمال',
  ])
})
