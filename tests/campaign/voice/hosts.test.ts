/** Calls of an API that holds none: two real processes hold them, at two addresses. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ChannelClient, type ChannelKey, channelServer } from '#platform/channel'
import { type CallRow, callIdOf, headersFor, hostHeaders, hostKey, hostVersion } from '#voice/realtime'
import { startKherad } from '../../../src/server.ts'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import type { Client } from '../../harness/client.ts'
import { type ServerProcess, startProcess } from '../../harness/processes.ts'
import { startMs, until } from '../../harness/until.ts'
import { boot, quietEnvironment, type World } from '../../harness/world.ts'
import { offer } from '../../voice/offer.ts'
import { onceEnded } from '../../voice/once-ended.ts'
import { onceOpened, onceTaken } from '../../voice/once-taken.ts'
import { connect, Refused, type SocketCall } from '../../voice/socket-call.ts'

const calls = '/v1/realtime/calls'
const secret = 'a secret of all processes of these tests'
/** The lease of a process that was killed is over soon. */
const leaseMs = '9000'
const config = `
voice: { capacity: 1, drain_seconds: 120 }
webrtc: { ports: [0, 0], listen: [127.0.0.1] }
`

let world: World
let proxy: DatabaseProxy
let first: ServerProcess
let second: ServerProcess

const startVoice = (address: string, databaseUrl: string): Promise<ServerProcess> =>
  startProcess({
    databaseUrl,
    config,
    env: {
      ...quietEnvironment,
      KHERAD_ROLE: 'voice',
      KHERAD_SECRET: secret,
      KHERAD_LEASE_MS: leaseMs,
      KHERAD_VOICE_ADDRESS: address,
    },
  })

