/** Adds and removes second factors. Every change is told to all proven addresses of the person, in its transaction. */
import { randomBytes } from 'node:crypto'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { FactorsApp } from './app.ts'
import { type FactorOwner, notify } from './notify.ts'
import type { NewPasskey } from './passkey.ts'
import { factorNames } from './phrases.ts'
import { newRecoveryCodes, readRecoveryCode, recoveryHash, recoverySigner } from './recovery-codes.ts'
import * as store from './store.ts'
import { base32, otpauthUri, secretBytes } from './totp.ts'
import { sealTotpSecret } from './totp-secret.ts'
import { isTotp, useTotp } from './use-totp.ts'

type ChangeApp = Pick<FactorsApp, 'secrets' | 'jobs'>

export interface BegunTotp {
  factorId: string
  /** The secret in base32, for people who type it. */
  secret: string
  /** What the QR code says. */
  uri: string
}

/**
 * Makes the secret of a new authenticator app, which is no factor until its first code. One that waited before is dropped. `issuer` is what the app
 * shows beside the person's address. Throws TOO_MANY_FACTORS.
 */
export async function beginTotp(
  { secrets }: Pick<FactorsApp, 'secrets'>,
  tx: Tx,
  person: FactorOwner,
  { name, issuer }: { name: string | undefined; issuer: string },
  now: Date,
): Promise<BegunTotp> {
  await requireRoom(tx, person)
  const secret = randomBytes(secretBytes)
  const row = newRow(person, { kind: 'totp', name: name ?? factorNames.totp[person.locale] }, now)
  await store.insertFactor(tx, { ...row, secret_sealed: await sealTotpSecret(secrets, row, secret) })
  const account = person.email ?? person.displayName
  return { factorId: row.factor_id, secret: base32(secret), uri: otpauthUri(secret, { issuer, account }) }
}

/** Locks the factors of the person, and drops the app that waits for its first code. Throws TOO_MANY_FACTORS. */
async function requireRoom(tx: Tx, { personId }: FactorOwner): Promise<void> {
  await store.lockFactors(tx, personId)
  await store.deleteUnconfirmed(tx, personId)
  if ((await store.countFactors(tx, personId)) >= store.maxFactors)
    fail('TOO_MANY_FACTORS', { max: store.maxFactors })
}

const newRow = (
  { personId }: FactorOwner,
  { kind, name }: Pick<store.FactorRow, 'kind' | 'name'>,
  now: Date,
): store.FactorRow => ({
  ...{ person_id: personId, factor_id: uuidv7(now.getTime()), kind, name },
  ...{ secret_sealed: null, last_step: null },
  ...{ credential_id: null, public_key: null, counter: null, transports: null, is_backed_up: null },
  ...{ created_at: now, confirmed_at: null, last_used_at: null },
})

/** A factor that was added. The first one of a person brings recovery codes, which are shown only once. */
export interface AddedFactor {
  factor: store.FactorRow
  recoveryCodes: string[] | undefined
}

/** Confirms an app by its first code. Returns undefined for a wrong code. Throws NOT_FOUND where no app with this id waits. */
export async function confirmTotp(
  app: ChangeApp,
  tx: Tx,
  person: FactorOwner,
  { factorId, code }: { factorId: string; code: string },
  now: Date,
): Promise<AddedFactor | undefined> {
  await store.lockFactors(tx, person.personId)
  const waiting = await store.findFactor(tx, person.personId, factorId)
  if (!waiting || !isTotp(waiting) || waiting.confirmed_at) fail('NOT_FOUND', {})
  const isFirst = (await store.confirmedFactors(tx, person.personId)).length === 0
  if (!(await useTotp(app, tx, waiting, code, now))) return undefined
  return added(app, tx, person, { ...waiting, confirmed_at: now, last_used_at: now }, isFirst, now)
}

/** Adds a passkey. Throws TOO_MANY_FACTORS, and FACTOR_INVALID where somebody has the same passkey already. */
export async function addPasskey(
  app: ChangeApp,
  tx: Tx,
  person: FactorOwner,
  { name, passkey }: { name: string | undefined; passkey: NewPasskey },
  now: Date,
): Promise<AddedFactor> {
  await requireRoom(tx, person)
  const isFirst = (await store.confirmedFactors(tx, person.personId)).length === 0
  const row: store.FactorRow = {
    ...newRow(person, { kind: 'passkey', name: name ?? factorNames.passkey[person.locale] }, now),
    credential_id: passkey.credentialId,
    public_key: passkey.publicKey,
    counter: BigInt(passkey.counter),
    transports: passkey.transports,
    is_backed_up: passkey.isBackedUp,
    confirmed_at: now,
  }
  if (!(await store.insertFactor(tx, row))) fail('FACTOR_INVALID', {})
  return added(app, tx, person, row, isFirst, now)
}

async function added(
  app: ChangeApp,
  tx: Tx,
  person: FactorOwner,
  factor: store.FactorRow,
  isFirst: boolean,
  now: Date,
): Promise<AddedFactor> {
  await notify(app, tx, person, { kind: 'factor_added', data: { factor: factor.kind, at: now } }, now)
  return { factor, recoveryCodes: isFirst ? await storeCodes(app, tx, person.personId, now) : undefined }
}

/** Removes a factor; the recovery codes go with the last one. Throws NOT_FOUND. */
export async function removeFactor(
  app: ChangeApp,
  tx: Tx,
  person: FactorOwner,
  factorId: string,
  now: Date,
): Promise<store.FactorRow> {
  await store.lockFactors(tx, person.personId)
  const [removed] = await store.deleteFactors(tx, person.personId, factorId)
  if (!removed) fail('NOT_FOUND', {})
  if ((await store.confirmedFactors(tx, person.personId)).length === 0)
    await store.replaceRecoveryCodes(tx, person.personId, [], now)
  await notify(app, tx, person, { kind: 'factor_removed', data: { factor: removed.kind, at: now } }, now)
  return removed
}

/** Removes all factors of a person with their recovery codes, and returns them. */
export async function removeAllFactors(
  app: ChangeApp,
  tx: Tx,
  person: FactorOwner,
  now: Date,
): Promise<store.FactorRow[]> {
  await store.lockFactors(tx, person.personId)
  const removed = await store.deleteFactors(tx, person.personId)
  await store.replaceRecoveryCodes(tx, person.personId, [], now)
  for (const factor of new Set(removed.map(({ kind }) => kind)))
    await notify(app, tx, person, { kind: 'factor_removed', data: { factor, at: now } }, now)
  return removed
}

/** Makes ten new recovery codes in the place of those before, and returns them to be shown once. Throws NO_SECOND_FACTOR. */
export async function renewRecoveryCodes(
  app: ChangeApp,
  tx: Tx,
  person: FactorOwner,
  now: Date,
): Promise<string[]> {
  await store.lockFactors(tx, person.personId)
  if ((await store.confirmedFactors(tx, person.personId)).length === 0) fail('NO_SECOND_FACTOR', {})
  await notify(app, tx, person, { kind: 'factor_added', data: { factor: 'recovery_code', at: now } }, now)
  return storeCodes(app, tx, person.personId, now)
}

async function storeCodes(
  { secrets }: Pick<FactorsApp, 'secrets'>,
  tx: Tx,
  personId: string,
  now: Date,
): Promise<string[]> {
  const signer = await recoverySigner(secrets)
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => recoveryHash(signer, personId, readRecoveryCode(code)!))
  await store.replaceRecoveryCodes(tx, personId, hashes, now)
  return codes
}
