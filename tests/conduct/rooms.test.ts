import { execFile } from 'node:child_process'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isTest, testOffences } from '../../scripts/rooms/doors-of-tests.ts'
import { nounOffences } from '../../scripts/rooms/find-nouns.ts'
import { productNouns } from '../../scripts/rooms/nouns.ts'
import { roomOffences } from '../../scripts/rooms/offences.ts'
import { maxMembers, sliceOffences } from '../../scripts/rooms/slices.ts'

const check = path.resolve(import.meta.dirname, '../../scripts/check-rooms.ts')

type Tree = Readonly<Record<string, string>>

/** A small house in order; each test plants one offence into it. */
const house: Tree = {
  'src/app.ts': `import type { Ledger } from '#platform/ledger'\nexport interface App { ledger: Ledger }`,
  'src/server.ts': `import { chat } from '#text/chat'\nimport type { App } from './app.ts'\nexport const start = (app: App) => chat(app)`,
  'src/text/chat/chat.ts': `import { plan } from '#core/models'\nexport const chat = (app: object) => plan(app)`,
  'src/core/models/models.ts': `import { hold } from '#platform/ledger'\nexport { price } from './price.ts'\nexport const plan = hold`,
  'src/core/models/price.ts': `import type { Turn } from '#core/turn'\nexport const price = (turn: Turn) => turn.tokens`,
  'src/core/turn/turn.ts': 'export interface Turn { tokens: number }',
  'src/platform/ledger/ledger.ts': `export { hold } from './books.ts'\nexport type Ledger = object`,
  'src/platform/ledger/books.ts': 'export const hold = (row: unknown) => row',
}

const offencesOf = (tree: Tree) => roomOffences(Object.entries(tree).map(([file, code]) => ({ file, code })))

/** What `scripts/check-rooms.ts` says of a tree on the disk, and its exit code. */
async function checkTree(tree: Tree): Promise<{ code: number; output: string }> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'rooms-'))
  for (const [file, code] of Object.entries(tree)) {
    const place = path.join(folder.path, file)
    await mkdir(path.dirname(place), { recursive: true })
    await writeFile(place, code)
  }
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, [check, folder.path], (_error, _stdout, output) =>
      resolve({ code: child.exitCode ?? -1, output }),
    )
  })
}

test('a house in order has no offence', () => {
  expect(offencesOf(house)).toEqual([])
})

