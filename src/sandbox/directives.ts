import { UpstreamError, type UpstreamFault } from '#core/spec'
import { asciiDigits } from './phrases.ts'

/**
 * Directives for tests, written into the last user text: `[[sandbox: fault=cut after=5]]`. Several markers are combined.
 *
 * | directive | effect |
 * |---|---|
 * | `fault=<kind>` | throws `UpstreamError` of that kind (`#core/spec`); `stall` sends nothing until the idle timeout |
 * | `after=<n>` | the fault comes after n streamed pieces (default: 0; 3 for `cut` and `stall`) |
 * | `on=<upstream model>` | the fault affects only that upstream model, so that another deployment answers |
 * | `retry_after_ms=<n>` | the `retryAfterMs` of the fault |
 * | `first_token_ms=<n>` `token_ms=<n>` | pace of this answer |
 * | `tokens=<n>` | a text of n tokens |
 * | `cached=<n>` | n input tokens are reported as read from a cache |
 * | `refuse` | a refusal, finished by `content_filter` |
 * | `omit=finish` `omit=usage` | the stream ends without that part |
 * | `pictures=<n>` | n pictures (1 to 10), however many were ordered |
 * | `bytes=wrong` `bytes=cut` | the bytes of pictures, sound and videos are a web page; they end early |
 * | `bytes=small` `bytes=mute` | a video of half the size; one without sound |
 * | `seconds=<n>` | a video of n seconds (1 to 60), however many were ordered |
 * | `work_ms=<n>` | the job of a video takes this long (default: 2 to 10 s, by seconds and size) |
 * | `job=vanished` `job=stuck` `job=away` | nobody knows the job; it is never done; every look at it fails as `unavailable` until its time is over |
 * | `cost_microusd=<n>` | the reported cost of the video, in millionths of a USD |
 *
 * Pictures and vectors come whole: their `first_token_ms` is the time of making them, `refuse` is a refusal of the order, and a fault with `after=1`
 * comes once they are made. For vectors every `bytes` gives a malformed answer. Sound comes in pieces of a tenth of a second, and obeys every
 * directive but `tokens`, `cached`, `pictures` and `omit=finish`, which have no meaning for it. The markers of a transcription stand in its prompt;
 * it comes word by word, `tokens=<n>` repeats what was heard up to n words, and `bytes=wrong` gives a malformed answer.
 *
 * Videos are jobs: a fault strikes the submission (`first_token_ms` is the time until its reply, so that `fault=reset` is an order whose reply is
 * lost), with `after=1` the job itself, which fails when its time is over, and with `after=2` the bytes, half of which come; `token_ms` lies between
 * their pieces of 64 KB. `cut` and `stall` strike the bytes unless `after` says otherwise. `refuse` refuses the submission, with `after=1` the
 * finished job.
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
  bytes?: 'wrong' | 'cut' | 'small' | 'mute'
  seconds?: number
  workMs?: number
  job?: 'vanished' | 'stuck' | 'away'
  costMicrousd?: number
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
  seconds: 'seconds',
  work_ms: 'workMs',
  cost_microusd: 'costMicrousd',
} as const

const words = {
  bytes: ['wrong', 'cut', 'small', 'mute'],
  job: ['vanished', 'stuck', 'away'],
  omit: ['finish', 'usage'],
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
  else if (isWord('bytes', key, value)) directives.bytes = value
  else if (isWord('job', key, value)) directives.job = value
  else if (isWord('omit', key, value)) directives.omit = value
  else throw unknown(order)
}

const isWord = <Name extends keyof typeof words>(
  name: Name,
  key: string,
  value: string,
): value is (typeof words)[Name][number] => key === name && words[name].some((word) => word === value)

function unknown(order: string): UpstreamError {
  const detail = `The sandbox does not know the order "${order}".`
  return new UpstreamError('invalid_request', { status: 400, executed: false, param: 'messages', detail })
}
