import { UpstreamError, type UpstreamFault } from '#providers/spec'
import { asciiDigits } from './phrases.ts'

/**
 * Directives for tests, written into the last user text: `[[sandbox: fault=cut after=5]]`. Several markers are combined.
 *
 * | directive | effect |
 * |---|---|
 * | `fault=<kind>` | throws `UpstreamError` of that kind (`#providers/spec`); `stall` sends nothing until the idle timeout |
 * | `after=<n>` | the fault comes after n streamed pieces (default: 0; 3 for `cut` and `stall`) |
 * | `on=<upstream model>` | the fault affects only that upstream model, so that another deployment answers |
 * | `retry_after_ms=<n>` | the `retryAfterMs` of the fault |
 * | `first_token_ms=<n>` `token_ms=<n>` | pace of this answer |
 * | `tokens=<n>` | a text of n tokens |
 * | `cached=<n>` | n input tokens are reported as read from a cache |
 * | `refuse` | a refusal, finished by `content_filter` |
 * | `omit=finish` `omit=usage` | the stream ends without that part |
 * | `pictures=<n>` | n pictures (1 to 10), however many were ordered |
 * | `bytes=wrong` `bytes=cut` | the bytes of pictures and sound are a web page; they end early |
 *
 * Pictures and vectors come whole: their `first_token_ms` is the time of making them, `refuse` is a refusal of the order, and a fault with
 * `after=1` comes once they are made. Of vectors every `bytes` is an answer that is malformed. Sound comes in pieces of a tenth of a second, and
 * takes every order but `tokens`, `cached`, `pictures` and `omit=finish`, of which it has none. Of a transcription the markers stand in its prompt; it
 * comes word by word, `tokens=<n>` repeats what was heard up to n words, and `bytes=wrong` is an answer that is malformed.
 */
export interface Directives {
  fault?: UpstreamFault | 'stall'
  after?: number
  on?: string
  retryAfterMs?: number
  firstTokenMs?: number
  tokenMs?: number
  tokens?: number
  cached?: number
  refuse?: boolean
  omit?: 'finish' | 'usage'
  pictures?: number
  bytes?: 'wrong' | 'cut'
}

const marker = /\[\[\s*sandbox\s*:([^[\]]{0,400})\]\]/gi

const faultKinds: ReadonlySet<string> = new Set<UpstreamFault | 'stall'>([
  'connect',
  'reset',
  'timeout',
  'rate_limited',
  'overloaded',
  'unavailable',
  'invalid_request',
  'context_overflow',
  'content_refused',
  'authentication',
  'not_found',
  'cut',
  'malformed',
  'aborted',
  'stall',
])

const numbers = {
  after: 'after',
  retry_after_ms: 'retryAfterMs',
  first_token_ms: 'firstTokenMs',
  token_ms: 'tokenMs',
  tokens: 'tokens',
  cached: 'cached',
  pictures: 'pictures',
} as const

/** Removes the markers from the text. Throws `UpstreamError('invalid_request')` for an unknown directive. */
export function readDirectives(text: string): { text: string; directives: Directives } {
  const directives: Directives = {}
  const rest = text.replace(marker, (_, orders: string) => {
    for (const order of orders.split(/[\s,;،]+/).filter(Boolean)) applyOrder(order, directives)
    return ''
  })
  return { text: rest === text ? text : rest.replace(/[ \t]{2,}/g, ' ').trim(), directives }
}

function applyOrder(order: string, directives: Directives): void {
  const [key = '', value = ''] = order.split('=', 2)
  if (key in numbers) {
    const number = Number(asciiDigits(value))
    if (value === '' || !Number.isInteger(number) || number < 0 || number > 10_000_000) throw unknown(order)
    directives[numbers[key as keyof typeof numbers]] = number
  } else if (key === 'fault' && faultKinds.has(value)) directives.fault = value as UpstreamFault | 'stall'
  else if (key === 'on' && value !== '') directives.on = value
  else if (key === 'refuse' && value === '') directives.refuse = true
  else if (key === 'bytes' && (value === 'wrong' || value === 'cut')) directives.bytes = value
  else if (key === 'omit' && (value === 'finish' || value === 'usage')) directives.omit = value
  else throw unknown(order)
}

function unknown(order: string): UpstreamError {
  const detail = `The sandbox does not know the order "${order}".`
  return new UpstreamError('invalid_request', { status: 400, executed: false, param: 'messages', detail })
}
