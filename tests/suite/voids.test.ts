import { expect, test } from 'vitest'
import type { FailedTest } from './failed-test.ts'
import type { SeenError } from './seen-error.ts'
import { firstOutput, type History, judge, judgeTest, type Run, voidsOf, wordsToRepeat } from './voids.ts'

const waited: SeenError = {
  name: 'WaitRanOut',
  message: 'The condition did not come true within 10000 ms; last answer: false\nmore',
  stack: 'WaitRanOut: The condition did not come true\n    at until.ts:17',
}
const wrong: SeenError = { name: 'AssertionError', message: 'expected 2 to be 1 // Object.is equality' }

const failed = (fullName: string, more: Partial<FailedTest> = {}): FailedTest => ({
  state: 'failed',
  file: 'tests/crash/kill.test.ts',
  fullName,
  errors: [waited],
  startMs: 100_000,
  endMs: 110_000,
  ...more,
})
const gap = { fromMs: 104_000, toMs: 105_000 }
const passed = (fullName: string, file = 'tests/crash/kill.test.ts') =>
  ({ state: 'passed', file, fullName }) as const

const none: History = { runs: 0, voids: [] }
const runOf = (tests: FailedTest[], more: Partial<Run> = {}): Run => ({
  commit: '5a7483bf',
  date: '2026-11-29',
  failed: tests,
  gaps: [gap],
  repeated: tests.map(({ fullName, file }) => passed(fullName, file)),
  cleanRuns: 0,
  ...more,
})

test('a wait that ran out is void beside a gap, and red without one', () => {
  expect(judgeTest(failed('a'), [gap])).toMatchObject({
    verdict: 'void',
    it: { gap, late: 'a wait that ran out' },
  })
  expect(judgeTest(failed('a'), [])).toEqual({ verdict: 'red' })
})

test('a value is red whatever stood still, also beside a wait that ran out', () => {
  expect(judgeTest(failed('a', { errors: [wrong] }), [gap])).toEqual({ verdict: 'red' })
  expect(judgeTest(failed('a', { errors: [waited, wrong] }), [gap])).toEqual({ verdict: 'red' })
  const disposed = { name: 'SuppressedError', message: '', within: [waited, wrong] }
  expect(judgeTest(failed('a', { errors: [disposed] }), [gap])).toEqual({ verdict: 'red' })
  expect(judgeTest(failed('a', { errors: [] }), [gap])).toEqual({ verdict: 'red' })
})

test('a gap excuses what began up to twice its length after its end, and 20 s at most', () => {
  const verdictOf = (fromMs: number, toMs: number) => judgeTest(failed('a'), [{ fromMs, toMs }]).verdict
  expect(verdictOf(97_001, 98_001)).toBe('void')
  expect(verdictOf(97_000, 98_000)).toBe('red')
  expect(verdictOf(20_000, 80_001)).toBe('void')
  expect(verdictOf(20_000, 80_000)).toBe('red')
  expect(verdictOf(109_999, 120_000)).toBe('void')
  expect(verdictOf(110_000, 120_000)).toBe('red')
})

test('of several gaps the longest is told', () => {
  const longer = { fromMs: 105_500, toMs: 109_000 }
  const [found] = voidsOf([failed('a')], [gap, longer, { fromMs: 0, toMs: 90_000 }])
  expect(found?.gap).toEqual({ fromMs: 0, toMs: 90_000 })
  expect(voidsOf([failed('a')], [gap, longer])[0]?.gap).toEqual(longer)
})

test('a run whose void test passes when it runs once more is green, and is kept', () => {
  const { voids, red, history } = judge(runOf([failed('a')], { cleanRuns: 3 }), { runs: 7, voids: [] })
  expect(voids.map(({ fullName }) => fullName)).toEqual(['a'])
  expect(red).toEqual([])
  expect(history).toEqual({
    runs: 11,
    voids: [
      {
        ...{ run: 11, file: 'tests/crash/kill.test.ts', fullName: 'a', commit: '5a7483bf' },
        ...{ date: '2026-11-29', gapMs: 1_000 },
        error: 'The condition did not come true within 10000 ms; last answer: false',
      },
    ],
  })
})

