/** The output limit of a Responses answer without `max_output_tokens`: the contract's 2,048, the server's default, or the key's. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Seen } from '../harness/client.ts'
import { type FakeUpstream, fakeUpstream } from '../harness/upstream.ts'
import { boot, upstreamConfig, type World } from '../harness/world.ts'
import { agentOf, run } from '../work/agents-world.ts'
import { explained, requestIdOf } from './chat-world.ts'
import { framed } from './responses-oracle.ts'
import { respond } from './responses-world.ts'
import { says } from './scripted-answer.ts'

async function bootWith(
  defaults: string,
  credits = 1_000,
): Promise<{ world: World; upstream: FakeUpstream }> {
  const upstream = await fakeUpstream()
  upstream.reply((call) => says('chat', { text: 'ok' }, call))
  const config = upstreamConfig(upstream.url).replace('markup: 1.0', `markup: 1.0${defaults}`)
  return { world: await boot({ config, credits }), upstream }
}

const applied = (reply: Seen) => {
  expect(reply.status, reply.text).toBe(200)
  return reply.headers.get('x-max-output-tokens')
}

describe('a server that allows 9,000', () => {
  let world: World
  let upstream: FakeUpstream
  let key: Client
  beforeAll(async () => {
    ;({ world, upstream } = await bootWith(', responses_max_output_tokens: 9000'))
    key = await world.key()
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })
  const sent = async () => (await upstream.call(upstream.calls.length - 1)).body

  test('a call without a limit gets them, whole and streamed, and its hold is that of a call that asks for them', async () => {
    const whole = await respond(key)
    expect(applied(whole)).toBe('9000')
    expect(whole.body.max_output_tokens).toBe(9_000)
    expect(await sent()).toMatchObject({ max_tokens: 9_000 })
    const streamed = await respond(key, { stream: true })
    expect(applied(streamed)).toBe('9000')
    expect(framed(streamed.text).at(-1)?.['response'].max_output_tokens).toBe(9_000)
    const asked = await respond(key, { max_output_tokens: 9_000 })
    await world.settled()
    const [one, other] = await Promise.all(
      [whole, asked].map(async (of) => (await explained(key, requestIdOf(of))).reserved_microcredits),
    )
    expect(one).toBe(other)
  })

  test('a limit that is named is kept', async () => {
    expect(applied(await respond(key, { max_output_tokens: 50 }))).toBeNull()
    expect(await sent()).toMatchObject({ max_tokens: 50 })
  })

  test('a key’s own wins over it, in both directions, and the model’s over both', async () => {
    const of = async (responsesMaxOutputTokens: number) =>
      applied(await respond(await world.key({ responsesMaxOutputTokens })))
    expect(await of(12_000)).toBe('12000')
    expect(await of(1)).toBe('1')
    expect(await of(32_768)).toBe('16384')
  })

  test('chat, whose usual limit is the model’s own, does not change', async () => {
    expect(applied(await key.chat({}))).toBe('16384')
  })

  test('answers of agents, which are responses, follow it', async () => {
    expect(applied(await run(key, await agentOf(key)))).toBe('9000')
    const long = await world.key({ responsesMaxOutputTokens: 10_000 })
    expect(applied(await run(long, await agentOf(long)))).toBe('10000')
  })
})

test('without a setting it is the contract’s 2,048', async () => {
  const { world, upstream } = await bootWith('')
  await using _upstream = upstream
  await using _world = world
  const key = await world.key()
  expect(applied(await respond(key))).toBe('2048')
  expect(applied(await run(key, await agentOf(key)))).toBe('2048')
})

test('a balance that pays less gives less, and never less than 256', async () => {
  // 9,000 tokens of output are 18 credits.
  const { world, upstream } = await bootWith(', responses_max_output_tokens: 9000', 2)
  await using _upstream = upstream
  await using _world = world
  const got = Number(applied(await respond(await world.key())))
  expect(got).toBeGreaterThanOrEqual(256)
  expect(got).toBeLessThan(1_000)
})
