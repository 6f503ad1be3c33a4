/**
 * `npm run docs:architecture` writes the tables of rooms in docs/architecture.md from the first sentences of the rooms' doors, so that no list of
 * rooms is kept by hand. With `--check` it writes nothing, and exits with 1 if the page is not fresh.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { outermost, productOf, rankOf, roomOf } from './rooms/rooms.ts'

interface Door {
  /** The product, or `Files directly in src`. */
  group: string
  /** The rank of the product; -1 for a file directly in src. */
  rank: number
  /** The file from the root of the repository, with `/` between folders. */
  file: string
  /** The name by which other rooms import the door; its path if it has no such name. */
  name: string
  /** The first sentence of the comment at the top of the file; undefined if there is none. */
  sentence: string | undefined
}

const root = path.resolve(import.meta.dirname, '..')
const page = 'docs/architecture.md'
const begin = '<!-- rooms: printed by npm run docs:architecture -->\n'
const end = '<!-- /rooms -->'

/** The doors of all rooms, and the files directly in src, in alphabetical order. */
function readDoors(): Door[] {
  const rooms = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
    .map((file) => roomOf(file.replaceAll(path.sep, '/')))
    .filter((room) => room !== undefined)
  return [...new Set(rooms)].toSorted().map(readDoor)
}

function readDoor(room: string): Door {
  const isFile = rankOf(room) === outermost
  const file = isFile ? `src/${room}.ts` : `src/${room}/${path.posix.basename(room)}.ts`
  return {
    group: isFile ? 'Files directly in src' : productOf(room),
    rank: isFile ? -1 : rankOf(room),
    file,
    name: isFile && !namedFiles.includes(room) ? file : `#${room}`,
    sentence: firstSentence(textOf(file)),
  }
}

/** The files directly in src that the import map of package.json names. */
const namedFiles: readonly string[] = ['app', 'settings']

/** The text of a door; empty if the room has none. */
function textOf(file: string): string {
  const absolute = path.join(root, file)
  return existsSync(absolute) ? readFileSync(absolute, 'utf8') : ''
}

function firstSentence(code: string): string | undefined {
  const comment = /^\/\*\*(.*?)\*\//s.exec(code)?.[1] ?? ''
  const text = comment.replace(/\s*\n\s*\*?\s*/g, ' ').trim()
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0]
}

/** One table per product, from the top of the arrow down, and one of the files directly in src. */
function tablesOf(doors: readonly Door[]): string {
  return [...Map.groupBy(doors, ({ group }) => group)]
    .toSorted(([, [one]], [, [other]]) => other!.rank - one!.rank)
    .map(([group, listed]) => tableOf(group, listed))
    .join('\n')
}

const tableOf = (group: string, listed: readonly Door[]): string =>
  `### ${group}\n\n| Door | What it is |\n|---|---|\n${listed.map(row).join('')}`

const row = ({ name, sentence = '' }: Door): string =>
  `| \`${name}\` | ${withLinks(sentence).replaceAll('|', '\\|')} |\n`

/** A sentence with links in place of the paths of decisions, as seen from docs. */
const withLinks = (sentence: string): string =>
  sentence.replace(/docs\/(decisions\/[\w/-]+\.md)/g, '[decision]($1)')

/** The page with these tables between its markers. */
function withTables(text: string, tables: string): string {
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end)
  if (from < begin.length || to < from)
    throw new Error(`${page} needs the lines ${begin.trim()} and ${end}: the tables stand between them.`)
  return `${text.slice(0, from)}\n${tables}\n${text.slice(to)}`
}

const doors = readDoors()
const faults = doors
  .filter(({ sentence }) => sentence === undefined)
  .map(({ file }) => `${file} needs a first comment /** … */ whose first sentence says what the room is.`)
const text = readFileSync(path.join(root, page), 'utf8')
const fresh = withTables(text, tablesOf(doors))
const isCheck = process.argv.includes('--check')
if (isCheck && fresh !== text) faults.push(`${page} is not fresh: run npm run docs:architecture.`)
if (!isCheck) writeFileSync(path.join(root, page), fresh)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
