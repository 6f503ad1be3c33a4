/** Upstream answers are bounded in bytes, streamed or not, for every kind of call. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { type ImageCall, UpstreamError } from '#core/spec'
import { chatCompletionsProvider } from '#providers/chat-completions'
import { embeddingsProvider } from '#providers/embeddings'
import { imagesProvider } from '#providers/images'
import { messagesProvider } from '#providers/messages'
import { responsesProvider } from '#providers/responses'
import { openSearch } from '#providers/search'
import { boot, upstreamConfig } from '../../harness/world.ts'
import { callOf, chatTurn, hear, patient } from '../../providers/asking.ts'

const mebibyte = 1024 * 1024

/** Answers every request with `head`, then with `again` until the client has had enough; says how much that was. */
async function endlessUpstream(type: string, head: string, again: Buffer) {
  const sent: Promise<number>[] = []
  const write = async (response: ServerResponse): Promise<number> => {
    response.setMaxListeners(0)
    response.writeHead(200, { 'content-type': type })
    response.write(head)
    let bytes = 0
    while (!response.destroyed && bytes < 1_000 * mebibyte) {
      bytes += again.length
      if (!response.write(again)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
    return bytes
  }
  const server = createServer((request, response) => {
    request.resume()
    sent.push(write(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Bytes of the first answer. */
    sent: () => sent[0]!,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const filler = Buffer.alloc(64 * 1024, 'x')
const openers = {
  'chat-completions': chatCompletionsProvider,
  responses: responsesProvider,
  messages: messagesProvider,
}

for (const [wire, open] of Object.entries(openers))
  test.each([
    ['that comes whole', 'application/json', '{"a":"', filler, 9],
    [
      'that is streamed',
      'text/event-stream',
      '',
      Buffer.from(`: ${'x'.repeat(60_000)}\n\ndata: {"a":1}\n\n`),
      17,
    ],
    ['that is one event', 'text/event-stream', 'data: {"a":"', filler, 9],
  ])(
    `a text answer over ${wire} %s and never ends is malformed and its connection is closed`,
    async (...row) => {
      const [what, type, head, again, max] = row
      await using upstream = await endlessUpstream(type, head, again)
      await using provider = open({ id: 'fake', baseUrl: upstream.url })
      const turn = chatTurn({}, { stream: what !== 'that comes whole' })
      const { error } = await hear(provider, callOf(turn))
      expect(error).toMatchObject({ fault: 'malformed', executed: true })
      expect(error?.detail).toMatch(/more than \d+ bytes/)
      expect(await upstream.sent()).toBeLessThan((max + 12) * mebibyte)
    },
  )

const orders = {
  async embeddings(url: string) {
    await using provider = embeddingsProvider({ baseUrl: url })
    const order = { texts: ['a', 'b'], encoding: 'float' as const }
    const signal = new AbortController().signal
    await provider.embed({ order, upstreamModel: 'm', signal, timeouts: patient, attemptId: 'a' })
  },
  async images(url: string) {
    await using provider = imagesProvider({ baseUrl: url }, undefined as never)
    const order = { prompt: 'a', count: 1, references: [], size: { width: 64, height: 64 } }
    const signal = new AbortController().signal
    const call = { order, upstreamModel: 'm', signal, timeouts: patient, attemptId: 'a' }
    await provider.draw(call as unknown as ImageCall)
  },
  async search(url: string) {
    await using search = openSearch({ vendor: 'searxng', baseUrl: url, priceUsd: 0 })
    const signal = new AbortController().signal
    await search.search({ query: 'a', count: 5, onlyHosts: [], notHosts: [], signal } as never)
  },
  async 'the list of models'(url: string) {
    await using provider = chatCompletionsProvider({ id: 'fake', baseUrl: url })
    await provider.ping(new AbortController().signal)
  },
}

test.each([
  ['embeddings', 2],
  ['images', 34],
  ['search', 3],
  ['the list of models', 9],
] as const)(
  'an answer of %s that never ends is malformed and its connection is closed',
  async (kind, max) => {
    await using upstream = await endlessUpstream('application/json', '{"data":"', filler)
    const error = await orders[kind](upstream.url).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    expect(error).toBeInstanceOf(UpstreamError)
    expect(error).toMatchObject({ fault: 'malformed' })
    expect(await upstream.sent()).toBeLessThan((max + 12) * mebibyte)
  },
)

test('an answer in the smallest chunks costs its bytes, not a buffer for each chunk', async () => {
  // One byte in an HTTP chunk of its own.
  const type = 'application/json'
  const server = createServer((_request, response) => {
    response.socket!.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`)
    const part = '1\r\nx\r\n'.repeat(50_000)
    let rest = 24
    const more = (): void => {
      if (rest-- > 0) response.socket?.write(part, more)
      else response.socket?.destroy()
    }
    response.socket!.write('1\r\n"\r\n', more)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using provider = chatCompletionsProvider({ id: 'fake', baseUrl: `http://127.0.0.1:${port}` })
  let max = 0
  const before = process.memoryUsage().arrayBuffers
  const look = setInterval(() => {
    max = Math.max(max, process.memoryUsage().arrayBuffers - before)
  }, 5)
  const { error } = await hear(provider, callOf(chatTurn({}, { stream: false })))
  clearInterval(look)
  server.closeAllConnections()
  server.close()
  // It is cut after its last byte; 1.2 million buffers were held until then.
  expect(error?.fault).toBe('cut')
  expect(max).toBeLessThan(100 * mebibyte)
})

test('who asked for an answer that never ends is told so, and pays what the rules say', async () => {
  await using upstream = await endlessUpstream(
    'application/json',
    '{"choices":[{"message":{"content":"',
    filler,
  )
  await using world = await boot({ config: upstreamConfig(upstream.url) })
  const key = await world.key()
  const before = await world.balance()
  const reply = await key.chat({ max_tokens: 16 })
  expect(reply.status).toBe(502)
  await world.settled()
  expect(await world.balance()).toEqual(before)
})
