/** The program is not a superuser of its PostgreSQL; a data folder in which it was one is corrected at the next start. */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { migrate, openDb, socketUrl } from '#platform/db'
import { findBinaries, startEmbedded } from '#platform/postgres'
import {
  type ClusterLocation,
  changeOwner,
  locateCluster,
} from '../../../src/platform/postgres/cluster-location.ts'
import { readPostmaster } from '../../../src/platform/postgres/postmaster.ts'
import { startServer, stopServer } from '../../../src/platform/postgres/server-process.ts'
import { runAs } from '../../../src/platform/postgres/server-user.ts'
import { openSocketFolder } from '../../../src/platform/postgres/socket-folder.ts'
import { ask, fast, quiet, stoppedCluster, temporaryFolder, until } from '../../platform/db/cluster-world.ts'

const migrations = path.resolve(import.meta.dirname, '../../../migrations')
const start = (dataDir: string) => startEmbedded({ dataDir, log: quiet, settings: fast })

const whoAmI = `select current_user as role, rolsuper as super, rolcreatedb as databases, rolcreaterole as roles,
  rolreplication as replicates, rolbypassrls as bypasses from pg_roles where rolname = current_user`
const plain = {
  role: 'kherad_app',
  super: false,
  databases: false,
  roles: false,
  replicates: false,
  bypasses: false,
}

/** What is not the program's in its own database, extensions apart. */
const foreign = `select relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
  where nspname !~ '^pg_' and nspname <> 'information_schema' and relkind <> 't' and pg_get_userbyid(relowner) <> 'kherad_app'
  union all select nspname from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
    and pg_get_userbyid(nspowner) <> 'kherad_app'
  union all select proname from pg_proc p join pg_namespace n on n.oid = pronamespace
    where nspname !~ '^pg_' and nspname <> 'information_schema' and pg_get_userbyid(proowner) <> 'kherad_app'
  union all select typname from pg_type t join pg_namespace n on n.oid = typnamespace
    where nspname !~ '^pg_' and nspname <> 'information_schema' and pg_get_userbyid(typowner) <> 'kherad_app'`

const asSuperuser = (url: string, password = 'none'): string => {
  const address = new URL(url)
  address.username = 'kherad'
  address.password = password
  return address.href
}
const passwordOf = async (folder: { path: string }) =>
  (await readFile(path.join(folder.path, 'postgres.password'), 'utf8')).trim()

test('the program works as the owner of its database and of nothing else', async () => {
  await using folder = await temporaryFolder()
  await using embedded = await start(folder.path)
  expect(await ask(embedded.url, whoAmI)).toEqual([plain])
  await using db = await openDb({ url: embedded.url })
  expect((await migrate(db, migrations)).length).toBeGreaterThan(5)
  for (const forbidden of [
    `copy (select 1) to program 'true'`,
    `select pg_read_file('postgresql.conf')`,
    'alter system set fsync = off',
    'create role other superuser',
    'alter role kherad_app superuser',
    'set role kherad',
    'create database other',
  ])
    await expect(ask(embedded.url, forbidden), forbidden).rejects.toThrow(
      /permission denied|must be|Only roles/,
    )
  // Told and heard all the same.
  const heard: string[] = []
  let isUp = false
  await using _ = db.listen(['news'], {
    message: (_channel, text) => heard.push(text),
    up: () => (isUp = true),
    down() {},
  })
  await until(() => isUp)
  await db.query({ text: `select pg_notify('news', 'خبر')` }, [])
  await until(() => heard.length > 0)
  expect(heard).toEqual(['خبر'])
})

test('the superuser needs a password that only the owner of the data folder can read', async () => {
  await using folder = await temporaryFolder()
  await using embedded = await start(folder.path)
  await expect(ask(asSuperuser(embedded.url), 'select 1')).rejects.toMatchObject({ code: '28P01' })
  await expect(ask(asSuperuser(embedded.url, 'guessed'), 'select 1')).rejects.toMatchObject({ code: '28P01' })
  expect(await ask(asSuperuser(embedded.url, await passwordOf(folder)), 'select 1 as one')).toEqual([
    { one: 1 },
  ])
  expect((await stat(path.join(folder.path, 'postgres.password'))).mode & 0o077).toBe(0)
})

