import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ConfinedResult, ConfinedWork } from '#platform/confined'
import { openLog } from '#platform/log'
import { openSpool, type Spool } from '#platform/spool'
import { speechLike } from '../../../tests/core/sound/samples.ts'
import { encodeWhole } from './encode.ts'
import { openRecording } from './open-recording.ts'
import { openRecordings } from './recordings.ts'

const stack = new AsyncDisposableStack()
let spool: Spool
/** Silence of more than an hour. */
let silence: Buffer
beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-recording-'))
  stack.defer(() => rm(folder, { recursive: true }))
  spool = stack.use(await openSpool({ folder, maxBytes: 1e9 }))
  const samples = new Float32Array(16_000 * 20)
  const { bytes } = await encodeWhole([{ rate: 16_000, samples }], { format: 'mp3', maxBytes: 1e6 })
  silence = Buffer.concat(Array(190).fill(bytes))
})
afterAll(() => stack.disposeAsync())

async function openSilence(
  decoding: (work: ConfinedWork) => Promise<ConfinedResult>,
  signal = new AbortController().signal,
) {
  const tools = { decoding, unpacking: decoding, spool, ffmpeg: async () => undefined }
  return openRecording(tools, silence, { accountId: 'one', signal }, { maxSeconds: 14_400 })
}

test('of more than an hour of silence two minutes are listened to here, and the rest in other processes, once for all who ask', async () => {
  const modules: string[] = []
  await using recording = await openSilence(async ({ module, input }) => {
    modules.push(path.basename(module as string))
    if (modules.length > 1) return { value: [false] }
    const { place } = input as { place: string }
    await writeFile(place, '')
    await truncate(place, 32_000 * 3_600)
    return {
      value: {
        mediaType: 'audio/mpeg',
        codec: 'mp3',
        rate: 16_000,
        channels: 1,
        samples: 1,
        isTruncated: false,
      },
    }
  })
  expect(recording.measured.seconds).toBeGreaterThan(3_600)
  expect(await Promise.all([recording.speechIn([{}]), recording.speechIn([{}])])).toEqual([[false], [false]])
  expect(await recording.speechIn([{}])).toEqual([false])
  expect(modules).toEqual(['decode-process.ts', 'listen-process.ts'])
})

test('listening ends when the requester leaves, and may be requested again', async () => {
  const leaving = new AbortController()
  await using recording = await openSilence(async () => ({ lost: 'busy' }), leaving.signal)
  await expect(recording.speechIn([{}])).rejects.toMatchObject({ fault: 'busy' })
  const listening = recording.speechIn([{}])
  leaving.abort(new Error('left'))
  await expect(listening).rejects.toThrow('left')
})

test('speech that begins after these two minutes is heard by the process', async () => {
  const rate = 16_000
  const samples = new Float32Array(125 * rate)
  samples.set(speechLike(rate, 2).samples, 122 * rate)
  const { bytes } = await encodeWhole([{ rate, samples }], { format: 'wav', maxBytes: 1e7 })
  const recordings = openRecordings({ log: openLog('silent'), spool, setting: { places: [] } })
  const requester = { accountId: 'one', signal: new AbortController().signal }
  await using recording = await recordings.open(bytes, requester, { maxSeconds: 14_400 })
  expect(await recording.speechIn([{ to: 121 }, { from: 121 }])).toEqual([false, true])
})