describe('the check of rooms refuses, with file and line,', () => {
  test.each<[string, Tree, RegExp]>([
    [
      'a circle of which one arrow is a type',
      { 'src/core/turn/turn.ts': `\nimport { price } from '#core/models'\nexport const turn = price` },
      /circle by types: core\/models → core\/turn → core\/models/,
    ],
    [
      'a circle at run time by an import that is made later',
      {
        'src/core/turn/turn.ts': `export const later = () => import('#core/models')`,
        'src/core/models/price.ts': `import { later } from '#core/turn'\nexport const price = later`,
      },
      /circle at run time: core\/models → core\/turn → core\/models[\s\S]*price\.ts:1 imports #core\/turn[\s\S]*turn\.ts:1 imports #core\/models/,
    ],
    [
      'a circle by types alone',
      {
        'src/core/turn/turn.ts': `import type { price } from '#core/models'\nexport type Turn = typeof price`,
      },
      /circle by types: core\/models → core\/turn → core\/models/,
    ],
    [
      'a circle by the type of an import expression',
      { 'src/core/turn/turn.ts': `export type Turn = import('#core/models').Price` },
      /circle by types: core\/models → core\/turn → core\/models/,
    ],
    [
      'a circle by a re-export',
      { 'src/core/turn/turn.ts': `export * from '#core/models'` },
      /circle by types: core\/models → core\/turn → core\/models/,
    ],
    [
      'an arrow that points up',
      { 'src/platform/ledger/books.ts': `\nimport { plan } from '#core/models'\nexport const hold = plan` },
      /books\.ts:2 imports #core\/models: platform\/ledger may not know core\/models/,
    ],
    [
      'an arrow that points up by types',
      {
        'src/platform/ledger/books.ts': `import type { Turn } from '#core/turn'\nexport const hold = (row: Turn) => row`,
      },
      /books\.ts:1 imports #core\/turn: platform\/ledger may not know core\/turn/,
    ],
    [
      'the whole app in a room, by types too',
      { 'src/core/turn/turn.ts': `import type { App } from '#app'\nexport type Turn = App` },
      /turn\.ts:1 imports #app: core\/turn takes a slice of the app/,
    ],
    [
      'a vendor in core',
      { 'src/core/turn/turn.ts': `import { speak } from '#providers/messages'\nexport const turn = speak` },
      /turn\.ts:1 imports #providers\/messages: core\/turn may not know providers\/messages/,
    ],
    [
      'an import past the door of a room',
      {
        'src/text/chat/parse.ts': `import { hold } from '#platform/ledger/books'\nexport const parse = hold`,
      },
      /parse\.ts:1 imports #platform\/ledger\/books: it reaches past the door/,
    ],
    [
      'a climb into another room',
      {
        'src/core/models/price.ts': `import type { Turn } from '../turn/turn.ts'\nexport type Price = Turn`,
      },
      /price\.ts:1 imports \.\.\/turn\/turn\.ts: it climbs into core\/turn/,
    ],
    [
      'a file of another room that is started as a process',
      {
        'src/core/models/price.ts': `export const file = new URL('../../platform/ledger/books.ts', import.meta.url)`,
      },
      /price\.ts:1 imports \.\.\/\.\.\/platform\/ledger\/books\.ts: it climbs into platform\/ledger/,
    ],
    [
      'a climb of the command line past a door',
      {
        'cli/account/keys.ts': `import { hold } from '../../src/platform/ledger/books.ts'\nexport const keys = hold`,
      },
      /cli\/account\/keys\.ts:1 imports .*: it climbs into platform\/ledger/,
    ],
  ])('%s', (_name, planted, sentence) => {
    expect(offencesOf({ ...house, ...planted }).join('\n')).toMatch(sentence)
  })

  test('a noun of the product in the platform, in names, strings and comments, but for a reviewed exception', () => {
    const sources = [
      {
        file: 'src/platform/http/a.ts',
        code: '// Plain.\nexport const openPigeonLofts = 1\nlet x = `pigeons_kept`',
      },
      { file: 'src/core/turn/turn.ts', code: 'export const pigeon = 1' },
    ]
    const found = nounOffences(sources, ['pigeon'], [])
    expect(found).toEqual([
      expect.stringMatching(/^src\/platform\/http\/a\.ts:2 says "pigeon"/),
      expect.stringMatching(/^src\/platform\/http\/a\.ts:3 says "pigeon"/),
    ])
    const exception = { place: 'src/platform/http/', noun: 'pigeon', reason: 'a test' }
    expect(nounOffences(sources, ['pigeon'], [exception])).toEqual([])
    expect(nounOffences([], ['pigeon'], [exception])).toEqual([
      expect.stringContaining('delete the exception'),
    ])
  })
})

test('a compound in the platform, however its words are joined, and not its words apart', () => {
  const code = [
    'export const openPigeonLofts = 1',
    'let pigeon_loft',
    'const PIGEON_LOFTS = 1',
    '// The pigeon loft is open.',
    "// A loft; of a pigeon: loft, 'pigeon:lofts', loft pigeon.",
  ].join('\n')
  expect(nounOffences([{ file: 'src/platform/http/a.ts', code }], ['pigeonLoft'], [])).toEqual(
    [1, 2, 3, 4].map((line) => expect.stringContaining(`src/platform/http/a.ts:${line} says "pigeonLoft"`)),
  )
})

test('a site and a realtime call are nouns of the product', () => {
  const code = 'export const siteUrl = 1\n// Counts realtime calls.\nexport const cloudFunctions = 1'
  expect(nounOffences([{ file: 'src/platform/http/a.ts', code }], productNouns, [])).toEqual([
    expect.stringContaining('src/platform/http/a.ts:1 says "site"'),
    expect.stringContaining('src/platform/http/a.ts:2 says "realtimeCall"'),
    expect.stringContaining('src/platform/http/a.ts:3 says "cloud"'),
    expect.stringContaining('src/platform/http/a.ts:3 says "cloudFunction"'),
  ])
})

