/** Makes new keys for an existing cloud, and ends those before them. */
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { newAppKey } from './app-key.ts'
import { announceCloud } from './directory.ts'
import * as keyStore from './key-store.ts'
import { type CloudRow, type KeyRow, keyOf, raiseFunctionsRevision, type SigningKeyRow } from './store.ts'

interface Rotation {
  now: Date
  /** Until when earlier keys of its kind are accepted: never longer than they were. */
  othersUntil: Date
}

/** The most keys of one kind, those in their grace period included. */
const maxKeys = 10

/** Makes a new key of an app; the cloud is locked. The secret of a service key is known only here. Throws CLOUD_KEY_LIMIT. */
export async function rotateAppKey(
  tx: Tx,
  cloud: CloudRow,
  kind: KeyRow['kind'],
  { now, othersUntil }: Rotation,
): Promise<{ row: KeyRow; secret: string }> {
  const key = newAppKey(keyOf(cloud), kind, now)
  await keyStore.endKeys(tx, keyOf(cloud), kind, othersUntil)
  await keyStore.deleteEndedKeys(tx, keyOf(cloud), now)
  const standing = await keyStore.keysOf(tx, keyOf(cloud))
  if (standing.filter((one) => one.kind === kind).length >= maxKeys) fail('CLOUD_KEY_LIMIT', { max: maxKeys })
  await keyStore.insertKey(tx, key.row)
  // Functions find the public key among their variables.
  if (kind === 'public') await raiseFunctionsRevision(tx, keyOf(cloud))
  await announceCloud(tx, keyOf(cloud), cloud.ref)
  return key
}

/** Makes this key the one that signs from here on; what earlier keys have signed is accepted until `othersUntil`. Throws CLOUD_KEY_LIMIT. */
export async function rotateSigningKey(
  tx: Tx,
  cloud: CloudRow,
  key: SigningKeyRow,
  { now, othersUntil }: Rotation,
): Promise<void> {
  await keyStore.retireSigningKeys(tx, keyOf(cloud), now, othersUntil)
  const standing = await keyStore.signingKeysOf(tx, keyOf(cloud))
  if (standing.length >= maxKeys) fail('CLOUD_KEY_LIMIT', { max: maxKeys })
  await keyStore.insertSigningKey(tx, key)
  await announceCloud(tx, keyOf(cloud), cloud.ref)
}
