/** Calls that a server is in the middle of: what may have been worked on is charged at its hold, what would have been stored is lost and free. */
import { expect } from 'vitest'
import { encodeWhole } from '#core/sound'
import { readUntil } from '../../harness/read-until.ts'
import { until } from '../../harness/until.ts'
import { chunk, json, stream } from '../../harness/upstream.ts'
import { version } from '../../text/messages-world.ts'
import { says, call as toolCall } from '../../text/scripted-answer.ts'
import { connect } from '../../voice/socket-call.ts'
import { agentOf, run } from '../../work/agents-world.ts'
import { breaksOff, expectLost } from '../lost.ts'
import { costOf } from './configuration.ts'
import { credits, type Ended, type Family, never, once, type Place } from './scene.ts'

interface Request {
  path: string
  body: Record<string, unknown>
  headers?: Record<string, string>
}

/** The call has one receipt, charged at its hold; its key says for good that it was accepted, and sends nothing. */
async function expectAmbiguous(at: Place, held: bigint, { path, body, headers }: Request): Promise<Ended> {
  const asked = at.calls.length
  await until(async () => (await at.held()) === 0n)
  const [receipt, ...more] = await at.site.receipts(at.person)
  expect(more).toEqual([])
  expect(receipt).toMatchObject({ state: 'failed', ambiguous: true, held, charged: held })
  const repeat = await at.client.post(path, body, { ...once, ...headers })
  expect([repeat.status, repeat.headers.get('x-should-retry')], repeat.text).toEqual([409, 'false'])
  expect(repeat.text).toContain(receipt!.receipt_id)
  expect(at.calls).toHaveLength(asked)
  return { charged: held, lost: 0n }
}

/** An answer of a text model that the upstream does not give. */
const textCall = (name: string, requestOf: (prompt: string) => Request): Family => ({
  name,
  async begin(at) {
    const request = requestOf(at.person.account)
    const broken = breaksOff(at.client.post(request.path, request.body, { ...once, ...request.headers }))
    await until(() => at.calls.length === 1)
    const held = await at.held()
    return {
      async ends() {
        await broken
        expect(held).toBeGreaterThan(0n)
        expect(at.calls).toHaveLength(1)
        return expectAmbiguous(at, held, request)
      },
    }
  },
})

const messagesOf = (content: string) => [{ role: 'user', content }]

const streamedChat: Family = {
  name: 'a chat whose stream is half read',
  async begin(at) {
    const path = '/v1/chat/completions'
    const body = { stream: true, max_tokens: 100, messages: messagesOf(at.person.account) }
    at.hanging = stream([chunk({ role: 'assistant', content: '' }), chunk({ content: 'half' }), never])
    const reply = await at.client.raw('POST', path, JSON.stringify(body), once)
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
    await readUntil(reader, 'half')
    const broken = breaksOff(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    )
    const held = await at.held()
    return {
      async ends() {
        await broken
        expect(at.calls).toHaveLength(1)
        return expectAmbiguous(at, held, { path, body })
      },
    }
  },
}

const handsOff = toolCall('c1', 'request_handoff', { reason: 'Wants a human.', summary: 'Nothing was said.' })

/** Its first answer hands off, which is reported; the server is killed in the call that follows. */
const agentRun: Family = {
  name: 'a run of an agent that has reported an event',
  async begin(at) {
    const agent = await agentOf(at.client)
    const input = at.person.account
    const isFirst = (call: object) => (at.calls as object[]).indexOf(call) === 0
    at.hangs = (call) => !isFirst(call)
    at.answers = (call) => says('chat', isFirst(call) ? { calls: [handsOff] } : { text: 'Done.' }, call)
    const broken = breaksOff(run(at.client, agent, { input }, once))
    await until(() => at.calls.length === 2)
    const held = await at.held()
    const reported = () =>
      at.query(`select from events.outbox where account_id = $1 and type = 'agent.handoff'`, [
        at.person.account,
      ])
    return {
      async ends() {
        await broken
        const ended = await expectAmbiguous(at, held, { path: `${agent}/runs`, body: { input } })
        expect(at.calls).toHaveLength(2)
        expect(await reported()).toHaveLength(1)
        return ended
      },
    }
  },
}

interface Order extends Request {
  /** The price in micro-credits; absent: whatever was held. */
  price?: bigint
  /** Calls upstream of which the last is under way; one when absent. */
  calls?: number
}

