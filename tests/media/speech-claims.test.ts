/** Sound that is no reading of its text: whatever its wire and its unit of price, a multiple of what was held is believed, and slow speech is whole. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Seen } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { done, type FakeUpstream, fakeUpstream, json, type Script, stream } from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'
import { type Explained, explained, requestIdOf } from '../text/chat-world.ts'

/** 0.06 USD a minute is a credit a second; 1 USD a million tokens of text and 10 of sound are 1,000 and 10,000 micro-credits a token. */
const byMinute = 'pricing: { per_minute: 0.06 }'
const byTokens = 'pricing: { input_per_million: 1, output_per_million: 10 }'
const voices = 'voices: [{ id: alloy }, { id: nova }]'
const wires = ['speech', 'openrouter', 'elevenlabs', 'gemini'] as const
const modelOf = (id: string, provider: string, audio: string, pricing: string) => `
  - id: test/${id}
    kind: audio
    deployments: [{ provider: ${provider}, model: ${id} }]
    audio: { ${voices}, formats: [pcm], ${audio} }
    ${pricing}`
const configOf = (url: string) => `
providers:
  - { id: modalities, base_url: ${url}, api_key: upstream-secret, dialects: [modalities] }
${wires.map((wire) => `  - { id: ${wire}, base_url: ${url}, api_key: upstream-secret, dialects: [${wire}] }`).join('\n')}
models:
${wires.map((wire) => modelOf(wire, wire, 'does: [speech]', byMinute)).join('')}
${modelOf('slow', 'speech', 'instructions: true, speed: [0.25, 4]', byMinute)}
${modelOf('dialogue', 'elevenlabs', 'does: [speech, dialogue]', byMinute)}
${modelOf('parts', 'speech', 'max_characters: 100', byMinute)}
${modelOf('characters', 'speech', 'does: [speech]', 'pricing: { per_million_characters: 1000 }')}
${modelOf('estimated', 'speech', 'does: [speech]', byTokens)}
${modelOf('counted', 'gemini', 'does: [speech]', byTokens)}
${modelOf('answer', 'modalities', 'does: [answer]', byTokens)}
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

let upstream: FakeUpstream
let world: World
let key: Client
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  upstream = stack.use(await fakeUpstream())
  world = stack.use(await sharedWorld({ config: configOf(upstream.url), credits: 1_000_000 }))
  key = await world.key()
})
afterAll(() => stack.disposeAsync())

const samples = (seconds: number): Buffer => Buffer.alloc(Math.round(seconds * 48_000), 7)
const sound = (seconds: number): Script => stream([samples(seconds)], { 'content-type': 'audio/pcm' })
const ofGemini = (seconds: number, usageMetadata?: object): Script => {
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: samples(seconds).toString('base64') }
  const candidate = { content: { parts: [{ inlineData }] }, finishReason: 'STOP' }
  return json(200, { candidates: [candidate], ...(usageMetadata && { usageMetadata }) })
}

interface Receipt extends Explained {
  details: Explained['details'] & { claims?: Record<string, unknown>[]; sound: { seconds: number } }
}
// Without loss: encoding minutes as mp3 takes longer than all else here.
async function spoken(body: Record<string, unknown>): Promise<{ reply: Seen; receipt: Receipt }> {
  const reply = await key.post('/v1/studio/audio', { text: 'سلام', format: 'wav', ...body })
  expect(reply.status, reply.text.slice(0, 500)).toBe(200)
  await world.settled()
  return { reply, receipt: (await explained(key, requestIdOf(reply))) as Receipt }
}
async function alarms(deployment: string): Promise<number> {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  const name = `kherad_upstream_disbelieved_total{deployment="${deployment}",what="seconds"}`
  const line = text.split('\n').find((one) => one.startsWith(name))
  return Number(line?.split(' ').at(-1) ?? 0)
}
const credits = (count: number): string => String(count * 1_000_000)

describe.each(wires)('over the wire %s', (wire) => {
  const script = (seconds: number) => (wire === 'gemini' ? ofGemini(seconds) : sound(seconds))
  const deployment = `${wire}/${wire}`

  test('thirty seconds for «سلام» are charged as eight, twice what was held; claim and belief are on the receipt, and it is alarmed', async () => {
    upstream.replyOnce(script(30))
    const before = await alarms(deployment)
    const { receipt } = await spoken({ model: `test/${wire}` })
    expect(receipt).toMatchObject({ microcredits: credits(8), details: { sound: { seconds: 30 } } })
    expect(receipt.details.claims).toMatchObject([
      { deployment, claimed: { seconds: 30 }, believed: { seconds: 8 } },
    ])
    expect(await alarms(deployment)).toBe(before + 1)
  })

  test('a word that is drawn out for as long as is held, and longer, is charged as it came', async () => {
    upstream.replyOnce(script(7.5))
    const before = await alarms(deployment)
    const { receipt } = await spoken({ model: `test/${wire}` })
    expect(receipt.microcredits).toBe(credits(8))
    expect(receipt.details.claims).toBeUndefined()
    expect(await alarms(deployment)).toBe(before)
  })
})

describe('slow speech is charged as it came', () => {
  const sentence = 'توانا بود هر که دانا بود.'

  test.each<[string, Record<string, unknown>, number]>([
    // 25 letters: eleven seconds are held.
    ['a reading at a letter and a half a second', { text: sentence }, 17],
    ['with pauses that the instructions ask for', { text: sentence, instructions: 'آرام، با مکث' }, 40],
    // Figures are read as words: these are held as 92 letters.
    ['numbers', { text: '۹۹۹ ۹۹۹ ۹۹۹' }, 60],
  ])('%s', async (_, body, seconds) => {
    upstream.replyOnce(sound(seconds))
    const { receipt } = await spoken({ model: 'test/slow', ...body })
    expect(receipt.microcredits).toBe(credits(seconds))
    expect(receipt.details.claims).toBeUndefined()
  })

  test('a quarter of the pace that was asked for', async () => {
    upstream.replyOnce(sound(80))
    const body = { model: 'test/slow', voice: 'alloy', input: sentence, speed: 0.25 }
    const reply = await key.raw('POST', '/v1/audio/speech', JSON.stringify(body))
    expect(reply.status).toBe(200)
    await reply.arrayBuffer()
    await world.settled()
    const receipt = (await explained(key, reply.headers.get('x-request-id')!)) as Receipt
    expect(receipt.microcredits).toBe(credits(80))
    expect(receipt.details.claims).toBeUndefined()
  })

  test('instructions have a bound too, four times what is held', async () => {
    upstream.replyOnce(sound(30))
    const { receipt } = await spoken({ model: 'test/slow', instructions: 'آرام' })
    expect(receipt.microcredits).toBe(credits(16))
    expect(receipt.details.claims).toMatchObject([{ claimed: { seconds: 30 }, believed: { seconds: 16 } }])
  })

  test('a dialogue in one order: each line has its own time', async () => {
    const turns = Array.from({ length: 4 }, (_, at) => ({ text: 'سلام', voice: at % 2 ? 'alloy' : 'nova' }))
    upstream.replyOnce(sound(25))
    const slow = await spoken({ model: 'test/dialogue', text: undefined, turns })
    expect(slow.receipt.microcredits).toBe(credits(25))
    expect(slow.receipt.details.claims).toBeUndefined()
    upstream.replyOnce(sound(60))
    const endless = await spoken({ model: 'test/dialogue', text: undefined, turns })
    // 16 letters and four lines: 14 seconds are held.
    expect(endless.receipt.microcredits).toBe(credits(28))
  })

  test('a text in parts: one bound for all of them', async () => {
    const text = 'این یک جملهٔ آزمایشی است که باید خوانده شود. '.repeat(5).trim()
    upstream.reply(sound(30))
    const { receipt } = await spoken({ model: 'test/parts', text })
    upstream.reset()
    expect(receipt.details.sound.seconds).toBe(90)
    expect(receipt.microcredits).toBe(credits(90))
    expect(receipt.details.claims).toBeUndefined()
  })
})

describe('whatever the price is by', () => {
  test('by characters no second costs anything, and the claim stands on the receipt all the same', async () => {
    upstream.replyOnce(sound(30))
    const { receipt } = await spoken({ model: 'test/characters' })
    expect(receipt.microcredits).toBe(credits(4))
    expect(receipt.details.claims).toMatchObject([{ claimed: { seconds: 30 }, believed: { seconds: 8 } }])
  })

  test('tokens that are estimated are those of the seconds that are believed', async () => {
    upstream.replyOnce(sound(30))
    const { receipt } = await spoken({ model: 'test/estimated' })
    expect(receipt.microcredits).toBe(String(2n * 1_000n + 8n * 25n * 10_000n))
  })

  test('tokens that are counted are believed as far as those seconds can have them', async () => {
    upstream.replyOnce(ofGemini(30, { promptTokenCount: 4, candidatesTokenCount: 750 }))
    const { receipt } = await spoken({ model: 'test/counted' })
    expect(receipt.microcredits).toBe(String(4n * 1_000n + 400n * 10_000n))
    expect(receipt.details.claims).toMatchObject([
      { claimed: { output: 750, seconds: 30 }, believed: { output: 400, seconds: 8 } },
    ])
  })

  test.each<[string, object]>([
    ['zeros', { promptTokenCount: 0, candidatesTokenCount: 0 }],
    ['negative', { promptTokenCount: -4, candidatesTokenCount: -50 }],
    ['words', { promptTokenCount: '4', candidatesTokenCount: '50' }],
    ['nothing', {}],
  ])('speech that is counted as %s is charged by estimate', async (_, usage) => {
    upstream.replyOnce(ofGemini(2, usage))
    const { receipt } = await spoken({ model: 'test/counted' })
    expect(receipt.microcredits).toBe(String(2n * 1_000n + 50n * 10_000n))
  })
})

describe('an answer to a recording', () => {
  const answerOf = (seconds: number, usage: object): Script =>
    stream([
      { choices: [{ index: 0, delta: { audio: { data: samples(seconds).toString('base64') } } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
      done,
    ])
  const head = Buffer.from(
    'RIFF....WAVEfmt ....\x01\0\x01\0\xc0\x5d\0\0\x80\xbb\0\0\x02\0\x10\0data....',
    'latin1',
  )
  const recording = Buffer.concat([head, samples(1)])
  for (const [at, value] of [
    [4, recording.length - 8],
    [16, 16],
    [40, recording.length - 44],
  ] as const)
    recording.writeUInt32LE(value, at)
  const audioInput = { audioBase64: recording.toString('base64'), mediaType: 'audio/wav' }
  const ask = () => spoken({ model: 'test/answer', text: undefined, audioInput })

  test('is charged at the limit that was sent, however long it sounds and whatever is claimed', async () => {
    upstream.replyOnce(answerOf(20, { prompt_tokens: 40, completion_tokens: 1e6 }))
    const { receipt } = await ask()
    expect(upstream.calls.at(-1)!.body).toMatchObject({ max_completion_tokens: 15_000 })
    expect(receipt.microcredits).toBe(String(40n * 1_000n + 15_000n * 10_000n))
    expect(receipt.details.claims).toMatchObject([{ claimed: { output: 1e6 }, believed: { output: 15_000 } }])
  })

  test('is never free: where its tokens are zero they are those of its sound', async () => {
    upstream.replyOnce(answerOf(4, { prompt_tokens: 40, completion_tokens: 0 }))
    const { receipt } = await ask()
    expect(receipt.microcredits).toBe(String(40n * 1_000n + 100n * 10_000n))
    expect(receipt.details.claims).toMatchObject([{ claimed: { output: 0 }, believed: { output: 100 } }])
  })
})
