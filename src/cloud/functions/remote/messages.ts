/** What goes over the channel, as JSON. */
import { type Readable, Transform } from 'node:stream'
import type { CloudKey } from '#cloud/clouds'
import type { ChannelKey } from '#platform/channel'
import { asFailure, Failure, type Localized } from '#platform/errors'
import type { CloudProgram, FunctionAnswer, FunctionCall, LogLine, RuntimeState } from '../functions.ts'

/** Grows with every change of what goes over the channel: the two sides are started with the same program, or do not speak. */
export const channelVersion = '3'

/** Of the secret that the API and its hosts of functions share. */
export const channelKey = (secret: string): ChannelKey => ({ secret, label: 'hosts of functions' })

export const paths = { link: '/link', call: '/call', tryOut: '/try', forget: '/forget' } as const
export const callHeader = 'x-call'
export const answerHeader = 'x-answer'
/** Stands before the body of a call, once the API knows that the host has it: before this byte nothing runs, so that the API may ask another host. */
export const goAhead = '\n'

/** Everything of a call but its body and its signal. */
export type CallHead = Omit<FunctionCall, 'body' | 'signal'> & {
  hasBody: boolean
  /** The link of the process that calls: what the host needs for this cloud it asks there. */
  link: string
}
export type AnswerHead = Omit<FunctionAnswer, 'body'>

/** From the API to the host, the first one right after it has connected. */
export type ToHost =
  | {
      kind: 'hello'
      link: string
      version: string
      /** The signed headers of calls 1, 2, 3 … deep: so the host needs no key. */
      depths: readonly string[]
      /** Where clients reach the platform; functions reach its `/v1` by these. */
      platformOrigins: readonly string[]
      pathOrigins: readonly string[]
    }
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'refusal'; id: number; failure: SentFailure }
  | { kind: 'ping' }

/** From the host to the API. */
export type ToPlatform =
  /** At first and every few seconds. */
  | { kind: 'state'; state: RuntimeState; version: string }
  | { kind: 'program'; id: number; cloud: CloudKey & { revision: number } }
  | { kind: 'egress'; id: number; cloud: CloudKey; bytes: number }
  | { kind: 'refund'; cloud: CloudKey; bytes: number }
  | { kind: 'log'; cloud: CloudKey; lines: readonly SentLine[] }

/** Its time is that of its arrival: the clock of a host may be wrong. */
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

/** Of what a host may say only what is about functions; everything else is its own fault. */
export function receivedFailure({ code, detail, retryAfterMs }: SentFailure): Failure {
  const isKnown = /^(FUNCTIONS?_[A-Z_]+|SERVICE_UNAVAILABLE)$/.test(code)
  const more = { executed: true, ...(typeof retryAfterMs === 'number' && { retryAfterMs }) }
  try {
    if (isKnown) return new Failure(code as 'FUNCTIONS_UNAVAILABLE', detail, more)
  } catch {
    // One of another version.
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

/** All functions of a cloud in one line. */
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

export const line = (value: ToHost | ToPlatform): string => `${JSON.stringify(value)}\n`

/** The whole of a small body. */
export async function readJson<Value>(body: Readable, mostBytes: number): Promise<Value> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length
    if (bytes > mostBytes) throw new Error('a body of the channel is too long')
    chunks.push(chunk as Buffer)
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as Value
}

export const largestProgramBytes = maxLineLength

export const noHost: Localized = {
  en: 'none of the hosts of functions can be reached; the operator of this service finds the reason in its log',
  fa: 'هیچ‌یک از میزبان‌های تابع‌ها در دسترس نیست؛ گردانندهٔ سرویس دلیل را در گزارش آن می‌بیند',
}
