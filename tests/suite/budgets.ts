/**
 * Processor time that test files may take, in seconds on the reference machine (factor.ts), with that of the processes they start and without
 * that of the PostgreSQL that all files share. A file that takes more than twice its budget fails the run.
 */
import type { Report, ReportedFile } from './report.ts'

/** Of a file that is not listed. The goal is 4; what takes more is still to be made cheaper. */
export const defaultSeconds = 10

/**
 * Of a whole suite, PostgreSQL and browsers included; a run that takes more than a tenth beyond it fails. The goal of `test` is 600: these are
 * what the suites take today, so that they take no more.
 */
export const suiteSeconds: Record<string, number> = { quick: 350, test: 1_500 }

/** Larger budgets, each with its reason. Files of the campaign have none: a folder's minutes stand in its `proves.ts`. */
export const largerBudgets: Record<string, readonly [seconds: number, reason: string]> = {
  'src/engine/pipelines/data/losses.test.ts': [12, 'tables at their largest size, cell by cell'],
}

/** Prints the ten dearest files and the whole. */
export function printTime(suite: string, { factor, files }: Report, usedSeconds: number): void {
  const limit = suiteSeconds[suite]
  const whole = limit === undefined ? '' : ` of ${Math.round(limit * factor)}`
  console.log(`\nProcessor time (${factor} times that of the reference):`)
  for (const file of dearestFirst(files).slice(0, 10)) print(secondsOf(file), file.file)
  print(usedSeconds, `${whole} all, with PostgreSQL and what loads the tests`)
}

const print = (seconds: number, words: string): void =>
  console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${words}`)

/** A sentence for each budget that was passed. `usedSeconds` is what the whole suite took; undefined where only a part of it was run. */
export function budgetOffences(
  suite: string,
  { factor, files }: Pick<Report, 'factor' | 'files'>,
  usedSeconds: number | undefined,
): string[] {
  const limit = suiteSeconds[suite]
  if (limit === undefined) return []
  const offences = dearestFirst(files).flatMap((file) => beyondBudget(file, factor))
  if (usedSeconds !== undefined && usedSeconds > limit * factor * 1.1)
    offences.push(
      `The suite took ${Math.round(usedSeconds)} s of processor time, more than 110 % of its ${Math.round(limit * factor)} s.`,
    )
  return offences
}

const dearestFirst = (files: readonly ReportedFile[]): ReportedFile[] =>
  files.toSorted((one, other) => secondsOf(other) - secondsOf(one))

function beyondBudget(file: ReportedFile, factor: number): string[] {
  const budget = (largerBudgets[file.file]?.[0] ?? defaultSeconds) * factor
  if (secondsOf(file) <= 2 * budget) return []
  return [
    `${file.file} took ${secondsOf(file).toFixed(1)} s of processor time, more than twice its ${budget.toFixed(1)} s (tests/suite/budgets.ts).`,
  ]
}

const secondsOf = ({ processorMs = 0 }: ReportedFile): number => processorMs / 1_000
