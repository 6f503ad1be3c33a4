import { audit } from '#account/audit'
import { type Person, setMember } from '#account/people'
import { createAccount, createProject } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { grant } from '#platform/ledger'
import { firstNames } from './phrases.ts'
import { type AddressOwner, countAccount, takeWelcome, type WelcomeApp } from './welcome.ts'

/** The slice of the app that opens accounts: plan and first credits of the configuration, and the key that hides addresses. */
export type NewAccountsApp = WelcomeApp

/** The request in which an account is opened, for the audit log. */
type OpeningContext = { app: NewAccountsApp } & Pick<
  RequestContext<unknown>,
  'requestId' | 'headers' | 'operation'
>

/**
 * Opens an account with a project and the first credits, whose owner is the person, in the transaction in which the person begins to exist. Throws
 * TOO_MANY_ACCOUNTS.
 */
export async function openAccount(
  { app, requestId, headers, operation }: OpeningContext,
  tx: Tx,
  { person, email, network }: AddressOwner & { person: Person },
  now: Date,
): Promise<void> {
  const { personId, displayName, locale } = person
  if (!(await countAccount(app, tx, network, now))) fail('TOO_MANY_ACCOUNTS', {})
  const name = firstNames.account[locale](displayName)
  const { plan } = app.config.people
  const { account_id: accountId } = await createAccount(tx, { name, plan }, now)
  await createProject(tx, { accountId, name: firstNames.project[locale] }, now)
  await setMember(tx, { accountId, personId, role: 'owner', projectIds: null }, now)
  const microcredits = await takeWelcome(app, tx, email, now)
  if (microcredits > 0n)
    await grant(tx, { accountId, transferId: uuidv7(), microcredits, reason: 'welcome' }, now)
  await audit(
    tx,
    {
      accountId,
      actor: { kind: 'person', id: personId },
      operation,
      target: { kind: 'account', id: accountId },
      after: { name, plan, credits: Number(microcredits / 1_000_000n) },
      requestId,
      client: headers['user-agent'],
    },
    now,
  )
}
