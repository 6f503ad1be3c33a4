import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

/** Tokens as this upstream would bill them. */
export interface UpstreamUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

/** One request that reached the upstream. */
export interface UpstreamCall {
  /** When the request was complete, on the scale of `performance.now()`. */
  arrivedMs: number
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The parsed JSON body; undefined for a GET or a body that is not JSON. */
  body: Record<string, unknown> | undefined
  /** The body as received. */
  bytes: Buffer
  /** True once the client has disconnected before the answer was complete. */
  aborted: boolean
  /** Resolves when the client disconnects before the answer is complete. */
  whenAborted: Promise<void>
  /** Resolves when the exchange is over, in any way. */
  whenClosed: Promise<void>
  /** Bytes of body written to the socket. */
  bytesSent: number
  /** Tokens actually produced: exact for the standard answer, the last `usage` sent for a scripted one. */
  usage: UpstreamUsage
}

/**
 * One step of a scripted stream: a string is written unchanged, an object as one `data:` event, a promise or a function is awaited (to wait
 * for a condition), `cut` destroys the socket, `stall` sends nothing more until the client disconnects.
 */
export type Step =
  | string
  | Uint8Array
  | Record<string, unknown>
  | Promise<unknown>
  | (() => unknown)
  | typeof cut
  | typeof stall
export const cut = Symbol('cut')
export const stall = Symbol('stall')

export type Script =
  | { kind: 'json'; status: number; body: unknown; headers: Record<string, string> }
  | { kind: 'stream'; steps: Step[]; headers: Record<string, string> }
  | { kind: 'silence' }
  | { kind: 'reset' }
  | { kind: 'answer'; text: string | undefined }

/** A JSON answer, or a plain text or bytes as they are. */
export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Script => ({
  kind: 'json',
  status,
  body,
  headers,
})
/** A `text/event-stream` answer, step by step; ends the response after the last step. */
export const stream = (steps: Step[], headers: Record<string, string> = {}): Script => ({
  kind: 'stream',
  steps,
  headers,
})
/** The standard answer with this text. */
export const answer = (text?: string): Script => ({ kind: 'answer', text })
/** Accepts the request and never answers. */
export const silence: Script = { kind: 'silence' }
/** Closes the connection before any header. */
export const reset: Script = { kind: 'reset' }
export const done = 'data: [DONE]\n\n'

/** A chunk of the wire with one choice. */
export function chunk(
  delta: Record<string, unknown>,
  finishReason: string | null = null,
  more: Record<string, unknown> = {},
) {
  return {
    ...envelope,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    ...more,
  }
}

const envelope = { id: 'chatcmpl-upstream', created: 1_700_000_000, model: 'upstream-model' }
const standardText = 'The quick brown fox jumps over the lazy dog and runs home .'

export interface FakeUpstream extends AsyncDisposable {
  /** With `/v1`, ready for `base_url`. */
  url: string
  calls: UpstreamCall[]
  /** Sets all further answers; a function decides per call. */
  reply(next: Script | ((call: UpstreamCall) => Script | Promise<Script>)): void
  /** Sets the next answers, one each, before the one that `reply` set. */
  replyOnce(...next: Script[]): void
  /** Clears what `reply` and `replyOnce` set. */
  reset(): void
  /** Resolves with the call at `position` (from 0) once it has arrived. */
  call(position: number): Promise<UpstreamCall>
  /** What this upstream would bill: the tokens it actually produced, in total and per call. */
  invoice(): { total: UpstreamUsage; calls: UpstreamUsage[] }
  /** Open sockets, and all that were ever opened. */
  connections: { open: number; accepted: number }
}

/**
 * A real HTTP server that speaks chat completions. Unscripted it answers at once with a fixed text, one token per word,
 * within the caller's token limit, streamed or not, with exact usage. Keep-alive, no Nagle delay. `tls`: a key and its certificate, for HTTPS.
 */
