import { expect, test } from 'vitest'
import { Lateness } from './lateness.ts'

const wallMs = 1_700_000_000_000
const begun = () => new Lateness({ steadyMs: 1_000, wallMs }, 20, 375)
const at = (steadyMs: number, passedMs = steadyMs - 1_000) => ({ steadyMs, wallMs: wallMs + passedMs })

test('who wakes in time, or late by less than a gap, saw none', () => {
  const lateness = begun()
  expect(lateness.wake(at(1_020))).toBeUndefined()
  expect(lateness.wake(at(1_414))).toBeUndefined()
  expect(lateness.wake(at(1_420))).toBeUndefined()
})

test('a later wake is a gap from the moment that was due to the moment that came', () => {
  const lateness = begun()
  lateness.wake(at(1_021))
  expect(lateness.wake(at(1_416))).toEqual({ fromMs: wallMs + 40, toMs: wallMs + 416 })
  expect(lateness.wake(at(1_420)), 'the next wake is due in time again').toBeUndefined()
})

test('moments are those of the start: a late wake puts none off', () => {
  const lateness = begun()
  expect(lateness.dueMs).toBe(1_020)
  lateness.wake(at(1_035))
  expect(lateness.dueMs).toBe(1_040)
  lateness.wake(at(1_500))
  expect(lateness.dueMs).toBe(1_520)
})

test('a machine that was suspended stops the steady clock, and the wall tells', () => {
  const lateness = begun()
  lateness.wake(at(1_020))
  expect(lateness.wake(at(1_040, 3_640_000))).toEqual({ fromMs: wallMs + 40, toMs: wallMs + 3_640_000 })
  expect(lateness.wake(at(1_060, 3_640_020))).toBeUndefined()
})

test('a wall that is set back is no gap, and hides none', () => {
  const lateness = begun()
  expect(lateness.wake(at(1_020, -3_600_000))).toBeUndefined()
  const setBack = at(2_040, -7_200_000)
  expect(lateness.wake(setBack)).toEqual({ fromMs: setBack.wallMs - 1_000, toMs: setBack.wallMs })
})
