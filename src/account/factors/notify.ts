import { queueLetter, type TypedLetter } from '#account/letters'
import { type Person, provenAddresses } from '#account/people'
import type { Tx } from '#platform/db'
import type { FactorsApp } from './app.ts'

/** Whose factors are changed: what letters need of the person. */
export type FactorOwner = Pick<Person, 'personId' | 'locale' | 'displayName' | 'email'>

/** Writes to all proven addresses of the person, in the transaction of what is told. */
export async function notify(
  app: Pick<FactorsApp, 'jobs' | 'secrets'>,
  tx: Tx,
  { personId, locale }: Pick<FactorOwner, 'personId' | 'locale'>,
  notice: TypedLetter,
  now: Date,
): Promise<void> {
  for (const to of await provenAddresses(tx, personId))
    await queueLetter(app, tx, { to, personId, locale, ...notice }, now)
}
