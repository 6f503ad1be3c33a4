/** A cloud by its own host, behind a proxy with TLS: an unchanged client reaches all of it. */
import { createClient } from '@supabase/supabase-js'
import { Agent, fetch as undiciFetch } from 'undici'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { send } from '../../cloud/functions/scene.ts'
import { sentAgain } from '../../cloud/sent-again.ts'
import { families } from '../../cloud/supabase-js/answers.ts'
import { subscribed } from '../../cloud/supabase-js/realtime.ts'
import { until } from '../../harness/until.ts'
import type { TestCloud, World } from '../../harness/world.ts'

const lookup = (_host: string, options: { all?: boolean }, done: (...found: never[]) => void): void => {
  const found = options.all ? [null, [{ address: '127.0.0.1', family: 4 }]] : [null, '127.0.0.1', 4]
  done(...(found as never[]))
}
const here = { lookup: lookup as never, rejectUnauthorized: false }

class SocketHere extends WebSocket {
  constructor(address: string | URL, protocols?: string | string[]) {
    super(address, protocols, here)
  }
}

/** Requests of a visitor who has this address, to whatever host they name. */
function visitor(localAddress = '127.0.0.1') {
  const dispatcher = new Agent({ localAddress, connect: here })
  const asked = (input: never, init: object) => undiciFetch(input, { ...init, dispatcher })
  return asked as unknown as typeof fetch
}

const password = 'گذرواژهٔ بلند ۱۲۳'

/** Its first words leave before the row is there that the rest waits for. */
const code = `export default { async fetch(request, env) {
  if (request.method === 'POST') return Response.json({ bytes: (await request.arrayBuffer()).byteLength })
  const encoder = new TextEncoder()
  const body = new ReadableStream({ async start(controller) {
    controller.enqueue(encoder.encode('one'))
    for (let looks = 0; looks < 15; looks++) {
      const rows = await fetch(env.SUPABASE_URL + '/rest/v1/signals', { headers: { apikey: env.SUPABASE_ANON_KEY } })
      if ((await rows.json()).length > 0) break
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    controller.enqueue(encoder.encode('two'))
    controller.close()
  } })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
} }`

export async function expectClouds(world: World, port: number): Promise<void> {
  const cloud = await world.cloud()
  const url = `${cloud.url}:${port}`
  const made = await cloud.client.post(`/v1/cloud/${cloud.id}/database`, {
    action: 'create_collection',
    name: 'signals',
    public_read: true,
  })
  expect(made.status, made.text).toBeLessThan(300)
  const deployed = await send(cloud, 'echo', code)
  expect(deployed.status, deployed.text).toBe(201)
  const client = createClient(url, cloud.publicKey, {
    global: { fetch: sentAgain(visitor()) },
    realtime: { transport: SocketHere as never },
    auth: { autoRefreshToken: false, persistSession: false },
  })
  const { data, error } = await client.auth.signUp({ email: 'mina@example.com', password })
  expect(error).toBeNull()
  const { states, error: refusal } = await subscribed(client)
  expect([states[0], refusal?.message]).toEqual([
    'CHANNEL_ERROR',
    expect.stringContaining(families.realtime.says.en),
  ])
  await client.removeAllChannels()
  for (const [bytes, status] of [
    [1_000_000, 200],
    [1_000_001, 413],
  ] as const) {
    const reply = await client.functions.invoke('echo', { body: new ArrayBuffer(bytes) })
    expect([bytes, reply.response?.status]).toEqual([bytes, status])
    if (status === 200) expect(reply.data).toEqual({ bytes })
  }
  const streamed = await visitor()(`${url}/functions/v1/echo`, {
    headers: { apikey: cloud.publicKey, authorization: `Bearer ${data.session!.access_token}` },
  })
  const parts = streamed.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await parts.read()).value).toBe('one')
  expect((await client.from('signals').insert({ signal: 'go' })).error).toBeNull()
  expect((await parts.read()).value).toBe('two')
  await expectThrottling(cloud, url)
}

/** Guesses are counted by the address of whoever guesses, not by that of the proxy or by what a header claims. */
async function expectThrottling(cloud: TestCloud, url: string): Promise<void> {
  /** Sent again where it has waited too long for the database, as it says. */
  const signIn = (from: string, guess: string, claimed: string): Promise<number> =>
    until(async () => {
      const reply = await visitor(from)(`${url}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: {
          apikey: cloud.publicKey,
          'content-type': 'application/json',
          'x-forwarded-for': claimed,
        },
        body: JSON.stringify({ email: 'mina@example.com', password: guess }),
      })
      await reply.body?.cancel()
      return reply.status === 429 && reply.headers.get('retry-after') === '1' ? undefined : reply.status
    })
  for (let nth = 0; nth < 10; nth++) expect(await signIn('127.0.0.9', 'wrong', `203.0.113.${nth}`)).toBe(400)
  expect(await signIn('127.0.0.9', password, '203.0.113.99')).toBe(429)
  expect(await signIn('127.0.0.10', password, '127.0.0.9')).toBe(200)
}
