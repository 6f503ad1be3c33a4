/** Forwards one request of a function: decides its target, and passes its body and its answer on while they come. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure, fail } from '#platform/errors'
import { type HeaderLine, type StreamReply, streamTo } from '#platform/net'
import type { BrokeredCloud, EgressMeter } from './broker.ts'
import { depthHeader, signedDepth } from './call-depth.ts'
import type { BrokerState } from './egress-socket.ts'
import { answerHeaders, onlyValue, protocolHeader, requestHeaders } from './headers.ts'
import { platformListener } from './inside.ts'
import { reasons } from './phrases.ts'

export interface ForwardContext extends BrokerState {
  cloud: BrokeredCloud
  /** The depth of the call that sends the request. */
  depth: number
  signal: AbortSignal
  /** Where the request goes; set as soon as it is known. */
  target: 'none' | 'inside' | 'outside'
}

/** Sends the request, passes its answer on and returns `receiveAnswer`. Throws what refuses the request or breaks its answer off. */
export async function forward(
  message: IncomingMessage,
  response: ServerResponse,
  forwarding: ForwardContext,
): Promise<string> {
  const url = targetOf(message)
  const reply = await send(message, url, forwarding)
  try {
    return await passOn(reply, message, response, forwarding)
  } finally {
    reply.body.destroy()
  }
}

/** The address of a request: from `Host`, the protocol that workerd states, and a target that is a path. */
function targetOf({ rawHeaders, headers, url: path }: IncomingMessage): URL {
  if (headers.upgrade !== undefined) fail('FUNCTION_FETCH_UNSUPPORTED', { why: reasons.webSocket })
  const host = onlyValue(rawHeaders, 'host')
  const protocol = onlyValue(rawHeaders, protocolHeader)
  if (!path?.startsWith('/')) fail('FUNCTION_FETCH_INVALID', { why: reasons.noPath })
  // A character that ends the host in a URL, or names a user, would change the address.
  const isHost = host !== undefined && host !== '' && !/[\s/\\?#@,]/.test(host)
  const isKnown = protocol === 'http' || protocol === 'https'
  const url = isHost && isKnown ? URL.parse(`${protocol}://${host}${path}`) : null
  if (!url) fail('FUNCTION_FETCH_INVALID', { why: reasons.noHost })
  return url
}

async function send(message: IncomingMessage, url: URL, forwarding: ForwardContext): Promise<StreamReply> {
  const { cloud, limits, listeners, net, signal, depth } = forwarding
  const listener = platformListener(url, cloud, listeners())
  forwarding.target = listener ? 'inside' : 'outside'
  const meter = listener ? unmetered : forwarding.egressOf(cloud)
  const headers = requestHeaders(message.rawHeaders)
  if (!headers.some(([name]) => name === 'user-agent')) headers.push(['user-agent', 'kherad-functions'])
  if (listener || isOfClouds(url, cloud))
    headers.push([depthHeader, signedDepth(depth + 1, await forwarding.depthSigner())])
  const body = bodyOf(message, headers, meter, limits.bodyBytes)
  if (!(await meter.take(sizeOf(url, headers)))) fail('FUNCTION_EGRESS_LIMIT', {})
  const request = { method: message.method!, headers, body, idleMs: limits.idleMs, signal }
  try {
    return listener
      ? await streamTo(listener, url, request)
      : await net.stream(url.href, { ...request, connectMs: limits.connectMs })
  } catch (cause) {
    // The error that ended the body is the reason why the request failed.
    throw body?.errored ?? cause
  }
}

const unmetered: EgressMeter = { take: async () => true }

/** Whether the URL is an address of clouds. Other clouds are reached as everybody reaches them, and the depth of calls counts there. */
function isOfClouds(url: URL, { cloudUrl, ref }: BrokeredCloud): boolean {
  const { hostname } = new URL(cloudUrl)
  return hostname.startsWith(`${ref}.`) && url.hostname.endsWith(hostname.slice(ref.length))
}

const sizeOf = (url: URL, headers: readonly HeaderLine[]): number =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, url.href.length)

const bodiless = new Set(['GET', 'HEAD', 'TRACE'])

/** The body that is sent, its bytes counted; where its length is known, `headers` get it. */
function bodyOf(
  message: IncomingMessage,
  headers: HeaderLine[],
  meter: EgressMeter,
  maxBytes: number,
): Readable | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers
  const hasBody = encoding !== undefined || Number(length ?? 0) > 0
  if (!hasBody) return undefined
  if (bodiless.has(message.method!)) fail('FUNCTION_FETCH_INVALID', { why: reasons.bodyOfGet })
  if (Number(length) > maxBytes) fail('FUNCTION_FETCH_TOO_LARGE', { most: maxBytes })
  if (encoding === undefined) headers.push(['content-length', length!])
  const counted = byteLimiter(maxBytes, async (bytes) => {
    if (!(await meter.take(bytes))) fail('FUNCTION_EGRESS_LIMIT', {})
  })
  // The body's error is read where it ends the request.
  counted.on('error', () => {})
  message.once('close', () => {
    if (!message.complete) counted.destroy()
  })
  return message.pipe(counted)
}

/** Passes chunks on while they are within the limit. */
function byteLimiter(maxBytes: number, spend?: (bytes: number) => Promise<void>): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) return done(new Failure('FUNCTION_FETCH_TOO_LARGE', { most: maxBytes }, {}))
      if (!spend) return done(null, chunk)
      spend(chunk.length).then(() => done(null, chunk), done)
    },
  })
}

async function passOn(
  reply: StreamReply,
  message: IncomingMessage,
  response: ServerResponse,
  { limits, signal }: ForwardContext,
): Promise<string> {
  const headers = answerHeaders(reply.headers)
  const length = Number(headers.find(([name]) => name === 'content-length')?.[1] ?? 0)
  if (message.method !== 'HEAD' && length > limits.bodyBytes)
    fail('FUNCTION_FETCH_TOO_LARGE', { most: limits.bodyBytes })
  // The rest of the request is of no use any more.
  if (!message.complete) response.setHeader('connection', 'close')
  response.writeHead(reply.status, headers.flat())
  response.flushHeaders()
  await pipeline(reply.body, byteLimiter(limits.bodyBytes), response, { signal })
  return 'answered'
}
