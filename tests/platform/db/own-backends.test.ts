import { getPriority } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDb } from '#platform/db'
import { lowerOwnBackends, startEmbedded } from '#platform/postgres'
import { ask, fast, postmasterPid, quiet, temporaryFolder, until } from './cluster-world.ts'

test('of the embedded database only the connections that are named are slowed down, by both forms of its address', async () => {
  await using folder = await temporaryFolder()
  await using embedded = await startEmbedded({ dataDir: folder.path, log: quiet, settings: fast })
  for (const url of [embedded.address, embedded.url]) {
    const lower = await lowerOwnBackends(folder.path, url)
    const lowered: number[] = []
    await using low = await openDb({
      url,
      maxConnections: 1,
      withoutWorkers: true,
      onBackend(pid) {
        lowered.push(pid)
        void lower!(pid)
      },
    })
    await using usual = await openDb({ url, maxConnections: 1 })
    const about = {
      text: `select pg_backend_pid() as pid, current_setting('max_parallel_workers_per_gather') as workers`,
    }
    const [slow] = await low.query<{ pid: number; workers: string }>(about, [])
    const [other] = await usual.query<{ pid: number; workers: string }>(about, [])
    expect([lowered, slow!.workers]).toEqual([[slow!.pid], '0'])
    expect(other!.workers).not.toBe('0')
    await until(() => getPriority(slow!.pid) === 10)
    expect(getPriority(other!.pid)).toBe(getPriority())
  }
})

test('a process that is no connection of this database keeps its priority', async () => {
  await using folder = await temporaryFolder()
  await using embedded = await startEmbedded({ dataDir: folder.path, log: quiet, settings: fast })
  const lower = await lowerOwnBackends(folder.path, embedded.url)
  const postmaster = await postmasterPid(path.join(folder.path, 'postgres'))
  const before = [getPriority(), getPriority(postmaster)]
  for (const pid of [process.pid, postmaster, 2_147_483_646, 0, -1]) await lower!(pid)
  expect([getPriority(), getPriority(postmaster)]).toEqual(before)
})

test('connections to any other database than that of the data folder are left as they are', async () => {
  await using folder = await temporaryFolder()
  await using embedded = await startEmbedded({ dataDir: folder.path, log: quiet, settings: fast })
  const { address } = embedded
  const elsewhere = [
    { ...address, port: address.port + 1 },
    { ...address, socketFolder: '/var/run/postgresql' },
    `postgres://kherad@127.0.0.1:${address.port}/kherad`,
    embedded.url.replace(`:${address.port}/`, `:${address.port + 1}/`),
    'no address',
  ]
  for (const url of elsewhere) expect(await lowerOwnBackends(folder.path, url)).toBeUndefined()
  await using empty = await temporaryFolder()
  expect(await lowerOwnBackends(empty.path, address)).toBeUndefined()
  expect(await ask(embedded.url, 'select 1 as n')).toEqual([{ n: 1 }])
})
