/** Databases that DATABASE_URL names: the identity is the database's, folders may be many, and a dump that is restored beside it is a copy. */
import path from 'node:path'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { cloneDatabase, withDatabase } from '../../harness/postgres.ts'
import {
  copy,
  known,
  paidCall,
  parentFolder,
  readiness,
  recordOf,
  start,
} from '../../platform/installation/installations.ts'

/** A database with the rows of another, as a dump has them. */
async function restored(of: string): Promise<AsyncDisposable & { url: string }> {
  const { adminUrl } = inject('postgres')
  const from = new URL(of).pathname.slice(1)
  const name = `${from}_restored`
  await admin(`create database ${name} template ${from}`)
  return {
    url: withDatabase(adminUrl, name),
    [Symbol.asyncDispose]: () => admin(`drop database if exists ${name} with (force)`),
  }
}

async function admin(statement: string): Promise<void> {
  const client = new pg.Client(inject('postgres').adminUrl)
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

const rowOf = async (url: string): Promise<{ id: string; copy: unknown }> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query('select id, copy from platform.installation')).rows[0]
  } finally {
    await client.end()
  }
}

test('a dump restored beside production is a copy; in its place, it is the installation', async () => {
  await using database = await cloneDatabase()
  await using parent = await parentFolder()
  const folder = (name: string) => path.join(parent.path, name)
  const before = await (async () => {
    await using server = await start(folder('one'), { databaseUrl: database.url })
    return await paidCall(server)
  })()
  const { id } = await rowOf(database.url)
  await using dump = await restored(database.url)
  {
    await using twin = await start(folder('two'), { databaseUrl: dump.url })
    expect(await readiness(twin)).toEqual(['copy'])
    expect(await known(twin, [before])).toEqual([before])
    expect(await rowOf(dump.url)).toMatchObject({ copy: { id } })
    expect((await rowOf(dump.url)).id).not.toBe(id)
  }
  await using server = await start(folder('one'), { databaseUrl: database.url })
  expect(await readiness(server)).toEqual([])
  expect(await rowOf(database.url)).toEqual({ id, copy: null })
})

test('a dump whose original is gone is the installation, on the same server', async () => {
  await using parent = await parentFolder()
  const database = await cloneDatabase()
  {
    await using server = await start(path.join(parent.path, 'one'), { databaseUrl: database.url })
    await paidCall(server)
  }
  const { id } = await rowOf(database.url)
  await using dump = await restored(database.url)
  await database[Symbol.asyncDispose]()
  await using server = await start(path.join(parent.path, 'one'), { databaseUrl: dump.url })
  expect(await readiness(server)).toEqual([])
  expect(await rowOf(dump.url)).toEqual({ id, copy: null })
})

test('a second machine with a copied folder on one database works as any other, under an id of its own', async () => {
  await using database = await cloneDatabase()
  await using parent = await parentFolder()
  const [one, other] = [path.join(parent.path, 'one'), path.join(parent.path, 'other')]
  await using first = await start(one, { databaseUrl: database.url })
  const before = await paidCall(first)
  await copy(one, other)
  await using second = await start(other, { databaseUrl: database.url })
  expect([await readiness(first), await readiness(second)]).toEqual([[], []])
  expect(await known(second, [before, await paidCall(second)])).toHaveLength(2)
  // By which it knows its own databases (src/cloud/databases/local/place.test.ts).
  expect((await recordOf(other)).id).not.toBe((await recordOf(one)).id)
})
