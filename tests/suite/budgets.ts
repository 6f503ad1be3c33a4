/**
 * Processor time that test files may take, in seconds on the reference machine (factor.ts), with that of the processes they start and without
 * that of the PostgreSQL that all files share. A file that takes more than twice its budget fails the run.
 */
import type { Report, ReportedFile } from './report.ts'

/** Of a file that is not listed. */
export const defaultSeconds = 4

/**
 * Of a whole suite, PostgreSQL and browsers included; a run that takes more than a tenth beyond it fails. The goal of `test` is 600: this is what
 * it takes today, so that it takes no more.
 */
export const suiteSeconds: Record<string, number> = { quick: 200, test: 800 }

/** Larger budgets, each with its reason. Files of the campaign have none: a folder's minutes stand in its `proves.ts`. */
export const largerBudgets: Record<string, readonly [seconds: number, reason: string]> = {
  'src/engine/sites/check/check.test.ts': [6, 'publications of 20 MB and of 400,000 files, and 60 by chance'],
  'src/providers/sandbox/video/video.test.ts': [7, 'films, each of which is drawn and encoded'],
  'tests/contract/auth.test.ts': [5, 'a second server process, and every route without its scope'],
  'tests/contract/batches.test.ts': [6, 'batches of a thousand rows, and a hundred at once'],
  'tests/contract/every-bound.test.ts': [7, 'every bound and every flaw of every schema: 3,700 requests'],
  'tests/contract/every-route/apps.test.ts': [9, 'two databases of clouds are made, moved and restored'],
  'tests/contract/faults/faults.test.ts': [
    11,
    'the table of 13 faults and 22 kinds of media, films among them',
  ],
  'tests/contract/knowledge.test.ts': [5, 'a text of two million characters, and files of every kind'],
  'tests/contract/speech-orders.test.ts': [7, 'sound of the largest size, in every container'],
  'tests/contract/studio-audio.test.ts': [
    7,
    'sound in every container, by the official client and by ffmpeg',
  ],
  'tests/contract/studio-image.test.ts': [8, 'pictures of the largest size, in every format'],
  'tests/crash/families.test.ts': [6, 'a server is killed and succeeded under every durable kind'],
  'tests/crash/kill.test.ts': [6, 'seven servers are killed'],
  'tests/providers/modalities.test.ts': [5, 'pictures and sound of six wires, cut at every fourth place'],
  'tests/races/double-spend.test.ts': [6, 'two server processes, and 80 calls at once on each bound'],
  'tests/sites/generator.test.ts': [5, 'an app of a build tool in a browser'],
  'tests/transcription/faults.test.ts': [
    6,
    'minutes of speech, cut into pieces, for each fault of a later piece',
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
