/** Headers that the broker does not pass on: those of one connection, those of proxies, and our own. */
import type { HeaderLine } from '#platform/net'

/** The protocol of the address, set by workerd (`forwardedProtoHeader`) whatever the function says. */
export const protocolHeader = 'x-kherad-protocol'
/** Which of the running calls sends the request; set by the wrapper of functions. */
export const invocationHeader = 'x-kherad-invocation'
/** Marks a request of the wrapper of functions that is sent nowhere: it keeps its call going while it is open. */
export const backgroundHeader = 'x-kherad-background'
/** The error code, on the broker's own answers. It is removed from answers from outside, so that a function can rely on it. */
export const refusalHeader = 'x-kherad-refusal'

const hopByHopHeaders = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
])

const isDropped = (name: string): boolean =>
  hopByHopHeaders.has(name) || name.startsWith('proxy-') || name.startsWith('x-kherad-')

/** Whether a header claims where a request comes from or goes to. Servers may believe it of a proxy, never of a stranger's code. */
const isOriginHeader = (name: string): boolean =>
  name === 'host' ||
  name === 'content-length' ||
  name === 'forwarded' ||
  name === 'x-real-ip' ||
  name === 'true-client-ip' ||
  name.startsWith('x-forwarded') ||
  name.startsWith('cf-')

const pairsOf = (raw: readonly string[]): HeaderLine[] =>
  Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at]!.toLowerCase(), raw[2 * at + 1]!] as const)

const namedByConnection = (lines: readonly HeaderLine[]): Set<string> =>
  new Set(
    lines
      .filter(([name]) => name === 'connection')
      .flatMap(([, value]) => value.split(','))
      .map((name) => name.trim().toLowerCase()),
  )

/** The headers of a function's request that are passed on; host and length of the body are set anew. */
export function requestHeaders(raw: readonly string[]): HeaderLine[] {
  const lines = pairsOf(raw)
  const named = namedByConnection(lines)
  return lines.filter(([name]) => !isDropped(name) && !isOriginHeader(name) && !named.has(name))
}

/** The headers of an answer that a function gets. */
export function answerHeaders(raw: readonly HeaderLine[]): HeaderLine[] {
  const lines = raw.map(([name, value]) => [name.toLowerCase(), value] as const)
  const named = namedByConnection(lines)
  return lines.filter(([name]) => !isDropped(name) && !named.has(name))
}

/** The one value of a header. Undefined: there is none, or there are several. */
export function onlyValue(raw: readonly string[], name: string): string | undefined {
  const values = pairsOf(raw).filter((line) => line[0] === name)
  return values.length === 1 ? values[0]![1] : undefined
}
