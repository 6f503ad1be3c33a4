/** The engine `passthrough`: a vendor that talks with the caller directly, what it is paid for, and that it is hung up. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { CallRow } from '#engine/realtime'
import type { Client, Seen } from '../harness/client.ts'
import { startProcess } from '../harness/processes.ts'
import { until } from '../harness/until.ts'
import { openAiUsage } from '../harness/voice-wires.ts'
import { boot, MovableClock, quietEnvironment, type World } from '../harness/world.ts'
import { LeanPeer } from '../webrtc/lean-peer.ts'
import { offer } from './offer.ts'
import { openVendor, type Vendor, type VendorCall } from './passthrough-vendor.ts'
import { connect } from './socket-call.ts'

let vendor: Vendor
let world: World
let clock: MovableClock

// Nobody can listen there: such calls need no port of this machine.
const config = (url: string): string => `
voice: { capacity: 4, calls_per_key: 4, idle_seconds: 60 }
webrtc: { listen: [203.0.113.1], ports: [0, 0] }
providers:
  - { id: talk, base_url: "${url}", api_key: upstream-secret, dialects: [realtime] }
  - { id: gone, base_url: "http://127.0.0.1:9/v1", api_key: upstream-secret, dialects: [realtime] }
models:
  - id: acme/direct
    kind: realtime
    engine: passthrough
    deployments: [{ provider: gone, model: voice-0 }, { provider: talk, model: voice-1, priority: 1 }]
    realtime: { voices: [marin], transcription_model: ears-1, max_input_tokens: 1000, max_output_tokens: 200 }
    pricing: { text_input_per_million: 1, audio_input_per_million: 2, cached_text_input_per_million: 0.5,
        cached_audio_input_per_million: 1, text_output_per_million: 4, audio_output_per_million: 8, transcription_per_minute: 0.00006 }
`

beforeAll(async () => {
  vendor = await openVendor()
  clock = new MovableClock()
  world = await boot({
    clock,
    credits: 100_000,
    config: config(vendor.sockets.url),
    env: { KHERAD_LEASE_MS: '6000' },
  })
})
afterEach(async () => {
  await until(() => world.app.realtime.busy === 0, 30_000)
  vendor.reset()
  clock.moveMs(1)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await vendor[Symbol.asyncDispose]()
})

const calls = '/v1/realtime/calls'
const model = 'acme/direct'
/** Of a response in micro-credits: `[]`, 1,000 tokens at the price of sound, 200 of spoken sound. */
const worst = 2_000 + 2_000_000 + 1_600_000
/** 59 + 60 cached tokens of text, 9 + 4 cached of sound; 30 of text and 91 of sound come out. */
const response = 59_000 + 30_000 + 18_000 + 4_000 + 120_000 + 728_000

const create = (key: Client, more: object = {}, sdp = offer): Promise<Seen> =>
  key.post(calls, { sdp, model, ...more })

/** A caller that is connected to the vendor, and what the vendor knows of it. */
async function talk(key: Pick<Client, 'post'>, more: object = {}) {
  const came = { packets: 0, texts: [] as string[] }
  let made: Seen | undefined
  const peer = await LeanPeer.connect({
    answer: async (sdp) => {
      made = await create(key as Client, more, sdp)
      expect(made.status).toBe(201)
      return made.body.sdp
    },
    audio: () => void came.packets++,
    text: (text) => void came.texts.push(text),
  })
  const call = await vendor.call(vendor.calls.length - 1)
  return { peer, call, came, created: made!.body, id: made!.body.id as string }
}
async function ended(key: Client, id: string) {
  const record = async () => (await key.get(`${calls}/${id}`)).body
  await until(async () => (await record()).status === 'ended', 30_000)
  const { body } = await key.receipt((await record()).request_id)
  return { record: await record(), receipt: body, steps: body.details.steps }
}
const rowOf = async (requestId: string): Promise<CallRow> =>
  world.app.db.kysely
    .selectFrom('realtime.calls')
    .selectAll()
    .where('receipt_id', '=', requestId)
    .executeTakeFirstOrThrow()
const isHungUp = async (call: VendorCall, requestId: string): Promise<boolean> =>
  call.hangUps > 0 && (await rowOf(requestId)).upstream_call === null

test('caller and vendor talk past this server; each response is charged by its tokens, and DELETE hangs up at the vendor', async () => {
  const key = await world.key()
  const { peer, call, came, created, id } = await talk(key, { instructions: 'کوتاه' })
  await using _peer = peer
  expect(created).toMatchObject({ engine: 'passthrough', model })
  expect(call.session).toMatchObject({
    ...{ type: 'realtime', model: 'voice-1', instructions: 'کوتاه', max_output_tokens: 200 },
    truncation: { token_limits: { post_instructions: 1_000 } },
    audio: {
      input: { turn_detection: { type: 'semantic_vad' }, transcription: { model: 'ears-1' } },
      output: { voice: 'marin' },
    },
  })
  expect(await rowOf(created.request_id)).toMatchObject({
    ...{ upstream_call: call.id, upstream_provider: 'talk', status: 'starting' },
  })
  peer.sendAudio(new Uint8Array(40), 960)
  call.peer.sendAudio(new Uint8Array(40), 960)
  await until(() => call.heard > 0 && came.packets > 0)
  const item = { item_id: 'item_1' }
  call.tell({ type: 'input_audio_buffer.speech_started', ...item, audio_start_ms: 1_000 })
  call.tell({ type: 'input_audio_buffer.speech_stopped', ...item, audio_end_ms: 3_500 })
  call.tell({ type: 'conversation.item.input_audio_transcription.completed', ...item, transcript: 'سلام' })
  peer.sendText('{"type":"response.create"}')
  await until(() => came.texts.some((text) => text.includes('response.done')))
  await until(async () => (await key.get(`${calls}/${id}`)).body.status === 'active')
  expect((await key.delete(`${calls}/${id}`)).status).toBe(200)
  const { record, receipt, steps } = await ended(key, id)
  expect(record).toMatchObject({ engine: 'passthrough', reason: 'client', turns: 1 })
  expect(steps).toHaveLength(2)
  expect(steps).toContainEqual(
    expect.objectContaining({ step: 'transcription', microcredits: 2_500, quantities: { seconds: 3 } }),
  )
  expect(steps).toContainEqual({
    ...{ step: 'response', model, microcredits: response },
    quantities: expect.objectContaining({ input_tokens: 132, cached_tokens: 64, audio_output_tokens: 91 }),
  })
  expect(receipt).toMatchObject({ state: 'completed', microcredits: String(response + 2_500) })
  await until(() => isHungUp(call, created.request_id))
  expect(world.app.realtime.codecs.open).toBe(0)
})
