import { expect, test } from 'vitest'
import { commitBlob, deletePendingBlobs, stageBlob, stageUnsized } from '#platform/storage'
import { boot, MovableClock } from '../../harness/world.ts'

const minuteMs = 60_000
/** The sweep is done here: that of a worker, which the moved clock wakes, would be counted by nobody. */
const roles = { api: true, worker: false }

test('bytes that take long to come outlive an hour from their first one, and not from their last', async () => {
  const clock = new MovableClock()
  await using world = await boot({ clock, roles })
  const { app } = world
  await stageBlob(app, 'live/other', Buffer.from('bytes'))
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('first')
    clock.moveMs(59 * minuteMs)
    yield Buffer.from('second')
  }
  await stageUnsized(app, 'live/renewed', slow(), 100)
  clock.moveMs(2 * minuteMs)
  expect(await deletePendingBlobs(app)).toBe(1)
  expect(await app.storage.get('live/renewed')).toBeDefined()
  expect(await app.storage.get('live/other')).toBeUndefined()
  clock.moveMs(60 * minuteMs)
  expect(await deletePendingBlobs(app)).toBe(1)
  expect(await app.storage.get('live/renewed')).toBeUndefined()
  await expect(app.db.tx((tx) => commitBlob(tx, 'live/renewed'))).rejects.toThrow('staged too long ago')
})

test('bytes whose writer stood still until the sweep had been there leave nothing behind', async () => {
  const clock = new MovableClock()
  await using world = await boot({ clock, roles })
  const { app } = world
  async function* paused(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('first')
    clock.moveMs(61 * minuteMs)
    expect(await deletePendingBlobs(app)).toBe(1)
    yield Buffer.from('second')
  }
  await expect(stageUnsized(app, 'live/paused', paused(), 100)).rejects.toThrow('staged too long ago')
  expect(await app.storage.get('live/paused')).toBeUndefined()
})
