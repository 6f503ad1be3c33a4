/** Which failures of a run are void, since the machine stood still, and which are red. */
import type { FailedTest, PassedTest, TestName } from './failed-test.ts'
import { lateness } from './late.ts'
import type { Gap } from './stand-stills.ts'

/** A test that failed since nobody had time: by something that came too late, while the machine stood still or soon after. */
export interface Void extends TestName {
  test: FailedTest
  /** The longest gap that excuses it. */
  gap: Gap
  /** What came too late, in a few words. */
  late: string
}

export type Verdict = { verdict: 'void'; it: Void } | { verdict: 'red' }

/**
 * The lease of a server that names none. Longest time for which servers hold back after a gap: a process whose own heartbeat was late by half
 * its lease judges nobody for one lease (src/platform/processes), so work of the dead is taken over later by so much.
 */
const maxHoldingBackMs = 20_000

/**
 * How long after its end a gap still excuses. One of length g makes those hold back whose lease is shorter than 2 g, and that for one lease: so
 * for 2 g at most. A test that begins meanwhile waits for them. It also covers servers that a file started before its tests.
 */
export const leadMs = ({ fromMs, toMs }: Gap): number => Math.min(2 * (toMs - fromMs), maxHoldingBackMs)

/** A gap excuses a deadline, never a value. */
export function judgeTest(test: FailedTest, gaps: readonly Gap[]): Verdict {
  const late = lateness(test.errors)
  if (late === undefined) return { verdict: 'red' }
  const excuses = gaps.filter((gap) => gap.fromMs < test.endMs && gap.toMs + leadMs(gap) > test.startMs)
  const gap = excuses.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0]
  if (gap === undefined) return { verdict: 'red' }
  const { file, fullName } = test
  return { verdict: 'void', it: { file, fullName, test, gap, late } }
}

/** The failures of a run that are void at first, each of which is to run once more beside the same load; see `wordsToRepeat`. */
export const voidsOf = (failed: readonly FailedTest[], gaps: readonly Gap[]): Void[] =>
  failed.flatMap((test) => {
    const judged = judgeTest(test, gaps)
    return judged.verdict === 'void' ? [judged.it] : []
  })

/** More of them in one run are no accident. */
export const maxVoids = 3
/** In which the same test may be void once. */
export const runsKept = 10

/** What `tests/voids.json` keeps of a void test. */
export interface VoidRecord extends TestName {
  /** The ordinal of its run among those that are counted. */
  run: number
  commit: string
  /** The day, as 2026-11-29. */
  date: string
  gapMs: number
  /** The first line of its first error. */
  error: string
}

/** Runs with voids alone are kept; see `voids-file.ts` for how the others are counted. */
export interface History {
  /** The ordinal of the last run that had voids. */
  runs: number
  /** Those of the last ten runs, oldest first. */
  voids: VoidRecord[]
}

export interface Run {
  commit: string
  date: string
  failed: readonly FailedTest[]
  gaps: readonly Gap[]
  /** What the void tests did when they ran once more. One that is not among them did not pass. */
  repeated: readonly (PassedTest | FailedTest)[]
  /** Runs without voids since the last one with some, as this checkout has counted them. */
  cleanRuns: number
}

export interface Red {
  /** Absent where the run as a whole is red. */
  name?: TestName
  why: string
}

export interface Judgement {
  /** All that failed and were void at first; those whose repetition failed are red too. */
  voids: Void[]
  /** The run is green where there are none. */
  red: Red[]
  /** The history it was given, the same object, where there are no voids. */
  history: History
}

/** Judges a run whose void tests have run once more. */
export function judge(run: Run, history: History): Judgement {
  const voids = voidsOf(run.failed, run.gaps)
  const red: Red[] = []
  for (const test of run.failed) {
    const isVoid = voids.some(({ test: other }) => other === test)
    if (!isVoid) red.push({ name: nameOf(test), why: firstLine(test, maxReasonLength) })
  }
  if (voids.length === 0) return { voids, red, history }
  const ordinal = history.runs + run.cleanRuns + 1
  const kept = history.voids.filter((record) => record.run > ordinal - runsKept)
  for (const { test } of voids) {
    const name = nameOf(test)
    if (!hasPassed(test, run.repeated))
      red.push({ name, why: 'was void, and did not pass when it ran once more' })
    const before = kept.find((record) => isSame(record, test))
    if (before)
      red.push({ name, why: `was void before, ${ordinal - before.run} runs ago at commit ${before.commit}` })
  }
  if (voids.length > maxVoids)
    red.push({ why: `${voids.length} tests were void, and more than ${maxVoids} in a run are no accident` })
  const records = voids.map((one) => recordOf(one, run, ordinal))
  return { voids, red, history: { runs: ordinal, voids: [...kept, ...records] } }
}

/** Of a file whose own hook failed, all of its tests that ran once more. */
function hasPassed(test: TestName, repeated: Run['repeated']): boolean {
  const its = repeated.filter((one) => one.file === test.file && (test.fullName === '' || isSame(one, test)))
  return its.length > 0 && its.every(({ state }) => state === 'passed')
}

const isSame = (one: TestName, other: TestName): boolean =>
  one.file === other.file && one.fullName === other.fullName

const nameOf = ({ file, fullName }: TestName): TestName => ({ file, fullName })

const lengthOf = ({ fromMs, toMs }: Gap): number => toMs - fromMs

const maxLineLength = 200
/** Of a failure that is printed, where the line may be all that is left of a run elsewhere. */
const maxReasonLength = 2_000

function recordOf(
  { file, fullName, test, gap }: Void,
  { commit, date }: Pick<Run, 'commit' | 'date'>,
  run: number,
): VoidRecord {
  return {
    run,
    file,
    fullName,
    commit,
    date,
    gapMs: Math.round(lengthOf(gap)),
    error: firstLine(test),
  }
}

const firstLine = ({ errors }: FailedTest, maxLength = maxLineLength): string =>
  (errors[0]?.message ?? '').split('\n', 1)[0]!.slice(0, maxLength)

/** The words of `vitest run` by which void tests run once more, one command for each file. */
export function wordsToRepeat(voids: readonly TestName[]): string[][] {
  const byFile = Map.groupBy(voids, ({ file }) => file)
  return [...byFile].map(([file, its]) => {
    const names = its.map(({ fullName }) => fullName)
    if (names.includes('')) return [file]
    return [file, '-t', `^(?:${[...new Set(names)].map(escaped).join('|')})$`]
  })
}

const escaped = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** What is printed of a void test before it runs once more: all that its first run threw. */
export function firstOutput({ file, fullName, test, gap, late }: Void): string {
  const name = fullName === '' ? file : `${file} > ${fullName}`
  const from = new Date(gap.fromMs).toISOString()
  const head = `VOID ${name}\n${late}, beside a stand-still of ${Math.round(lengthOf(gap))} ms from ${from}; it runs once more`
  return [head, ...test.errors.map(({ name, message, stack }) => stack ?? `${name}: ${message}`)].join('\n')
}
