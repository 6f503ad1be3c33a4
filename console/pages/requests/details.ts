/** The details of a receipt, read leniently: each kind of call has members of its own, and older receipts have fewer. */

/** One call to one deployment. Times in milliseconds from the start of the request. */
export interface Attempt {
  model: string
  deployment: string
  provider: string
  startedMs: number
  firstPartMs: number | undefined
  endedMs: number | undefined
  /** `answered`, `running`, or the fault by which it failed. */
  outcome: string
  status: number | undefined
  /** What this attempt cost, where the receipt pays several calls. */
  microcredits: bigint | undefined
  /** It went on with an answer that was interrupted. */
  isResumed: boolean
}

/** A step of a durable run or of a voice call. */
export interface Step {
  name: string
  model: string | undefined
  microcredits: bigint
  isAmbiguous: boolean
  /** How many steps stand in this line. */
  count: number
}

/** A figure that an upstream reported and that cannot be. */
export interface Claim {
  what: 'input' | 'output' | 'webSearches' | 'seconds'
  claimed: number
  believed: number
}

/** Tokens by kind; those of a cache are among the input. */
export interface Tokens {
  input: number
  cached_input: number
  output: number
  /** Those of the output that the model thought with. */
  reasoning: number
}

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : [])
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
const money = (value: unknown): bigint | undefined => {
  if (typeof value === 'string' && /^\d+$/.test(value)) return BigInt(value)
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined
}

const attemptOf = (one: Json): Attempt => ({
  model: text(one['model']) ?? '',
  deployment: text(one['deployment']) ?? '',
  provider: text(one['provider']) ?? '',
  startedMs: number(one['started_ms']) ?? 0,
  firstPartMs: number(one['first_part_ms']),
  endedMs: number(one['ended_ms']),
  outcome: text(one['outcome']) ?? 'running',
  status: number(one['status']),
  microcredits: money(one['microcredits']),
  isResumed: one['resumed'] === true,
})

const stepOf = (one: Json): Step => ({
  name: text(one['step']) ?? text(one['kind']) ?? '',
  model: text(one['model']),
  microcredits: money(one['microcredits']) ?? 0n,
  isAmbiguous: one['ambiguous'] === true,
  count: number(one['steps']) ?? 1,
})

const figures = ['input', 'output', 'webSearches', 'seconds'] as const

function claimsOf(one: Json): Claim[] {
  const [claimed, believed] = [one['claimed'], one['believed']]
  if (!isJson(claimed) || !isJson(believed)) return []
  return figures.flatMap((what) => {
    const [said, held] = [number(claimed[what]), number(believed[what])]
    return said === undefined || held === undefined || said === held
      ? []
      : [{ what, claimed: said, believed: held }]
  })
}

function tokensOf(value: unknown): Tokens | null {
  if (!isJson(value)) return null
  const count = (...names: string[]): number =>
    names.map((name) => number(value[name])).find((one) => one !== undefined) ?? 0
  return {
    input: count('input'),
    cached_input: count('cachedInput', 'cached_input'),
    output: count('output'),
    reasoning: count('reasoning'),
  }
}

export interface Details {
  tokens: Tokens | null
  attempts: Attempt[]
  steps: Step[]
  claims: Claim[]
  /** How often hosted tools were used. */
  toolUses: number
  /** How often the model was asked, where tools were hosted. */
  turns: number
  usageSource: string | undefined
  outcome: string | undefined
  errorCode: string | undefined
  /** The hold before it was raised to the cost. */
  raisedFrom: bigint | undefined
  totalMs: number | undefined
}

export function readDetails(value: unknown): Details {
  const details = isJson(value) ? value : {}
  return {
    tokens: tokensOf(details['tokens']),
    attempts: listOf(details['attempts']).map(attemptOf),
    steps: [...listOf(details['steps']), ...listOf(details['more'])].map(stepOf),
    claims: listOf(details['claims']).flatMap(claimsOf),
    toolUses: listOf(details['tools']).reduce((sum, one) => sum + (number(one['uses']) ?? 0), 0),
    turns: number(details['steps']) ?? 1,
    usageSource: text(details['usage_source']),
    outcome: text(details['outcome']),
    errorCode: text(details['error_code']),
    raisedFrom: money(details['hold_raised_from']),
    totalMs: number(details['total_ms']),
  }
}

/** Outcomes that no fault of a provider brought about. */
const faultless: ReadonlySet<string> = new Set(['answered', 'running', 'aborted'])

/** How many attempts failed; the list of requests counts them alike. */
export const failedAttempts = ({ attempts }: Pick<Details, 'attempts'>): number =>
  attempts.filter(({ outcome }) => !faultless.has(outcome)).length

/** How many steps the call had: those of work or of a voice call, or how often a model with hosted tools was asked. */
export const stepsOf = ({ steps, turns }: Pick<Details, 'steps' | 'turns'>): number =>
  steps.length > 0 ? steps.reduce((sum, { count }) => sum + count, 0) : turns

/** When the last attempt ended, as far as it is known; what still runs has come as far as the others. */
export const endOfAttempts = ({ attempts, totalMs }: Pick<Details, 'attempts' | 'totalMs'>): number =>
  Math.max(
    1,
    ...attempts.map(({ startedMs, firstPartMs, endedMs }) => endedMs ?? firstPartMs ?? startedMs),
    ...(attempts.some(({ endedMs }) => endedMs === undefined) ? [totalMs ?? 0] : []),
  )
