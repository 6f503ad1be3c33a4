import { expect, onTestFinished, test } from 'vitest'
import { FramePace, SoundClock } from './clock.ts'

test('a frame is due each 20 ms, whenever it is asked for: what was late is caught up on', () => {
  const pace = new FramePace(1_000)
  expect(pace.take(1_019.9)).toBe(0)
  expect(pace.waitMs(1_019)).toBe(1)
  expect(pace.take(1_020)).toBe(1)
  expect(pace.take(1_020)).toBe(0)
  expect(pace.take(1_055)).toBe(1)
  expect(pace.take(1_081)).toBe(2)
  expect(pace.waitMs(1_081)).toBe(19)
})

test('three frames are caught up on and no more: after a longer delay the pace begins anew', () => {
  const late = (ms: number): [number, number] => {
    const pace = new FramePace(0)
    return [pace.take(20 + ms), pace.waitMs(20 + ms)]
  }
  expect(late(59)).toEqual([3, 1])
  expect(late(60)).toEqual([3, 20])
  expect(late(5_000)).toEqual([3, 20])
})

test('a call that throws ends alone, and each call hears of its frames until it leaves', async () => {
  const clock = new SoundClock()
  const frames = { first: 0, second: 0 }
  const error = new Error('of one call')
  const failed = await new Promise((resolve) => {
    clock.join({
      tick: (count) => {
        frames.first += count
        if (frames.first >= 3) throw error
      },
      failed: resolve,
    })
    // This process runs other tests after these, so no clock may go on in it.
    onTestFinished(
      clock.join({
        tick: (count) => {
          frames.second += count
        },
        failed: resolve,
      }),
    )
  })
  expect(failed).toBe(error)
  const before = { ...frames }
  await new Promise<void>((resolve) => {
    const leave = clock.join({
      tick: () => {
        if (frames.second < before.second + 3) return
        leave()
        resolve()
      },
      failed: resolve,
    })
  })
  expect(frames.first).toBe(before.first)
})

test('a clock without calls stands still, and goes on when one joins', async () => {
  const clock = new SoundClock()
  for (let time = 0; time < 2; time++) {
    await new Promise<void>((resolve, reject) => {
      const leave = clock.join({
        tick: () => {
          leave()
          resolve()
        },
        failed: reject,
      })
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(clock.isRunning).toBe(false)
  }
})