/** A data folder as versions before had it: one superuser, who owned everything and needed no password. */
async function makeOld(dataDir: string): Promise<{ ground: ClusterLocation; url: string }> {
  const ground = await locateCluster(dataDir, quiet)
  const binaries = await findBinaries(undefined, ground.user, quiet)
  await mkdir(ground.cluster, { mode: 0o700 })
  await changeOwner(ground.user, ground.cluster)
  const args = [
    '--username=kherad',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
    '--no-sync',
  ]
  await runAs(ground.user, binaries.initdb, ['-D', ground.cluster, ...args])
  await writeFile(path.join(ground.cluster, 'postgresql.conf'), "\ninclude_if_exists = 'kherad.conf'\n", {
    flag: 'a',
  })
  const socket = await openSocketFolder(ground, undefined)
  await startServer(ground, binaries, socket.path, fast)
  const address = { socketFolder: socket.path, port: 5432, user: 'kherad', database: 'postgres' }
  await until(async () => (await readPostmaster(ground.cluster)) !== undefined)
  await until(() =>
    ask(socketUrl(address), 'select 1').then(
      () => true,
      () => false,
    ),
  )
  await ask(socketUrl(address), 'create database kherad')
  const url = socketUrl({ ...address, database: 'kherad' })
  await using db = await openDb({ url })
  await migrate(db, migrations)
  await ask(
    url,
    `create schema odd; create type odd.kind as enum ('a'); create domain odd.word as text;
     create table odd.things (id int generated always as identity primary key, more serial, kind odd.kind, word odd.word);
     create view odd.seen as select id from odd.things; create sequence odd.numbers;
     create function odd.double(n int) returns int language sql as 'select n * 2';
     create procedure odd.nothing() language sql as 'select 1'; create type odd.pair as (a int, b int);
     insert into odd.things (kind, word) values ('a', 'دانش')`,
  )
  return { ground, url }
}

test('a data folder of an earlier version is converted at its start, with everything in it', async () => {
  await using folder = await temporaryFolder()
  const { ground } = await makeOld(folder.path)
  expect(await stopServer(ground, 60_000)).toBe(true)
  for (const life of ['first', 'second']) {
    await using embedded = await start(folder.path)
    expect(await ask(embedded.url, whoAmI), life).toEqual([plain])
    expect(await ask(embedded.url, foreign)).toEqual([])
    expect(await ask(embedded.url, 'select word, odd.double(id) as twice from odd.things')).toEqual([
      { word: 'دانش', twice: 2 },
    ])
    await ask(
      embedded.url,
      `alter table odd.things add column ${life} int; insert into odd.things (kind) select 'a' where false`,
    )
    await using db = await openDb({ url: embedded.url })
    expect(await migrate(db, migrations)).toEqual([])
    await expect(ask(asSuperuser(embedded.url), 'select 1')).rejects.toMatchObject({ code: '28P01' })
  }
})

test('a server of an earlier version that still runs keeps its connections; the access is closed once it is gone', async () => {
  await using folder = await temporaryFolder()
  const { url } = await makeOld(folder.path)
  const old = new pg.Client(url)
  old.on('error', () => undefined)
  await old.connect()
  {
    await using beside = await start(folder.path)
    expect(await ask(beside.url, whoAmI)).toEqual([plain])
    // It connects anew whenever it needs to.
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }])
    await old.end()
    await until(async () => {
      const rows = await ask(
        beside.url,
        "select from pg_stat_activity where usename = 'kherad' and datname = 'kherad'",
      )
      return rows.length === 0
    })
    await using _later = await start(folder.path)
    await expect(ask(asSuperuser(url), 'select 1')).rejects.toMatchObject({ code: '28P01' })
  }
})

