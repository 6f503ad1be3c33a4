/**
 * `tests/voids.json`, and how runs without voids are counted. The file is part of the repository, so that a void on one machine is known on the
 * next, and changes in a run with voids alone: a line for each of them, and the ordinal of the run. Runs without voids are counted beside it, in
 * `node_modules/.cache` of each checkout, which nobody commits, and are added to the ordinal by the next run that has voids. Runs of which this
 * checkout does not know do not count, so a void is remembered for ten runs or for longer, and never for less.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type History, runsKept, type VoidRecord } from './voids.ts'

export interface KnownRuns {
  history: History
  /** Without voids, since the last one with some, in this checkout. */
  cleanRuns: number
}

const voidsPath = (root: string): string => path.join(root, 'tests/voids.json')
const countPath = (root: string): string => path.join(root, 'node_modules/.cache/kherad/clean-runs.json')

/** Of the checkout at `root`. Throws where the file is not as `keepRun` writes it. */
export async function readRuns(root: string): Promise<KnownRuns> {
  const text = await textOf(voidsPath(root))
  const history = text === undefined ? { runs: 0, voids: [] } : parseHistory(text)
  return { history, cleanRuns: countOf(await textOf(countPath(root)), history) }
}

/** Counts a run of a whole suite, after `judge`, whose history it is given. A run of single files is none. */
export async function keepRun(root: string, before: KnownRuns, after: History): Promise<void> {
  // A run with voids has the next ordinal.
  const isClean = after.runs === before.history.runs
  if (!isClean) await writeFile(voidsPath(root), `${JSON.stringify(after, null, 2)}\n`)
  const count = { since: after.runs, runs: isClean ? before.cleanRuns + 1 : 0 }
  await mkdir(path.dirname(countPath(root)), { recursive: true })
  await writeFile(countPath(root), JSON.stringify(count))
}

const textOf = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** Throws a sentence that says what is wrong. */
export function parseHistory(text: string): History {
  const history = parsed(text)
  const isHistory = hasExactly(history, { runs: isOrdinal, voids: Array.isArray })
  if (!isHistory) refuse('it is no object of runs and voids')
  const { runs, voids } = history as unknown as History
  for (const [index, record] of voids.entries()) {
    if (!hasExactly(record, recordShape))
      refuse(`the void ${index} has other members, or other values in them`)
    if (record.run > runs || record.run <= runs - runsKept)
      refuse(`the void ${index} is of none of the last ${runsKept} runs`)
    if (index > 0 && record.run < voids[index - 1]!.run)
      refuse(`the void ${index} is older than that before it`)
  }
  return { runs, voids }
}

type Check = (value: unknown) => boolean

const isOrdinal: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isText: Check = (value) => typeof value === 'string'
const like =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

const recordShape: Record<keyof VoidRecord, Check> = {
  run: isOrdinal,
  file: like(/\.ts$/),
  fullName: isText,
  commit: like(/^[0-9a-f]{7,40}$/),
  date: like(/^\d{4}-\d{2}-\d{2}$/),
  gapMs: isOrdinal,
  error: isText,
}

function hasExactly(value: unknown, shape: Record<string, Check>): boolean {
  if (typeof value !== 'object' || value === null) return false
  const names = Object.keys(value)
  if (names.length !== Object.keys(shape).length) return false
  return names.every((name) => Object.hasOwn(shape, name) && shape[name]!((value as never)[name]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('it is no JSON')
  }
}

function refuse(why: string): never {
  throw new Error(
    `tests/voids.json is not as the runner writes it: ${why}. Take it from the last commit again.`,
  )
}

/** A count of runs that followed another run is of no use: some of them came before a void that another checkout has noted. */
function countOf(text: string | undefined, history: History): number {
  try {
    const count = JSON.parse(text ?? '')
    return count.since === history.runs && isOrdinal(count.runs) ? count.runs : 0
  } catch {
    return 0
  }
}
