/** Secret values that only functions read: sealed in the database, and never in an answer. */
import { type CloudKey, type CloudRow, keyOf, limitsOf } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { FunctionsApp } from './app.ts'
import { announceChange } from './deploy.ts'
import type { SecretRow } from './store.ts'
import * as store from './store.ts'

/** Names that the platform sets itself, now or one day. The developer may set one of them, since code written for Supabase looks for it. */
const reserved = /^(?:SUPABASE_|KHERAD_)/
const settableName = 'SUPABASE_SERVICE_ROLE_KEY'

export const isReservedName = (name: string): boolean => reserved.test(name) && name !== settableName

/** What a secret is sealed for, so that a row copied to another cloud or name cannot be opened. */
const sealPurposeOf = ({ cloudId }: CloudKey, name: string): string => `function secret ${cloudId}/${name}`

/** Seals a value. Call it outside of a transaction. Throws SECRETS_SEALED. */
export const sealValue = (
  { secrets }: Pick<FunctionsApp, 'secrets'>,
  cloud: CloudRow,
  { name, value }: { name: string; value: string },
): Promise<string> => secrets.seal(value, sealPurposeOf(keyOf(cloud), name))

/** Sets or replaces a secret. The cloud is locked and ready. Throws FUNCTION_SECRET_LIMIT. */
export async function putSecret(
  { config, clock }: Pick<FunctionsApp, 'config' | 'clock'>,
  tx: Tx,
  cloud: CloudRow,
  { name, sealed }: { name: string; sealed: string },
): Promise<{ row: SecretRow; isNew: boolean }> {
  const secretKey = { ...keyOf(cloud), name }
  const put = await store.putSecret(tx, secretKey, sealed, new Date(clock.nowMs()))
  const max = limitsOf(config.clouds, cloud).secrets
  // A cloud beyond a limit that was lowered may still replace values.
  if (put.isNew && (await store.countSecrets(tx, secretKey)) > max) fail('FUNCTION_SECRET_LIMIT', { max })
  await announceChange(tx, cloud)
  return put
}

/** The cloud is locked and ready. Throws FUNCTION_SECRET_NOT_FOUND. */
export async function removeSecret(tx: Tx, cloud: CloudRow, name: string): Promise<void> {
  if (!(await store.deleteSecret(tx, { ...keyOf(cloud), name })))
    fail('FUNCTION_SECRET_NOT_FOUND', {}, { param: 'name' })
  await announceChange(tx, cloud)
}

/** The secrets of a cloud, opened, by name. Throws SECRETS_SEALED. */
export async function openSecretsOf(
  { db, secrets }: Pick<FunctionsApp, 'db' | 'secrets'>,
  cloud: CloudKey,
): Promise<Record<string, string>> {
  const opened: Record<string, string> = {}
  for (const { name, value_sealed: sealed } of await store.secretsOf(db.kysely, cloud))
    opened[name] = await secrets.open(sealed, sealPurposeOf(cloud, name))
  return opened
}
