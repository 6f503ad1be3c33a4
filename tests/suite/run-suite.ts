import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { defaultSeconds, largerBudgets, suiteSeconds } from './budgets.ts'
import { processorMs } from './processor-time.ts'
import type { Report, ReportedFile } from './report.ts'
import { root } from './suites.ts'

/** About how long a suite takes by the clock on the reference machine. */
const suiteMinutes: Record<string, number> = { quick: 1.5, test: 8 }

/**
 * Runs a suite, or the files of it that the words name, in a Vitest of its own; prints what it took. Returns whether it passed, within
 * its budgets.
 */
export async function runSuite(suite: string, words: readonly string[], minutes = suiteMinutes[suite]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'kherad-run-'))
  try {
    const reportPath = path.join(folder, 'report.json')
    const beforeMs = processorMs()
    const passed = await runVitest(words, {
      KHERAD_SUITE: suite,
      KHERAD_TEST_REPORT: reportPath,
      KHERAD_TEST_MINUTES: minutes === undefined ? '' : String(minutes),
    })
    if (!existsSync(reportPath)) return false
    const report = JSON.parse(readFileSync(reportPath, 'utf8')) as Report
    const usedSeconds = (processorMs() - beforeMs) / 1_000
    const isWhole = words.every((word) => word.startsWith('--'))
    return judgeTime(suite, report, usedSeconds, isWhole) && passed
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runVitest(words: readonly string[], variables: Record<string, string>): Promise<boolean> {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...words], {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: 'inherit',
  })
  // Ctrl-C reaches both; the runner ends in order.
  process.on('SIGINT', () => {})
  const [code] = (await once(child, 'exit')) as [number | null]
  return code === 0
}

/** Prints the ten dearest files and the whole, and says whether all kept their budgets. */
function judgeTime(suite: string, { factor, files }: Report, usedSeconds: number, isWhole: boolean): boolean {
  const measured = files.filter((file) => file.processorMs !== undefined)
  const dearest = measured.toSorted((one, other) => other.processorMs! - one.processorMs!)
  console.log(`\nProcessor time, on a machine that takes ${factor} times as long as the reference:`)
  for (const file of dearest.slice(0, 10))
    console.log(`  ${secondsOf(file).toFixed(1).padStart(6)} s  ${file.file}`)
  const limit = suiteSeconds[suite]
  const whole = limit === undefined ? '' : ` of ${Math.round(limit * factor)}`
  console.log(
    `  ${usedSeconds.toFixed(1).padStart(6)} s${whole}  all, with PostgreSQL and what loads the tests`,
  )
  const offences = suite.startsWith('campaign/') ? [] : dearest.flatMap((file) => beyondBudget(file, factor))
  if (isWhole && limit !== undefined && usedSeconds > limit * factor * 1.1)
    offences.push(
      `The suite took ${Math.round(usedSeconds)} s of processor time, more than 110 % of its budget.`,
    )
  for (const offence of offences) console.error(offence)
  return offences.length === 0
}

function beyondBudget(file: ReportedFile, factor: number): string[] {
  const budget = (largerBudgets[file.file]?.[0] ?? defaultSeconds) * factor
  if (secondsOf(file) <= 2 * budget) return []
  return [
    `${file.file} took ${secondsOf(file).toFixed(1)} s of processor time, more than twice its budget of ${budget.toFixed(1)} s (tests/suite/budgets.ts).`,
  ]
}

const secondsOf = ({ processorMs: ms }: ReportedFile): number => ms! / 1_000
