import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { isKey, openStorage, type Storage } from '#platform/storage'
import { loadConfig } from '#settings'
import { fakeS3 } from '../../harness/fake-s3.ts'

interface Opened extends AsyncDisposable {
  storage: Storage
}

async function onDisk(): Promise<Opened & { folder: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-storage-'))
  const storage = openStorage({ folder })
  return {
    storage,
    folder,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

async function onS3() {
  const s3 = await fakeS3()
  const storage = openStorage({ folder: '/nowhere', ...loadConfig(readEnv({}), s3.config).storage })
  return {
    storage,
    s3,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      await s3[Symbol.asyncDispose]()
    },
  }
}

const read = async (stream: Readable | undefined): Promise<Buffer | undefined> => stream && buffer(stream)

describe.each<[string, () => Promise<Opened>]>([
  ['the disk', onDisk],
  ['an S3-compatible store', onS3],
])('%s', (_, open) => {
  test('gives back what was put, whole and in parts, until it is deleted', async () => {
    await using opened = await open()
    const { storage } = opened
    const bytes = randomBytes(300_000)
    await storage.put('a/b.c/d_e-1', bytes)
    expect(await read(await storage.get('a/b.c/d_e-1'))).toEqual(bytes)
    const part = await storage.get('a/b.c/d_e-1', { start: 10, end: 19 })
    expect(await read(part)).toEqual(bytes.subarray(10, 20))
    const last = await storage.get('a/b.c/d_e-1', { start: 299_999, end: 400_000 })
    expect(await read(last)).toEqual(bytes.subarray(299_999))
    const beyond = await storage.get('a/b.c/d_e-1', { start: 300_000, end: 300_001 })
    expect(await read(beyond)).toEqual(Buffer.alloc(0))
    await storage.put('a/b.c/d_e-1', Buffer.from('anew'))
    expect(String(await read(await storage.get('a/b.c/d_e-1')))).toBe('anew')
    await storage.delete(['a/b.c/d_e-1', 'a/never'])
    expect(await storage.get('a/b.c/d_e-1')).toBeUndefined()
  })

  test('keeps nothing as nothing, and misses what was never put', async () => {
    await using opened = await open()
    const { storage } = opened
    await storage.put('empty', new Uint8Array())
    expect(await read(await storage.get('empty'))).toEqual(Buffer.alloc(0))
    expect(await storage.get('never')).toBeUndefined()
    await storage.delete([])
  })

  test('takes a stream under the hash that it was promised, and nothing where other bytes come', async () => {
    await using opened = await open()
    const { storage } = opened
    const bytes = randomBytes(700_000)
    const source = {
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      open: () => Readable.from([bytes.subarray(0, 300_000), bytes.subarray(300_000)]),
    }
    await storage.putStream('streams/whole', source)
    expect(await read(await storage.get('streams/whole'))).toEqual(bytes)
    const other = { ...source, open: () => Readable.from([Buffer.from(bytes).fill(0)]) }
    await expect(storage.putStream('streams/other', other)).rejects.toThrow()
    expect(await storage.get('streams/other')).toBeUndefined()
  })

  test('takes bytes of a length that nobody knows as they come, and nothing where they break off or are too many', async () => {
    await using opened = await open()
    const { storage } = opened
    const chunk = randomBytes(1024 * 1024)
    async function* chunks(count: number, end?: Error): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < count; n += 1) yield chunk
      if (end) throw end
    }
    // A part has eight of these chunks: none, one that is not full, one that is, and two.
    for (const count of [0, 1, 8, 9]) {
      const bytes = Buffer.concat(Array.from({ length: count }, () => chunk))
      const kept = await storage.putUnsized(`live/${count}`, chunks(count), bytes.length)
      expect(kept).toEqual({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
      expect((await read(await storage.get(`live/${count}`)))?.equals(bytes)).toBe(true)
    }
    for (const count of [1, 9]) {
      await expect(storage.putUnsized('live/broken', chunks(count, new Error('cut')), 1e9)).rejects.toThrow(
        'cut',
      )
      await expect(
        storage.putUnsized('live/broken', chunks(count), count * chunk.length - 1),
      ).rejects.toThrow('more than')
    }
    expect(await storage.get('live/broken')).toBeUndefined()
    await storage.endUploads(['live/1', 'live/never'])
    expect(await read(await storage.get('live/1'))).toEqual(chunk)
  })

  test('takes no key that leaves its place', async () => {
    await using opened = await open()
    const { storage } = opened
    for (const key of [
      '../x',
      'a/../b',
      '/a',
      'a//b',
      'a/',
      '',
      './a',
      'a b',
      'drafts~/x',
      'ا',
      'a'.repeat(513),
    ]) {
      expect(isKey(key), key).toBe(false)
      await expect(storage.put(key, new Uint8Array()), key).rejects.toThrow('plain segments')
    }
  })

  test('twenty writers at once lose nothing', async () => {
    await using opened = await open()
    const { storage } = opened
    const keys = Array.from({ length: 20 }, (_, n) => `many/${n % 4}/${n}`)
    await Promise.all(keys.map((key) => storage.put(key, Buffer.from(key))))
    const back = await Promise.all(keys.map(async (key) => String(await read(await storage.get(key)))))
    expect(back).toEqual(keys)
    await storage.delete(keys)
    expect(await Promise.all(keys.map((key) => storage.get(key)))).toEqual(keys.map(() => undefined))
  })
})

test('what writes of dead processes left on the disk is tidied, what is being written is not', async () => {
  await using opened = await onDisk()
  const drafts = path.join(opened.folder, 'drafts~')
  await mkdir(drafts)
  for (const name of ['old', 'young']) await writeFile(path.join(drafts, name), 'half')
  const longAgo = Date.now() / 1000 - 3_700
  await utimes(path.join(drafts, 'old'), longAgo, longAgo)
  await openStorage({ folder: opened.folder })[Symbol.asyncDispose]()
  expect(await readdir(drafts)).toEqual(['young'])
})

test('what a process wrote to half before it was killed is gone at the next start, however young, and nothing of one that lives', async () => {
  await using opened = await onDisk()
  const drafts = path.join(opened.folder, 'drafts~')
  await mkdir(drafts)
  // A process that writes a draft under its own name, as the storage does, and is killed in the middle of it.
  const script = `
    import { processName } from '#platform/spool'
    import { writeFileSync } from 'node:fs'
    writeFileSync(process.argv[1] + '/' + (await processName()) + '~draft', 'half')
    process.stdout.write('written')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, drafts])
  await once(child.stdout, 'data')
  const [torn = ''] = await readdir(drafts)
  await openStorage({ folder: opened.folder })[Symbol.asyncDispose]()
  expect(await readdir(drafts)).toEqual([torn])
  child.kill('SIGKILL')
  await once(child, 'exit')
  await openStorage({ folder: opened.folder })[Symbol.asyncDispose]()
  expect(await readdir(drafts)).toEqual([])
})

test('a write that fails leaves nothing behind', async () => {
  await using opened = await onDisk()
  await opened.storage.put('a', Buffer.from('x'))
  await expect(opened.storage.put('a/b', Buffer.from('x'))).rejects.toThrow()
  expect(await readdir(path.join(opened.folder, 'drafts~'))).toEqual([])
})

describe('of an S3-compatible store', () => {
  test('faults that may pass are tried again, with a signature of their own', async () => {
    await using opened = await onS3()
    const { storage, s3 } = opened
    s3.failNext(503, 'reset', 500)
    await storage.put('k', Buffer.from('v'))
    s3.failNext('reset', 429)
    expect(String(await read(await storage.get('k')))).toBe('v')
    s3.failNext(502)
    await storage.delete(['k'])
    expect(s3.objects.size).toBe(0)
  })

  test('faults that stay are reported with the store and its code, and without the keys', async () => {
    await using opened = await onS3()
    const { storage, s3 } = opened
    s3.failNext(503, 503, 503, 503)
    const error = await storage.put('k', Buffer.from('v')).catch((failed: Error) => failed)
    expect(String(error)).toBe(`StoreFailed: The store ${s3.url} (bucket kept) answers 503: SlowDown.`)
    s3.failNext('reset', 'reset', 'reset', 'reset')
    await expect(storage.get('k')).rejects.toThrow('cannot be reached')
  })

  test('a wrong secret and a bucket that is not there are failures, never a missing file', async () => {
    await using s3 = await fakeS3()
    for (const [was, is, code] of [
      ['fake/secret+key', 'other', '403: SignatureDoesNotMatch'],
      ['FAKEKEY', 'OTHER', '403: InvalidAccessKeyId'],
      ['bucket: kept', 'bucket: missing', '404: NoSuchBucket'],
    ] as const) {
      const { storage: config } = loadConfig(readEnv({}), s3.config.replace(was, is))
      await using storage = openStorage({ folder: '/nowhere', ...config })
      await expect(storage.get('k'), code).rejects.toThrow(code)
      await expect(storage.put('k', Buffer.from('v')), code).rejects.toThrow(code)
    }
    expect(s3.objects.size).toBe(0)
  })

  const large = randomBytes(18 * 1024 * 1024)
  async function* inPieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < large.length; at += 300_000) yield large.subarray(at, at + 300_000)
  }

  test('an upload in parts outlives faults that may pass, and leaves no part behind where one stays', async () => {
    await using opened = await onS3()
    const { storage, s3 } = opened
    s3.failNext(503, 'reset', 500)
    await storage.putUnsized('k', inPieces(), 1e9)
    expect(s3.objects.get('k')?.equals(large)).toBe(true)
    expect(s3.uploads.size).toBe(0)
    async function* untilTheStoreIsAway(): AsyncGenerator<Uint8Array> {
      yield* inPieces()
      s3.failNext(503, 503, 503, 503)
    }
    await expect(storage.putUnsized('other', untilTheStoreIsAway(), 1e9)).rejects.toThrow('SlowDown')
    expect(s3.objects.has('other')).toBe(false)
    expect(s3.uploads.size).toBe(0)
  })

  test('an upload whose last answer was lost is known to be whole', async () => {
    await using opened = await onS3()
    const { storage, s3 } = opened
    s3.loseAnswerTo('POST', /uploadId=/)
    const kept = await storage.putUnsized('k', inPieces(), 1e9)
    expect(kept.bytes).toBe(large.length)
    expect(s3.objects.get('k')?.equals(large)).toBe(true)
  })

  test('what a process that died left of an upload is given up by its key, and of no other', async () => {
    await using opened = await onS3()
    const { storage, s3 } = opened
    s3.uploads.set('one', { key: 'a/b', parts: new Map([[1, large]]) })
    s3.uploads.set('two', { key: 'a/b', parts: new Map() })
    s3.uploads.set('three', { key: 'a/bc', parts: new Map() })
    await storage.endUploads(['a/b', 'x'])
    expect([...s3.uploads.keys()]).toEqual(['three'])
    // A store that does not let us list them ends them by a rule of its own.
    s3.failNext(403)
    await storage.endUploads(['a/bc'])
  })
})
