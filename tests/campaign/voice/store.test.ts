/** Words and sound of calls: kept by opt-in only, read, and deleted. */
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { callIdOf } from '#voice/realtime'
import { realtime } from '#voice/realtime-routes'
import { Client } from '../../harness/client.ts'
import { startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { boot, MovableClock, type World } from '../../harness/world.ts'
import { onceEnded } from '../../voice/once-ended.ts'
import { connect, type SocketCall } from '../../voice/socket-call.ts'

let world: World
let clock: MovableClock
// Calls are listed by the time at which they began.
beforeEach(() => clock.moveMs(1))
beforeAll(async () => {
  clock = new MovableClock()
  world = await boot({
    clock,
    credits: 100_000,
    timing: { processLeaseMs: 7_000, heartbeatMs: 1_000, sweepMs: 1_000 },
  })
})
afterAll(() => world[Symbol.asyncDispose]())

const calls = '/v1/realtime/calls'
const secrets = '/v1/realtime/client_secrets'
const kept = '?model=sandbox/realtime&store=true'
const typed = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
})
const idOf = async (call: SocketCall): Promise<string> =>
  (await call.event('session.created')).session.kherad.call_id
async function recordWith(key: Client, id: string, field: string, value: unknown) {
  await until(async () => (await key.get(`${calls}/${id}`)).body[field] === value)
  return (await key.get(`${calls}/${id}`)).body
}
const rowsOf = async (id: string) =>
  world.app.db.query<{ position: number; role: string; words: string; at_ms: number }>(
    { text: 'select position, role, words, at_ms from realtime.transcripts where call_id = $1 order by 1' },
    [callIdOf(id)],
  )
const files = async () => (await world.app.db.query({ text: 'select file_id from files.files' }, [])).length
async function answered(call: SocketCall, text: string) {
  const from = call.events.length
  call.send(typed(text))
  call.send({ type: 'response.create' })
  return call.event('response.done', from)
}
/** Speech of the sandbox, sent at once. */
async function speak(key: Client, call: SocketCall, input: string) {
  const body = { model: 'sandbox/speech', input, voice: 'sandbox-mina', response_format: 'pcm' }
  const raw = await key.raw('POST', '/v1/audio/speech', JSON.stringify(body))
  const sound = Buffer.from(await raw.arrayBuffer())
  for (let at = 0; at < sound.length; at += 48_000)
    call.send({
      type: 'input_audio_buffer.append',
      audio: sound.subarray(at, at + 48_000).toString('base64'),
    })
  call.send({ type: 'input_audio_buffer.commit' })
  return sound.length / 48_000
}
const byHand = {
  type: 'session.update',
  session: { type: 'realtime', audio: { input: { turn_detection: null } } },
}

test('without opt-in nothing that was said is kept: no row, no file, no trace in the receipt', async () => {
  const key = await world.key()
  const before = await files()
  const call = await connect(world, key.secret)
  const id = await idOf(call)
  const secretWords = 'بنفشه‌های بنفش'
  await answered(call, `${secretWords} [[sandbox: tokens=4]]`)
  call.close()
  const record = await recordWith(key, id, 'status', 'ended')
  expect(record).toMatchObject({ store: false, sound: null, file_id: null })
  expect((await key.get(`${calls}/${id}/transcript`)).status).toBe(404)
  expect((await key.request('DELETE', `${calls}/${id}/transcript`)).status).toBe(404)
  expect([await rowsOf(id), await files()]).toEqual([[], before])
  expect((await key.receipt(record.request_id)).text).not.toContain(secretWords)
})

