import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { commitBlob, deletePendingBlobs, stageUnsized } from '#platform/storage'
import { fakeS3 } from '../../harness/fake-s3.ts'
import { until } from '../../harness/until.ts'
import { boot, MovableClock } from '../../harness/world.ts'

const mebibyte = 1024 * 1024
/** The sweep is done here: that of a worker, which the moved clock wakes, would be counted by nobody. */
const roles = { api: true, worker: false }

test('of bytes whose writer died in the middle of an upload no part is left in the store after an hour', async () => {
  await using s3 = await fakeS3()
  const clock = new MovableClock()
  await using world = await boot({ clock, roles, config: s3.config })
  const { app } = world
  const death = Promise.withResolvers<void>()
  async function* dying(): AsyncGenerator<Uint8Array> {
    for (let n = 0; n < 20; n += 1) yield Buffer.alloc(mebibyte)
    await death.promise
    throw new Error('dead')
  }
  const writing = stageUnsized(app, 'live/torn', dying(), 100 * mebibyte)
  await until(async () => [...s3.uploads.values()].some(({ parts }) => parts.size > 0))
  expect(await deletePendingBlobs(app)).toBe(0)
  expect(s3.uploads.size).toBe(1)
  clock.moveMs(61 * 60_000)
  expect(await deletePendingBlobs(app)).toBe(1)
  expect([s3.uploads.size, s3.objects.size]).toEqual([0, 0])
  death.resolve()
  await expect(writing).rejects.toThrow('dead')
})

test('bytes of unknown length that a row commits stay', async () => {
  const clock = new MovableClock()
  await using world = await boot({ clock, roles })
  const { app } = world
  const bytes = randomBytes(100_000)
  async function* sound(): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, 40_000)
    yield bytes.subarray(40_000)
  }
  const kept = await stageUnsized(app, 'live/whole', sound(), mebibyte)
  expect(kept.bytes).toBe(bytes.length)
  await app.db.tx((tx) => commitBlob(tx, 'live/whole'))
  clock.moveMs(2 * 60 * 60_000)
  expect(await deletePendingBlobs(app)).toBe(0)
  expect(await buffer((await app.storage.get('live/whole'))!)).toEqual(bytes)
})
