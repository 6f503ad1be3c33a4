import path from 'node:path'
import { findImports } from './imports.ts'
import { destinationOf, type Room } from './rooms.ts'
import type { SourceFile } from './source.ts'
import type { DoorException, Entry } from './test-doors.ts'

/** An import by which a test leaves its own room. */
interface Way {
  file: string
  line: number
  specifier: string
  room: Room
  /** The imported file, from the root of the repository; the specifier itself where it is a door. */
  target: string
  /** The sentence that refuses the way past a door. */
  refusal?: string
}

/** What is no code of the product: tests, their harness, benchmarks and scripts. */
export const isTest = (file: string): boolean => !/^(src|cli)\//.test(file) || file.endsWith('.test.ts')

/**
 * Imports by which tests, their harness, benchmarks and scripts enter rooms past the doors, or files of `src` that are no entries, a sentence
 * for each, and listed exceptions and entries that nobody needs. A test that stands in a room may import all of it.
 */
export function testOffences(
  sources: readonly SourceFile[],
  entries: readonly Entry[],
  exceptions: readonly DoorException[],
): string[] {
  const ways = sources.flatMap(waysOf)
  const past = ways.flatMap((way) => {
    const refusal = way.refusal ?? refusalOfFile(way.room, entries)
    return refusal === undefined ? [] : [{ ...way, refusal }]
  })
  return [
    ...past
      .filter((way) => !exceptions.some((exception) => excuses(exception, way)))
      .map(({ file, line, specifier, refusal }) => `${file}:${line} imports ${specifier}: ${refusal}`),
    ...exceptions.flatMap((exception) => idle(exception, past)),
    ...entries
      .filter((entry) => !ways.some(({ room }) => room === entry.name))
      .map(({ name }) => `${list} has the entry src/${name}.ts, which no test imports: delete it.`),
  ]
}

const list = 'scripts/rooms/test-doors.ts'

function waysOf({ file, code }: SourceFile): Way[] {
  return findImports(code).flatMap(({ line, specifier }) => {
    const destination = destinationOf(file, specifier)
    if (!destination) return []
    const target = specifier.startsWith('.')
      ? path.posix.join(path.posix.dirname(file), specifier)
      : specifier
    return [{ file, line, specifier, target, ...destination }]
  })
}

/** A room is entered by its door; of what stands directly in src only the entries are for tests. */
function refusalOfFile(room: Room, entries: readonly Entry[]): string | undefined {
  if (room.includes('/') || openToAll.includes(room)) return undefined
  if (entries.some(({ name }) => name === room)) return undefined
  return `src/${room}.ts is no entry for tests: import a door, or list it with its reason in ${list}.`
}

/** `#app`, `#settings` and `#sandbox` are doors; the command line is one room without a door, whose tests call its functions. */
const openToAll: readonly Room[] = ['app', 'settings', 'sandbox', 'cli']

function excuses({ place, files }: DoorException, { file, target }: Way): boolean {
  const isThere = place.endsWith('/') ? file.startsWith(place) : file === place
  return isThere && files.some((one) => target === `src/${one}`)
}

function idle(exception: DoorException, past: readonly Way[]): string[] {
  return exception.files
    .filter((one) => !past.some((way) => excuses({ ...exception, files: [one] }, way)))
    .map(
      (one) =>
        `${list} lets ${exception.place} import src/${one}, which nothing there imports: delete it there.`,
    )
}
