/** Keys that apps send as `apikey`. Everybody may see the public one; of a service key only the hash is kept. */
import { uuidv7 } from '#platform/ids'
import { newKeySecret, sha256 } from '#platform/secrets'
import type { CloudKey } from './clouds.ts'
import type { KeyRow } from './store.ts'

const prefixes = { public: 'publicKey', service: 'serviceKey' } as const

export function newAppKey(
  { accountId, cloudId }: CloudKey,
  kind: KeyRow['kind'],
  now: Date,
): { row: KeyRow; secret: string } {
  const secret = newKeySecret(prefixes[kind])
  const row: KeyRow = {
    account_id: accountId,
    cloud_id: cloudId,
    key_id: uuidv7(now.getTime()),
    kind,
    hash: sha256(secret),
    public_key: kind === 'public' ? secret : null,
    created_at: now,
    expires_at: null,
  }
  return { row, secret }
}

/** The hash of a key, as `LiveCloud.keys` has it. */
export const hashOfKey = (secret: string): string => sha256(secret).toString('hex')
