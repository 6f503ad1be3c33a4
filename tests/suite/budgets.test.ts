import { expect, test } from 'vitest'
import { budgetOffences, defaultSeconds, suiteSeconds } from './budgets.ts'

const file = (seconds: number) => ({ file: 'tests/some.test.ts', processorMs: seconds * 1_000 })

test('a file may take twice its budget, and not a tick more; on a slow machine as much more as it is slower', () => {
  const twice = 2 * defaultSeconds
  expect(budgetOffences('test', { factor: 1, files: [file(twice)] }, undefined)).toEqual([])
  expect(budgetOffences('test', { factor: 1, files: [file(twice + 0.01)] }, undefined)).toHaveLength(1)
  expect(budgetOffences('test', { factor: 1.5, files: [file(twice * 1.5)] }, undefined)).toEqual([])
  expect(budgetOffences('test', { factor: 0.5, files: [file(twice)] }, undefined)).toHaveLength(1)
})

test('a suite may take 110 % of its budget; a part of it and a folder of the campaign have none', () => {
  const most = suiteSeconds['test']! * 1.1
  expect(budgetOffences('test', { factor: 1, files: [] }, most)).toEqual([])
  expect(budgetOffences('test', { factor: 1, files: [] }, most + 1)).toHaveLength(1)
  expect(budgetOffences('test', { factor: 1, files: [] }, undefined)).toEqual([])
  expect(budgetOffences('campaign/kills', { factor: 1, files: [file(1_000)] }, 10_000)).toEqual([])
})
