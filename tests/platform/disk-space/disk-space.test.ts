/** What is known of disks: by their answers, and where one gives none. */
import { mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import {
  type DiskName,
  DiskSpace,
  disksOf,
  type FreeSpace,
  measureFreeSpace,
  writeFailure,
} from '#platform/disk-space'
import { Failure } from '#platform/errors'
import { failureOf } from '#platform/http'
import { loadConfig } from '#settings'
import { temporaryFolder } from '../db/cluster-world.ts'

const megabyte = 1024 * 1024
const wide: FreeSpace = { device: 1, freeBytes: 1_000 * megabyte, freeInodes: 1_000_000 }
const least = { data: 1, database: 2, wal: 3, spool: 4, files: 5 }

/** Disks that answer what `rooms` says, by the name of their folder; a promise is one that hangs. */
function watch(rooms: Record<string, FreeSpace | Promise<FreeSpace>>) {
  let nowMs = 0
  const asked: string[] = []
  const disks = Object.keys(rooms).map((folder) => ({
    name: folder as DiskName,
    folder,
    leastBytes: 64 * megabyte,
  }))
  const measure = async (folder: string): Promise<FreeSpace> => {
    asked.push(folder)
    return rooms[folder]!
  }
  const space = new DiskSpace({ disks, measure, slowMs: 1, nowMs: () => nowMs, everyMs: 3_600_000 })
  return { space, rooms, asked, later: (ms: number) => (nowMs += ms) }
}

test('a disk below its floor is lacking until it has room again, and only for who writes to it', async () => {
  const { space, rooms } = watch({ spool: { ...wide, freeBytes: 64 * megabyte - 1 }, files: wide })
  using _space = space
  // Before the first look nobody is refused.
  expect(space.lacking(['spool', 'files'])).toBeUndefined()
  await space.refresh()
  expect([space.lacking(['files']), space.lacking(['files', 'spool'])]).toEqual([undefined, 'spool'])
  expect(() => space.require(['spool'])).toThrow(
    expect.objectContaining({ code: 'STORAGE_FULL', status: 503 }),
  )
  rooms['spool'] = { ...wide, freeBytes: 64 * megabyte }
  await space.refresh()
  expect([space.lacking(['spool']), space.problems()]).toEqual([undefined, []])
})

test('inodes count as room where the file system counts them', async () => {
  const { space } = watch({ files: { ...wide, freeInodes: 3 }, spool: { ...wide, freeInodes: undefined } })
  using _space = space
  await space.refresh()
  expect([space.lacking(['files']), space.lacking(['spool'])]).toEqual(['files', undefined])
  expect(space.problems()).toMatchObject([
    { code: 'inodes_full', blocks: true, message: { en: expect.stringMatching(/only 3 inodes/) } },
  ])
})

test('what lies on one disk is one problem, and on two disks two', async () => {
  const full = { ...wide, freeBytes: 0 }
  const { space } = watch({ data: full, files: full, spool: { ...full, device: 2 } })
  using _space = space
  await space.refresh()
  expect(space.problems().map(({ message }) => message.en.split(' has ')[0])).toEqual([
    'The disk of the data folder (also: the disk of stored files)',
    'The disk of files in transit (spool)',
  ])
})

test('disks that hang hold up nobody: two of them at most are waited for, what they said grows old and refuses nobody', async () => {
  const full = { ...wide, freeBytes: 0 }
  const { space, rooms, asked, later } = watch({ data: full, database: full, wal: full, files: wide })
  using _space = space
  await space.refresh()
  const back = Promise.withResolvers<FreeSpace>()
  for (const name of ['data', 'database', 'wal']) rooms[name] = back.promise
  asked.length = 0
  await space.refresh()
  await space.refresh()
  // Each occupies a thread, so that neither is asked again, and no third one.
  expect(asked).toEqual(['data', 'database'])
  expect(space.lacking(['data'])).toBe('data')
  later(10_001)
  expect(space.lacking(['data', 'database', 'wal'])).toBeUndefined()
  expect(space.problems()).toMatchObject([{ code: 'disk_unknown', blocks: false }])
  back.resolve(full)
  await space.refresh()
  await space.refresh()
  expect(space.lacking(['wal'])).toBe('wal')
})

test("PostgreSQL's WAL is looked at where it lies, a folder that is not there yet by the nearest above it", async () => {
  await using folder = await temporaryFolder('disks-')
  const [cluster, elsewhere] = [path.join(folder.path, 'postgres'), path.join(folder.path, 'fast')]
  await mkdir(cluster)
  await mkdir(elsewhere)
  await symlink(elsewhere, path.join(cluster, 'pg_wal'))
  const spool = path.join(folder.path, 'data', 'spool')
  const disks = await disksOf({ dataDir: folder.path, cluster, spool, files: undefined }, least)
  expect(disks).toEqual([
    { name: 'data', folder: folder.path, leastBytes: 1 },
    { name: 'database', folder: cluster, leastBytes: 2 },
    { name: 'wal', folder: elsewhere, leastBytes: 3 },
    { name: 'spool', folder: spool, leastBytes: 4 },
  ])
  const without = await disksOf({ dataDir: folder.path, cluster: undefined, spool, files: undefined }, least)
  expect(without.map(({ name }) => name)).toEqual(['data', 'spool'])
  expect((await measureFreeSpace(spool)).freeBytes).toBeGreaterThan(0)
})

test('what a file system or PostgreSQL refuses since a disk is full or broken is 503, wherever it is met, and every other error stays a defect', () => {
  using space = new DiskSpace({ disks: [] })
  const refused = (code: string) => Object.assign(new Error(code), { code })
  const codeOf = (error: unknown) => {
    const { code, status } = failureOf({ space }, error)
    return `${status} ${code}`
  }
  for (const code of ['ENOSPC', 'EDQUOT']) expect(codeOf(refused(code)), code).toBe('503 STORAGE_FULL')
  for (const code of ['EROFS', 'EIO', 'ESTALE'])
    expect(codeOf(refused(code)), code).toBe('503 STORAGE_UNWRITABLE')
  // A missing right may be a mistake of ours, but not in a folder that is ours to write.
  expect(codeOf(refused('EACCES'))).toBe('500 INTERNAL')
  expect(writeFailure(refused('EACCES'), 'files')).toMatchObject({ code: 'STORAGE_UNWRITABLE' })
  const away = (cause?: unknown) => new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, { cause })
  expect(codeOf(away(refused('53100')))).toBe('503 STORAGE_FULL')
  expect(codeOf(away())).toBe('503 SERVICE_UNAVAILABLE')
  expect(codeOf(new Failure('SERVICE_UNAVAILABLE', { why: 'stopping' }, {}))).toBe('503 SERVICE_UNAVAILABLE')
})

test('each floor is 64 MB unless the file says otherwise, and a wrong one stops the start with its line', () => {
  const floors = (text?: string) => loadConfig(readEnv({}), text).disk
  const usual = 64 * megabyte
  const all = { data: usual, database: usual, wal: usual, spool: usual, files: usual }
  expect(floors()).toEqual(all)
  expect(floors('disk: { wal_free_mb: 0, files_free_mb: 500 }')).toEqual({
    ...all,
    wal: 0,
    files: 500 * megabyte,
  })
  for (const wrong of [
    'disk: { files_free_mb: -1 }',
    'disk: { files_free_mb: much }',
    'disk: { file_free_mb: 1 }',
  ])
    expect(() => floors(wrong), wrong).toThrow(/:1: disk/)
})
