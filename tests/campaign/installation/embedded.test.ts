import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDb } from '#platform/db'
import { type EmbeddedPostgres, startEmbedded } from '#platform/postgres'
import {
  ask,
  fast,
  postmasterPid,
  quiet,
  runs,
  startOwner,
  stoppedCluster,
  temporaryFolder,
  until,
} from '../../platform/db/cluster-world.ts'

const start = (dataDir: string): Promise<EmbeddedPostgres> =>
  startEmbedded({ dataDir, log: quiet, settings: fast })
const clusterOf = (folder: { path: string }) => path.join(folder.path, 'postgres')
const note = (url: string) => ask(url, "create table note as select 'دانش' as text")
const readNote = (url: string) => ask<{ text: string }>(url, 'select text from note')
const theNote = [{ text: 'دانش' }]

test('what was written is there after a stop and a start, and nothing runs in between', async () => {
  await using folder = await temporaryFolder()
  const first = await start(folder.path)
  await note(first.url)
  const pid = await postmasterPid(clusterOf(folder))
  expect(await runs(pid)).toBe(true)
  await first[Symbol.asyncDispose]()
  await until(async () => !(await runs(pid)))
  expect(await readdir(path.dirname(first.address.socketFolder))).not.toContain(
    path.basename(first.address.socketFolder),
  )
  await using second = await start(folder.path)
  expect(await readNote(second.url)).toEqual(theNote)
})

test('a path with spaces and Persian letters is as good as any', async () => {
  await using folder = await temporaryFolder('پوشهٔ خرد با فاصله ')
  await using embedded = await start(path.join(folder.path, 'داده ها'))
  await note(embedded.url)
  expect(await readNote(embedded.url)).toEqual(theNote)
})

test('the settings of Kherad reach a cluster, and the lines of the operator overrule them', async () => {
  await using folder = await temporaryFolder()
  const read = (url: string) =>
    ask(
      url,
      `select current_setting('jit') as jit, current_setting('max_connections') as connections,
      current_setting('TimeZone') as zone, current_setting('data_checksums') as checksums`,
    )
  const asMade = { jit: 'off', connections: '200', zone: 'UTC', checksums: 'on' }
  {
    await using embedded = await start(folder.path)
    expect(await read(embedded.url)).toEqual([asMade])
  }
  await writeFile(path.join(clusterOf(folder), 'postgresql.conf'), 'max_connections = 50\n', { flag: 'a' })
  await using embedded = await start(folder.path)
  expect(await read(embedded.url)).toEqual([{ ...asMade, connections: '50' }])
})

test('after kill -9 of its owner PostgreSQL lives on and the next start adopts it', async () => {
  await using folder = await stoppedCluster()
  const owner = await startOwner(folder.path)
  await note(owner.url)
  const pid = await postmasterPid(clusterOf(folder))
  await owner.kill()
  expect(await runs(pid)).toBe(true)
  {
    await using embedded = await start(folder.path)
    expect(await postmasterPid(clusterOf(folder))).toBe(pid)
    expect(await readNote(embedded.url)).toEqual(theNote)
  }
  await until(async () => !(await runs(pid)))
})

test('after kill -9 of owner and PostgreSQL the next start recovers the data', async () => {
  await using folder = await stoppedCluster()
  const owner = await startOwner(folder.path)
  await note(owner.url)
  const pid = await postmasterPid(clusterOf(folder))
  await owner.kill()
  process.kill(pid, 'SIGKILL')
  await using embedded = await start(folder.path)
  expect(await postmasterPid(clusterOf(folder))).not.toBe(pid)
  expect(await readNote(embedded.url)).toEqual(theNote)
})

test('PostgreSQL killed in use comes back by itself at the same address', async () => {
  await using folder = await stoppedCluster()
  await using embedded = await start(folder.path)
  await note(embedded.url)
  await using db = await openDb({ url: embedded.url })
  const pid = await postmasterPid(clusterOf(folder))
  process.kill(pid, 'SIGKILL')
  const answer = () => db.query<{ text: string }>({ text: 'select text from note' }, []).catch(() => [])
  await until(async () => (await postmasterPid(clusterOf(folder))) !== pid && (await answer()).length > 0)
  expect(await answer()).toEqual(theNote)
})

