import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { budgetOffences, isQuiet, printTime } from './budgets.ts'
import { currentCheckout } from './owed.ts'
import { machineMs, processorMs } from './processor-time.ts'
import type { Report } from './report.ts'
import { type Gap, type Observer, startObserver } from './stand-stills.ts'
import { root } from './suites.ts'
import { firstOutput, judge, voidsOf, wordsToRepeat } from './voids.ts'
import { keepRun, readRuns } from './voids-file.ts'

/** About how long a suite takes by the clock on the reference machine. */
const suiteMinutes: Record<string, number> = { quick: 1.5, test: 8 }

/** What is noted where the checkout is not under git. */
const unknownCommit = '0000000'

export interface SuiteResult {
  /** Within its budgets. */
  isGreen: boolean
  /** What failed, a line each. */
  red: readonly string[]
}

/**
 * Runs a suite, or the files of it that the words name, in a Vitest of its own, beside the observer of stand-stills; runs void tests once more;
 * prints what it took.
 */
export async function runSuite(
  suite: string,
  words: readonly string[],
  minutes = suiteMinutes[suite],
): Promise<SuiteResult> {
  // Ctrl-C reaches Vitest too, which ends in order.
  process.on('SIGINT', () => undefined)
  await using observer = await startObserver({ print: (line) => console.log(`--- ${line}`) })
  const isWhole = words.every((word) => word.startsWith('--'))
  const beforeMs = processorMs()
  const othersBefore = { ms: othersMs(), atMs: performance.now() }
  const { report, hasPassed } = await runVitest(suite, words, minutes)
  if (!report) return { isGreen: false, red: ['Vitest did not come to its end'] }
  const usedSeconds = (processorMs() - beforeMs) / 1_000
  const processorsOfOthers = (othersMs() - othersBefore.ms) / (performance.now() - othersBefore.atMs)
  const judged = hasPassed ? { isGreen: true, red: [] } : await judgeFailed(suite, report, observer, isWhole)
  if (hasPassed && isWhole) await keepCleanRun()
  printTime(suite, report, usedSeconds)
  if (!isQuiet(processorsOfOthers)) return judged
  const offences = budgetOffences(suite, report, isWhole ? usedSeconds : undefined)
  for (const offence of offences) console.error(offence)
  return { isGreen: judged.isGreen && offences.length === 0, red: [...judged.red, ...offences] }
}

/** Milliseconds of processor time that programs beside this run have used; 0 where that cannot be seen. */
function othersMs(): number {
  const wholeMs = machineMs()
  return wholeMs === undefined ? 0 : wholeMs - processorMs()
}

interface Ran {
  /** Undefined where Vitest did not come to the end of its run. */
  report?: Report
  hasPassed: boolean
}

async function runVitest(suite: string, words: readonly string[], minutes?: number): Promise<Ran> {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'kherad-run-'))
  const reportPath = path.join(folder.path, 'report.json')
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...words], {
    cwd: root,
    env: {
      ...process.env,
      KHERAD_SUITE: suite,
      KHERAD_TEST_REPORT: reportPath,
      KHERAD_TEST_MINUTES: minutes === undefined ? '' : String(minutes),
    },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  const hasPassed = code === 0
  if (!existsSync(reportPath)) return { hasPassed: false }
  return { report: JSON.parse(readFileSync(reportPath, 'utf8')) as Report, hasPassed }
}

/** Green where all that failed is void and passes when it runs once more, and the rule of repetition allows it. */
async function judgeFailed(
  suite: string,
  report: Report,
  observer: Observer,
  isWhole: boolean,
): Promise<SuiteResult> {
  await observer.upToDate()
  const gaps: readonly Gap[] = observer.gaps
  const voids = voidsOf(report.failed, gaps)
  for (const one of voids) console.error(`\n${firstOutput(one)}`)
  const repeated: (Report['passed'][number] | Report['failed'][number])[] = []
  for (const again of wordsToRepeat(voids)) {
    const { report: second } = await runVitest(suite, again)
    if (second) repeated.push(...second.passed, ...second.failed)
  }
  const known = await readRuns(root)
  const run = {
    ...{
      commit: currentCheckout().commit || unknownCommit,
      date: new Date().toISOString().slice(0, 10),
      cleanRuns: known.cleanRuns,
    },
    ...{ failed: report.failed, gaps, repeated },
  }
  const { red, history } = judge(run, known.history)
  if (isWhole) await keepRun(root, known, history)
  const lines = red.map(({ name, why }) => (name ? `${name.file} > ${name.fullName}: ${why}` : why))
  if (report.hasLooseErrors) lines.push('an error that belongs to no test was caught by nobody')
  for (const line of lines) console.error(`RED ${line}`)
  return { isGreen: voids.length > 0 && lines.length === 0, red: lines }
}

async function keepCleanRun(): Promise<void> {
  const known = await readRuns(root)
  await keepRun(root, known, known.history)
}
