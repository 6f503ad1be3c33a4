/**
 * Processor time that test files may take, in seconds on the reference machine (factor.ts), with that of the processes they start and without
 * that of the PostgreSQL that all files share. A file that takes more than twice its budget fails the run.
 */
import type { Report, ReportedFile } from './report.ts'

/**
 * Of a file that is not listed. The goal is 4: in a worker process that has run many files, one that takes large bodies spends up to three times
 * as much on collecting garbage as it does alone.
 */
export const defaultSeconds = 6

/**
 * Of a whole suite, PostgreSQL and browsers included; a run that takes more than a tenth beyond it fails. The goal of `test` was 600 before people
 * could sign in, and took up to 700; accounts of people and the console may add 90.
 */
export const suiteSeconds: Record<string, number> = { quick: 200, test: 790 }

/** Larger budgets, each with its reason. Files of the campaign have none: a folder's minutes stand in its `proves.ts`. */
export const largerBudgets: Record<string, readonly [seconds: number, reason: string]> = {
  'src/sandbox/video/video.test.ts': [7, 'films, each of which is drawn and encoded'],
  'tests/account/console/journey.test.ts': [
    33,
    'one browser for all that is shown of the console, with charges and usage',
  ],
  'tests/contract/every-bound.test.ts': [12, 'every bound and every flaw of every schema: 3,700 requests'],
  'tests/contract/every-route/apps.test.ts': [9, 'two databases of clouds are made, moved and restored'],
  'tests/contract/faults/faults.test.ts': [
    12,
    'the table of 13 faults and 22 kinds of media, films among them',
  ],
  'tests/media/speech-orders.test.ts': [7, 'sound of the largest size, in every container'],
  'tests/media/studio-audio.test.ts': [7, 'sound in every container, by the official client and by ffmpeg'],
  'tests/media/studio-image.test.ts': [8, 'pictures of the largest size, in every format'],
  'tests/media/speech-bounds.test.ts': [8, 'recordings of the largest size, in JSON'],
  'tests/media/speech-claims.test.ts': [8, 'minutes of speech'],
  'tests/platform/storage/storage.test.ts': [
    8,
    'uploads in parts of 8 MB, which one process sends and takes',
  ],
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

/**
 * Processors that other programs may keep busy during a run whose budgets are judged. Beside more, the same work takes up to half as much processor
 * time again (caches, the two threads of one core, garbage that is collected late), whatever the factor said at the beginning.
 */
const quietProcessors = 0.25

/** Whether the machine was quiet enough for budgets; prints what else it did. */
export function isQuiet(processorsOfOthers: number): boolean {
  const isJudged = processorsOfOthers <= quietProcessors
  const consequence = isJudged ? '' : ': the budgets of processor time are not judged'
  console.log(`Other programs kept ${processorsOfOthers.toFixed(2)} processors busy${consequence}.`)
  return isJudged
}

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
