import { expect, test } from 'vitest'
import { StereoOpus } from '#core/sound'
import { type ClockMember, SoundClock } from '../clock.ts'
import { CallRecorder } from './recorder.ts'

/** A clock that a test moves. */
class HandClock extends SoundClock {
  member: ClockMember | undefined
  override join(member: ClockMember): () => void {
    this.member = member
    return () => {
      this.member = undefined
    }
  }
}

const heard = Float32Array.from({ length: 320 }, (_, at) => Math.sin(at / 5) / 4)

async function recording({ maxBytes = 1_000_000, fails = false } = {}) {
  const clock = new HandClock()
  const chunks: Uint8Array[] = []
  const failures: unknown[] = []
  const opened = Promise.withResolvers<void>()
  const recorder = new CallRecorder({
    clock,
    maxBytes,
    open: async () => {
      await opened.promise
      return StereoOpus.open()
    },
    async write(pages) {
      for await (const page of pages) {
        if (fails) throw new Error('the disk is full')
        chunks.push(page)
      }
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
      return { path: '', bytes, sha256: '', async [Symbol.asyncDispose]() {} }
    },
    failed: (error) => failures.push(error),
  })
  return {
    ...{ recorder, clock, failures },
    open: async () => {
      opened.resolve()
      await StereoOpus.open().then((one) => one[Symbol.dispose]())
      await new Promise((resolve) => setImmediate(resolve))
    },
    /** The length, as the last page gives it. */
    seconds: () => {
      const whole = Buffer.concat(chunks)
      return Number(whole.readBigInt64LE(whole.lastIndexOf('OggS') + 6)) / 48_000
    },
  }
}

test('a recording is as long as the call, and longer by what came faster than time: none of it is lost', async () => {
  const { recorder, clock, open, seconds } = await recording()
  clock.member!.tick(50)
  await open()
  for (let at = 0; at < 50; at++) clock.member!.tick(1)
  // Two seconds come at eight times the pace.
  for (let at = 0; at < 100; at++) {
    recorder.recordCaller(heard)
    if (at % 8 === 0) clock.member!.tick(1)
  }
  for (let at = 0; at < 40; at++) clock.member!.tick(1)
  const file = await recorder.end()
  expect(file!.bytes).toBeGreaterThan(1_000)
  expect(seconds()).toBeGreaterThanOrEqual(4.5)
  expect(seconds()).toBeLessThan(4.9)
})

test('the file is whole where it ends at its bound', async () => {
  const maxBytes = 80_000
  const { recorder, clock, open, failures } = await recording({ maxBytes })
  await open()
  for (let at = 0; at < 3_000; at++) {
    recorder.recordCaller(heard)
    clock.member!.tick(1)
  }
  const file = await recorder.end()
  expect(file!.bytes).toBeLessThanOrEqual(maxBytes)
  expect(file!.bytes).toBeGreaterThan(maxBytes - 65_307 - 10_000)
  expect(failures).toEqual([])
})

test('a full disk ends the recording once, and nothing of it is heard of by the call', async () => {
  const { recorder, clock, open, failures } = await recording({ fails: true })
  await open()
  await expect.poll(() => failures.length).toBe(1)
  recorder.recordCaller(heard)
  expect(clock.member).toBeUndefined()
  expect(await recorder.end()).toBeUndefined()
  expect(failures).toHaveLength(1)
})

test('a minute of sound waits for its file, and a frame more is too much', async () => {
  const { recorder, failures, open } = await recording()
  for (let at = 0; at < 3_000; at++) recorder.recordCaller(heard)
  expect(failures).toEqual([])
  recorder.recordCaller(heard)
  expect(failures).toHaveLength(1)
  await open()
  expect(await recorder.end()).toBeUndefined()
})