test('a query that outlives its PostgreSQL does not keep the next one from starting', async () => {
  await using folder = await stoppedCluster()
  const owner = await startOwner(folder.path)
  await note(owner.url)
  const busy = ask(owner.url, 'select count(*) from generate_series(1, 1e12::int8)').catch(() => [])
  const backend = async () => {
    const rows = await ask<{ pid: number }>(
      owner.url,
      "select pid from pg_stat_activity where query like 'select count%'",
    )
    return rows[0]?.pid ?? 0
  }
  await until(async () => (await backend()) > 0)
  const orphan = await backend()
  await owner.kill()
  process.kill(await postmasterPid(clusterOf(folder)), 'SIGKILL')
  await using embedded = await start(folder.path)
  expect(await readNote(embedded.url)).toEqual(theNote)
  expect(await runs(orphan)).toBe(false)
  await busy
})

test('a deleted socket folder does not keep the next start from the data', async () => {
  await using folder = await stoppedCluster()
  const owner = await startOwner(folder.path)
  await note(owner.url)
  const pid = await postmasterPid(clusterOf(folder))
  await owner.kill()
  const socketFolder = new URL(owner.url).searchParams.get('host') ?? ''
  await rm(socketFolder, { recursive: true })
  await using embedded = await start(folder.path)
  await until(async () => !(await runs(pid)))
  expect(await readNote(embedded.url)).toEqual(theNote)
})

test('a stale postmaster.pid that names another living program is no obstacle', async () => {
  await using folder = await stoppedCluster()
  const owner = await startOwner(folder.path)
  await note(owner.url)
  const file = path.join(clusterOf(folder), 'postmaster.pid')
  const text = await readFile(file, 'utf8')
  await owner.leave()
  // Another PostgreSQL is the hardest such program: same user, same name.
  await using other = await stoppedCluster()
  await using stranger = await start(other.path)
  const strangerPid = await postmasterPid(clusterOf(other))
  await writeFile(file, text.replace(/^\d+/, String(strangerPid)))
  await using embedded = await start(folder.path)
  expect(await readNote(embedded.url)).toEqual(theNote)
  expect(await ask(stranger.url, 'select 1 as alive')).toEqual([{ alive: 1 }])
})

test('two processes at once on an empty folder share one PostgreSQL, and the last to leave stops it', async () => {
  await using folder = await temporaryFolder()
  const [first, second] = await Promise.all([startOwner(folder.path), startOwner(folder.path)])
  expect(first.url).toBe(second.url)
  await note(first.url)
  const pid = await postmasterPid(clusterOf(folder))
  await first.leave()
  expect(await readNote(second.url)).toEqual(theNote)
  await second.leave()
  await until(async () => !(await runs(pid)))
  expect((await readdir(folder.path)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password'])
})

test('a start that meets another process stopping PostgreSQL ends with a running one', async () => {
  await using folder = await stoppedCluster()
  let owner = await startOwner(folder.path)
  await note(owner.url)
  for (let round = 0; round < 5; round++) {
    const [, next] = await Promise.all([owner.leave(), startOwner(folder.path)])
    expect(await readNote(next.url)).toEqual(theNote)
    owner = next
  }
  await owner.leave()
})

test('half-made folders of dead makers are cleared', async () => {
  await using folder = await stoppedCluster()
  const owner = await startOwner(folder.path)
  await owner.leave()
  const dead = path.join(folder.path, `postgres.making-${owner.pid}-00000000-11111111`)
  const mine = path.join(folder.path, `postgres.making-${process.pid}-00000000-11111111`)
  for (const leftover of [dead, mine]) {
    await mkdir(leftover)
    await writeFile(path.join(leftover, 'PG_VERSION'), '18\n')
  }
  await using _ = await start(folder.path)
  expect((await readdir(folder.path)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password'])
})

test('a folder that is not a cluster, or of another version, is refused with how to fix it, and left as it is', async () => {
  await using folder = await temporaryFolder()
  await mkdir(clusterOf(folder))
  await writeFile(path.join(clusterOf(folder), 'holiday.jpg'), '')
  await expect(start(folder.path)).rejects.toThrow(/not a PostgreSQL database .* move it away/)
  await writeFile(path.join(clusterOf(folder), 'PG_VERSION'), '15\n')
  await expect(start(folder.path)).rejects.toThrow(/is of PostgreSQL 15 .* set KHERAD_PG_BIN/)
  expect(await readdir(clusterOf(folder))).toEqual(['PG_VERSION', 'holiday.jpg'])
})

test('a data folder that is a file, and programs that do not run, are refused with how to fix it', async () => {
  await using folder = await temporaryFolder()
  const file = path.join(folder.path, 'file')
  await writeFile(file, '')
  await expect(start(file)).rejects.toThrow(/cannot be written \(EEXIST\).* set KHERAD_DATA/)
  const ask = { dataDir: folder.path, pgBin: path.join(folder.path, 'nowhere'), log: quiet }
  await expect(startEmbedded(ask)).rejects.toThrow(/does not run here .* set KHERAD_PG_BIN/)
})