beforeAll(async () => {
  world = await boot({
    roles: { api: true, worker: true },
    env: { KHERAD_SECRET: secret, KHERAD_LEASE_MS: leaseMs },
    config,
    credits: 100_000,
  })
  proxy = await DatabaseProxy.open(world.app.config.databaseUrl!)
  first = await startVoice('127.0.0.1', world.app.config.databaseUrl!)
  second = await startVoice('127.0.0.2', proxy.url)
  // Each is ready a moment before it is reachable for others.
  await until(async () => (await hosts()).filter(({ address }) => address !== null).length === 2)
})
afterAll(async () => {
  await first[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const open = new Set<SocketCall>()
// A test that failed leaves no place taken.
afterEach(async () => {
  for (const call of open) call.cut()
  open.clear()
  const running = 'select from realtime.calls where ended_at is null'
  await until(async () => (await world.app.db.query({ text: running }, [])).length === 0, startMs)
})

interface Host {
  process_id: string
  address: string
}
const hosts = (): Promise<Host[]> =>
  world.app.db.query({ text: 'select process_id, address from realtime.processes order by address' }, [])
const rowOf = async (name: string): Promise<CallRow> => {
  const text = 'select * from realtime.calls where call_id = $1'
  const [row] = await world.app.db.query<CallRow>({ text }, [callIdOf(name)])
  return row!
}
const ended = (name: string): Promise<CallRow> =>
  until(async () => {
    const row = await rowOf(name)
    return row.ended_at ? row : undefined
  })
/** Until the other one, which was killed, is no place of calls any more: what it had is settled first. */
const alone = (hostname: string): Promise<void> =>
  expect.poll(async () => (await hosts()).map(({ address }) => new URL(address).hostname)).toEqual([hostname])
const newest = async (key: Client) => (await key.get(`${calls}?limit=1`)).body.data[0]

/** A call over a WebSocket that has said something. */
async function talking(): Promise<{ call: SocketCall; id: string; key: Client }> {
  const key = await world.key()
  const call = await onceOpened(() => connect(world, key.secret))
  open.add(call)
  await call.event('session.created')
  const { id } = await newest(key)
  await said(call)
  return { call, id, key }
}

async function said(call: SocketCall): Promise<void> {
  const from = call.events.length
  ask(call)
  expect((await call.event('response.done', from)).response.status).toBe('completed')
}
function ask(call: SocketCall): void {
  const content = [{ type: 'input_text', text: 'سلام' }]
  call.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
  call.send({ type: 'response.create', response: { output_modalities: ['text'] } })
}

/** Until the call ends in this way, and its hold with it. */
async function paid(id: string, reason: CallRow['reason']): Promise<void> {
  const { reason: why, charged } = await ended(id)
  expect(why).toBe(reason)
  expect(charged).toBeGreaterThan(0n)
  expect((await world.balance()).held).toBe(0n)
}

const full = async (key: Client): Promise<void> => {
  const refused = await connect(world, key.secret).then(
    () => undefined,
    (error: unknown) => (error instanceof Refused ? error : undefined),
  )
  const busy = { error: { code: 'VOICE_BUSY' } }
  expect(refused).toMatchObject({ status: 503, body: busy, headers: { 'retry-after': '5' } })
  expect(await key.post(calls, { sdp: offer, model: 'sandbox/realtime' })).toMatchObject({
    status: 503,
    body: busy,
  })
}

/** Ends a call of another key, and its client is told; whether its process did so when it was asked, and not when it read its row. */
async function isEndedAtOnce({ call, id }: { call: SocketCall; id: string }, by: Client): Promise<boolean> {
  const gone = await onceEnded(() => by.request('DELETE', `${calls}/${id}`))
  expect(gone.body).toMatchObject({ status: 'ended', reason: 'client', pending: false })
  expect(await call.event('kherad.ending')).toMatchObject({ reason: 'client', seconds: 0 })
  expect(await call.closed).toEqual({ code: 1000, reason: 'client' })
  return (await rowOf(id)).end_asked_at === null
}

/** The status of an answer over the channel; undefined where there is none. */
async function asked(
  address: string,
  key: ChannelKey,
  headers: Record<string, string>,
): Promise<number | undefined> {
  using client = new ChannelClient(address, key)
  const sent = client.request({ method: 'POST', path: '/end', headers })
  sent.end(JSON.stringify({ callId: 'none' }))
  try {
    const [response] = await once(sent, 'response')
    return response.statusCode
  } catch {
    return undefined
  }
}

/** A living process with a place, whose channel is served by the test. */
async function fakeHost(
  { app }: World,
  name: string,
  serve: (message: IncomingMessage, response: ServerResponse) => void,
): Promise<AsyncDisposable> {
  const server = channelServer(hostKey(secret), serve)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const id = `00000000-0000-4000-8000-00000000000${name}`
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  await app.db.query({ text: 'insert into ledger.processes values ($1, now())' }, [id])
  const row = 'insert into realtime.processes (process_id, address, capacity) values ($1, $2, 1)'
  await app.db.query({ text: row }, [id, address])
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a process of the role voice refuses to start without the secret that it shares with the API', async () => {
  await expect(boot({ roles: { api: false, worker: false, voice: true } })).rejects.toThrow(
    /KHERAD_SECRET is not set/,
  )
})

test('who is not reached, means another process or has another version is passed by; who breaks off with the whole request is not asked again', async () => {
  await using alone = await boot({ roles: { api: true, worker: true }, env: { KHERAD_SECRET: secret } })
  const key = await alone.key()
  const body = { sdp: offer, model: 'sandbox/realtime' }
  const served: string[] = []
  const serve = (name: string, how: (message: IncomingMessage, response: ServerResponse) => void) =>
    fakeHost(alone, name, (message, response) => {
      served.push(name)
      how(message, response)
    })
  await using _stranger = await serve('1', (_, response) => void response.writeHead(421).end())
  await using _older = await serve('2', (_, response) => void response.writeHead(409).end())
  await (await serve('3', () => {}))[Symbol.asyncDispose]()
  const nobody = await key.post(calls, body)
  expect(nobody.body.error.message).toMatch(/^All 3 places/)
  expect(served).toEqual(['1', '2'])
  await using _breaks = await serve('4', (message, response) => {
    response.writeContinue()
    message.resume().on('end', () => message.socket.destroy())
  })
  await using _next = await serve('5', (_, response) => void response.writeHead(421).end())
  const lost = await key.post(calls, body)
  expect(lost).toMatchObject({ status: 502, body: { error: { code: 'VOICE_HOST_LOST' } } })
  expect(served.slice(2)).toEqual(['1', '2', '4'])
})

// The last two tests end the processes.
describe('two processes with one place each', { shuffle: false }, () => {
  test('hold calls of an API at another address: created, heard, ended at once, and refused when both are full', async () => {
    const addresses = (await hosts()).map(({ address }) => new URL(address).hostname)
    expect(addresses).toEqual(['127.0.0.1', '127.0.0.2'])
    const one = await talking()
    const other = await talking()
    const holding = new Set([await rowOf(one.id), await rowOf(other.id)].map((row) => row.process_id))
    expect(holding).toEqual(new Set((await hosts()).map(({ process_id }) => process_id)))
    const stranger = await world.key()
    await full(stranger)
    const gauge = 'kherad_realtime_calls{engine="pipeline",transport="websocket"} 1'
    for (const { url } of [first, second])
      expect(await (await fetch(`${url}/metrics`)).text()).toContain(gauge)

    // At once, and not at its next tick. Of a process that this machine keeps from answering in two seconds another call is ended.
    for (let asked = one; !(await isEndedAtOnce(asked, stranger)); ) asked = await talking()

    const body = { sdp: offer, model: 'sandbox/realtime' }
    const repeat = { 'idempotency-key': 'once' }
    const made = await onceTaken(() => stranger.post(calls, body, repeat))
    expect(made.status, made.text).toBe(201)
    expect(made.headers.get('location')).toBe(`${calls}/${made.body.id}`)
    expect(made.body.request_id).toBe(made.headers.get('x-request-id'))
    expect(holding).toContain((await rowOf(made.body.id)).process_id)
    expect((await stranger.post(calls, body, repeat)).text).toBe(made.text)
    const hungUp = await onceEnded(() => stranger.post(`${calls}/${made.body.id}/hangup`, {}))
    expect(hungUp.body.status).toBe('ended')
    const wrong = await onceTaken(() => stranger.post(calls, { ...body, sdp: 'v=0' }))
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST', param: 'sdp' } } })

    other.call.cut()
    await paid(other.id, 'disconnected')
  })

  test('answer nobody who has another secret, means another process, or speaks another version', async () => {
    const [{ process_id: processId, address } = { process_id: '', address: '' }] = await hosts()
    const right = headersFor({ processId, address })
    expect(await asked(address, hostKey('another secret of thirty-two chars'), right)).toBeUndefined()
    expect(await asked(address, { secret, label: 'hosts of functions' }, right)).toBeUndefined()
    expect(
      await asked(address, hostKey(secret), { ...right, [hostHeaders.process]: world.app.processes.id }),
    ).toBe(421)
    expect(
      await asked(address, hostKey(secret), { ...right, [hostHeaders.version]: `${hostVersion}0` }),
    ).toBe(409)
    expect(await asked(address, hostKey(secret), right)).toBe(200)
  })

  test('go on while the database of one is away: what is asked meanwhile is answered, and paid, when it is back', async () => {
    const both = [await talking(), await talking()]
    const away = (await hosts()).find(({ address }) => address.includes('127.0.0.2'))!
    const ids = await Promise.all(both.map(async ({ id }) => (await rowOf(id)).process_id))
    const { call, id } = both[ids.indexOf(away.process_id)]!
    const from = call.events.length
    proxy.away()
    ask(call)
    await call.event('conversation.item.done', from)
    proxy.back()
    expect((await call.event('response.done', from)).response.status).toBe('completed')
    for (const one of both) one.call.close()
    for (const one of both) await ended(one.id)
    await paid(id, 'client')
  })

  test('a process of the API that stops tells the clients whose calls are elsewhere, and these end', async () => {
    const { timing, ...same } = world.app.config
    const other = await startKherad({
      config: { ...same, port: 0, timing: { ...timing, drainMs: 2_000 } },
      log: world.app.log,
    })
    const key = await world.key()
    const call = await onceOpened(() => connect({ url: other.server.url }, key.secret))
    open.add(call)
    await call.event('session.created')
    await said(call)
    const { id } = await newest(key)
    await other[Symbol.asyncDispose]()
    expect(await call.event('kherad.ending')).toMatchObject({ reason: 'stopped', seconds: 2 })
    expect((await call.closed).code).toBe(1001)
    await paid(id, 'stopped')
  })

  test('kill -9 of one: the line of its client is closed, what it has done is charged, and no hold stays open', async () => {
    const both = [await talking(), await talking()]
    const [killed] = await hosts()
    const ids = await Promise.all(both.map(async ({ id }) => (await rowOf(id)).process_id))
    const at = ids.indexOf(killed!.process_id)
    const lost = both[at]!
    const left = both[1 - at]!
    await first.kill()
    expect((await lost.call.closed).code).toBe(1011)
    await said(left.call)
    const { reason, charged } = await ended(lost.id)
    expect(reason).toBe('failed')
    expect(charged).toBeGreaterThan(0n)
    await alone('127.0.0.2')
    left.call.close()
    await paid(left.id, 'client')
  })

  test('a stop lets the call go on, takes no other, and ends the process with the last one', async () => {
    await first.kill()
    await alone('127.0.0.2')
    const { call, id } = await talking()
    const stopped = second.stop()
    expect(await call.event('kherad.ending')).toMatchObject({ reason: 'stopped', seconds: 118 })
    await full(await world.key())
    await said(call)
    expect((await fetch(`${second.url}/health/live`)).status).toBe(200)
    call.close()
    expect(await stopped).toBe(0)
    await paid(id, 'client')
    expect(await hosts()).toEqual([])
  })
})
