/** Why a call cost what it cost, as facts of its receipt in the order of their weight; why.words.ts has a sentence for each. */
import type { Claim, Details } from './details.ts'

/** What of a receipt its reasons are made of. */
export interface Explained {
  state: 'running' | 'completed' | 'failed'
  status_code: number | null
  microcredits: string
  reserved_microcredits: string
  ambiguous: boolean
  charge: {
    lines: readonly { unit: string }[]
    adjustment: { kind: string; microcredits: string } | null
  } | null
}

export type Reason =
  | { kind: 'running' }
  | { kind: 'ambiguous' }
  | { kind: 'refused' }
  | { kind: 'declined' }
  | { kind: 'failed'; attempts: number }
  | { kind: 'leftFree' }
  | { kind: 'lost' }
  | { kind: 'left' }
  | { kind: 'cut' }
  | { kind: 'otherModel'; asked: string; answered: string }
  | { kind: 'otherProvider' }
  | { kind: 'retried'; failed: number }
  | { kind: 'resumed' }
  | ({ kind: 'claim' } & Pick<Claim, 'what' | 'claimed' | 'believed'>)
  | { kind: 'within_hold' | 'raised'; microcredits: bigint }
  | { kind: 'cached'; cached: number; input: number }
  | { kind: 'estimated' }
  | { kind: 'tools'; turns: number; uses: number }
  | { kind: 'steps'; count: number }
  | { kind: 'free' }
  | { kind: 'tokens'; input: number; output: number }
  | { kind: 'byLines' }

/** More sentences nobody reads. */
const maxReasons = 3

/** The faults by which a provider answers that it does not want the request. */
const declines: ReadonlySet<string> = new Set(['invalid_request', 'context_overflow', 'content_refused'])

export function reasonsOf(receipt: Explained, details: Details): Reason[] {
  if (receipt.state === 'running') return [{ kind: 'running' }]
  const charged = BigInt(receipt.microcredits)
  if (receipt.ambiguous) return [{ kind: 'ambiguous' }]
  if (charged === 0n) return freeOf(receipt, details)
  const special = [
    ...endOf(receipt, details),
    ...fallbackOf(details),
    ...details.claims.slice(0, 1).map((claim): Reason => ({ kind: 'claim', ...claim })),
    ...adjustmentOf(receipt, details, charged),
    ...cachedOf(receipt, details),
    ...workOf(details),
    ...estimatedOf(receipt, details),
  ]
  return special.length > 0 ? special.slice(0, maxReasons) : [plainOf(receipt, details)]
}

/** Nothing was charged: the caller left, no attempt answered, none was made, or there is no price. */
function freeOf({ state, status_code: status, charge }: Explained, { attempts, outcome }: Details): Reason[] {
  if (outcome === 'client_left' || status === 499) return [{ kind: 'leftFree' }]
  if (charge?.adjustment?.kind === 'lost') return [{ kind: 'lost' }]
  if (state === 'completed') return [...fallbackOf({ attempts }), { kind: 'free' }]
  if (attempts.length === 0) return [{ kind: 'refused' }]
  if (declines.has(attempts.at(-1)!.outcome)) return [{ kind: 'declined' }]
  return [{ kind: 'failed', attempts: attempts.length }]
}

function endOf({ state, status_code: status }: Explained, { outcome }: Details): Reason[] {
  if (outcome === 'client_left' || status === 499) return [{ kind: 'left' }]
  return state === 'failed' ? [{ kind: 'cut' }] : []
}

/** Which attempt answered in whose place. Where the receipt pays several calls, attempts that failed between them say nothing of a replacement. */
function fallbackOf({ attempts }: Pick<Details, 'attempts'>): Reason[] {
  if (attempts.some(({ isResumed }) => isResumed)) return [{ kind: 'resumed' }]
  const answered = attempts.findIndex(({ outcome }) => outcome === 'answered')
  if (answered < 1) return []
  const [first, last] = [attempts[0]!, attempts[answered]!]
  if (first.model !== last.model) return [{ kind: 'otherModel', asked: first.model, answered: last.model }]
  if (answered === 1 && first.deployment !== last.deployment) return [{ kind: 'otherProvider' }]
  return [{ kind: 'retried', failed: answered }]
}

function adjustmentOf(
  { charge, reserved_microcredits: held }: Explained,
  { raisedFrom }: Details,
  charged: bigint,
): Reason[] {
  const { adjustment } = charge ?? {}
  if (adjustment?.kind === 'within_hold') {
    const difference = /^-?\d+$/.test(adjustment.microcredits) ? BigInt(adjustment.microcredits) : 0n
    return [{ kind: adjustment.kind, microcredits: difference < 0n ? -difference : difference }]
  }
  const before = raisedFrom ?? BigInt(held)
  return charged > before ? [{ kind: 'raised', microcredits: charged - before }] : []
}

/** Cached tokens have a line of their own where their price differs. */
function cachedOf({ charge }: Explained, { tokens }: Details): Reason[] {
  const hasLine = charge?.lines.some(({ unit }) => unit === 'cached_input_tokens') ?? false
  return tokens && tokens.cached_input > 0 && hasLine
    ? [{ kind: 'cached', cached: tokens.cached_input, input: tokens.input }]
    : []
}

/** Only tokens are estimated from the text: characters, pictures and seconds are counted by the server itself. */
const estimatedOf = ({ charge }: Explained, { usageSource }: Details): Reason[] =>
  usageSource === 'estimated' && (charge?.lines.some(({ unit }) => unit.endsWith('_tokens')) ?? true)
    ? [{ kind: 'estimated' }]
    : []

function workOf({ steps, toolUses, turns }: Details): Reason[] {
  const count = steps.reduce((sum, step) => sum + step.count, 0)
  if (count > 0) return [{ kind: 'steps', count }]
  return toolUses > 0 ? [{ kind: 'tools', turns, uses: toolUses }] : []
}

function plainOf({ charge }: Explained, { tokens }: Details): Reason {
  const isOfTokens = charge === null || charge.lines.every(({ unit }) => unit.endsWith('_tokens'))
  return tokens && tokens.input + tokens.output > 0 && isOfTokens
    ? { kind: 'tokens', input: tokens.input, output: tokens.output }
    : { kind: 'byLines' }
}