describe('tests enter rooms by their doors too:', () => {
  const entries = [{ name: 'server', reason: 'a test' }]
  const offencesOfTest = (
    file: string,
    code: string,
    exceptions: { place: string; files: string[]; reason: string }[] = [],
  ) => testOffences([{ file, code }], [], exceptions)

  test.each([
    ['tests/text/chat.test.ts', `import { hold } from '#platform/ledger'`],
    ['tests/text/chat.test.ts', `import type { App } from '#app'\nimport { loadConfig } from '#settings'`],
    ['tests/text/chat.test.ts', `import { sections } from '#platform/ledger/settings'`],
    ['tests/cli/keys.test.ts', `import { keys } from '../../cli/account/keys.ts'`],
    ['tests/text/chat.test.ts', `import { boot } from '../harness/world.ts'\nimport pg from 'pg'`],
    [
      'src/platform/ledger/books.test.ts',
      `import { hold } from './books.ts'\nimport { plan } from '#core/models'`,
    ],
    ['src/warm.test.ts', `import { warm } from './warm.ts'`],
  ])('%s may %s', (file, code) => {
    expect(isTest(file)).toBe(true)
    expect(offencesOfTest(file, code)).toEqual([])
  })

  test.each([
    [
      'tests/text/chat.test.ts',
      `import { hold } from '../../src/platform/ledger/books.ts'`,
      /^tests\/text\/chat\.test\.ts:1 imports .*: it climbs into platform\/ledger .* by its door, #platform\/ledger\.$/,
    ],
    [
      'tests/text/chat.test.ts',
      `import { hold } from '../../src/platform/ledger/ledger.ts'`,
      /climbs into platform\/ledger/,
    ],
    [
      'tests/text/chat.test.ts',
      `\n\nconst { hold } = await import('../../src/platform/ledger/books.ts')`,
      /^tests\/text\/chat\.test\.ts:3 imports/,
    ],
    ['tests/harness/world.ts', `import type { Row } from '#platform/ledger/books'`, /reaches past the door/],
    ['bench/ledger.ts', `import '../src/platform/ledger/phrases.ts'`, /climbs into platform\/ledger/],
    [
      'scripts/simulate.ts',
      `export * from '../src/platform/ledger/books.ts'`,
      /climbs into platform\/ledger/,
    ],
    [
      'src/core/models/price.test.ts',
      `import { hold } from '../../platform/ledger/books.ts'`,
      /climbs into platform\/ledger/,
    ],
    [
      'cli/keys.test.ts',
      `import { hold } from '../src/platform/ledger/books.ts'`,
      /climbs into platform\/ledger/,
    ],
    ['tests/text/chat.test.ts', `import { warm } from '../../src/warm.ts'`, /src\/warm\.ts is no entry/],
    ['src/warm.test.ts', `import { start } from './server.ts'`, /src\/server\.ts is no entry/],
  ])('%s may not %s', (file, code, sentence) => {
    const offences = offencesOfTest(file, code)
    expect(offences).toHaveLength(1)
    expect(offences[0]).toMatch(sentence)
  })

  test('a file of src is an entry where it is listed, for as long as a test imports it', () => {
    const boot = { file: 'tests/harness/world.ts', code: `import { start } from '../../src/server.ts'` }
    expect(testOffences([boot], entries, [])).toEqual([])
    expect(testOffences([], entries, [])).toEqual([
      expect.stringContaining('has the entry src/server.ts, which no test imports'),
    ])
  })

  test('an exception is of one place and of the files that it names, each for as long as it is imported', () => {
    const climb = `import { hold } from '../../src/platform/ledger/books.ts'`
    const reason = 'a test'
    const own = { place: 'tests/races/', files: ['platform/ledger/books.ts'], reason }
    expect(offencesOfTest('tests/races/spend.test.ts', climb, [own])).toEqual([])
    expect(offencesOfTest('tests/races-too/spend.test.ts', climb, [own])).toHaveLength(2)
    const files = ['platform/ledger/books.ts', 'platform/ledger/store.ts']
    const ofFile = { place: 'tests/races/spend.test.ts', files, reason }
    expect(offencesOfTest('tests/races/spend.test.ts', climb, [ofFile])).toEqual([
      expect.stringMatching(
        /lets tests\/races\/spend\.test\.ts import src\/platform\/ledger\/store\.ts, which/,
      ),
    ])
    const other = { place: 'tests/races/', files: ['platform/ledger/store.ts'], reason }
    expect(offencesOfTest('tests/races/spend.test.ts', climb, [other])).toHaveLength(2)
  })

  test('code of the product is none of theirs', () => {
    expect(['src/server.ts', 'src/platform/ledger/books.ts', 'cli/account/keys.ts'].filter(isTest)).toEqual(
      [],
    )
  })
})

