/** Calls that a server is in the middle of: what may have been worked on is charged at its hold, what would have been stored is lost and free. */
import { expect } from 'vitest'
import { agentOf, run } from '../../contract/agents-world.ts'
import { version } from '../../contract/messages-world.ts'
import { says, call as toolCall } from '../../contract/scripted-answer.ts'
import { readUntil } from '../../harness/read-until.ts'
import { until } from '../../harness/until.ts'
import { chunk, stream } from '../../harness/upstream.ts'
import { breaksOff, expectLost } from '../lost.ts'
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

/** An order whose result would be stored, at a price that the test knows. */
const order = (
  name: string,
  price: bigint | undefined,
  requestOf: (at: Place) => Request | Promise<Request>,
): Family => ({
  name,
  async begin(at) {
    const { path, body } = await requestOf(at)
    const broken = breaksOff(at.client.post(path, body, once))
    await until(() => at.calls.length === 1)
    const held = await at.held()
    return {
      async ends() {
        await broken
        const restarted = at.scene.server
        await expectLost(at.site, at.person, {
          ...{ path, body, headers: once, credits, restarted },
          price: price ?? held,
        })
        expect(at.calls).toHaveLength(1)
        return { charged: 0n, lost: price ?? held }
      },
    }
  },
})

/** A second and a half of a tone, as WAV. */
function recording(): string {
  const samples = 24_000
  const wav = Buffer.alloc(44 + 2 * samples)
  wav.write('RIFF')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    wav.writeUInt16LE(value, at)
  for (const [at, value] of [
    [24, 16_000],
    [28, 32_000],
    [40, 2 * samples],
  ] as const)
    wav.writeUInt32LE(value, at)
  wav.write('data', 36)
  for (let at = 0; at < samples; at++) wav.writeInt16LE(Math.round(8_000 * Math.sin(at / 9)), 44 + 2 * at)
  return wav.toString('base64')
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
  order('a picture', 40_000_000n, ({ person }) => ({
    path: '/v1/images/generations',
    body: { model: 'test/painter', prompt: `${person.account} a cat` },
  })),
  // A UUID, a space and a word.
  order('speech', 15_000n * 41n, ({ person }) => ({
    path: '/v1/studio/audio',
    body: { model: 'test/voice', text: `${person.account} سلام`, format: 'wav' },
  })),
  // A second that has begun counts.
  order('a transcription', 2_000_000n, (at) => {
    // Its body bears no text of ours, and no other family has recordings.
    at.mark = '/audio/transcriptions'
    const body = { model: 'test/scribe', audioBase64: recording(), mediaType: 'audio/wav' }
    return { path: '/v1/audio/transcriptions', body }
  }),
  order('vectors', undefined, ({ person }) => ({
    path: '/v1/embeddings',
    body: { model: 'test/near', input: person.account },
  })),
]