export async function fakeUpstream(port = 0, tls?: { key: string; cert: string }): Promise<FakeUpstream> {
  const calls: UpstreamCall[] = []
  const queue: Script[] = []
  const waiters: { position: number; resolve: (call: UpstreamCall) => void }[] = []
  const connections = { open: 0, accepted: 0 }
  const sockets = new Set<Socket>()
  let current: Script | ((call: UpstreamCall) => Script | Promise<Script>) = answer()

  const answering = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = await readBytes(request)
    // Who left in the middle of the body has asked nothing.
    if (request.destroyed && !request.complete) return
    const call = begin(request, response, bytes)
    calls.push(call)
    for (const waiter of waiters)
      if (waiter.position < calls.length) waiter.resolve(calls[waiter.position] ?? call)
    const script = queue.shift() ?? (typeof current === 'function' ? await current(call) : current)
    await perform(script, call, request, response)
  }
  const options = { noDelay: true, keepAlive: true, keepAliveTimeout: 30_000 }
  const server = tls ? createTlsServer({ ...options, ...tls }, answering) : createServer(options, answering)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    connections.open += 1
    connections.accepted += 1
    socket.on('close', () => {
      sockets.delete(socket)
      connections.open -= 1
    })
  })
  await listen(server, port)

  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    connections,
    reply: (next) => {
      current = next
    },
    replyOnce: (...next) => {
      queue.push(...next)
    },
    reset: () => {
      current = answer()
      queue.length = 0
    },
    call: (position) => {
      const arrived = calls[position]
      if (arrived) return Promise.resolve(arrived)
      return new Promise((resolve) => waiters.push({ position, resolve }))
    },
    invoice: () => ({
      total: calls.reduce((sum, { usage }) => plus(sum, usage), noTokens()),
      calls: calls.map(({ usage }) => usage),
    }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', 4_096, resolve)
  })
}

/** The bytes that arrived before the sender disconnected. */
async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  try {
    for await (const part of request) parts.push(part as Buffer)
  } catch {
    return Buffer.alloc(0)
  }
  return Buffer.concat(parts)
}

function jsonIn(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  } catch {
    return undefined
  }
}

function begin(request: IncomingMessage, response: ServerResponse, bytes: Buffer): UpstreamCall {
  const aborted = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const call: UpstreamCall = {
    arrivedMs: performance.now(),
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: jsonIn(bytes),
    bytes,
    aborted: false,
    whenAborted: aborted.promise,
    whenClosed: closed.promise,
    bytesSent: 0,
    usage: noTokens(),
  }
  response.on('close', () => {
    if (!response.writableEnded) {
      call.aborted = true
      aborted.resolve()
    }
    closed.resolve()
  })
  return call
}

async function perform(
  script: Script,
  call: UpstreamCall,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (script.kind) {
    case 'silence':
      return
    case 'reset':
      request.socket.destroy()
      return
    case 'json': {
      const { body } = script
      const isData = typeof body === 'string' || body instanceof Uint8Array
      count(call, body)
      sendWhole(call, response, script.status, isData ? body : JSON.stringify(body), script.headers)
      return
    }
    case 'stream':
      return sendSteps(call, response, script)
    case 'answer':
      return answerStandard(call, response, script.text ?? standardText)
  }
}

function sendWhole(
  call: UpstreamCall,
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string>,
) {
  const bytes = Buffer.from(body as Uint8Array)
  call.bytesSent += bytes.length
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...headers,
  })
  response.end(bytes)
}

function openStream(response: ServerResponse, headers: Record<string, string>): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...headers,
  })
  response.flushHeaders()
}

