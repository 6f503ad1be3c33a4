import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isTest, testOffences } from './rooms/doors-of-tests.ts'
import { nounExceptions, productNouns } from './rooms/nouns.ts'
import { roomOffences } from './rooms/offences.ts'
import { sliceOffences } from './rooms/slices.ts'
import { doorExceptions, testEntries } from './rooms/test-doors.ts'
import { commentFragments, maxFragments, wordOffences } from './rooms/words.ts'

/**
 * Holds the house to docs/architecture.md: a room is entered by its door, by tests too, the arrow points down only, no rooms know one another
 * in a circle, neither at run time nor by types, and the platform contains no noun of the product. A room takes a slice of the app, which has few
 * members. No file is longer than 400 lines, and names and comments keep to the rules of STYLE.md. An argument is the root of another tree.
 */
const root = process.argv[2] ?? path.resolve(import.meta.dirname, '..')
const sources = globSync(
  ['src', 'cli', 'tests', 'bench', 'scripts'].map((top) => `${top}/**/*.ts`),
  { cwd: root },
)
  .toSorted()
  .map((file) => ({
    file: file.replaceAll(path.sep, '/'),
    code: readFileSync(path.join(root, file), 'utf8'),
  }))
const { tests = [], product = [] } = Object.groupBy(sources, ({ file }) =>
  isTest(file) ? 'tests' : 'product',
)
const fragments = commentFragments(product)
const offences = [
  ...roomOffences(product, productNouns, nounExceptions),
  ...sliceOffences(product),
  ...wordOffences(product),
  ...(fragments.length > maxFragments
    ? [
        `${fragments.length} comments have no verb; at most ${maxFragments} may:\n    ${fragments.join('\n    ')}`,
      ]
    : []),
  ...testOffences(tests, testEntries, doorExceptions),
]
for (const offence of offences) console.error(offence)
if (offences.length) {
  console.error(
    `\n${offences.length} offences against the rooms; docs/architecture.md says what each room may import.`,
  )
  process.exitCode = 1
}