test('a cluster that came back without its password gets another', async () => {
  await using folder = await stoppedCluster()
  {
    await using embedded = await start(folder.path)
    await ask(embedded.url, `create table note as select 'دانش' as text`)
  }
  const lost = await passwordOf(folder)
  await rm(path.join(folder.path, 'postgres.password'))
  const rules = path.join(folder.path, 'postgres', 'pg_hba.conf')
  const own = `${await readFile(rules, 'utf8')}host all backup 10.0.0.5/32 scram-sha-256\n`
  await writeFile(rules, own)
  await using embedded = await start(folder.path)
  expect(await ask(embedded.url, 'select text from note')).toEqual([{ text: 'دانش' }])
  expect(await passwordOf(folder)).not.toBe(lost)
  expect(await readFile(rules, 'utf8')).toBe(own)
  await expect(ask(asSuperuser(embedded.url), 'select 1')).rejects.toMatchObject({ code: '28P01' })
  expect(await ask(asSuperuser(embedded.url, await passwordOf(folder)), 'select 1 as one')).toEqual([
    { one: 1 },
  ])
})

test('a password and access rules that a power cut left empty are made anew', async () => {
  await using folder = await stoppedCluster()
  {
    await using embedded = await start(folder.path)
    await ask(embedded.url, `create table note as select 'دانش' as text`)
  }
  await writeFile(path.join(folder.path, 'postgres.password'), '')
  {
    await using embedded = await start(folder.path)
    expect(await ask(embedded.url, 'select text from note')).toEqual([{ text: 'دانش' }])
    expect(await passwordOf(folder)).toMatch(/^[\w-]{32}$/)
    await expect(ask(asSuperuser(embedded.url), 'select 1')).rejects.toMatchObject({ code: '28P01' })
  }
  await writeFile(path.join(folder.path, 'postgres', 'pg_hba.conf'), '')
  await using embedded = await start(folder.path)
  expect(await ask(embedded.url, 'select text from note')).toEqual([{ text: 'دانش' }])
  await expect(ask(asSuperuser(embedded.url), 'select 1')).rejects.toMatchObject({ code: '28P01' })
})

test('lines that an operator added to the access rules of an earlier version stay when it is converted', async () => {
  await using folder = await temporaryFolder()
  const { ground } = await makeOld(folder.path)
  expect(await stopServer(ground, 60_000)).toBe(true)
  const rules = path.join(folder.path, 'postgres', 'pg_hba.conf')
  const own = [
    '# for the backup',
    'local kherad kherad_app,backup trust # mine',
    'host all backup 10.0.0.5/32 scram-sha-256',
  ]
  const [remark, first, last] = own
  await writeFile(rules, `${remark}\n${first}\n${await readFile(rules, 'utf8')}${last}\n`)
  for (const life of ['first', 'second', 'third, which lost its password']) {
    if (life.startsWith('third')) await rm(path.join(folder.path, 'postgres.password'))
    await using embedded = await start(folder.path)
    expect(await ask(embedded.url, whoAmI), life).toEqual([plain])
    await expect(ask(asSuperuser(embedded.url), 'select 1')).rejects.toMatchObject({ code: '28P01' })
    const lines = (await readFile(rules, 'utf8')).split('\n')
    expect(lines).toEqual(expect.arrayContaining(own))
    expect(lines.filter((line) => /^local.*scram/.test(line))).toHaveLength(2)
    expect(lines.filter((line) => line.startsWith('local') && line.includes('trust'))).toEqual([
      'local all kherad_app trust',
      first,
    ])
  }
})

test('access rules without one for the program get it before those of the operator', async () => {
  await using folder = await stoppedCluster()
  const rules = path.join(folder.path, 'postgres', 'pg_hba.conf')
  await writeFile(rules, '# mine\nlocal all all scram-sha-256\n')
  await using embedded = await start(folder.path)
  expect(await ask(embedded.url, whoAmI)).toEqual([plain])
  expect(await readFile(rules, 'utf8')).toMatch(
    /^#.*\nlocal all kherad_app trust\n# mine\nlocal all all scram-sha-256\n$/,
  )
})

test('access rules that the operator wrote stay as they are', async () => {
  await using folder = await stoppedCluster()
  const rules = path.join(folder.path, 'postgres', 'pg_hba.conf')
  const own = '# mine\nlocal all kherad_app trust\nlocal all kherad trust\n'
  await writeFile(rules, own)
  await using embedded = await start(folder.path)
  expect(await ask(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await readFile(rules, 'utf8')).toBe(own)
})