test('a run without voids leaves the history as it is, and what failed in it is red', () => {
  const judged = judge(runOf([failed('a', { errors: [wrong] })]), none)
  expect(judged.history).toBe(none)
  expect(judged.red).toEqual([
    { name: { file: 'tests/crash/kill.test.ts', fullName: 'a' }, why: wrong.message },
  ])
  expect(judge(runOf([]), none)).toEqual({ voids: [], red: [], history: none })
})

test('a void test is red where it fails again, whatever stood still then, and where nobody saw it pass', () => {
  const again = judge(runOf([failed('a')], { repeated: [failed('a')] }), none)
  expect(again.red).toHaveLength(1)
  expect(again.red[0]?.why).toContain('did not pass')
  const unseen = judge(runOf([failed('a')], { repeated: [passed('b')] }), none)
  expect(unseen.red).toHaveLength(1)
  const elsewhere = judge(
    runOf([failed('a')], { repeated: [passed('a', 'tests/campaign/kills/work.test.ts')] }),
    none,
  )
  expect(elsewhere.red).toHaveLength(1)
  expect(again.history.voids).toHaveLength(1)
})

test('a file whose hook was void is green where all of its tests pass', () => {
  const hook = failed('')
  expect(judge(runOf([hook], { repeated: [passed('a'), passed('b')] }), none).red).toEqual([])
  expect(judge(runOf([hook], { repeated: [passed('a'), failed('b')] }), none).red).toHaveLength(1)
  expect(judge(runOf([hook], { repeated: [] }), none).red).toHaveLength(1)
})

test('three voids in a run are accidents, and a fourth is none', () => {
  const tests = ['a', 'b', 'c', 'd'].map((name) => failed(name))
  expect(judge(runOf(tests.slice(1)), none).red).toEqual([])
  const { red, history } = judge(runOf(tests), none)
  expect(red).toEqual([{ why: expect.stringContaining('4 tests were void') }])
  expect(history.voids).toHaveLength(4)
})

test('the same test may be void once in ten runs', () => {
  const first = judge(runOf([failed('a')]), none).history
  const redAfter = (cleanRuns: number) => judge(runOf([failed('a')], { cleanRuns }), first)
  expect(redAfter(8).red).toEqual([
    {
      name: { file: 'tests/crash/kill.test.ts', fullName: 'a' },
      why: 'was void before, 9 runs ago at commit 5a7483bf',
    },
  ])
  expect(redAfter(8).history.voids).toHaveLength(2)
  expect(redAfter(9).red).toEqual([])
  expect(redAfter(9).history).toMatchObject({ runs: 11, voids: [{ run: 11 }] })
  const other = judge(runOf([failed('a', { file: 'tests/campaign/kills/work.test.ts' })]), first)
  expect(other.red).toEqual([])
})

test('void tests run once more by one command for each file, by their whole names', () => {
  const names = [
    failed('a (b) > c|d'),
    failed('e'),
    failed('f', { file: 'tests/campaign/kills/work.test.ts' }),
  ]
  const words = wordsToRepeat(names)
  expect(words).toEqual([
    ['tests/crash/kill.test.ts', '-t', String.raw`^(?:a \(b\) > c\|d|e)$`],
    ['tests/campaign/kills/work.test.ts', '-t', '^(?:f)$'],
  ])
  const pattern = new RegExp(words[0]![2]!)
  expect(['a (b) > c|d', 'e', 'ee', 'c', 'a b > c'].filter((name) => pattern.test(name))).toEqual([
    'a (b) > c|d',
    'e',
  ])
  expect(wordsToRepeat([failed('a'), failed('')])).toEqual([['tests/crash/kill.test.ts']])
})

test('the first output of a void test says what came too late, the stand-still and all that was thrown', () => {
  const [found] = voidsOf([failed('a')], [gap])
  expect(firstOutput(found!)).toBe(
    'VOID tests/crash/kill.test.ts > a\n' +
      'a wait that ran out, beside a stand-still of 1000 ms from 1970-01-01T00:01:44.000Z; it runs once more\n' +
      'WaitRanOut: The condition did not come true\n    at until.ts:17',
  )
})
