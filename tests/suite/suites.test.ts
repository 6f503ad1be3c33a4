import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { largerBudgets } from './budgets.ts'
import { isolated, longest, quick } from './files.ts'
import { readProven } from './owed.ts'
import { isProvenBy, readCampaign } from './proves.ts'
import { campaignFolders, everyTestFile, filesOf, root, suiteOf } from './suites.ts'

const files = everyTestFile()
const paths = (pattern: string): string[] =>
  globSync(pattern, { cwd: root }).map((file) => file.replaceAll(path.sep, '/'))

test('every test file is in one suite, and the suites together are all of them', () => {
  const suites = ['quick', ...campaignFolders().map((name) => `campaign/${name}`)]
  const inSuites = suites.flatMap(filesOf)
  const inTest = filesOf('test').filter((file) => suiteOf(file) !== 'quick')
  expect([...inSuites, ...inTest].toSorted()).toEqual(files)
})

test('every list of test files names files that exist, and none of the quick ones is of the campaign', () => {
  const patterns = [...isolated, ...quick, ...longest, ...Object.keys(largerBudgets)]
  const idle = patterns.filter((pattern) => !files.some((file) => path.matchesGlob(file, pattern)))
  expect(idle).toEqual([])
  expect(quick.filter((pattern) => pattern.startsWith('tests/campaign/'))).toEqual([])
})

test('every folder of the campaign says what it proves, in an hour at most', async () => {
  const campaign = await readCampaign()
  expect(campaign.length).toBeGreaterThan(0)
  for (const folder of campaign) {
    expect(folder.guarantees.length, folder.name).toBeGreaterThan(0)
    expect(folder.minutes, folder.name).toBeLessThanOrEqual(60)
  }
  const known = campaign.map(({ name }) => name)
  expect(Object.keys(readProven()).filter((name) => !known.includes(name))).toEqual([])
})

test('every room, migration and harness file is named by a folder that is owed when it changes, and every name is that of something', async () => {
  const campaign = await readCampaign()
  const products = '{account,cloud,core,media,platform,providers,sites,text,voice,work}'
  const rooms = [...paths(`src/${products}/*/`), ...paths('src/sandbox/')].map((room) =>
    room.replace(/\/$/, ''),
  )
  const held = [
    ...rooms.map((room) => `${room}/any.ts`),
    ...paths('migrations/*.sql'),
    ...paths('tests/harness/**/*.ts').filter((file) => !file.endsWith('.test.ts')),
    ...['src/server.ts', 'package-lock.json'],
  ]
  expect(held.filter((file) => !campaign.some((folder) => isProvenBy(folder, file)))).toEqual([])
  const named = campaign.flatMap((folder) => folder.rooms)
  expect(named.filter((room) => !rooms.includes(room))).toEqual([])
  const patterns = campaign.flatMap((folder) => folder.files)
  expect(patterns.filter((pattern) => paths(pattern).length === 0)).toEqual([])
})

test('the table of guarantees names tests that exist', () => {
  const rows = guarantees()
  expect(rows.length).toBeGreaterThan(40)
  for (const { file, name } of rows) {
    expect(files, `tests/README.md names ${file}`).toContain(file)
    expect(readFileSync(path.join(root, file), 'utf8'), `${file} has no such test`).toContain(name)
  }
})

/** Rows of the table in tests/README.md: guarantee, file, name of a test or the beginning of it. */
function guarantees(): { file: string; name: string }[] {
  const text = readFileSync(path.join(root, 'tests/README.md'), 'utf8')
  const rows = text.matchAll(/^\| [^|]+ \| `([^`|]+\.test\.ts)` \| ([^|]+) \|$/gm)
  return [...rows].map(([, file, name]) => ({ file: file!, name: name!.trim() }))
}
