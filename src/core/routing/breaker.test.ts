import { expect, test } from 'vitest'
import { Breaker } from './breaker.ts'

class StandingClock {
  at = 1_000_000
  nowMs(): number {
    return this.at
  }
}

function made() {
  const clock = new StandingClock()
  const breaker = new Breaker(clock)
  const fail = (times = 1): void => {
    for (let time = 0; time < times; time++) breaker.failed(breaker.enter(), 'unavailable', undefined)
  }
  return { clock, breaker, fail }
}

test('the fifth failure in a row opens it, for five seconds', () => {
  const { clock, breaker, fail } = made()
  fail(4)
  expect(breaker.isOpen).toBe(false)
  fail()
  expect(breaker.isOpen).toBe(true)
  clock.at += 4_999
  expect(breaker.isOpen).toBe(true)
  clock.at += 1
  expect(breaker.isOpen).toBe(false)
})

test('a success in between starts the count anew', () => {
  const { breaker, fail } = made()
  fail(4)
  breaker.succeeded(breaker.enter())
  fail(4)
  expect(breaker.isOpen).toBe(false)
})

test('each probe that fails doubles the time, up to two minutes; one that succeeds brings five seconds back', () => {
  const { clock, breaker, fail } = made()
  fail(5)
  const times = []
  for (let probe = 0; probe < 7; probe++) {
    times.push(breaker.openForMs)
    clock.at += breaker.openForMs
    fail()
  }
  expect(times).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000])
  clock.at += breaker.openForMs
  breaker.succeeded(breaker.enter())
  expect(breaker.isOpen).toBe(false)
  fail(5)
  expect(breaker.openForMs).toBe(5_000)
})

test('a crowd of calls that began before it opened does not lengthen the time', () => {
  const { breaker } = made()
  const crowd = Array.from({ length: 100 }, () => breaker.enter())
  for (const pass of crowd) breaker.failed(pass, 'timeout', undefined)
  expect(breaker.openForMs).toBe(5_000)
})

test('calls that go although it is open do not lengthen it, and the first that succeeds closes it', () => {
  const { breaker, fail } = made()
  fail(9)
  expect(breaker.openForMs).toBe(5_000)
  breaker.succeeded(breaker.enter())
  expect(breaker.isOpen).toBe(false)
})

test('a long call that began in better days does not close it', () => {
  const { breaker, fail } = made()
  const old = breaker.enter()
  fail(5)
  breaker.succeeded(old)
  expect(breaker.isOpen).toBe(true)
})

test('half-open, one call at a time goes; one whose caller left makes room for the next', () => {
  const { clock, breaker, fail } = made()
  fail(5)
  clock.at += 5_000
  const probe = breaker.enter()
  expect(probe.probe).toBe(true)
  expect(breaker.isOpen).toBe(true)
  breaker.failed(probe, 'aborted', undefined)
  expect(breaker.isOpen).toBe(false)
  expect(breaker.enter().probe).toBe(true)
  expect(breaker.isOpen).toBe(true)
})

test('the first token of a probe lets others in; should it break off, the breaker opens at once and for longer', () => {
  const { clock, breaker, fail } = made()
  fail(5)
  clock.at += 5_000
  const probe = breaker.enter()
  breaker.onFirstToken(probe)
  expect(breaker.isOpen).toBe(false)
  expect(breaker.enter().probe).toBe(false)
  breaker.failed(probe, 'cut', undefined)
  expect(breaker.openForMs).toBe(10_000)
})

test('what the caller did wrong proves the deployment well', () => {
  for (const fault of ['invalid_request', 'context_overflow', 'content_refused'] as const) {
    const { clock, breaker, fail } = made()
    fail(5)
    clock.at += 5_000
    breaker.failed(breaker.enter(), fault, undefined)
    expect(breaker.isOpen).toBe(false)
    expect(breaker.enter().probe).toBe(false)
  }
})

test('a rate limit rests it for its time, counts as no failure, and no success of another call ends it sooner', () => {
  const { clock, breaker } = made()
  const other = breaker.enter()
  for (let time = 0; time < 9; time++) breaker.failed(breaker.enter(), 'rate_limited', 30_000)
  breaker.succeeded(other)
  expect(breaker.isOpen).toBe(false)
  expect(breaker.limitedForMs).toBe(30_000)
  breaker.failed(breaker.enter(), 'rate_limited', 10_000)
  expect(breaker.limitedForMs).toBe(30_000)
  clock.at += 30_000
  expect(breaker.limitedForMs).toBe(0)
})
