import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { Failure } from '#platform/errors'
import { openSpool, TooLargeError } from '#platform/spool'
import { smallDisk } from '../../harness/small-disk.ts'

async function world(maxBytes = 1_000_000) {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-spool-'))
  const spool = await openSpool({ folder, maxBytes })
  return {
    folder,
    spool,
    /** All files of all processes. */
    left: async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()),
    async [Symbol.asyncDispose]() {
      await spool[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

async function* pieces(...sizes: number[]) {
  for (const size of sizes) yield new Uint8Array(size).fill(7)
}

const isFull = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'SPOOL_FULL' && error.status === 503

test('what is taken lies on the disk with its size and hash, and is gone with its end', async () => {
  await using place = await world()
  const bytes = randomBytes(300_000)
  async function* source() {
    for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000)
  }
  {
    await using file = await place.spool.write(source(), { maxBytes: bytes.length })
    expect(await readFile(file.path)).toEqual(bytes)
    expect(file).toMatchObject({ bytes: 300_000, sha256: createHash('sha256').update(bytes).digest('hex') })
  }
  expect(await place.left()).toEqual([])
})

test('a bound is kept to the byte, and what goes beyond it leaves nothing', async () => {
  await using place = await world()
  await using _whole = await place.spool.write(pieces(60, 40), { maxBytes: 100 })
  await expect(place.spool.write(pieces(60, 41), { maxBytes: 100 })).rejects.toThrow(TooLargeError)
  expect(await place.left()).toHaveLength(1)
})

test('a source that breaks off leaves nothing and gives its room back', async () => {
  await using place = await world(100)
  async function* broken() {
    yield new Uint8Array(90)
    throw new Error('gone')
  }
  await expect(place.spool.write(broken(), { maxBytes: 100 })).rejects.toThrow('gone')
  expect(await place.left()).toEqual([])
  await using _next = await place.spool.write(pieces(100), { maxBytes: 100 })
})

test('all files and folders of a process have one bound together, which is free again when they end', async () => {
  await using place = await world(100)
  {
    await using _file = await place.spool.write(pieces(60), { maxBytes: 100 })
    await using _folder = await place.spool.folder(40)
    await expect(place.spool.write(pieces(1), { maxBytes: 100 })).rejects.toSatisfy(isFull)
    await expect(place.spool.folder(1)).rejects.toSatisfy(isFull)
  }
  await using _whole = await place.spool.write(pieces(100), { maxBytes: 100 })
})

test('a folder is empty and goes with all that is in it', async () => {
  await using place = await world()
  {
    await using folder = await place.spool.folder(10)
    expect(await readdir(folder.path)).toEqual([])
    await mkdir(path.join(folder.path, 'deep'))
    await writeFile(path.join(folder.path, 'deep', 'file'), 'x')
  }
  expect(await place.left()).toEqual([])
})

test('a full disk is reported as one, and leaves nothing', async ({ skip }) => {
  await using disk = await smallDisk('512k')
  if (!disk) return skip()
  await using spool = await openSpool({ folder: path.join(disk.path, 'spool'), maxBytes: 10_000_000 })
  const refused = await spool
    .write(pieces(400_000, 400_000), { maxBytes: 1_000_000 })
    .catch((error: unknown) => error)
  expect(refused).toSatisfy(isFull)
  expect(refused).toMatchObject({ detail: { of: 'disk' } })
  await using _fits = await spool.write(pieces(400_000), { maxBytes: 1_000_000 })
})

test('nobody else on the machine can reach what lies there', async () => {
  await using place = await world()
  await using file = await place.spool.write(pieces(1), { maxBytes: 1 })
  expect((await stat(path.dirname(file.path))).mode & 0o077).toBe(0)
})

test('what a killed process left is swept at the next start; what a living one has is left alone', async () => {
  await using place = await world()
  await using mine = await place.spool.write(pieces(3), { maxBytes: 3 })
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'spool-main.ts'), place.folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  const theirs = said.toString().trim()
  await using beside = await openSpool({ folder: place.folder, maxBytes: 10 })
  await access(theirs)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await using _next = await openSpool({ folder: place.folder, maxBytes: 10 })
  await expect(access(theirs)).rejects.toThrow('ENOENT')
  await access(mine.path)
  expect(beside).toBeDefined()
})

test('what another machine left on a shared disk is swept once it has been silent for long', async () => {
  await using place = await world()
  const [silent, alive] = ['other-host~1~5~a', 'other-host~2~6~b'].map((name) =>
    path.join(place.folder, name),
  )
  for (const folder of [silent!, alive!]) await mkdir(folder)
  const longAgo = Date.now() / 1000 - 3_700
  await utimes(silent!, longAgo, longAgo)
  await using _next = await openSpool({ folder: place.folder, maxBytes: 10 })
  await expect(access(silent!)).rejects.toThrow('ENOENT')
  await access(alive!)
})
