/** What a card says of routes is what they do: every model of the sandbox is asked on every route that answers with models. */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOfPeople } from '#platform/http'
import { routes } from '../../src/capabilities.ts'
import type { Client } from '../harness/client.ts'
import { formOf } from '../harness/form.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import type { World } from '../harness/world.ts'
import { connect, Refused } from '../voice/socket-call.ts'

let world: World
let key: Client
let cards: { id: string; kind: string; routes: string[] }[]
beforeAll(async () => {
  world = await sharedWorld({ config: '', credits: 10_000 })
  key = await world.key()
  cards = (await key.get('/v1/models')).body.data
})
afterAll(() => world[Symbol.asyncDispose]())

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
type Answer = { status: number; body: any }

const prompt = 'hello [[sandbox: tokens=3]]'
const messages = [{ role: 'user', content: prompt }]
const anthropic = { 'anthropic-version': '2023-06-01' }
/** Its vendor refuses it, so that none is made. */
const film = { prompt: 'hello [[sandbox: refuse]]' }
const size = '512x512'

/** Half a second of silence at 16 kHz. */
function wav(): string {
  const bytes = Buffer.alloc(44 + 16_000)
  bytes.write('RIFF\0\0\0\0WAVEfmt ', 'latin1')
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(16_000, 24)
  bytes.writeUInt32LE(32_000, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36, 'latin1')
  bytes.writeUInt32LE(16_000, 40)
  return bytes.toString('base64')
}

const bodies: Record<string, (kind: string) => object> = {
  '/v1/chat/completions': () => ({ messages }),
  '/v1/responses': (kind) => ({
    input: prompt,
    ...(kind === 'image' && { tools: [{ type: 'image_generation', size }] }),
  }),
  '/v1/embeddings': () => ({ input: 'hello' }),
  '/v1/images/generations': () => ({ prompt: 'hello', size }),
  '/v1/images': () => ({ prompt: 'hello', size }),
  '/v1/audio/speech': () => ({ input: 'hello' }),
  '/v1/audio/transcriptions': () => ({ audioBase64: wav(), mediaType: 'audio/wav' }),
  '/v1/studio/text': () => ({ prompt, maxOutputTokens: 128 }),
  '/v1/studio/image': () => ({ prompt: 'hello', size }),
  '/v1/studio/audio': () => ({ text: 'hello', format: 'pcm' }),
  '/v1/studio/video': () => film,
  '/v1/videos': () => film,
}

/** Routes that are asked otherwise than by one body of JSON. */
const others: Record<string, (model: string, kind: string) => Promise<Answer>> = {
  '/v1/messages': (model) => key.post('/v1/messages', { model, messages, max_tokens: 20 }, anthropic),
  '/v1/messages/batches': (model) => {
    const requests = [{ custom_id: 'a', params: { model, messages, max_tokens: 20 } }]
    return key.post('/v1/messages/batches', { requests }, anthropic)
  },
  '/v1/images/edits': async (model) => {
    const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const image = { bytes, name: 'a.png', type: 'image/png', part: 'image' }
    const form = formOf(image, { model, prompt: 'hello', size })
    return key.request('POST', '/v1/images/edits', form.body, form.headers)
  },
  '/v1/audio/translations': (model) => {
    const file = { bytes: Buffer.from(wav(), 'base64'), name: 'a.wav', type: 'audio/wav', part: 'file' }
    const form = formOf(file, { model })
    return key.request('POST', '/v1/audio/translations', form.body, form.headers)
  },
  '/v1/realtime': async (model, kind) => {
    const query = `?model=${model}${kind === 'transcription' ? '&intent=transcription' : ''}`
    try {
      {
        // A key has two calls at a time.
        await using call = await connect(world, (await world.key()).secret, { query })
        await call.event('session.created')
      }
      // A process holds eight calls.
      await until(() => world.app.realtime.busy === 0)
      return { status: 101, body: {} }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return error
    }
  },
  '/v1/agents/{id}/runs': async (model) => {
    const agent = await key.post('/v1/agents', { name: 'a', model })
    return agent.status === 201 ? key.post(`/v1/agents/${agent.body.id}/runs`, { input: prompt }) : agent
  },
  '/v1/work': async (model) => {
    const run = await key.post('/v1/work', { kind: 'code', input: `${prompt} and more`, model })
    if (run.status === 202) await key.post(`/v1/work/${run.body.id}/cancel`, {})
    return run
  },
}

