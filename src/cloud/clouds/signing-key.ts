/** Keys that sign the sessions of app users: ES256, the private half sealed for its cloud. */
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { CloudsApp } from './app.ts'
import type { CloudKey, LiveCloud } from './clouds.ts'
import { signingKeysOf } from './key-store.ts'
import type { SigningKeyRow } from './store.ts'

const generate = promisify(generateKeyPair)

/** What a private key is sealed for: this cloud and key alone. */
const sealedFor = (cloudId: string, kid: string): string => `clouds.signing_keys/${cloudId}/${kid}`

/** Makes a signing key, before the transaction that stores it. Throws SECRETS_SEALED. */
export async function newSigningKey(
  { secrets }: Pick<CloudsApp, 'secrets'>,
  { accountId, cloudId }: CloudKey,
  now: Date,
): Promise<SigningKeyRow> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' })
  const kid = uuidv7(now.getTime())
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  return {
    account_id: accountId,
    cloud_id: cloudId,
    kid,
    private_key_sealed: await secrets.seal(pem, sealedFor(cloudId, kid)),
    public_jwk: { kty: kty!, crv: crv!, x: x!, y: y! },
    created_at: now,
    retired_at: null,
    expires_at: null,
  }
}

/** The private half of the key that signs now. Throws CLOUD_NOT_FOUND where the cloud is gone, and SECRETS_SEALED. */
export async function openSigningKey(
  { db, secrets }: Pick<CloudsApp, 'db' | 'secrets'>,
  cloud: Pick<LiveCloud, 'accountId' | 'cloudId'>,
): Promise<{ kid: string; privateKey: KeyObject }> {
  const keys = await signingKeysOf(db.kysely, cloud)
  const { kid, private_key_sealed: sealed } =
    keys.find(({ retired_at: retiredAt }) => retiredAt === null) ?? fail('CLOUD_NOT_FOUND', {})
  return { kid, privateKey: createPrivateKey(await secrets.open(sealed, sealedFor(cloud.cloudId, kid))) }
}