describe('a slice of the app', () => {
  const members = (count: number, prefix = 'm') =>
    Array.from({ length: count }, (_, n) => `${prefix}${n}: string`).join('\n')
  const paid = {
    file: 'src/core/paid/app.ts',
    code: `export interface PaidApp {\n${members(maxMembers - 1)}\n}`,
  }
  const turns = (more: string, heritage = 'PaidApp') => ({
    file: 'src/core/inference/app.ts',
    code: `\nexport interface TurnApp extends ${heritage} {\n${more}\n}`,
  })

  test('has at most so many members, those of the slice that it extends included, each counted once', () => {
    expect(sliceOffences([paid, turns('tools: string')])).toEqual([])
    expect(sliceOffences([paid, turns('m0: string\ntools: string')])).toEqual([])
    expect(sliceOffences([paid, turns('tools: string\nmore: string')])).toEqual([
      `src/core/inference/app.ts:2: the slice TurnApp has ${maxMembers + 1} members; at most ${maxMembers} may be.`,
    ])
  })

  test('has the members that a Pick names', () => {
    const picked = `PaidApp, Pick<Everything, 'one' | 'two'>`
    expect(sliceOffences([paid, turns('', picked)])).toEqual([expect.stringContaining('13 members')])
  })

  test('extends slices only, since the members of others are not counted', () => {
    expect(sliceOffences([paid, turns('', 'Everything')])).toEqual([
      expect.stringContaining('extends Everything, which is no slice'),
    ])
  })

  test('is counted in the app.ts of a room alone, by its name', () => {
    const code = `export interface App {\n${members(40)}\n}`
    expect(sliceOffences([{ file: 'src/app.ts', code }])).toEqual([])
    expect(sliceOffences([{ file: 'src/core/paid/order.ts', code }])).toEqual([])
    const options = code.replace('App', 'Options')
    expect(sliceOffences([{ file: 'src/core/paid/app.ts', code: options }])).toEqual([])
  })
})

test('the command of the check ends with an error and names the place', async () => {
  const planted = {
    'src/core/models/price.ts': `import type { Turn } from '../turn/turn.ts'\nexport type Price = Turn`,
  }
  const { code, output } = await checkTree({ ...house, ...planted })
  expect(code).toBe(1)
  expect(output).toContain('src/core/models/price.ts:1 imports ../turn/turn.ts')
})

test('the command of the check names a test that climbs past a door', async () => {
  const planted = {
    'tests/text/chat.test.ts': `import { hold } from '../../src/platform/ledger/books.ts'\nhold(1)`,
  }
  const { code, output } = await checkTree({ ...house, ...planted })
  expect(code).toBe(1)
  expect(output).toContain('tests/text/chat.test.ts:1 imports ../../src/platform/ledger/books.ts')
})

test('the rooms that read configuration and environment know no noun of the product either', () => {
  const planted = ['config', 'env'].map((room) => ({
    file: `src/platform/${room}/${room}.ts`,
    code: 'export const vendorKeys = 1',
  }))
  expect(nounOffences(planted, productNouns, [])).toEqual([
    expect.stringContaining('src/platform/config/config.ts:1 says "vendor"'),
    expect.stringContaining('src/platform/env/env.ts:1 says "vendor"'),
  ])
})

test('the command of the check names a noun of the product that is said in the platform', async () => {
  const planted = { 'src/platform/jobs/jobs.ts': 'export const queueWebhooks = 1' }
  const { code, output } = await checkTree({ ...house, ...planted })
  expect(code).toBe(1)
  expect(output).toContain('src/platform/jobs/jobs.ts:1 says "webhook"')
})
