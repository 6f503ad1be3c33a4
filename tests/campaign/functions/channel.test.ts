import { once } from 'node:events'
import { connect as connectTcp, createServer, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { expect, test } from 'vitest'
import type { LogLine, RuntimeState } from '#cloud/functions'
import { ChannelClient } from '#platform/channel'
import { freePort } from '../../harness/free-port.ts'
import { until } from '../../harness/until.ts'
import {
  callOf,
  cloud,
  keyOf,
  platform,
  platformNowMs,
  saying,
  scriptedHost,
  textOf,
} from './channel-world.ts'

/** As it goes over the wire, in version 3 of the channel. */
const channelKey = (secret: string) => ({ secret, label: 'hosts of functions' })
const asHeader = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const echo = async (call: { body: Readable | undefined }) =>
  saying(call.body ? await textOf(call.body) : 'no body')

test('a call arrives on the host as it was made, and its answer comes back as it was given', async () => {
  const one = await scriptedHost(echo)
  const { runtime } = platform([one])
  const answer = await runtime.call(callOf(1, { body: Readable.from(['سلا', 'م']), depth: 3 }))
  expect(answer).toMatchObject({ status: 207, headers: [['x-b', 'ب']] })
  expect(await textOf(answer.body)).toBe('سلام')
  const { signal: _, body: __, ...sent } = callOf(1, { depth: 3 })
  expect(one.calls).toMatchObject([sent])
  expect(await textOf((await runtime.call(callOf(1))).body)).toBe('no body')
  await runtime[Symbol.asyncDispose]()
  await one.host.drain(0)
})

test('bodies pass while they come, in both directions', async () => {
  const one = await scriptedHost(async (call) => ({ status: 200, body: call.body!.pipe(new PassThrough()) }))
  const { runtime } = platform([one])
  const body = new PassThrough()
  const { body: answer } = await runtime.call(callOf(1, { body }))
  const chunks = answer.setEncoding('utf8')[Symbol.asyncIterator]()
  for (const part of ['one', 'two']) {
    body.write(part)
    expect((await chunks.next()).value).toBe(part)
  }
  body.end()
  expect((await chunks.next()).done).toBe(true)
  await runtime[Symbol.asyncDispose]()
  await one.host.drain(0)
})

test('a caller that leaves ends its call on the host', async () => {
  const one = await scriptedHost(async () => ({ status: 200, body: new PassThrough().resume() }))
  const { runtime } = platform([one])
  const gone = new AbortController()
  const answer = await runtime.call(callOf(1, { signal: gone.signal }))
  answer.body.on('error', () => {})
  gone.abort()
  await until(() => one.calls[0]!.signal.aborted)
  await runtime[Symbol.asyncDispose]()
  await one.host.drain(0)
})

test('a host learns the programs of clouds that it was called for, and of no other; logs and bytes count for these alone', async () => {
  const one = await scriptedHost(async (call, links) => {
    const own = await links.program({ ...call, revision: 7 })
    // What a host that was broken into would try.
    links.recordCall(cloud(99), links.hello!.link)
    const other = await links.program({ ...cloud(99), revision: 1 })
    const line = {
      name: 'hello',
      level: 'info' as const,
      message: 'خط',
      requestId: null,
      at: new Date(1_000),
    }
    links.log(call, [line])
    links.log(cloud(99), [line])
    const taken = await links.takeEgress(call, 1_000)
    const takenOfOther = await links.takeEgress(cloud(99), 1_000)
    links.refundEgress(call, 10)
    links.refundEgress(cloud(99), 10)
    return saying(JSON.stringify({ own: own?.bindings, other: other ?? null, taken, takenOfOther }))
  })
  const { runtime, record } = platform([one])
  const answer = JSON.parse(await textOf((await runtime.call(callOf(1))).body))
  expect(answer).toEqual({
    own: { SECRET: `secret of ${cloud(1).cloudId} at 7` },
    other: null,
    taken: true,
    takenOfOther: false,
  })
  await until(() => record.refunded.length > 0 && record.logged.length > 0)
  expect(record.programs.map(({ cloudId, revision }) => [cloudId, revision])).toEqual([[cloud(1).cloudId, 7]])
  expect(record.logged).toMatchObject([
    { cloud: { cloudId: cloud(1).cloudId }, lines: [{ message: 'خط', at: new Date(platformNowMs) }] },
  ])
  expect(record.spent).toEqual([1_000])
  expect(record.refunded).toEqual([10])
  await runtime[Symbol.asyncDispose]()
  await one.host.drain(0)
})

test('what a host refuses with arrives with its code and its details', async () => {
  const { Failure } = await import('#platform/errors')
  const one = await scriptedHost(async () => {
    throw new Failure('FUNCTION_NOT_FOUND', { name: 'hello' }, {})
  })
  const { runtime } = platform([one])
  await expect(runtime.call(callOf(1))).rejects.toMatchObject({
    code: 'FUNCTION_NOT_FOUND',
    detail: { name: 'hello' },
  })
  expect(
    await runtime.tryOut(
      {
        ...cloud(1),
        revision: 1,
        plan: 'starter',
        cloudUrl: '',
        functions: [],
        bindings: { SECRET: 'رمز' },
        secretValues: [],
      },
      'hello',
    ),
  ).toEqual({
    works: false,
    message: 'رمز hello',
    line: 3,
    column: 4,
  })
  await runtime.forget(cloud(1))
  expect(one.forgotten).toEqual([cloud(1).cloudId])
  await runtime[Symbol.asyncDispose]()
  await one.host.drain(0)
})

test('a host that has lost its line to the API says so', async () => {
  const one = await scriptedHost(async (call, links) => {
    links.close()
    await links.program({ ...call, revision: 1 })
    return saying('')
  })
  const { runtime } = platform([one])
  await expect(runtime.call(callOf(1))).rejects.toMatchObject({
    ...{ code: 'FUNCTION_API_AWAY', status: 503 },
    more: { retryAfterMs: 2_000 },
  })
  await runtime[Symbol.asyncDispose]()
  await one.host.drain(0)
})

test('a host whose jail holds only later is used from then on', async () => {
  const why = { en: 'not yet', fa: 'هنوز نه' }
  let state: RuntimeState = { kind: 'refused', why }
  const one = await scriptedHost(async () => saying('here'), { state: () => state })
  const { runtime } = platform([one])
  expect(await runtime.state()).toEqual(state)
  await expect(runtime.call(callOf(1))).rejects.toMatchObject({ code: 'FUNCTIONS_UNAVAILABLE' })
  state = { kind: 'jailed' }
  await until(async () => (await runtime.state()).kind === 'jailed')
  expect(await textOf((await runtime.call(callOf(1))).body)).toBe('here')
  await runtime[Symbol.asyncDispose]()
  await one.host.drain(0)
})

test('lines that the API does not take are dropped, and a line says so, with the mode of the host before it', async () => {
  const line = (message: string): LogLine => ({
    ...{ name: 'hello', level: 'info', message: `[unsafe_dev] ${message}`, requestId: null, at: new Date() },
  })
  const one = await scriptedHost(async (call, links) => {
    // More than waits, before anything of it can leave.
    for (let megabytes = 0; megabytes < 12; megabytes++) links.log(call, [line('a'.repeat(1_000_000))])
    return saying('')
  })
  const { runtime, record } = platform([one])
  await runtime.call(callOf(1))
  const messages = () => record.logged.flatMap(({ lines }) => lines.map(({ message }) => message))
  await until(() => messages().length >= 9)
  one.host.links.log(cloud(1), [line('after')])
  await until(() => messages().includes('[unsafe_dev] after'))
  const many = 12 - messages().filter((message) => message.length > 1_000_000).length
  expect(messages().at(-1)).toMatch(new RegExp(`^\\[unsafe_dev\\] ${many} lines were dropped`))
  expect(await one.metrics()).toContain(`kherad_function_channel_dropped_lines_total ${many}\n`)
  await runtime[Symbol.asyncDispose]()
  await one.host.drain(0)
})

test('each cloud has one host of several, and another one while that is away', async () => {
  const hosts = await Promise.all(['a', 'b', 'c'].map((name) => scriptedHost(async () => saying(name))))
  const { runtime, metrics } = platform(hosts)
  await until(async () => (await metrics()).includes('kherad_function_hosts{state="jailed"} 3'))
  const places: string[] = []
  for (let number = 0; number < 30; number++)
    places.push(await textOf((await runtime.call(callOf(number))).body))
  expect(new Set(places).size).toBe(3)
  for (let number = 0; number < 30; number++)
    expect(await textOf((await runtime.call(callOf(number))).body)).toBe(places[number])
  await hosts[0]!.host.drain(0)
  for (let number = 0; number < 30; number++) {
    const place = await textOf((await runtime.call(callOf(number))).body)
    if (places[number] === 'a') expect(['b', 'c']).toContain(place)
    else expect(place).toBe(places[number])
  }
  await runtime[Symbol.asyncDispose]()
  await Promise.all(hosts.slice(1).map(({ host }) => host.drain(0)))
})

test('a host that breaks off while a call runs is not repeated elsewhere: the caller is told that it may have run', async () => {
  const held: (() => void)[] = []
  const hosts = await Promise.all(
    ['a', 'b'].map((name) =>
      scriptedHost(async () => {
        await new Promise<void>((resolve) => void held.push(resolve))
        return saying(name)
      }),
    ),
  )
  const { runtime } = platform(hosts)
  await until(async () => hosts.every(({ host }) => host.links.count === 1))
  const asked = runtime.call(callOf(1)).catch((error: unknown) => error)
  await until(() => held.length === 1)
  const busy = hosts.find(({ calls }) => calls.length === 1)!
  const other = hosts.find((one) => one !== busy)!
  await busy.host.drain(0)
  expect(await asked).toMatchObject({ code: 'FUNCTION_HOST_LOST', more: { executed: true } })
  expect(other.calls).toEqual([])
  const next = runtime.call(callOf(1))
  await until(() => held.length === 2)
  for (const answer of held) answer()
  expect((await next).status).toBe(207)
  expect(other.calls).toHaveLength(1)
  await runtime[Symbol.asyncDispose]()
  await other.host.drain(0)
})

test('an answer that a host breaks off in the middle is broken for the caller too', async () => {
  const body = new PassThrough()
  const one = await scriptedHost(async () => ({ status: 200, body }))
  const { runtime } = platform([one])
  const answer = await runtime.call(callOf(1))
  body.write('begun')
  const reading = textOf(answer.body).catch((error: Error) => error)
  await until(() => answer.body.readableFlowing !== null)
  await one.host.drain(0)
  expect(await reading).toBeInstanceOf(Error)
  await runtime[Symbol.asyncDispose]()
})

test('while the only host is away nobody waits for it, and when it comes back it is used again', async () => {
  const first = await scriptedHost(async () => saying('first'), { port: await freePort() })
  const { runtime } = platform([first])
  expect(await textOf((await runtime.call(callOf(1))).body)).toBe('first')
  await first.host.drain(0)
  await expect(runtime.call(callOf(1))).rejects.toMatchObject({ code: 'FUNCTIONS_UNAVAILABLE' })
  await until(async () => (await runtime.state()).kind === 'refused')
  const second = await scriptedHost(async () => saying('second'), { port: first.host.port })
  await until(() => second.host.links.count === 1)
  await until(async () => (await runtime.state()).kind === 'jailed')
  expect(await textOf((await runtime.call(callOf(1))).body)).toBe('second')
  await runtime[Symbol.asyncDispose]()
  await second.host.drain(0)
})

test('with another key, and with another version, a host is not used and learns nothing', async () => {
  const wrongKey = await scriptedHost(echo, { key: keyOf('x') })
  const otherVersion = await scriptedHost(echo, { version: '2' })
  const right = await scriptedHost(echo)
  const { runtime, record } = platform([wrongKey, otherVersion, right])
  for (let number = 0; number < 10; number++) expect((await runtime.call(callOf(number))).status).toBe(207)
  expect(right.calls).toHaveLength(10)
  expect(wrongKey.host.links.count).toBe(0)
  expect([...wrongKey.calls, ...otherVersion.calls]).toEqual([])
  expect(record.programs).toEqual([])
  await runtime[Symbol.asyncDispose]()
  await Promise.all([wrongKey, otherVersion, right].map(({ host }) => host.drain(0)))
})

test('nothing of a call runs before the API knows that the host has it, and may no longer ask another one', async () => {
  const one = await scriptedHost(async () => saying('ran'))
  using client = new ChannelClient(one.url, channelKey(keyOf('k')))
  const { signal: _, body: __, ...head } = callOf(1)
  const offer = async () => {
    const headers = {
      'x-call': asHeader({ ...head, hasBody: false, link: 'a' }),
      expect: '100-continue',
      'transfer-encoding': 'chunked',
    }
    const sent = client.request({ method: 'POST', path: '/call', headers }).on('error', () => {})
    sent.flushHeaders()
    await once(sent, 'continue')
    return sent
  }
  const givenUp = await offer()
  expect(one.calls).toHaveLength(0)
  givenUp.destroy()
  const taken = await offer()
  taken.end('\n')
  const [answer] = await once(taken, 'response')
  expect(await textOf(answer)).toBe('ran')
  expect(one.calls).toHaveLength(1)
  await one.host.drain(0)
})

test('calls over a line that says nothing any more, as where a network was cut, end as those of a host that is lost', async () => {
  // It falls silent once it has the call.
  const { promise: silence } = Promise.withResolvers<RuntimeState>()
  let isCalled = false
  const one = await scriptedHost(
    () => {
      isCalled = true
      return new Promise(() => {})
    },
    { state: () => (isCalled ? silence : { kind: 'jailed' }) },
  )
  const { runtime } = platform([one], { silentMs: 10_000 })
  await expect(runtime.call(callOf(1))).rejects.toMatchObject({
    code: 'FUNCTION_HOST_LOST',
    more: { executed: true },
  })
  await runtime[Symbol.asyncDispose]()
  await one.host.drain(0)
})

test('without the key nobody gets a byte: not by plain text, not by TLS, not by a key of their own, not by another label', async () => {
  const one = await scriptedHost(echo)
  const plain = connectTcp(one.host.port, '127.0.0.1')
  plain.on('error', () => {})
  let answered = ''
  plain.setEncoding('latin1').on('data', (chunk) => {
    answered += chunk
  })
  plain.write('POST /call HTTP/1.1\r\nhost: a\r\n\r\n')
  await once(plain, 'close')
  expect(answered).not.toContain('HTTP/')
  const suite = {
    ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.2',
  } as const
  const strangers = [
    { rejectUnauthorized: false },
    { ...suite, rejectUnauthorized: false },
    ...['kherad channel 1', 'other'].map((identity) => ({
      ...suite,
      pskCallback: () => ({ psk: Buffer.alloc(32), identity }),
      checkServerIdentity: () => undefined,
    })),
  ]
  for (const options of strangers) {
    const socket = connectTls({ host: '127.0.0.1', port: one.host.port, ...options })
    const [error] = await once(socket, 'error')
    expect(String(error)).toMatch(/SSL|EPROTO|ECONNRESET/)
  }
  // Nor by a channel of the same secret that leads to others.
  using other = new ChannelClient(one.url, { secret: keyOf('k'), label: 'others' })
  const [refused] = await once(other.request({ method: 'GET', path: '/link' }).end(), 'error')
  expect(String(refused)).toMatch(/SSL|EPROTO|ECONNRESET/)
  expect(one.calls).toEqual([])
  await one.host.drain(0)
})

test('a connection that was recorded and is replayed is worth nothing', async () => {
  const one = await scriptedHost(echo)
  const recorded: Buffer[][] = []
  const recorder = createServer((client: Socket) => {
    const host = connectTcp(one.host.port, '127.0.0.1')
    const bytes: Buffer[] = []
    recorded.push(bytes)
    client.on('data', (chunk) => bytes.push(chunk))
    for (const socket of [client, host]) socket.on('error', () => {})
    client.pipe(host).pipe(client)
    // What is reset ends no pipe: the host would wait half a minute for another word.
    client.on('close', () => host.destroy())
    host.on('close', () => client.destroy())
  })
  recorder.listen(0, '127.0.0.1')
  await once(recorder, 'listening')
  const { port } = recorder.address() as { port: number }
  const { runtime } = platform([{ url: `https://127.0.0.1:${port}` }])
  expect(await textOf((await runtime.call(callOf(1, { body: Readable.from(['secret-body']) }))).body)).toBe(
    'secret-body',
  )
  expect(one.calls).toHaveLength(1)
  await runtime[Symbol.asyncDispose]()
  expect(recorded.length).toBeGreaterThan(0)
  for (const bytes of recorded) {
    expect(Buffer.concat(bytes).includes('secret-body')).toBe(false)
    const replay = connectTcp(one.host.port, '127.0.0.1')
    replay.on('error', () => {})
    replay.resume()
    replay.write(Buffer.concat(bytes))
    await once(replay, 'close')
  }
  expect(one.calls).toHaveLength(1)
  await until(() => one.host.links.count === 0)
  recorder.close()
  await one.host.drain(0)
})