const ask = (path: string, { id, kind }: { id: string; kind: string }): Promise<Answer> =>
  others[path]?.(id, kind) ?? key.post(path, { model: id, ...bodies[path]!(kind) })

/** Needs a server with a port of its own: tests/voice/create.test.ts. */
const elsewhere = '/v1/realtime/calls'
const served = [
  ...new Set(routes.flatMap((route) => (route.models && !isOfPeople(route) ? [route.path] : []))),
].filter((path) => path !== elsewhere)

test('a route that refuses models of another kind says which it serves, unless it only writes the name down or lists by it', () => {
  const silent = routes.filter(({ errors, models }) => errors.includes('MODEL_KIND_MISMATCH') && !models)
  expect(silent.map(({ operation }) => operation)).toEqual([
    'audio.voices',
    'realtime.clientSecret',
    'agents.create',
    'agents.change',
  ])
  expect(served.toSorted()).toEqual([...Object.keys(bodies), ...Object.keys(others)].toSorted())
})

test('the card of each kind names its routes, of text, agents and work too, and no edits of a model that takes no pictures', () => {
  const routesOf = (id: string) => cards.find((card) => card.id === id)!.routes
  expect(routesOf('sandbox/fast')).toEqual([
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/messages',
    '/v1/messages/batches',
    '/v1/realtime',
    '/v1/realtime/calls',
    '/v1/studio/text',
    '/v1/agents/{id}/runs',
    '/v1/work',
  ])
  const pictures = ['/v1/responses', '/v1/images/generations', '/v1/images/edits', '/v1/images']
  expect(routesOf('sandbox/image')).toEqual([...pictures, '/v1/studio/image'])
  expect(routesOf('sandbox/vector')).toEqual(
    routesOf('sandbox/image').filter((path) => path !== '/v1/images/edits'),
  )
  expect(routesOf('sandbox/speech')).toEqual(['/v1/audio/speech', '/v1/studio/audio'])
  expect(routesOf('sandbox/transcribe')).toEqual([
    '/v1/audio/transcriptions',
    '/v1/audio/translations',
    '/v1/realtime',
    '/v1/realtime/calls',
  ])
  expect(routesOf('sandbox/realtime')).toEqual(['/v1/realtime', '/v1/realtime/calls'])
  expect(routesOf('sandbox/video')).toEqual(['/v1/studio/video', '/v1/videos'])
  expect(routesOf('sandbox/embedding')).toEqual(['/v1/embeddings'])
})

describe.each(served)('%s', (path) => {
  test('answers with the models whose cards name it, and refuses all others for nothing', async () => {
    const [named, unnamed] = [true, false].map((is) =>
      cards.filter((card) => card.routes.includes(path) === is),
    )
    expect(named!.length).toBeGreaterThan(0)
    for (const card of named!) {
      const { status, body } = await ask(path, card)
      expect([card.id, status], JSON.stringify(body)).toEqual([card.id, expect.toSatisfy(isSuccess)])
    }
    // Batches, work and calls go on after their answer.
    const before = await until(async () => {
      await world.settled()
      const [balance, pending] = [await world.balance(), await isPending()]
      return !pending && balance.held === 0n ? balance : undefined
    })
    for (const card of unnamed!) {
      const answer = await ask(path, card)
      const { code } = answer.body.error
      // A model of the right kind is refused for what it cannot do.
      expect([card.id, code]).toEqual([
        card.id,
        expect.stringMatching(/^(MODEL_KIND_MISMATCH|IMAGE_SETTING_)/),
      ])
      expect(answer.status).toBe(400)
    }
    expect(await world.balance()).toEqual(before)
  })
})

/** Whether something of the routes that answer first and work then is under way. */
async function isPending(): Promise<boolean> {
  const { body } = await key.request('GET', '/v1/messages/batches', undefined, anthropic)
  const batches: { processing_status: string }[] = body.data
  return world.app.realtime.busy > 0 || batches.some((one) => one.processing_status !== 'ended')
}

const isSuccess = (status: number): boolean => status === 101 || (status >= 200 && status < 300)
