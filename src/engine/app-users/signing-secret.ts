import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { App } from '#app'
import type { CloudKey } from '#engine/clouds'
import { fail } from '#platform/errors'

/** The private half of the key that signs now. */
export async function openSigningKey(
  { db, secrets }: Pick<App, 'db' | 'secrets'>,
  { accountId, cloudId }: CloudKey,
): Promise<{ kid: string; privateKey: KeyObject }> {
  const [row] = await db.query<{ kid: string; sealed: string }>(
    {
      text: `select kid, private_key_sealed as sealed from clouds.signing_keys
        where account_id = $1 and cloud_id = $2 and retired_at is null order by kid desc limit 1`,
    },
    [accountId, cloudId],
  )
  const { kid, sealed } = row ?? fail('APP_USER_TOKEN_INVALID', {})
  return {
    kid,
    privateKey: createPrivateKey(await secrets.open(sealed, `clouds.signing_keys/${cloudId}/${kid}`)),
  }
}
