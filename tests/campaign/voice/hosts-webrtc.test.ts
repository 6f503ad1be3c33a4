/** Calls over WebRTC whose requests come to processes of the API, and whose sound and events come to a process of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { revokeKey } from '#platform/auth'
import { type CallRow, Codecs, callIdOf, OpusVoice, type RealtimeEvent } from '#voice/realtime'
import { Client } from '../../harness/client.ts'
import { type ServerProcess, startProcess } from '../../harness/processes.ts'
import { startMs, until } from '../../harness/until.ts'
import { boot, quietEnvironment, type World } from '../../harness/world.ts'
import { LeanPeer } from '../../platform/webrtc/lean-peer.ts'
import { onceEnded } from '../../voice/once-ended.ts'
import { onceTaken } from '../../voice/once-taken.ts'

const calls = '/v1/realtime/calls'
const env = {
  ...quietEnvironment,
  KHERAD_SECRET: 'a secret of all processes of these tests',
  // The lease of a process that was ended is over soon.
  KHERAD_LEASE_MS: '9000',
}
const config = `
voice: { capacity: 2, drain_seconds: 120 }
webrtc: { ports: [0, 0], listen: [127.0.0.1] }
`
/** What is shorter is the silence that keeps a line open. */
const leastSoundBytes = 12

let world: World
/** Two processes of the API behind one address. */
let api: ServerProcess
let voice: ServerProcess
let key: Client

