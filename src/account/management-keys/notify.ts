import { type LetterKinds, queueLetter } from '#account/letters'
import { members, personById, provenAddresses } from '#account/people'
import type { Tx } from '#platform/db'
import type { ManagementKeysApp } from './app.ts'

/** Writes to all proven addresses of the owners and of the maker that a key was made, in the transaction that makes it. */
export async function notifyMade(
  app: ManagementKeysApp,
  tx: Tx,
  { accountId, makerId }: { accountId: string; makerId: string },
  data: LetterKinds['management_key_made'],
  now: Date,
): Promise<void> {
  for (const { personId, role } of await members(tx, accountId)) {
    if (role !== 'owner' && personId !== makerId) continue
    const person = await personById(tx, personId)
    if (!person) continue
    for (const to of await provenAddresses(tx, personId))
      await queueLetter(
        app,
        tx,
        { to, personId, locale: person.locale, kind: 'management_key_made', data },
        now,
      )
  }
}
