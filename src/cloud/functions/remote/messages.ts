/** What goes over the channel, as JSON. */
import { type Readable, Transform } from 'node:stream'
import type { CloudKey } from '#cloud/clouds'
import type { ChannelKey } from '#platform/channel'
import { asFailure, Failure, type Localized } from '#platform/errors'
import type { CloudProgram, FunctionAnswer, FunctionCall, LogLine, RuntimeState } from '../functions.ts'

/** Grows with every change of what goes over the channel: the two sides speak only where they have the same version. */
export const channelVersion = '3'

/** The channel key of the secret that the API and its hosts of functions share. */
export const channelKey = (secret: string): ChannelKey => ({ secret, label: 'hosts of functions' })

export const paths = { link: '/link', call: '/call', tryOut: '/try', forget: '/forget' } as const
export const callHeader = 'x-call'
export const answerHeader = 'x-answer'
/**
 * The byte before the body of a call, sent once the API knows that the host has the call. Nothing runs before it, so that the API may ask another
 * host.
 */
export const goAhead = '\n'

/** Everything of a call but its body and its signal. */
export type CallHead = Omit<FunctionCall, 'body' | 'signal'> & {
  hasBody: boolean
  /** The link of the process that calls: the host asks there for what it needs for this cloud. */
  link: string
}
export type AnswerHead = Omit<FunctionAnswer, 'body'>

/** Messages from the API to the host, the first one right after it has connected. */
export type MessageToHost =
  | {
      kind: 'hello'
      link: string
      version: string
      /** The signatures of all depths of calls, so that the host needs no key. */
      depths: readonly string[]
      /** The origins at which clients reach the platform; functions reach its `/v1` by these. */
      platformOrigins: readonly string[]
      pathOrigins: readonly string[]
    }
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'refusal'; id: number; failure: SentFailure }
  | { kind: 'ping' }

/** Messages from the host to the API. */
export type MessageToPlatform =
  /** Sent at first and every few seconds. */
  | { kind: 'state'; state: RuntimeState; version: string }
  | { kind: 'program'; id: number; cloud: CloudKey & { revision: number } }
  | { kind: 'egress'; id: number; cloud: CloudKey; bytes: number }
  | { kind: 'refund'; cloud: CloudKey; bytes: number }
  | { kind: 'log'; cloud: CloudKey; lines: readonly SentLine[] }

/** A line without its time, which is that of its arrival: the clock of a host may be wrong. */
export type SentLine = Omit<LogLine, 'at'>
export type ProgramValue = CloudProgram | null

/** A failure of a host, by code and detail: its sentences are known on both sides. */
export interface SentFailure {
  code: string
  detail: unknown
  retryAfterMs?: number | undefined
}

export const sentFailure = (error: unknown): SentFailure => {
  const { code, detail, more } = asFailure(error)
  return { code, detail, ...(more.retryAfterMs !== undefined && { retryAfterMs: more.retryAfterMs }) }
}

/** The failure of a host as the API raises it. Only codes about functions are accepted; any other is an internal error of the host. */
export function receivedFailure({ code, detail, retryAfterMs }: SentFailure): Failure {
  const isKnown = /^(FUNCTIONS?_[A-Z_]+|SERVICE_UNAVAILABLE)$/.test(code)
  const more = { executed: true, ...(typeof retryAfterMs === 'number' && { retryAfterMs }) }
  try {
    if (isKnown) return new Failure(code as 'FUNCTIONS_UNAVAILABLE', detail, more)
  } catch {
    // The failure is of another version.
  }
  return new Failure(
    'INTERNAL',
    {},
    { ...more, cause: new Error(`a host of functions answered ${code.slice(0, 100)}`) },
  )
}

export const asHeader = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
export const fromHeader = <Value>(text: string | string[] | undefined): Value =>
  JSON.parse(Buffer.from(String(text), 'base64url').toString()) as Value

/** The longest line, which has all functions of a cloud. */
const maxLineLength = 64 * 1024 * 1024

/** Splits bytes into the values of lines of JSON. Fails at a line that is too long or no JSON. */
export function lineReader(): Transform {
  let parts: Buffer[] = []
  let bytes = 0
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding, done) {
      let rest = chunk
      try {
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
          parts.push(rest.subarray(0, end))
          this.push(JSON.parse(Buffer.concat(parts).toString()))
          parts = []
          bytes = 0
          rest = rest.subarray(end + 1)
        }
      } catch (error) {
        return done(error as Error)
      }
      parts.push(rest)
      bytes += rest.length
      done(bytes > maxLineLength ? new Error('a line of the channel is too long') : null)
    },
  })
}

export const encodeLine = (value: MessageToHost | MessageToPlatform): string => `${JSON.stringify(value)}\n`

/** Reads a small body of JSON to its end. */
export async function readJson<Value>(body: Readable, maxBytes: number): Promise<Value> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length
    if (bytes > maxBytes) throw new Error('a body of the channel is too long')
    chunks.push(chunk as Buffer)
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as Value
}

export const maxProgramBytes = maxLineLength

export const noHost: Localized = {
  en: 'none of the hosts of functions can be reached; the operator of this service finds the reason in its log',
  fa: 'هیچ‌یک از میزبان‌های تابع‌ها در دسترس نیست؛ گردانندهٔ سرویس دلیل را در گزارش آن می‌بیند',
}