beforeAll(async () => {
  world = await boot({ roles: { api: true, worker: true }, env, config, credits: 100_000 })
  const started = (more: Record<string, string>) =>
    startProcess({ databaseUrl: world.app.config.databaseUrl!, config, env: { ...env, ...more } })
  ;[api, voice] = await Promise.all([
    started({ KHERAD_ROLE: 'api', KHERAD_WORKERS: '2' }),
    started({ KHERAD_ROLE: 'voice' }),
  ])
  // It is ready a moment before it is reachable for others.
  const reachable = { text: 'select from realtime.processes where address is not null' }
  await until(async () => (await world.app.db.query(reachable, [])).length > 0)
  const { secret, keyId } = await world.key()
  key = new Client(api.url, secret, keyId)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await voice[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

interface PeerCall extends AsyncDisposable {
  id: string
  peer: LeanPeer
  events: RealtimeEvent[]
  /** Packets of sound that came. */
  sound(): number
  send(event: object): void
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  event(type: string, from?: number): Promise<any>
  closed: Promise<void>
}

async function begin(by = key): Promise<PeerCall> {
  const events: RealtimeEvent[] = []
  const closed = Promise.withResolvers<void>()
  let id = ''
  let sound = 0
  const peer = await LeanPeer.connect({
    async answer(sdp) {
      const made = await onceTaken(() => by.post(calls, { sdp, model: 'sandbox/realtime' }))
      expect(made.status, made.text).toBe(201)
      id = made.body.id
      return made.body.sdp
    },
    audio: ({ length }) => {
      if (length >= leastSoundBytes) sound++
    },
    text: (text) => events.push(JSON.parse(text)),
    closed: closed.resolve,
  })
  return {
    ...{ id, peer, events, sound: () => sound, closed: closed.promise },
    send: (event) => peer.sendText(JSON.stringify(event)),
    event: (type, from = 0) => until(() => events.slice(from).find((event) => event.type === type), startMs),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  }
}

/** Opus of what the sandbox says, and understands, with the silence that ends a turn behind it. */
async function speech(input: string): Promise<Uint8Array[]> {
  const order = { model: 'sandbox/speech', input, voice: 'sandbox-mina', response_format: 'pcm' }
  const reply = await key.raw('POST', '/v1/audio/speech', JSON.stringify(order))
  const bytes = Buffer.concat([Buffer.from(await reply.arrayBuffer()), Buffer.alloc(48_000 * 5.5)])
  using codecs = (await new Codecs(1).take())!
  const encoder = new OpusVoice(codecs.encoder)
  return Array.from({ length: Math.floor(bytes.length / 960) }, (_, at) => {
    const frame = Float32Array.from(
      { length: 480 },
      (_, sample) => bytes.readInt16LE(at * 960 + sample * 2) / 32_768,
    )
    return Uint8Array.from(encoder.encode(frame, false)!.packet)
  })
}

/** Two frames of one length, in an odd number of bytes. */
const noOpus = Uint8Array.of(0x49, 1, 2, 3)

/** What is sent at once by somebody who was held up: of a longer burst some would be dropped as a flood. */
const maxAtOnce = 10

/** As a microphone does. */
async function say(peer: LeanPeer, packets: readonly Uint8Array[], packetMs = 20): Promise<void> {
  let beganMs = performance.now()
  for (let sent = 0; sent < packets.length; ) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    const nowMs = performance.now()
    beganMs = Math.max(beganMs, nowMs - (sent + maxAtOnce) * packetMs)
    const due = Math.min(packets.length, Math.floor((nowMs - beganMs) / packetMs))
    for (; sent < due; sent++) peer.sendAudio(packets[sent]!, 48 * packetMs * sent)
  }
}

async function typed(call: PeerCall): Promise<void> {
  const from = call.events.length
  const content = [{ type: 'input_text', text: 'سلام' }]
  call.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
  call.send({ type: 'response.create', response: { output_modalities: ['text'] } })
  expect((await call.event('response.done', from)).response.status).toBe('completed')
}

const rowOf = async (name: string): Promise<CallRow> => {
  const text = 'select * from realtime.calls where call_id = $1'
  const [row] = await world.app.db.query<CallRow>({ text }, [callIdOf(name)])
  return row!
}

/** The id of a call that is over. */
async function hungUpAnother(): Promise<string> {
  await using call = await begin()
  await onceEnded(() => key.post(`${calls}/${call.id}/hangup`, {}))
  return call.id
}

// The last test ends the process.
describe('a call over WebRTC in a process of its own', { shuffle: false }, () => {
  test('is begun, heard, answered aloud and in words, and hung up through processes of the API that hold none', async () => {
    await using call = await begin()
    expect((await call.event('session.created')).session).toMatchObject({ model: 'sandbox/realtime' })
    const [host] = await world.app.db.query<{ process_id: string }>(
      { text: 'select process_id from realtime.processes' },
      [],
    )
    expect((await rowOf(call.id)).process_id).toBe(host!.process_id)
    const gauge = 'kherad_realtime_calls{engine="pipeline",transport="webrtc"} 1'
    expect(await (await fetch(`${voice.url}/metrics`)).text()).toContain(gauge)

    // Whoever is held up within a word has not said all.
    const turn_detection = { type: 'server_vad', silence_duration_ms: 5_000 }
    call.send({ type: 'session.update', session: { type: 'realtime', audio: { input: { turn_detection } } } })
    await call.event('session.updated')
    await say(call.peer, await speech('hello hello'))
    const heard = await call.event('conversation.item.input_audio_transcription.completed')
    expect(heard.transcript.toLowerCase()).toContain('hello')
    await call.event('output_audio_buffer.started')
    expect((await call.event('response.done')).response.status).toBe('completed')
    expect(call.sound()).toBeGreaterThan(25)
    await typed(call)
    expect((await key.get(`${calls}/${call.id}`)).body).toMatchObject({ status: 'active' })

    const gone = await onceEnded(() => key.post(`${calls}/${call.id}/hangup`, {}))
    expect(gone.body).toMatchObject({ status: 'ended', reason: 'client', pending: false, turns: 2 })
    // At once, and not at its next tick. Of a process that this machine keeps from answering in two seconds another call is hung up.
    for (let { id } = call; (await rowOf(id)).end_asked_at !== null; ) id = await hungUpAnother()
    expect(await call.event('kherad.ending')).toMatchObject({ reason: 'client', seconds: 0 })
    await call.closed
    const { body: record } = await key.get(`${calls}/${call.id}`)
    expect(record).toMatchObject({ status: 'ended', reason: 'client', transport: 'webrtc', turns: 2 })
    const { body: receipt } = await key.receipt(record.request_id)
    const { steps, call: facts } = receipt.details
    expect(facts).toMatchObject({ id: call.id, reason: 'client', transport: 'webrtc', turns: 2 })
    expect(new Set(steps.map(({ step }: { step: string }) => step))).toEqual(
      new Set(['transcription', 'text', 'speech']),
    )
    const sum = steps.reduce((all: number, step: { microcredits: number }) => all + step.microcredits, 0)
    expect(sum).toBeGreaterThan(0)
    expect(receipt).toMatchObject({ state: 'completed', microcredits: String(sum) })
    expect((await world.balance()).held).toBe(0n)
  })

  test('ends within a tick of its revoked key, and at once where what is said is no Opus; each client is told why', async () => {
    const own = await world.key()
    await using revoked = await begin(new Client(api.url, own.secret, own.keyId))
    await using wrong = await begin()
    await revoked.event('session.created')
    await wrong.event('session.created')
    await world.app.db.tx((tx) => revokeKey(tx, own.keyId, new Date()))
    await say(
      wrong.peer,
      Array.from({ length: 60 }, () => noOpus),
      40,
    )
    for (const [call, reason] of [
      [wrong, 'failed'],
      [revoked, 'revoked'],
    ] as const) {
      expect(await call.event('kherad.ending')).toMatchObject({ reason, seconds: 0 })
      await call.closed
      // Settled behind its last words.
      const record = await until(async () => {
        const { body } = await key.get(`${calls}/${call.id}`)
        return body.status === 'ended' ? body : undefined
      })
      expect(record).toMatchObject({ reason, credits: 0 })
    }
  })

  test('goes on at a stop; a second signal ends its process at once, and another one settles it for what was done', async () => {
    await using call = await begin()
    await typed(call)
    voice.child.kill('SIGTERM')
    expect(await call.event('kherad.ending')).toMatchObject({ reason: 'stopped', seconds: 118 })
    await typed(call)
    expect((await key.post(calls, { sdp: 'v=0', model: 'sandbox/realtime' })).status).toBe(503)
    // What comes within a second is an echo of the first.
    await until(() => voice.child.kill('SIGTERM') === false || voice.child.exitCode !== null)
    expect(voice.child.exitCode).toBe(130)
    const row = await until(async () => {
      const { ended_at: endedAt, ...rest } = await rowOf(call.id)
      return endedAt ? rest : undefined
    })
    expect(row.reason).toBe('failed')
    expect(row.charged).toBeGreaterThan(0n)
    expect((await world.balance()).held).toBe(0n)
    expect((await key.get(`${calls}/${call.id}`)).body).toMatchObject({ status: 'ended', reason: 'failed' })
  })
})
