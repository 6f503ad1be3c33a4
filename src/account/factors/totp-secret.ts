import type { Secrets } from '#platform/secrets'
import type { FactorRow, TotpRow } from './store.ts'

type Owner = Pick<FactorRow, 'person_id' | 'factor_id'>

/** A secret is sealed for its row, so that no other row can take it. */
const belongsTo = ({ person_id: personId, factor_id: factorId }: Owner): string =>
  `people.factors ${personId} ${factorId}`

export const sealTotpSecret = (secrets: Secrets, owner: Owner, secret: Buffer): Promise<string> =>
  secrets.seal(secret.toString('base64'), belongsTo(owner))

export const openTotpSecret = async (secrets: Secrets, factor: TotpRow): Promise<Buffer> =>
  Buffer.from(await secrets.open(factor.secret_sealed, belongsTo(factor)), 'base64')
