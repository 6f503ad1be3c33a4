import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { clockOffences, type SourceFile } from '../../scripts/clocks/offences.ts'
import type { ClockException, LeasePlace } from '../../scripts/clocks/places.ts'

const places: LeasePlace[] = [{ place: 'src/kept/', keeps: 'a lease' }]
const statement =
  "const take = 'update kept.rows set leased_until = platform.now() where run_at < platform.now()'"

function offences(
  code: string,
  {
    file = 'src/kept/store.ts',
    migrations = [],
    exceptions = [],
  }: { file?: string; migrations?: SourceFile[]; exceptions?: ClockException[] } = {},
): string[] {
  const kept = { file: 'src/kept/lease.ts', code: statement }
  return clockOffences([kept, { file, code }], migrations, { places, exceptions })
}

const migration = (number: number, code: string): SourceFile => ({
  file: `migrations/000${number}.sql`,
  code,
})

test('leases that ask the clocks of the platform are no offence, nor are other clocks elsewhere', () => {
  expect(offences('const lateMs = steadyClock.nowMs() - begunMs')).toEqual([])
  expect(offences(statement)).toEqual([])
  const elsewhere = 'setInterval(look, performance.now() - Date.now())'
  expect(offences(elsewhere, { file: 'src/other/look.ts' })).toEqual([])
  expect(offences("const at = 'insert into notes values (now())'", { file: 'src/other/store.ts' })).toEqual(
    [],
  )
})

describe('the check of clocks refuses, with file and line,', () => {
  test.each([
    ['a timer in what keeps leases', '\nsetInterval(renew, 5)', 'src/kept/store.ts:2 setInterval'],
    ['the time since the start', 'const at = performance.now()', 'src/kept/store.ts:1 performance.now'],
    ['the date of the system', 'const until = new Date(Date.now() + 5)', 'src/kept/store.ts:1 Date.now'],
    ['now() in a statement', "const sql = 'update a set beat_at = now()'", 'src/kept/store.ts:1 now()'],
    [
      'the same in a piece of a template, by another name',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of another file
      'const sql = `update a set b = $1 where ${mine}\n  and beat_at > clock_timestamp() - $2`',
      'clock_timestamp()',
    ],
    [
      'and in its own schema',
      "const sql = 'select pg_catalog.now() - beat_at from a'",
      'src/kept/store.ts:1 now()',
    ],
  ])('%s', (_name, code, said) => {
    expect(offences(code)).toEqual([expect.stringContaining(said)])
  })

  test.each([
    ['a column in a statement', "const sql = 'select beat_at from a.processes'", 'beat_at'],
    [
      'a column of any name that says so',
      "const sql = 'update a.b set host_lease_until = $1'",
      'host_lease_until',
    ],
    ['a field of a row', '\nexport interface Row { lease_id: string }', 'lease_id'],
    ['who asks whether a process lives', "const sql = 'select ledger.lives($1, $2)'", 'ledger.lives'],
  ])('a lease where none is listed: %s', (_name, code, said) => {
    expect(offences(code, { file: 'src/other/store.ts' })).toEqual([
      expect.stringMatching(new RegExp(`^src/other/store.ts:\\d ${said}\n.*names none`)),
    ])
  })

  test('a function that stands in the end, and no earlier form of it', () => {
    const lives = (clock: string) =>
      `create or replace function a.lives(p uuid) returns boolean language sql as $$ select beat_at > ${clock} from a.b where p = $1 $$;`
    const migrations = [migration(1, lives('now()')), migration(2, lives('platform.now()'))]
    expect(offences('', { migrations })).toEqual([])
    expect(offences('', { migrations: migrations.toReversed() })).toEqual([
      expect.stringContaining('migrations/0001.sql a.lives: now()'),
    ])
  })

  test('a default of a column of a lease, until a later file changes it', () => {
    const made = migration(
      1,
      'create table a.b (\n  id uuid,\n  beat_at timestamptz not null default now()\n);',
    )
    expect(offences('', { migrations: [made] })).toEqual([
      expect.stringContaining('the default of a.b.beat_at: now()'),
    ])
    const changed = migration(2, 'alter table a.b alter column beat_at set default platform.now();')
    expect(offences('', { migrations: [made, changed] })).toEqual([])
  })

  test('a place without leases, and an exception without use', () => {
    const exceptions = [{ file: 'src/kept/store.ts', clock: 'setInterval', reason: 'a test' }]
    expect(offences('setInterval(look, 5)', { exceptions })).toEqual([])
    expect(offences('', { exceptions })).toEqual([expect.stringContaining('excuses nothing')])
    expect(clockOffences([], [], { places, exceptions: [] })).toEqual([
      expect.stringContaining('keeps none: delete it'),
    ])
  })
})

test('without the migration that gave leases a time of their own, the check refuses all functions of leases', () => {
  const root = path.resolve(import.meta.dirname, '../..')
  const files = globSync('migrations/*.sql', { cwd: root })
    .toSorted()
    .filter((file) => !file.includes('0037'))
    .map((file) => ({ file, code: readFileSync(path.join(root, file), 'utf8') }))
  const named = clockOffences([], files, { places: [], exceptions: [] }).map(
    (offence) => offence.split(/[ :]/)[1],
  )
  expect(named.filter((name) => name !== 'the').toSorted()).toEqual([
    'jobs.claim',
    'jobs.settle',
    'jobs.sweep',
    'ledger.lives',
    'ledger.sweep',
  ])
})
