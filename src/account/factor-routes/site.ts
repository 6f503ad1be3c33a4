import {
  beginCeremony,
  type CeremonyPurpose,
  confirmedFactors,
  type PasskeyRow,
  type PasskeySite,
  passkeyAvailability,
} from '#account/factors'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { browserHashOf, type RequestContext } from '#platform/http'
import type { FactorRoutesApp } from './app.ts'

/** Throws PASSKEY_UNAVAILABLE, which says why and what to open instead. */
export function requireSite(context: RequestContext<FactorRoutesApp>): PasskeySite {
  const found = passkeyAvailability(context)
  return found.available ? found : fail('PASSKEY_UNAVAILABLE', { why: found.why })
}

/** Begins a ceremony in the browser of the request, and returns its challenge. */
export const challengeFor = (
  tx: Tx,
  context: RequestContext<FactorRoutesApp>,
  purpose: CeremonyPurpose,
  personId: string | null,
): Promise<string> =>
  beginCeremony(
    tx,
    { purpose, browserHash: browserHashOf(context), personId },
    new Date(context.app.clock.nowMs()),
  )

export const passkeysOf = async (tx: Tx, personId: string): Promise<PasskeyRow[]> =>
  (await confirmedFactors(tx, personId)).filter((row): row is PasskeyRow => row.kind === 'passkey')
