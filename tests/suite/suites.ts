/**
 * The suites of tests. Every test file is in exactly one: `quick` and `test` by the lists of `files.ts`, a campaign by its folder.
 *
 *   quick      npm run test:quick     pure logic, and of every route a success and a refusal
 *   test       npm test               runs quick as well: every guarantee at least once
 *   campaign   npm run test:campaign  folders of tests/campaign: long, many or random cases, each folder alone
 */
import { globSync } from 'node:fs'
import path from 'node:path'
import { isolated, quick } from './files.ts'

export type Suite = 'quick' | 'test' | `campaign/${string}`

export const root = path.resolve(import.meta.dirname, '../..')
const campaign = /^tests\/campaign\/([^/]+)\//

/** All test files of the checkout, relative to its root. */
export function everyTestFile(): string[] {
  const found = globSync(['tests/**/*.test.ts', 'src/**/*.test.ts', 'console/**/*.test.ts'], { cwd: root })
  return found.map((file) => file.replaceAll(path.sep, '/')).toSorted()
}

export function suiteOf(file: string): Suite {
  const folder = campaign.exec(file)?.[1]
  if (folder !== undefined) return `campaign/${folder}`
  return quick.some((pattern) => path.matchesGlob(file, pattern)) ? 'quick' : 'test'
}

/** The names of the campaign folders, in alphabetical order. */
export function campaignFolders(): string[] {
  const folders = everyTestFile().map((file) => campaign.exec(file)?.[1])
  return [...new Set(folders.filter((folder) => folder !== undefined))]
}

/** What a run of a suite runs; all test files where no suite is named, so that any file can be run by its name. */
export function filesOf(suite: string | undefined): string[] {
  const every = everyTestFile()
  if (suite === undefined) return every
  if (suite === 'test') return every.filter((file) => ['test', 'quick'].includes(suiteOf(file)))
  return every.filter((file) => suiteOf(file) === suite)
}

/** Whether a file needs a process of its own. */
export const isIsolated = (file: string): boolean =>
  isolated.some((pattern) => path.matchesGlob(file, pattern))
