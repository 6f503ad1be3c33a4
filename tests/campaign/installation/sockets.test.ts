/** The address of the embedded PostgreSQL: one that leads nowhere, or to the PostgreSQL of another folder, is found and left. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findBinaries, startEmbedded } from '#platform/postgres'
import { until } from '../../harness/until.ts'
import { fast, postmasterPid, quiet, runs } from '../../platform/db/cluster-world.ts'
import {
  copy,
  known,
  paidCall,
  parentFolder,
  readiness,
  run,
  start,
} from '../../platform/installation/installations.ts'

const cluster = (dataDir: string) => path.join(dataDir, 'postgres')

const socketFolderOf = async (dataDir: string): Promise<string> =>
  (await readFile(path.join(cluster(dataDir), 'postmaster.pid'), 'utf8')).split('\n')[4] ?? ''

test('a server whose socket folder is deleted says so, brings PostgreSQL back, and has lost nothing', async () => {
  await using parent = await parentFolder()
  const data = path.join(parent.path, 'data')
  await using server = await start(data)
  const before = await paidCall(server)
  const pid = await postmasterPid(cluster(data))
  await rm(await socketFolderOf(data), { recursive: true })
  await until(async () => (await readiness(server)).includes('database_gone'))
  await until(async () => (await readiness(server)).length === 0)
  expect(await postmasterPid(cluster(data))).not.toBe(pid)
  expect(await known(server, [before, await paidCall(server)])).toHaveLength(2)
})

test('where another PostgreSQL has taken the socket, no call reaches it, it is left alone, and the server moves to an address of its own', async () => {
  await using parent = await parentFolder()
  const [data, twin] = [path.join(parent.path, 'data'), path.join(parent.path, 'copy')]
  // Two workers: each follows the address by itself.
  await using server = await start(data, { env: { KHERAD_WORKERS: '2' } })
  const before = await paidCall(server)
  await copy(data, twin)
  const socketFolder = await socketFolderOf(data)
  const pid = await postmasterPid(cluster(data))
  // What a release before this one did: it overwrote the lock and took the folder.
  await rm(path.join(cluster(twin), 'postmaster.pid'))
  for (const name of await readdir(socketFolder)) await rm(path.join(socketFolder, name))
  await using thief = await startThief(cluster(twin), socketFolder)
  const during: string[] = []
  const failed: number[] = []
  await until(async () => {
    const reply = await server.client.chat({ model: 'sandbox/fast', max_tokens: 8 })
    if (reply.status === 200) during.push(reply.headers.get('x-request-id') ?? '')
    else failed.push(reply.status)
    return !(await runs(pid)) && reply.status === 200
  })
  // Where the database is away, a call is refused or its answer is late; none is answered from the other's books.
  expect(failed.every((status) => status === 503)).toBe(true)
  await until(async () => (await readiness(server)).length === 0)
  expect(await socketFolderOf(data)).not.toBe(socketFolder)
  expect(await known(server, [before, ...during])).toEqual([before, ...during])
  // It runs on, and its socket is where it was.
  expect(await runs(thief.pid)).toBe(true)
  expect((await stat(path.join(socketFolder, '.s.PGSQL.5432'))).isSocket()).toBe(true)
  expect(await thief.receipts()).toBe(1)
})

/** PostgreSQL on a copied cluster, in a socket folder that is not its own. */
async function startThief(
  folder: string,
  socketFolder: string,
): Promise<AsyncDisposable & { pid: number; receipts(): Promise<number> }> {
  const { uid, gid } = await stat(folder)
  const { postgres } = await findBinaries(
    undefined,
    process.getuid?.() === 0 ? { uid, gid } : undefined,
    quiet,
  )
  const child = spawn(
    postgres,
    [
      '-D',
      folder,
      '-c',
      'listen_addresses=',
      '-c',
      `unix_socket_directories=${socketFolder}`,
      '-c',
      'fsync=off',
    ],
    { uid, gid, cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C' }, stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  const socket = path.join(socketFolder, '.s.PGSQL.5432')
  await until(async () => (await stat(socket).catch(() => undefined))?.isSocket() === true)
  return {
    pid: child.pid ?? 0,
    async receipts() {
      const { default: pg } = await import('pg')
      const client = new pg.Client({ host: socketFolder, port: 5432, user: 'kherad_app', database: 'kherad' })
      await client.connect()
      const { rows } = await client.query<{ n: number }>('select count(*)::int as n from ledger.receipts')
      await client.end()
      return rows[0]?.n ?? 0
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGQUIT')
      await ended
    },
  }
}

test('a stop removes its own socket folder, and none in which another PostgreSQL listens', async () => {
  await using parent = await parentFolder()
  const [one, other] = [path.join(parent.path, 'one'), path.join(parent.path, 'other')]
  const first = await startEmbedded({ dataDir: one, log: quiet, settings: fast })
  await run('cp', ['-a', one, other])
  const second = await startEmbedded({ dataDir: other, log: quiet, settings: fast })
  expect(second.address.socketFolder).not.toBe(first.address.socketFolder)
  expect(second.address.clusterName).not.toBe(first.address.clusterName)
  await second[Symbol.asyncDispose]()
  await expect(stat(second.address.socketFolder)).rejects.toThrow('ENOENT')
  expect((await stat(path.join(first.address.socketFolder, '.s.PGSQL.5432'))).isSocket()).toBe(true)
  await first[Symbol.asyncDispose]()
  await expect(stat(first.address.socketFolder)).rejects.toThrow('ENOENT')
})
