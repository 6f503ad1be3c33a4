/** Usage claims of upstreams that were corrected: recorded on the receipt and reported as an alarm. Figures only, never content. */
import type { Attempt } from '#core/routing'
import type { Usage } from '#core/turn'
import type { PaidApp } from './app.ts'

/** Counts of tokens, and seconds of sound. */
type UsageFigures = Partial<Usage & { seconds: number }>

/** A claim as it is recorded on a receipt. */
export interface UsageClaim {
  deployment: string
  claimed: UsageFigures
  believed: UsageFigures
}

/** The attempt whose usage was counted. */
const countedAttempt = (attempts: readonly Attempt[]): Attempt | undefined =>
  attempts.findLast(({ outcome }) => outcome === 'answered') ?? attempts.at(-1)

/** The claim of the last of these attempts, if it was corrected; otherwise empty. */
export function claimsOfCorrection(
  attempts: readonly Attempt[],
  correction: { claimed: UsageFigures; believed: UsageFigures } | undefined,
): UsageClaim[] {
  const attempt = countedAttempt(attempts)
  return attempt && correction ? [{ deployment: attempt.deployment, ...correction }] : []
}

/**
 * The claim of the last of these attempts, if a claimed figure differs from the accepted one; a figure that was not claimed is the platform's
 * estimate, and no correction.
 */
export function claimsOfFigures(
  attempts: readonly Attempt[],
  claimed: UsageFigures | undefined,
  believed: UsageFigures,
): UsageClaim[] {
  const figures = Object.keys(believed) as (keyof UsageFigures)[]
  const isBelieved = figures.every((figure) => isAccepted(claimed?.[figure], believed[figure]))
  return claimsOfCorrection(attempts, isBelieved || !claimed ? undefined : { claimed, believed })
}

const isAccepted = (claimed: number | undefined, believed: number | undefined): boolean =>
  claimed === undefined || claimed === believed

/** Counts and logs corrected claims, and answers that exceeded their output limit. */
export function alarmClaims(
  { metrics, log }: Pick<PaidApp, 'metrics' | 'log'>,
  requestId: string,
  attempts: readonly Attempt[],
  claims: readonly UsageClaim[],
): void {
  for (const { deployment, claimed, believed } of claims) {
    for (const what of ['input', 'output', 'webSearches', 'seconds'] as const)
      if (!isAccepted(claimed[what], believed[what]))
        metrics.disbelieved.inc({ deployment, what: metricLabels[what] })
    log.error(
      { receipt: requestId, deployment, claimed, believed },
      'an upstream claims a usage that cannot be; what can be was charged',
    )
  }
  for (const { deployment, overran } of attempts) {
    if (!overran) continue
    metrics.disbelieved.inc({ deployment, what: 'text' })
    log.error(
      { receipt: requestId, deployment },
      'an upstream wrote past its limit of tokens and was cut off',
    )
  }
}

const metricLabels = {
  input: 'input',
  output: 'output',
  webSearches: 'searches',
  seconds: 'seconds',
} as const
