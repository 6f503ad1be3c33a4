/** Usage claims of upstreams that were corrected: recorded on the receipt and reported as an alarm. Figures only, never content. */
import type { App } from '#app'
import type { Attempt } from '#core/routing'
import type { Usage } from '#core/turn'

/** Counts of tokens, and seconds of sound. */
type Figures = Partial<Usage & { seconds: number }>

/** A claim as it is recorded on a receipt. */
export interface Claim {
  deployment: string
  claimed: Figures
  believed: Figures
}

/** The attempt whose usage was counted. */
const counted = (attempts: readonly Attempt[]): Attempt | undefined =>
  attempts.findLast(({ outcome }) => outcome === 'answered') ?? attempts.at(-1)

/** The claim of the last of these attempts, if it was corrected; otherwise empty. */
export function claimOf(
  attempts: readonly Attempt[],
  correction: { claimed: Figures; believed: Figures } | undefined,
): Claim[] {
  const attempt = counted(attempts)
  return attempt && correction ? [{ deployment: attempt.deployment, ...correction }] : []
}

/**
 * The claim of the last of these attempts, if a claimed figure differs from the accepted one; a figure that was not claimed is the platform's
 * estimate, and no correction.
 */
export function claimsOf(
  attempts: readonly Attempt[],
  claimed: Figures | undefined,
  believed: Figures,
): Claim[] {
  const figures = Object.keys(believed) as (keyof Figures)[]
  const isBelieved = figures.every((figure) => isAccepted(claimed?.[figure], believed[figure]))
  return claimOf(attempts, isBelieved || !claimed ? undefined : { claimed, believed })
}

const isAccepted = (claimed: number | undefined, believed: number | undefined): boolean =>
  claimed === undefined || claimed === believed

/** Counts and logs corrected claims, and answers that exceeded their output limit. */
export function alarmClaims(
  { metrics, log }: Pick<App, 'metrics' | 'log'>,
  requestId: string,
  attempts: readonly Attempt[],
  claims: readonly Claim[],
): void {
  for (const { deployment, claimed, believed } of claims) {
    for (const what of ['input', 'output', 'webSearches', 'seconds'] as const)
      if (!isAccepted(claimed[what], believed[what]))
        metrics.disbelieved.inc({ deployment, what: named[what] })
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

const named = { input: 'input', output: 'output', webSearches: 'searches', seconds: 'seconds' } as const
