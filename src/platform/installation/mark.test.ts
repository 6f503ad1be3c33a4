import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { BucketMark, type MarkOptions } from './mark.ts'

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const place = { kind: 'folder', path: '/data', device: '1', inode: '2', machine: null } as const

/** A bucket in memory, with its objects. */
function bucket() {
  const objects = new Map<string, string>()
  const storage: MarkOptions['storage'] = {
    get: async (key) => (objects.has(key) ? Readable.from([Buffer.from(objects.get(key)!)]) : undefined),
    put: async (key, bytes) => void objects.set(key, Buffer.from(bytes).toString('utf8')),
  }
  const edit = (change: object) => {
    for (const [key, text] of objects) {
      const mark = JSON.parse(text)
      objects.set(
        key,
        JSON.stringify({ ...mark, ...change, holder: { ...mark.holder, ...holderOf(change) } }),
      )
    }
  }
  return { storage, objects, edit, mark: () => JSON.parse([...objects.values()][0]!) }
}

const holderOf = (change: { holder?: object }) => change.holder ?? {}

const open = (storage: MarkOptions['storage'], more: Partial<MarkOptions> = {}): BucketMark =>
  new BucketMark({ storage, id: 'one', place, log: quiet, nowMs: Date.now, waitMs: 20, ...more })

const asUsual = { isAdopted: false }

test('the first to come marks the bucket, and its next start holds it again', async () => {
  const { storage, mark } = bucket()
  {
    await using first = open(storage)
    expect(await first.claimOrFindHolder(asUsual)).toBeUndefined()
    expect(mark()).toMatchObject({ id: 'one', place: '/data', holder: { data: '1:2' } })
    // Another process of the same folder may hold the bucket too.
    await using second = open(storage)
    expect(await second.claimOrFindHolder(asUsual)).toBeUndefined()
  }
  expect(mark()).not.toHaveProperty('holder')
  await using again = open(storage)
  expect(await again.claimOrFindHolder(asUsual)).toBeUndefined()
})

test('a process that lives on this machine with another folder holds it; a dead one does not', async () => {
  const { storage, edit } = bucket()
  await using first = open(storage)
  await first.claimOrFindHolder(asUsual)
  const copied = { ...place, path: '/copy', inode: '3' }
  await using second = open(storage, { place: copied })
  expect(await second.claimOrFindHolder(asUsual)).toBe('/data')
  // After adoption the bucket belongs to the copy.
  await using adopted = open(storage, { place: copied })
  expect(await adopted.claimOrFindHolder({ isAdopted: true })).toBeUndefined()
  // No process can have this number.
  edit({ holder: { pid: 2 ** 22 + 1, data: '1:2' } })
  await using third = open(storage, { place: copied })
  expect(await third.claimOrFindHolder(asUsual)).toBeUndefined()
})

test('of a holder on another machine, whose folder is called the same, the next mark says whether it lives', async () => {
  const { storage, edit, mark } = bucket()
  await using first = open(storage)
  await first.claimOrFindHolder(asUsual)
  edit({ holder: { boot: 'another' } })
  // The holder renews its mark while it is watched.
  const watching = { ...storage, get: async (key: string) => (seen++ === 0 ? storage.get(key) : beaten(key)) }
  let seen = 0
  const beaten = (key: string) => {
    edit({ atMs: mark().atMs + 1, holder: { boot: 'another' } })
    return storage.get(key)
  }
  await using clone = open(watching)
  expect(await clone.claimOrFindHolder(asUsual)).toBe('/data')
  // Here the holder does not renew its mark.
  await using restarted = open(storage)
  expect(await restarted.claimOrFindHolder(asUsual)).toBeUndefined()
  expect(mark().holder.boot).not.toBe('another')
})

test('a mark that is old, of another installation or unreadable keeps nobody from starting, and that of others stays', async () => {
  const { storage, edit, objects, mark } = bucket()
  await using first = open(storage)
  await first.claimOrFindHolder(asUsual)
  edit({ id: 'other', holder: { boot: 'another' } })
  await using stranger = open(storage)
  expect(await stranger.claimOrFindHolder(asUsual)).toBeUndefined()
  expect(mark().id).toBe('other')
  edit({ id: 'one', atMs: Date.now() - 3_600_000, holder: { boot: 'another' } })
  await using late = open(storage)
  expect(await late.claimOrFindHolder(asUsual)).toBeUndefined()
  objects.set([...objects.keys()][0]!, 'no JSON')
  await using reader = open(storage)
  expect(await reader.claimOrFindHolder(asUsual)).toBeUndefined()
})
