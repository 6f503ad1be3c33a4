/**
 * What a call adds of its own between the end of speech and the first sound. Its sound has no clock here: it passes by hand, and upstreams answer when
 * the test lets them, so that what waits for time is told apart from what works. By the clock it is measured by `npm run bench:voice`.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#app'
import { type TranscriptionUpstream, transcriptionUpstream } from '../harness/transcription-upstream.ts'
import { until } from '../harness/until.ts'
import { chunk, done, type FakeUpstream, fakeUpstream, stream } from '../harness/upstream.ts'
import { boot, type World } from '../harness/world.ts'
import { callConfig } from './call-config.ts'
import { sandboxSpeech, startCall, type TestCall } from './pipeline-call.ts'

let world: World
let caller: Caller
let texts: FakeUpstream
let voices: FakeUpstream
let ears: TranscriptionUpstream
/** Without the silence behind it. */
let question: Float32Array

beforeAll(async () => {
  texts = await fakeUpstream()
  voices = await fakeUpstream()
  ears = await transcriptionUpstream()
  world = await boot({ config: callConfig({ texts: texts.url, voices: voices.url, ears: ears.url }) })
  caller = await world.app.keys.caller((await world.key()).secret)
  const samples = await sandboxSpeech(world.app, caller, 'پایتخت ایران کجاست؟')
  question = samples.subarray(0, samples.findLastIndex((sample) => Math.abs(sample) > 0.003) + 1)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  for (const one of [texts, voices, ears]) await one[Symbol.asyncDispose]()
})

const pcm = { 'content-type': 'audio/pcm' }
/** Frames of 20 ms of sound. */
const speech = (frames: number) => new Uint8Array(frames * 960).map((_, at) => (at % 251) ^ 0x80)

interface Turn {
  /** Frames between the last one with voice and the end of the turn. */
  endedAfter: number
  /** Frames that passed between the end of the turn and the first sound, while upstreams answered at once. */
  ownFrames: number
  /** By the clock of this machine. */
  ownMs: number
}

/** Speaks the question, and lets no frame pass where somebody else is waited for. */
async function turn(call: TestCall): Promise<Turn> {
  const rest = Promise.withResolvers<void>()
  ears.hear({ text: 'پایتخت ایران کجاست؟' })
  const text = [chunk({ content: 'پایتخت آن تهران است. ' }), chunk({ content: 'شهر' })]
  texts.replyOnce(stream([...text, rest.promise, chunk({}, 'stop'), done]))
  voices.replyOnce(stream([speech(3), rest.promise, speech(40)], pcm), stream([speech(20)], pcm))
  const from = call.events.length
  const find = (type: string) => call.events.slice(from).find((event) => event.type === type)
  const transcribed = () => call.money.steps.filter(({ kind }) => kind === 'transcription').length
  const before = transcribed()
  call.say(question)
  // 100 ms of silence begin the early transcription, and the detector finds voice in the first frames behind it, too.
  for (let frame = 0; frame < question.length / 320 + 8; frame++) call.tick()
  await until(() => transcribed() > before)
  const sounded = new Promise<number>((resolve) =>
    call.once('output_audio_buffer.started', () =>
      queueMicrotask(() => {
        call.tick()
        resolve(performance.now())
      }),
    ),
  )
  const playedBefore = call.played()
  while (!find('input_audio_buffer.speech_stopped')) call.tick()
  const [endedAt, endedMs] = [call.frames(), performance.now()]
  const voicedUntil = Number(find('input_audio_buffer.speech_stopped')!['audio_end_ms']) / 20
  const ownMs = (await sounded) - endedMs
  expect(call.played() - playedBefore).toBe(480)
  const ownFrames = call.frames() - endedAt
  rest.resolve()
  await until(() => {
    for (let frame = 0; frame < 5; frame++) call.tick()
    return find('response.done')
  })
  return { endedAfter: endedAt - voicedUntil, ownFrames, ownMs }
}

test('nothing waits for time but the end of the turn: 250 ms behind a sure end, and the first sound leaves with the next tick', async () => {
  const turns: Turn[] = []
  for (let at = 0; at < 3; at++) {
    // The detector takes a voice without life for noise, in the fourth sentence.
    await using call = await startCall(world.app, caller, 'acme/talk', {}, { isPaced: false })
    turns.push(await turn(call))
  }
  expect(turns.map(({ endedAfter }) => endedAfter)).toEqual([13, 13, 13])
  expect(turns.map(({ ownFrames }) => ownFrames)).toEqual([1, 1, 1])
  const own = turns.map(({ ownMs }) => ownMs).sort((a, b) => a - b)
  console.info(
    `own part of a turn with quick upstreams: p50 ${own[1]!.toFixed(0)} ms of ${own.map(Math.round).join(', ')}`,
  )
})
