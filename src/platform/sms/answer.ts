/** What came of a request to a gateway, by its answer or the lack of one. */
import { FetchRefused, type FetchResult } from '#platform/net'
import { reasons, type SmsReason } from './phrases.ts'
import type { SmsConfig } from './settings.ts'

/**
 * `sent`: the gateway has taken the message. `refused`: it has not, and the same request would be refused again. `unreached`: the request never reached it.
 * `unknown`: it may have taken it, so the message is not sent again.
 */
export type SmsOutcome = 'sent' | 'refused' | 'unreached' | 'unknown'

export interface SmsResult {
  outcome: SmsOutcome
  /** Why it was not sent, for the operator: without number, code, address and key. */
  why?: SmsReason
}

/** Judges an answer by its status and the value at the pointer, as the configuration names them. */
export function judgeAnswer({ success }: SmsConfig, { status, body }: FetchResult): SmsResult {
  if (status !== success.status)
    return { outcome: status >= 500 ? 'unknown' : 'refused', why: reasons.status(status, success.status) }
  if (success.pointer === undefined) return { outcome: 'sent' }
  const answer = readJson(body)
  if (answer === undefined) return { outcome: 'unknown', why: reasons.notJson(status) }
  const found = at(answer, success.pointer)
  if (found === success.equals) return { outcome: 'sent' }
  return { outcome: 'refused', why: reasons.value(success.pointer, shown(found), String(success.equals)) }
}

/** Judges the error of a request that brought no answer. Rethrows what is a defect of the program. */
export function judgeFailure(error: unknown): SmsResult {
  if (!(error instanceof FetchRefused)) throw error
  const why = reasons.failed(error.host, error.why)
  if (error.reason === 'dns' || wasNeverOpen(error)) return { outcome: 'unreached', why }
  const isBefore = ['bad_url', 'protocol', 'address_not_public', 'tls'].includes(error.reason)
  return { outcome: isBefore ? 'refused' : 'unknown', why }
}

/** The codes of the system for connections that were never opened. */
const neverOpened: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'])

const wasNeverOpen = ({ reason, cause }: FetchRefused): boolean =>
  reason === 'connect' && cause instanceof Error && 'code' in cause && neverOpened.has(cause.code)

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** The value at a JSON pointer (RFC 6901); undefined where there is none. */
function at(value: unknown, pointer: string): unknown {
  let found = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

/** A status as gateways have them: a short number or word. Everything longer may repeat the number or the code, and is not shown. */
function shown(found: unknown): string | undefined {
  if (typeof found === 'boolean' || found === null) return String(found)
  const isShort =
    (typeof found === 'number' || typeof found === 'string') && /^-?\w{1,5}$/.test(String(found))
  return isShort ? String(found) : undefined
}
