import {
  type AttemptsApp,
  countPersonAttempt,
  networkOf,
  type PersonAttempt,
  uncountPersonAttempt,
} from '#account/sign-in'

const minuteMs = 60_000

/** Who tries: somebody who has given a first factor of this person, at this network address. */
export interface FactorAttempt {
  personId: string
  clientAddress: string
}

/**
 * Three of a million codes are right at a moment, so a hundred attempts a day find one in nine years. Only somebody who has given a first factor can
 * use the attempts up, and passkeys are not counted.
 */
const attemptsOf = ({ personId, clientAddress }: FactorAttempt): PersonAttempt[] => [
  { kind: 'factor', of: personId, max: 100, windowMs: 24 * 60 * minuteMs },
  { kind: 'factor_network', of: `${personId} ${networkOf(clientAddress)}`, max: 10, windowMs: 15 * minuteMs },
]

/** Counts the attempt to give a code, before it is checked. Throws TOO_MANY_ATTEMPTS (429). */
export const countFactorAttempt = (app: AttemptsApp, attempt: FactorAttempt): Promise<void> =>
  countPersonAttempt(app, attemptsOf(attempt))

/** Takes back the attempt of a code that was right. */
export const uncountFactorAttempt = (app: AttemptsApp, attempt: FactorAttempt): Promise<void> =>
  uncountPersonAttempt(app, attemptsOf(attempt))

/** Counts that a stranger asks for a challenge, which is a row in the database. Throws TOO_MANY_ATTEMPTS (429). */
export const countChallenge = (app: AttemptsApp, clientAddress: string): Promise<void> =>
  countPersonAttempt(app, [
    { kind: 'passkey_challenge', of: networkOf(clientAddress), max: 300, windowMs: 15 * minuteMs },
  ])