/** A call whose result would be stored, or is of no use to anybody: free, and the platform's loss. */
const order = (name: string, orderOf: (at: Place) => Order): Family => ({
  name,
  async begin(at) {
    const { path, body, calls = 1, ...known } = orderOf(at)
    const broken = breaksOff(at.client.post(path, body, once))
    await until(() => at.calls.length === calls)
    const held = await at.held()
    return {
      async ends() {
        await broken
        const price = known.price ?? held
        expect(price).toBeGreaterThan(0n)
        const restarted = at.scene.server
        await expectLost(at.site, at.person, { path, body, price, headers: once, credits, restarted })
        expect(at.calls).toHaveLength(calls)
        return { charged: 0n, lost: price }
      },
    }
  },
})

/** A second and a half of a tone, as WAV. */
async function recording(level: number): Promise<Buffer> {
  const samples = Float32Array.from({ length: 24_000 }, (_, at) => level * Math.sin(at / 9))
  const { bytes } = await encodeWhole([{ rate: 16_000, samples }], { format: 'wav', maxBytes: 1e6 })
  return Buffer.from(bytes)
}
/** Upstream they are known by their bytes: no text of the test goes with them. */
const [alone, answered] = [await recording(0.3), await recording(0.2)]
const inBase64 = (wav: Buffer) => ({ audioBase64: wav.toString('base64'), mediaType: 'audio/wav' })

/** A recording that is answered in speech: transcribed, then answered, then spoken. */
const spokenAnswer = order('an answer to a recording whose text is written', (at) => {
  at.marks.push(answered)
  at.hangs = ({ path }) => path.endsWith('/chat/completions')
  const transcript = { text: `${at.person.account} سلام`, usage: { type: 'duration', seconds: 2 } }
  at.answers = () => json(200, transcript)
  const body = { model: 'test/voice', format: 'wav', audioInput: inBase64(answered) }
  return { path: '/v1/studio/audio', body, calls: 2 }
})

/** Of which one answer was given, and the second is being written. */
const realtimeCall: Family = {
  name: 'a realtime call in its second answer',
  async begin(at) {
    at.hangs = (call) => at.calls.indexOf(call) > 0
    const call = await connect(at.client, at.person.secret, { query: '?model=test/talk' })
    const ask = () => {
      const content = [{ type: 'input_text', text: at.person.account }]
      call.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
      call.send({ type: 'response.create', response: { output_modalities: ['text'] } })
    }
    ask()
    await call.event('response.done')
    const steps = (which: string) =>
      at.query<{ worst: bigint }>(
        `select worst from realtime.steps where account_id = $1 and cost ${which}`,
        [at.person.account],
      )
    await until(async () => (await steps('is not null')).length === 1)
    ask()
    await until(() => at.calls.length === 2)
    const [open, ...more] = await steps('is null')
    return {
      async ends() {
        await call.closed
        expect(more).toEqual([])
        const calls = async () => (await at.client.get('/v1/realtime/calls')).body.data
        await until(async () => (await calls())[0].status === 'ended')
        expect(await calls()).toMatchObject([{ reason: 'failed' }])
        await until(async () => (await at.held()) === 0n)
        expect(at.calls).toHaveLength(2)
        return { charged: costOf(at.calls[0]!.usage) + open!.worst, lost: 0n }
      },
    }
  },
}

export const callFamilies: Family[] = [
  textCall('a chat', (prompt) => ({
    path: '/v1/chat/completions',
    body: { max_tokens: 100, messages: messagesOf(prompt) },
  })),
  streamedChat,
  textCall('a Responses call', (prompt) => ({
    path: '/v1/responses',
    body: { model: 'test/model', input: prompt, max_output_tokens: 100 },
  })),
  textCall('a Messages call', (prompt) => ({
    path: '/v1/messages',
    body: { model: 'test/model', max_tokens: 100, messages: messagesOf(prompt) },
    headers: version,
  })),
  textCall('a text of the studio', (prompt) => ({
    path: '/v1/studio/text',
    body: { prompt, maxOutputTokens: 128 },
  })),
  agentRun,
  order('a picture', ({ person }) => ({
    path: '/v1/images/generations',
    body: { model: 'test/painter', prompt: `${person.account} a cat` },
    price: 40_000_000n,
  })),
  order('speech', ({ person }) => ({
    path: '/v1/studio/audio',
    body: { model: 'test/voice', text: `${person.account} سلام`, format: 'wav' },
    // A UUID, a space and a word.
    price: 15_000n * 41n,
  })),
  order('a transcription', (at) => {
    at.marks.push(alone)
    const body = { model: 'test/scribe', ...inBase64(alone) }
    // A second that has begun counts.
    return { path: '/v1/audio/transcriptions', body, price: 2_000_000n }
  }),
  spokenAnswer,
  order('vectors', ({ person }) => ({
    path: '/v1/embeddings',
    body: { model: 'test/near', input: person.account },
  })),
  realtimeCall,
]
