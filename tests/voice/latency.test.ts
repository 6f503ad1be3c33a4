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
import { connect } from './socket-call.ts'

let world: World
let caller: Caller
let texts: FakeUpstream
let voices: FakeUpstream
let ears: TranscriptionUpstream
/** Without the silence behind it. */
let question: Float32Array

/** A model whose speech is nowhere. */
const away = {
  providers: '  - { id: gone, base_url: "http://127.0.0.1:9/v1", api_key: k, dialects: [speech] }',
  models: `  - id: gone/one
    kind: audio
    deployments: [{ provider: gone, model: tts-x }]
    audio: { does: [speech], voices: [{ id: nava, name: نوا, languages: [fa] }], formats: [mp3] }
    pricing: { per_million_characters: 15 }
  - { id: acme/away, kind: realtime, text_model: words/one, transcription_model: ears/one, speech_model: gone/one }`,
}

beforeAll(async () => {
  texts = await fakeUpstream()
  voices = await fakeUpstream()
  ears = await transcriptionUpstream()
  const upstreams = { texts: texts.url, voices: voices.url, ears: ears.url }
  world = await boot({ config: callConfig(upstreams, away) })
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

test('while a call opens, a connection to each upstream of its first turn is opened; nothing is asked or paid, and one that is away refuses no call', async () => {
  const key = await world.key()
  await using call = await connect(world, key.secret, { query: '?model=acme/talk' })
  await call.event('session.created')
  await until(() => [texts, voices, ears].every(({ connections }) => connections.accepted === 1))
  {
    // The connections are there.
    await using other = await connect(world, key.secret, { query: '?model=acme/away' })
    await other.event('session.created')
  }
  call.close()
  const ended = async () => (await key.get('/v1/realtime/calls')).body.data
  await until(async () => (await ended()).every(({ status }: { status: string }) => status === 'ended'))
  expect(await ended()).toMatchObject([{ microcredits: '0' }, { microcredits: '0' }])
  expect([texts, voices, ears].map(({ calls, connections }) => [calls.length, connections.accepted])).toEqual(
    [
      [0, 1],
      [0, 1],
      [0, 1],
    ],
  )
})

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
