/** Management keys: they act for an account by named permissions, and pay nothing (docs/decisions/account/management-keys.md). */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { newKeySecret, sha256 } from '#platform/secrets'
import type { Caller } from './auth.ts'
import { Networks } from './networks.ts'
import type { Permission } from './permissions.ts'
import type { Scope } from './scopes.ts'
import type { Account } from './store.ts'

declare module '#platform/db' {
  interface Tables {
    'auth.management_keys': ManagementKey & { hash: Buffer }
  }
}

/** What a management key may be given. All else is closed to it, whatever it names: people, factors, sessions, other management keys, paid calls. */
export const managementRights = [
  'account:read',
  'account:write',
  'projects:read',
  'projects:write',
  'keys:read',
  'keys:write',
  'usage:read',
  'models:read',
  'audit:read',
  'webhooks:read',
  'webhooks:write',
] as const satisfies readonly (Permission | Scope)[]

export type ManagementRight = (typeof managementRights)[number]

export const isManagementRight = (text: string): text is ManagementRight =>
  (managementRights as readonly string[]).includes(text)

/** A management key as lists show it. Its secret is shown once, and only its hash is stored. */
export interface ManagementKey {
  account_id: string
  key_id: string
  name: string
  hint: string
  permissions: string[]
  /** The scopes that project keys may have which it makes or changes. */
  key_scopes: string[]
  /** Networks in CIDR form; none: every address. */
  addresses: string[]
  expires_at: Date
  revoked_at: Date | null
  /** True where it ended because its maker lost the right to have made it. */
  ended_with_maker: boolean
  person_id: string
  last_used_at: Date | null
  created_at: Date
}

/** What is special about a caller with a management key. */
export interface ManagementCaller {
  /** The scopes that it may give to project keys. */
  keyScopes: ReadonlySet<string>
  addresses: Networks
}

export interface ManagementKeyOptions {
  accountId: string
  personId: string
  name: string
  permissions: readonly ManagementRight[]
  keyScopes: readonly Scope[]
  /** As `readNetwork` returns them. */
  addresses: readonly string[]
  expiresAt: Date
}

/** Returns the new key with its secret, which is not stored. */
export async function createManagementKey(
  tx: Tx,
  options: ManagementKeyOptions,
  now: Date,
): Promise<ManagementKey & { secret: string }> {
  const secret = newKeySecret('management')
  const key: ManagementKey = {
    account_id: options.accountId,
    key_id: uuidv7(now.getTime()),
    name: options.name,
    hint: secret.slice(-4),
    permissions: [...options.permissions],
    key_scopes: [...options.keyScopes],
    addresses: [...options.addresses],
    expires_at: options.expiresAt,
    revoked_at: null,
    ended_with_maker: false,
    person_id: options.personId,
    last_used_at: null,
    created_at: now,
  }
  await tx
    .insertInto('auth.management_keys')
    .values({ ...key, hash: sha256(secret) })
    .execute()
  return { ...key, secret }
}

/** The key as the database has it, with what its account decides. */
type Row = Pick<
  ManagementKey,
  'account_id' | 'key_id' | 'permissions' | 'key_scopes' | 'addresses' | 'expires_at' | 'revoked_at'
> & { last_used_at: Date | null } & Pick<Account, 'plan' | 'state'>

export async function managementKeyByHash(db: Db, hash: Buffer): Promise<Row | undefined> {
  const [row] = await db.query<Row>(
    {
      name: 'auth.management_key',
      text: `select k.account_id, k.key_id, k.permissions, k.key_scopes, k.addresses, k.expires_at, k.revoked_at, k.last_used_at, a.plan, a.state
        from auth.management_keys k join auth.accounts a using (account_id) where k.hash = $1`,
    },
    [hash],
  )
  return row
}

/** The caller of a key, of no project yet. */
export const managementCallerOf = (row: Row): Caller => ({
  kind: 'management',
  accountId: row.account_id,
  projectId: '',
  keyId: row.key_id,
  plan: row.plan,
  scopes: new Set(row.permissions),
  models: undefined,
  management: { keyScopes: new Set(row.key_scopes), addresses: new Networks(row.addresses) },
})

/**
 * Holds the management key of a request as it is until the transaction ends, so that nothing is changed by one that has just been revoked. Throws
 * INVALID_API_KEY (401) for one that has ended.
 */
export async function holdManagementKey(tx: Tx, { accountId, keyId }: Caller, now: Date): Promise<void> {
  const { rows } = await sql`select from auth.management_keys
    where account_id = ${accountId} and key_id = ${keyId} and revoked_at is null and expires_at > ${now} for share`.execute(
    tx,
  )
  if (rows.length === 0) fail('INVALID_API_KEY', {})
}

/** Notes the time of the use, unless another process has noted one after `before`. */
export async function noteManagementKeyUse(
  db: Db,
  { accountId, keyId }: Caller,
  { now, before }: { now: Date; before: Date },
): Promise<void> {
  await db.query(
    {
      name: 'auth.management_key_used',
      text: `update auth.management_keys set last_used_at = $3
        where account_id = $1 and key_id = $2 and (last_used_at is null or last_used_at <= $4)`,
    },
    [accountId, keyId, now, before],
  )
}

/** The project of this id in the account, and without an id its only one; `several` where it has more, undefined where it has none. */
export async function projectOfAccount(
  db: Db,
  accountId: string,
  projectId: string | undefined,
): Promise<{ projectId: string; keepDays: number | undefined } | 'several' | undefined> {
  const rows = await db.query<{ project_id: string; keep_days: number | null }>(
    {
      name: 'auth.project_of_account',
      text: `select project_id, keep_days from auth.projects
        where account_id = $1 and ($2::uuid is null or project_id = $2) limit 2`,
    },
    [accountId, projectId ?? null],
  )
  if (rows.length > 1) return 'several'
  const [row] = rows
  return row && { projectId: row.project_id, keepDays: row.keep_days ?? undefined }
}
