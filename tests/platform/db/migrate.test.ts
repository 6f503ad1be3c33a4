import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Db, migrate, migrationState, openDb } from '#platform/db'
import { emptyDatabase } from '../../harness/postgres.ts'
import { temporaryFolder } from './cluster-world.ts'

interface World extends AsyncDisposable {
  folder: string
  url: string
  db: Db
  write(name: string, text: string): Promise<void>
}

async function world(): Promise<World> {
  await using making = new AsyncDisposableStack()
  const folder = making.use(await temporaryFolder())
  const database = making.use(await emptyDatabase())
  const db = making.use(await openDb({ url: database.url }))
  const owned = making.move()
  return {
    folder: folder.path,
    url: database.url,
    db,
    write: (name, text) => writeFile(path.join(folder.path, name), text),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const first = ['0001-notes.sql', 'create table note (text text);\ncreate index on note (text);\n'] as const
const second = ['0002-one-note.sql', "insert into note values ('a')"] as const
const notes = (db: Db) => db.query({ text: 'select text from note' }, [])

test('files are applied once, in order, and an empty folder is fine', async () => {
  await using here = await world()
  expect(await migrate(here.db, here.folder)).toEqual([])
  await here.write(...first)
  expect(await migrate(here.db, here.folder)).toEqual(['0001-notes.sql'])
  await here.write(...second)
  expect(await migrate(here.db, here.folder)).toEqual(['0002-one-note.sql'])
  expect(await migrate(here.db, here.folder)).toEqual([])
  expect(await notes(here.db)).toEqual([{ text: 'a' }])
})

test('several processes at once apply each file once', async () => {
  await using here = await world()
  await here.write(...first)
  await here.write(...second)
  const applied = await Promise.all(
    Array.from({ length: 8 }, async () => {
      await using db = await openDb({ url: here.url })
      return await migrate(db, here.folder)
    }),
  )
  expect(applied.flat()).toEqual(['0001-notes.sql', '0002-one-note.sql'])
  expect(await notes(here.db)).toEqual([{ text: 'a' }])
})

test('a pool of one connection suffices', async () => {
  await using here = await world()
  await here.write(...first)
  await using db = await openDb({ url: here.url, maxConnections: 1 })
  await migrate(db, here.folder)
  expect(await notes(db)).toEqual([])
})

test('a failing file changes nothing, and the ones before it stay', async () => {
  await using here = await world()
  await here.write(...first)
  await here.write('0002-bad.sql', "insert into note values ('half'); select nonsense;")
  await expect(migrate(here.db, here.folder)).rejects.toThrow(/0002-bad\.sql failed .*nonsense.* fix it/)
  expect(await notes(here.db)).toEqual([])
  await here.write('0002-bad.sql', "insert into note values ('whole')")
  expect(await migrate(here.db, here.folder)).toEqual(['0002-bad.sql'])
})

test('a database newer than the program is refused', async () => {
  await using here = await world()
  await here.write(...first)
  await here.write(...second)
  await migrate(here.db, here.folder)
  await rm(path.join(here.folder, second[0]))
  await expect(migrate(here.db, here.folder)).rejects.toThrow(
    /^The database is newer than this program .*0002-one-note/,
  )
})

test('an applied file that was changed is refused; other line ends are no change', async () => {
  await using here = await world()
  await here.write(...first)
  await migrate(here.db, here.folder)
  await here.write(first[0], first[1].replaceAll('\n', '\r\n'))
  expect(await migrate(here.db, here.folder)).toEqual([])
  await here.write(first[0], `${first[1]}-- more`)
  await expect(migrate(here.db, here.folder)).rejects.toThrow(/^The migration 0001-notes\.sql was changed/)
})

test('a gap, a twin and a wrong name are refused before anything runs', async () => {
  for (const wrong of ['0003-gap.sql', '0001-twin.sql', '2-short.sql', '0002_line.sql']) {
    await using here = await world()
    await here.write(...first)
    await here.write(wrong, 'select 1')
    await expect(migrate(here.db, here.folder)).rejects.toThrow(/^The migration .* is out of order/)
    await expect(notes(here.db)).rejects.toThrow(/does not exist/)
  }
})

test('the state of the migrations is reported without changing anything', async () => {
  await using here = await world()
  await here.write(...first)
  await here.write(...second)
  const state = async () => {
    const { applied, pending: coming, missing, changed, newer } = await migrationState(here.db, here.folder)
    return { applied, coming: coming.map(({ name }) => name), missing, changed, newer }
  }
  const whole = { applied: [first[0], second[0]], coming: [], missing: [], changed: [], newer: [] }
  expect(await state()).toEqual({ ...whole, applied: [], coming: [first[0], second[0]] })
  const table = { text: `select to_regclass('platform.migrations') as there` }
  expect(await here.db.query(table, [])).toEqual([{ there: null }])

  await migrate(here.db, here.folder)
  expect(await state()).toEqual(whole)
  await here.write('0003-more.sql', 'select 1')
  await here.write(second[0], 'select 2')
  expect(await state()).toEqual({ ...whole, coming: ['0003-more.sql'], changed: [second[0]] })
  await rm(path.join(here.folder, '0003-more.sql'))
  await rm(path.join(here.folder, second[0]))
  await here.db.query({ text: 'delete from platform.migrations where number = 1' }, [])
  expect(await state()).toEqual({ ...whole, applied: [second[0]], missing: [1], newer: [second[0]] })
})

test('a database that lacks a migration below its newest one is refused', async () => {
  await using here = await world()
  await here.write(...first)
  await here.write(...second)
  await migrate(here.db, here.folder)
  await here.db.query({ text: 'delete from platform.migrations where number = 1' }, [])
  await expect(migrate(here.db, here.folder)).rejects.toThrow(/lacks number 1/)
})
