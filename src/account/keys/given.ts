/** Reads the settings of keys, projects and accounts as a body gives them. */
import { isScope, type KeyOptions, readOrigin, type Scope } from '#platform/auth'
import { fail } from '#platform/errors'
import { type CapChangeOptions, type Caps, microcreditsPerCredit } from '#platform/ledger'
import type { KeysApp } from './app.ts'
import { reasons } from './phrases.ts'
import type { KeyPatch, ProjectPatch } from './schema.ts'

type GivenCaps = Pick<ProjectPatch, 'cap_credits' | 'month_cap_credits' | 'rate_per_minute' | 'concurrency'>

const micro = (credits: number | null): bigint | null =>
  credits === null ? null : BigInt(credits) * microcreditsPerCredit

/** The limits that a body gives; what it leaves out stays as it is. */
export const capsOf = (given: GivenCaps): Caps => ({
  ...(given.cap_credits !== undefined && { cap: micro(given.cap_credits) }),
  ...(given.month_cap_credits !== undefined && { monthCap: micro(given.month_cap_credits) }),
  ...(given.rate_per_minute !== undefined && { ratePerMinute: given.rate_per_minute }),
  ...(given.concurrency !== undefined && { concurrency: given.concurrency }),
})

/** Whether a change names a cap or a limit; one that does not must not stop the payments of the account. */
export const hasCaps = ({ caps }: { caps: Caps }): boolean => Object.keys(caps).length > 0

/** Thresholds in percent, ascending; undefined leaves them as they are, and null takes those of the installation. */
export const thresholdsOf = (given: readonly number[] | null | undefined): number[] | null | undefined =>
  given ? given.toSorted((left, right) => left - right) : given

/** What a change of caps needs to notify of thresholds. */
export const capChange = ({ config }: KeysApp, now: Date): CapChangeOptions => ({
  now,
  thresholdsPercent: config.budgets.thresholdsPercent,
})

/** Throws INVALID_REQUEST (400) for a name that is no scope. */
export function scopesOf(names: readonly string[]): Scope[] {
  return names.map((name, at) =>
    isScope(name) ? name : fail('INVALID_REQUEST', { why: reasons.scope(name) }, { param: `scopes.${at}` }),
  )
}

type GivenSettings = Omit<KeyPatch, 'name' | 'scopes'>

/**
 * The settings of a key beside its caps; undefined leaves one as it is. Throws INVALID_REQUEST (400) for a time that is not in the future or an origin
 * that no browser sends, and MODEL_NOT_FOUND.
 */
export function settingsOf(
  app: KeysApp,
  given: GivenSettings,
  now: Date,
): Pick<KeyOptions, 'models' | 'origins' | 'expiresAt' | 'keepDays' | 'responsesMaxOutputTokens'> {
  return {
    models: given.models && modelsOf(app, given.models),
    origins: given.origins && originsOf(given.origins),
    expiresAt: typeof given.expires_at === 'string' ? futureOf(given.expires_at, now) : given.expires_at,
    keepDays: given.keep_days,
    responsesMaxOutputTokens: given.responses_max_output_tokens,
  }
}

/** The names as they are given: an alias stays one, so that the key follows the model to which it leads. */
function modelsOf(app: KeysApp, names: readonly string[]): string[] {
  for (const [at, name] of names.entries())
    if (!app.models.find(name)) fail('MODEL_NOT_FOUND', { model: name }, { param: `models.${at}` })
  return [...names]
}

function originsOf(texts: readonly string[]): string[] {
  const origins = texts.map(
    (text, at) =>
      readOrigin(text) ?? fail('INVALID_REQUEST', { why: reasons.origin(text) }, { param: `origins.${at}` }),
  )
  return [...new Set(origins)]
}

const maxExpiryMs = 100 * 365 * 86_400_000

function futureOf(text: string, now: Date): Date {
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/.test(text)
  const atMs = isTime ? Date.parse(text) : Number.NaN
  const isFuture = atMs > now.getTime() && atMs <= now.getTime() + maxExpiryMs
  return isFuture ? new Date(atMs) : fail('INVALID_REQUEST', { why: reasons.past }, { param: 'expires_at' })
}