test('with opt-in both sides are kept, in Persian as it was said and in stereo as it was heard; nobody else reads them, and they are deleted for good', async () => {
  const key = await world.key()
  const call = await connect(world, key.secret, { query: kept })
  const id = await idOf(call)
  call.send(byHand)
  await call.event('session.updated')
  const seconds = await speak(key, call, 'hello')
  await call.event('conversation.item.input_audio_transcription.completed')
  clock.moveMs(4_000)
  const text = 'می‌خواهم ۲ کتاب بگیرم؛ چند می‌شود؟'
  const done = await answered(call, `${text} [[sandbox: tokens=6]]`)
  const running = (await key.get(`${calls}/${id}`)).body
  expect(running).toMatchObject({ status: 'active', store: true, sound: 'recording', file_id: null })
  call.close()
  const record = await recordWith(key, id, 'sound', 'stored')
  expect(record).toMatchObject({ status: 'ended', store: true })
  expect(record.microcredits).toBe((await key.receipt(record.request_id)).body.microcredits)

  const { body: page } = await key.get(`${calls}/${id}/transcript`)
  const said = done.response.output[0].content[0].transcript
  expect(page).toMatchObject({
    object: 'realtime.transcript',
    data: [
      { position: 0, role: 'user', text: expect.stringMatching(/hello/i), at_ms: 0 },
      { position: 1, role: 'user', text: `${text} [[sandbox: tokens=6]]`, at_ms: 4_000 },
      { position: 2, role: 'assistant', text: said, at_ms: 4_000 },
    ],
    has_more: false,
    last: 2,
  })
  const second = (await key.get(`${calls}/${id}/transcript?limit=1&after=0`)).body
  expect(second).toMatchObject({ data: [{ position: 1 }], has_more: true, last: 1 })

  const file = `/v1/files/${record.file_id}`
  const ogg = await key.raw('GET', file)
  expect([ogg.status, ogg.headers.get('content-type')]).toEqual([200, 'audio/ogg'])
  const [caller, assistant] = channelsOf(Buffer.from(await ogg.arrayBuffer()))
  expect(loudOf(caller!)).toBeGreaterThan(seconds * 0.5)
  expect(loudOf(assistant!)).toBeGreaterThan(0.3)
  // They speak one after the other.
  expect(loudOf(caller!.map((sample, at) => sample * assistant![at]!))).toBeLessThan(0.05)

  const { client: stranger } = await world.stranger()
  expect((await stranger.get(`${calls}/${id}/transcript`)).status).toBe(404)
  expect((await stranger.request('DELETE', `${calls}/${id}/transcript`)).status).toBe(404)
  expect((await stranger.raw('GET', file)).status).toBe(404)
  const deleted = await key.request('DELETE', `${calls}/${id}/transcript`)
  expect(deleted.body).toEqual({ id, object: 'realtime.transcript', deleted: true })
  expect(await rowsOf(id)).toEqual([])
  expect((await key.raw('GET', file)).status).toBe(404)
  expect(await world.app.storage.get(`files/${world.account}/${record.file_id}`)).toBeUndefined()
  expect((await key.get(`${calls}/${id}`)).body).toMatchObject({ store: false, sound: null, file_id: null })
})

test('what was cut is kept as it was heard, also by the hang-up, and what is deleted while the call runs is kept no more', async () => {
  const key = await world.key()
  const call = await connect(world, key.secret, { query: kept })
  const id = await idOf(call)
  call.send(typed('قصه بگو [[sandbox: tokens=300]]'))
  call.send({ type: 'response.create' })
  await until(() => call.sound().length > 48_000)
  call.close()
  await recordWith(key, id, 'sound', 'stored')
  const [, heard] = await rowsOf(id)
  const whole = call.events
    .filter(({ type }) => type === 'response.output_audio_transcript.delta')
    .map(({ delta }) => delta)
    .join('')
  expect(heard!.role).toBe('assistant')
  expect(whole.startsWith(heard!.words.split('\n')[0]!.slice(0, 8))).toBe(true)
  expect(heard!.words.length).toBeLessThan(whole.length)

  const other = await connect(world, key.secret, { query: kept })
  const otherId = await idOf(other)
  await answered(other, 'یک [[sandbox: tokens=2]]')
  await until(async () => (await rowsOf(otherId)).length === 2)
  const before = await files()
  expect((await key.request('DELETE', `${calls}/${otherId}/transcript`)).status).toBe(200)
  await answered(other, 'دو [[sandbox: tokens=2]]')
  other.close()
  await recordWith(key, otherId, 'status', 'ended')
  await until(() => world.app.realtime.busy === 0)
  await other.closed
  expect([await rowsOf(otherId), await files()]).toEqual([[], before])
})

test('a client secret reads and ends the calls that it began, and no other of its key', async () => {
  const key = await world.key()
  const make = async (store: boolean) =>
    (await key.post(secrets, { session: { model: 'sandbox/realtime' }, store })).body.value as string
  const [own, another] = [await make(true), await make(false)]
  const begin = (secret: string, query = '') =>
    connect(world, '', { query, protocols: ['realtime', `openai-insecure-api-key.${secret}`] })
  const call = await begin(own)
  const id = await idOf(call)
  await answered(call, 'سلام [[sandbox: tokens=2]]')
  const page = new Client(world.url, own, 'none')
  expect((await page.get(`${calls}/${id}`)).body).toMatchObject({ id, status: 'active', store: true })
  await until(async () => (await page.get(`${calls}/${id}/transcript`)).body.data.length === 2)
  const stranger = new Client(world.url, another, 'none')
  for (const path of [`${calls}/${id}`, `${calls}/${id}/transcript`])
    expect((await stranger.get(path)).status, path).toBe(404)
  expect((await stranger.post(`${calls}/${id}/hangup`, {})).status).toBe(404)
  expect((await stranger.request('DELETE', `${calls}/${id}`)).status).toBe(404)
  expect((await page.get(calls)).status).toBe(401)
  expect((await page.request('DELETE', `${calls}/${id}/transcript`)).status).toBe(401)
  const gone = await onceEnded(() => page.post(`${calls}/${id}/hangup`, {}))
  expect(gone.body).toMatchObject({ id, status: 'ended' })

  const ofKey = await connect(world, key.secret)
  const keyId = await idOf(ofKey)
  expect((await page.get(`${calls}/${keyId}`)).status).toBe(404)
  ofKey.close()
  // It cannot have kept what its secret does not keep.
  const quiet = await begin(another, '?store=true')
  const quietId = await idOf(quiet)
  expect((await stranger.get(`${calls}/${quietId}`)).body).toMatchObject({ store: false, sound: null })
  quiet.close()
  await until(() => world.app.realtime.busy === 0)
})

