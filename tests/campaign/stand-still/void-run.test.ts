/** The whole of it: Vitest runs tests that fail beside a stand-still, and what is made of its reports. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { until } from '../../harness/until.ts'
import type { FailedTest, PassedTest } from '../../suite/failed-test.ts'
import { openTree, type Tree } from '../../suite/freeze.ts'
import { startObserver } from '../../suite/stand-stills.ts'
import { firstOutput, judge, judgeTest, type Run, voidsOf, wordsToRepeat } from '../../suite/voids.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const config = path.join(import.meta.dirname, '../../suite/fixtures/void-run/vitest.config.ts')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-void-run-'))
  onTestFinished(() => rm(folder, { recursive: true }))
})

interface Ran {
  /** What its reporter has written. */
  lines: (FailedTest | PassedTest)[]
  out: string
}

/** Runs tests of the fixture project, in the tree where one is given. */
async function runFixtures(words: readonly string[], tree?: Tree): Promise<Ran> {
  const report = path.join(folder, `report-${Date.now()}`)
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const [command, ...rest] = [
    ...(tree?.under ?? []),
    process.execPath,
    vitest,
    'run',
    '--config',
    config,
    ...words,
  ]
  const child = spawn(command!, rest, {
    cwd: root,
    // Vitest tells by variables of its own whether it runs within a test.
    env: { PATH: process.env['PATH'], HOME: folder, REPORT: report, BEGUN: path.join(folder, 'begun') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  if (tree?.by === 'SIGSTOP') tree.add(child.pid!)
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      out += text
    })
  await once(child, 'close')
  const text = existsSync(report) ? readFileSync(report, 'utf8') : ''
  const lines = text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
  return { lines, out }
}

const failedOf = ({ lines }: Ran): FailedTest[] => lines.filter((one) => one.state === 'failed')
const runOf = (more: Partial<Run>): Run => ({
  ...{ commit: '5a7483bf', date: '2026-11-29', cleanRuns: 0, failed: [], gaps: [], repeated: [] },
  ...more,
})

test('a wait that a true stand-still lets run out is void, and passes when it runs once more; a value beside it is red', async () => {
  await using observer = await startObserver({ print: () => undefined })
  const first = await (async () => {
    await using tree = openTree()
    tree.add(observer.pid)
    const running = runFixtures(['stand-still.fixture.ts'], tree)
    const hasBegun = until(() => existsSync(path.join(folder, 'begun')))
    await Promise.race([running, hasBegun])
    await tree.stopFor(5_000)
    return running
  })()
  await observer.upToDate()
  const failed = failedOf(first)
  expect(failed, first.out).toHaveLength(3)
  const voids = voidsOf(failed, observer.gaps)
  expect(voids.map(({ fullName }) => fullName)).toEqual(['a wait that a stand-still lets run out'])
  const gap = voids[0]!.gap
  expect(gap.toMs - gap.fromMs).toBeGreaterThan(4_900)
  expect(firstOutput(voids[0]!)).toContain('The condition did not come true within 4000 ms')

  const [words] = wordsToRepeat(voids)
  const second = await runFixtures(words!)
  expect(second.lines, second.out).toEqual([
    { state: 'passed', file: 'stand-still.fixture.ts', fullName: 'a wait that a stand-still lets run out' },
  ])
  const run = runOf({ failed, gaps: observer.gaps, repeated: second.lines })
  const { red, history } = judge(run, { runs: 0, voids: [] })
  expect(red.map(({ name }) => name?.fullName).toSorted()).toEqual([
    'a wait that ran out, and then a broken invariant',
    'a wrong value beside it',
  ])
  expect(history.voids).toMatchObject([{ run: 1, fullName: 'a wait that a stand-still lets run out' }])
  const onlyVoid = judge(runOf({ ...run, failed: voids.map((one) => one.test) }), { runs: 0, voids: [] })
  expect(onlyVoid.red, 'a run that had nothing but the void one').toEqual([])
})

test('of every way in which tests fail, those alone are void that came too late, beside a gap as long as the run', async () => {
  const ran = await runFixtures(['errors.fixture.ts'])
  const failed = failedOf(ran)
  const gap = { fromMs: 0, toMs: Date.now() }
  const verdicts = failed.map((one) => [one.fullName || 'a hook', judgeTest(one, [gap]).verdict])
  expect(Object.fromEntries(verdicts)).toEqual({
    'late > until': 'void',
    'late > until, soft': 'void',
    'late > the test': 'void',
    'late > poll': 'void',
    'late > poll of what never answers': 'void',
    'late > a refusal that was thrown': 'void',
    'late > a refusal that was answered': 'void',
    'late > a signal': 'void',
    'late > the body, and its disposal': 'void',
    'a hook': 'void',
    'value > an assertion': 'red',
    'value > a status without the answer': 'red',
    'value > a status with an answer that names no code': 'red',
    'value > a server that stops': 'red',
    'value > an error that speaks of a timeout': 'red',
    'value > an assertion in what a wait asks': 'red',
    'value > a broken invariant at the disposal of what waited in vain': 'red',
    'value > a wait in vain at the disposal of what found a wrong value': 'red',
    'value > one of several soft assertions': 'red',
    'value after > a wait in vain': 'red',
  })
  expect(verdicts, ran.out).toHaveLength(20)
  expect(
    failed.every((one) => judgeTest(one, []).verdict === 'red'),
    'without a gap',
  ).toBe(true)
})
