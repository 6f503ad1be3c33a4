/** First credits: once for each proven address, within the sum of a day; and how many accounts a network opens. */
import { sql } from 'kysely'
import { countAttempt } from '#account/sign-in'
import type { Config } from '#platform/config'
import type { Tx } from '#platform/db'
import type { Secrets } from '#platform/secrets'

export interface WelcomeApp {
  config: Pick<Config, 'people'>
  /** Makes the keyed hashes of addresses and networks. */
  secrets: Secrets
}

export interface AddressOwner {
  email: string
  network: string
}

const dayMs = 86_400_000
/** The most new accounts that one network opens in a day. */
const maxDailyAccounts = 20

/** Counts a new account of a network. Returns false if it has opened too many within a day. */
export async function countAccount(
  { secrets }: Pick<WelcomeApp, 'secrets'>,
  tx: Tx,
  network: string,
  now: Date,
): Promise<boolean> {
  const signer = await secrets.signer('attempts of people')
  const subject = {
    hash: signer(Buffer.from(`new_account\0${network}`)),
    max: maxDailyAccounts,
    windowMs: dayMs,
  }
  const table = { name: 'people.attempts', owner: {} } as const
  return (await countAttempt(tx, table, [subject], now.getTime())) === undefined
}

/** The address without its sub-address (`sara+shop@…`), which is the same mailbox. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  return email.slice(0, at).split('+', 1)[0] + email.slice(at)
}

/**
 * Takes the first credits of an account, and returns how many there are, in micro-credits: none for a mailbox that had some before, also in an account
 * that is deleted, and none once the sum of the day is spent. Sign-ups of a day wait for each other.
 */
export async function takeWelcome(
  { config, secrets }: WelcomeApp,
  tx: Tx,
  email: string,
  now: Date,
): Promise<bigint> {
  const { welcomeMicrocredits: welcome, dailyMicrocredits: daily } = config.people
  const day = now.toISOString().slice(0, 10)
  const { rows } = await sql<{ microcredits: bigint }>`
    insert into people.welcome_days as d (day, accounts, microcredits) values (${day}, 1, 0)
    on conflict (day) do update set accounts = d.accounts + 1 returning microcredits`.execute(tx)
  if (welcome === 0n || BigInt(rows[0]!.microcredits) + welcome > daily) return 0n
  const hash = (await secrets.signer('welcomed addresses'))(Buffer.from(mailboxOf(email)))
  const { rows: added } = await sql`insert into people.welcomed (address_hash, welcomed_at)
    values (${hash}, ${now}) on conflict do nothing returning address_hash`.execute(tx)
  if (added.length === 0) return 0n
  await sql`update people.welcome_days set microcredits = microcredits + ${welcome} where day = ${day}`.execute(
    tx,
  )
  return welcome
}