async function sendSteps(
  call: UpstreamCall,
  response: ServerResponse,
  script: { steps: Step[]; headers: Record<string, string> },
) {
  openStream(response, script.headers)
  for (const step of script.steps) {
    if (call.aborted) return
    if (step === stall) return
    if (step === cut) {
      // Written bytes must be sent before the socket is destroyed, or the test would cut at another place.
      await new Promise<void>((resolve) => response.write('', () => resolve()))
      response.socket?.destroy()
      return
    }
    if (typeof step === 'function') await Promise.race([step(), call.whenClosed])
    else if (step instanceof Promise) await Promise.race([step, call.whenClosed])
    else if (step instanceof Uint8Array) send(call, response, step)
    else if (typeof step === 'string') send(call, response, step)
    else if (typeof step === 'object') {
      count(call, step)
      send(call, response, `data: ${JSON.stringify(step)}\n\n`)
    }
  }
  response.end()
}

function send(call: UpstreamCall, response: ServerResponse, data: string | Uint8Array): void {
  if (call.aborted) return
  call.bytesSent += Buffer.byteLength(data)
  response.write(data)
}

/** A token is a word; the prompt is every word of every text in the messages. */
async function answerStandard(call: UpstreamCall, response: ServerResponse, text: string): Promise<void> {
  const body = call.body ?? {}
  if (call.method === 'GET') {
    sendWhole(
      call,
      response,
      200,
      JSON.stringify({ object: 'list', data: [{ id: 'upstream-model', object: 'model' }] }),
      {},
    )
    return
  }
  const words = text.split(' ')
  const limit = Number(body['max_completion_tokens'] ?? body['max_tokens'] ?? words.length)
  const written = words.slice(0, limit)
  const finish = limit < words.length ? 'length' : 'stop'
  const prompt = countWords(body['messages'])
  if (body['stream'] !== true) {
    call.usage = usageOf(prompt, written.length)
    const message = { role: 'assistant', content: written.join(' '), refusal: null }
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }]
    sendWhole(
      call,
      response,
      200,
      JSON.stringify({ ...envelope, object: 'chat.completion', choices, usage: call.usage }),
      {},
    )
    return
  }
  openStream(response, {})
  call.usage = usageOf(prompt, 0)
  send(call, response, event(chunk({ role: 'assistant', content: '' })))
  for (const [position, word] of written.entries()) {
    if (call.aborted) return
    call.usage = usageOf(prompt, position + 1)
    send(call, response, event(chunk({ content: position === 0 ? word : ` ${word}` })))
    if (response.writableNeedDrain)
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), call.whenClosed])
  }
  send(call, response, event(chunk({}, finish)))
  const options = body['stream_options']
  const wanted =
    typeof options === 'object' &&
    options !== null &&
    'include_usage' in options &&
    options.include_usage === true
  if (wanted)
    send(
      call,
      response,
      event({ ...envelope, object: 'chat.completion.chunk', choices: [], usage: call.usage }),
    )
  send(call, response, done)
  response.end()
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const noTokens = (): UpstreamUsage => usageOf(0, 0)

function usageOf(prompt: number, completion: number): UpstreamUsage {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

function plus(left: UpstreamUsage, right: UpstreamUsage): UpstreamUsage {
  return usageOf(left.prompt_tokens + right.prompt_tokens, left.completion_tokens + right.completion_tokens)
}

/** The usage of a scripted answer is counted from its own text. */
function count(call: UpstreamCall, body: unknown): void {
  if (typeof body !== 'object' || body === null || !('usage' in body)) return
  const usage = body.usage as Partial<UpstreamUsage> | null
  if (usage) call.usage = usageOf(Number(usage.prompt_tokens ?? 0), Number(usage.completion_tokens ?? 0))
}

function countWords(value: unknown): number {
  if (typeof value === 'string') return value.split(/\s+/).filter((word) => word !== '').length
  if (Array.isArray(value)) return value.reduce((sum: number, item: unknown) => sum + countWords(item), 0)
  if (typeof value !== 'object' || value === null) return 0
  const { content, text } = value as { content?: unknown; text?: unknown }
  return countWords(content) + countWords(text)
}