test('where a project has no room the call goes on without its sound, and its words are kept', async () => {
  const project = await world.newProject()
  const key = await world.key({ project })
  const { quotaBytes } = world.app.config.studio
  await world.app.db.query(
    {
      text: `insert into files.usage (account_id, project_id, files, bytes, creations, creation_bytes) values ($1, $2, 0, 0, 0, $3)`,
    },
    [world.account, project, quotaBytes - 1_000_000],
  )
  const call = await connect(world, key.secret, { query: kept })
  const id = await idOf(call)
  await recordWith(key, id, 'sound', 'lost')
  expect((await answered(call, 'سلام [[sandbox: tokens=2]]')).response.status).toBe('completed')
  call.close()
  expect(await recordWith(key, id, 'status', 'ended')).toMatchObject({
    store: true,
    sound: 'lost',
    file_id: null,
  })
  expect((await key.get(`${calls}/${id}/transcript`)).body.data).toHaveLength(2)
  await until(async () => {
    const text = 'select creation_bytes as bytes from files.usage where project_id = $1'
    const [usage] = await world.app.db.query<{ bytes: bigint }>({ text }, [project])
    return usage!.bytes === BigInt(quotaBytes - 1_000_000)
  })
})

test('killed in the middle of a call, a process has kept the words until then, and the record says that the sound was lost', async () => {
  await using other = await startProcess({
    databaseUrl: world.app.config.databaseUrl as string,
    env: { KHERAD_LOG_LEVEL: 'silent', KHERAD_LEASE_MS: '7000' },
  })
  const key = await world.key()
  const call = await connect({ url: other.url } as World, key.secret, { query: kept })
  const id = await idOf(call)
  await answered(call, 'سلام [[sandbox: tokens=2]]')
  await until(async () => (await rowsOf(id)).length === 2)
  await other.kill()
  expect(await recordWith(key, id, 'sound', 'lost')).toMatchObject({ status: 'ended', reason: 'failed' })
  const { body } = await key.get(`${calls}/${id}/transcript`)
  expect(body.data.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant'])
})

test('calls that ended are deleted with their words after the days that the operator says, to the millisecond, and their receipts stay', async () => {
  const key = await world.key()
  const call = await connect(world, key.secret, { query: kept })
  const id = await idOf(call)
  await answered(call, 'سلام [[sandbox: tokens=2]]')
  call.close()
  const record = await recordWith(key, id, 'sound', 'stored')
  const running = await connect(world, key.secret, { query: kept })
  const runningId = await idOf(running)
  const tidy = async () => {
    const [job] = realtime.jobs
    await job!.handle({ app: world.app, signal: new AbortController().signal } as never)
  }
  const dayMs = 24 * 60 * 60 * 1_000
  // One that runs lasts as long as it may; here it is as if it had been begun just now.
  await world.app.db.query(
    { text: `update realtime.calls set expires_at = expires_at + interval '40 days' where call_id = $1` },
    [callIdOf(runningId)],
  )
  clock.moveMs(Date.parse(record.ended_at) + 30 * dayMs - clock.nowMs())
  await tidy()
  expect((await key.get(`${calls}/${id}/transcript`)).body.data).toHaveLength(2)
  clock.moveMs(1)
  await tidy()
  expect((await key.get(`${calls}/${id}`)).status).toBe(404)
  expect(await rowsOf(id)).toEqual([])
  expect((await key.receipt(record.request_id)).status).toBe(200)
  expect((await key.raw('GET', `/v1/files/${record.file_id}`)).status).toBe(404)
  expect((await key.get(`${calls}/${runningId}`)).status).toBe(200)
  await running[Symbol.asyncDispose]()
})

/** Decoded by ffmpeg, at 16 kHz. */
function channelsOf(ogg: Buffer): Float32Array[] {
  const { status, stdout, stderr } = spawnSync(
    'ffmpeg',
    ['-v', 'error', '-i', 'pipe:0', '-f', 'f32le', '-ar', '16000', 'pipe:1'],
    { input: ogg, maxBuffer: 64 * 1024 * 1024 },
  )
  expect([status, String(stderr)]).toEqual([0, ''])
  const samples = new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length))
  return [0, 1].map((side) => samples.filter((_, at) => at % 2 === side))
}

/** Seconds in which there is sound. */
function loudOf(samples: Float32Array): number {
  let loud = 0
  for (let at = 0; at + 320 <= samples.length; at += 320)
    if (samples.subarray(at, at + 320).some((sample) => Math.abs(sample) > 0.01)) loud += 0.02
  return loud
}
