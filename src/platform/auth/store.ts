import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { type Caps, openAccountMeter, openMeter } from '#platform/ledger'
import { newKeySecret, sha256 } from '#platform/secrets'
import type { Scope } from './scopes.ts'

declare module '#platform/db' {
  interface Tables {
    'auth.accounts': Account
    'auth.projects': Project
    'auth.keys': Key & { hash: Buffer; kind: KeyKind }
  }
}

export interface Account {
  account_id: string
  name: string
  plan: string
  /** `closing`: its deletion can be undone, and its people only read. `closed`: it is being deleted, or is deleted. */
  state: 'active' | 'suspended' | 'closing' | 'closed'
  /** A name of the IANA database. */
  time_zone: string
  created_at: Date
}

export interface Project {
  account_id: string
  project_id: string
  name: string
  /** Days for which results of its calls are kept; null: the server's default. */
  keep_days: number | null
  created_at: Date
}

/** `api`: has a secret and stands in lists. `session`: pays for what a person does in a project, and has no secret. `connection`: of a person's device. */
export type KeyKind = 'api' | 'session' | 'connection'

/** A key as lists show it. Its secret is shown once, when the key is made, and only its hash is stored. */
export interface Key {
  account_id: string
  project_id: string
  key_id: string
  name: string
  hint: string
  scopes: string[]
  /** Null allows every model. */
  models: string[] | null
  /** The output token limit of a Responses call that names none; null: the server's own default. */
  responses_max_output_tokens: number | null
  /** Days for which results of its calls are kept; null: the project's setting. */
  keep_days: number | null
  /** Origins of pages that may use the key; null: no browser access. */
  origins: string[] | null
  expires_at: Date | null
  revoked_at: Date | null
  /** The person who made the key, or whose it is; null: the operator's command line, or a management key. */
  person_id: string | null
  /** The management key by which it was made. */
  management_key_id: string | null
  created_at: Date
}

/** True while there is no account; concurrent callers wait until the first has finished. */
export async function lockIfNoAccount(tx: Tx): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('kherad first start'))`.execute(tx)
  const any = await tx.selectFrom('auth.accounts').select('account_id').limit(1).executeTakeFirst()
  return any === undefined
}

export async function createAccount(
  tx: Tx,
  options: { name: string; plan?: string; caps?: Caps },
  now: Date,
): Promise<Account> {
  const account: Account = {
    account_id: uuidv7(),
    name: options.name,
    plan: options.plan ?? 'standard',
    state: 'active',
    time_zone: 'Asia/Tehran',
    created_at: now,
  }
  await tx.insertInto('auth.accounts').values(account).execute()
  await openAccountMeter(tx, account.account_id, options.caps)
  return account
}

export async function createProject(
  tx: Tx,
  options: { accountId: string; name: string; caps?: Caps; keepDays?: number | null | undefined },
  now: Date,
): Promise<Project> {
  const project: Project = {
    account_id: options.accountId,
    project_id: uuidv7(),
    name: options.name,
    keep_days: options.keepDays ?? null,
    created_at: now,
  }
  await tx.insertInto('auth.projects').values(project).execute()
  await openMeter(tx, options.accountId, 'project', project.project_id, options.caps)
  return project
}

export interface KeyOptions {
  accountId: string
  projectId: string
  name: string
  scopes: readonly Scope[]
  models?: readonly string[] | null | undefined
  responsesMaxOutputTokens?: number | null | undefined
  /** Days for which results of its calls are kept, 0 for repeats only; null: the project's setting, then the server's. */
  keepDays?: number | null | undefined
  /** Origins as `readOrigin` returns them. */
  origins?: readonly string[] | null | undefined
  expiresAt?: Date | null | undefined
  caps?: Caps
  /** The person who makes the key. */
  personId?: string | null | undefined
  /** The management key that makes the key. */
  managementKeyId?: string | null | undefined
  /** An operator's own secret (KHERAD_BOOTSTRAP_KEY); otherwise a new one is drawn. */
  secret?: string | undefined
}

/** Returns the new key with its secret, which is not stored. */
export async function createKey(tx: Tx, options: KeyOptions, now: Date): Promise<Key & { secret: string }> {
  const secret = options.secret ?? newKeySecret()
  const key: Key = {
    account_id: options.accountId,
    project_id: options.projectId,
    key_id: uuidv7(),
    name: options.name,
    hint: secret.slice(-4),
    scopes: [...options.scopes],
    models: options.models ? [...options.models] : null,
    responses_max_output_tokens: options.responsesMaxOutputTokens ?? null,
    keep_days: options.keepDays ?? null,
    origins: options.origins ? [...options.origins] : null,
    expires_at: options.expiresAt ?? null,
    revoked_at: null,
    person_id: options.personId ?? null,
    management_key_id: options.managementKeyId ?? null,
    created_at: now,
  }
  await tx
    .insertInto('auth.keys')
    .values({ ...key, kind: 'api', hash: sha256(secret) })
    .execute()
  await openMeter(tx, options.accountId, 'key', key.key_id, options.caps)
  return { ...key, secret }
}

/** Returns the revoked API key, or undefined if there is none. Revoking twice keeps the first time. */
export async function revokeKey(tx: Tx, keyId: string, now: Date): Promise<Key | undefined> {
  return tx
    .updateTable('auth.keys')
    .set((builder) => ({ revoked_at: builder.fn.coalesce('revoked_at', builder.val(now)) }))
    .where('key_id', '=', keyId)
    .where('kind', '=', 'api')
    .returning(keyColumns)
    .executeTakeFirst()
}

/** The API key as it is, locked until the transaction ends; undefined if there is no such key. */
export const lockKey = (tx: Tx, keyId: string): Promise<Key | undefined> =>
  tx
    .selectFrom('auth.keys')
    .select(keyColumns)
    .where('key_id', '=', keyId)
    .where('kind', '=', 'api')
    .forUpdate()
    .executeTakeFirst()

/** Sets for how many days results of the project's calls are kept (null: the server's default); every process knows within a second. */
export async function setProjectKeepDays(tx: Tx, projectId: string, keepDays: number | null): Promise<void> {
  await tx
    .updateTable('auth.projects')
    .set({ keep_days: keepDays })
    .where('project_id', '=', projectId)
    .execute()
}

/** Changes the name of a project, and for how many days results of its calls are kept; undefined leaves a setting as it is. */
export async function setProject(
  tx: Tx,
  projectId: string,
  { name, keepDays }: { name?: string | undefined; keepDays?: number | null | undefined },
): Promise<void> {
  const values = {
    ...(name !== undefined && { name }),
    ...(keepDays !== undefined && { keep_days: keepDays }),
  }
  if (Object.keys(values).length === 0) return
  await tx.updateTable('auth.projects').set(values).where('project_id', '=', projectId).execute()
}

/**
 * Changes name, scopes, which models a key may use (null allows all), when the key expires (null never), the output token limit of its Responses calls that name
 * none (null: the server's default), and for how many days results of its calls are kept (null: the project's setting); undefined leaves a setting as
 * it is, and every process knows within a second. Returns undefined if there is no such key. A revoked key stays revoked.
 */
export async function setKey(
  tx: Tx,
  keyId: string,
  options: Pick<KeyOptions, 'models' | 'expiresAt' | 'responsesMaxOutputTokens' | 'origins' | 'keepDays'> &
    Partial<Pick<KeyOptions, 'name' | 'scopes'>>,
): Promise<Key | undefined> {
  return tx
    .updateTable('auth.keys')
    .set((builder) => ({
      name: options.name ?? builder.ref('name'),
      scopes: options.scopes ? [...options.scopes] : builder.ref('scopes'),
      models: options.models === undefined ? builder.ref('models') : options.models && [...options.models],
      origins:
        options.origins === undefined ? builder.ref('origins') : options.origins && [...options.origins],
      expires_at: options.expiresAt === undefined ? builder.ref('expires_at') : options.expiresAt,
      responses_max_output_tokens:
        options.responsesMaxOutputTokens === undefined
          ? builder.ref('responses_max_output_tokens')
          : options.responsesMaxOutputTokens,
      keep_days: options.keepDays === undefined ? builder.ref('keep_days') : options.keepDays,
    }))
    .where('key_id', '=', keyId)
    .where('kind', '=', 'api')
    .returning(keyColumns)
    .executeTakeFirst()
}

/** Suspends or reactivates the account; every process knows within a second. Returns false if there is no such account. */
export const setAccountState = (tx: Tx, accountId: string, state: Account['state']): Promise<boolean> =>
  setAccount(tx, accountId, { state })

/** Changes the name of an account, or the time zone in which its days and months are counted. Returns false if there is no such account. */
export const setAccountDetails = (
  tx: Tx,
  accountId: string,
  details: Partial<Pick<Account, 'name' | 'time_zone'>>,
): Promise<boolean> => setAccount(tx, accountId, details)

/** The name of an account that exists. */
export async function accountName(tx: Tx, accountId: string): Promise<string> {
  const rows = tx.selectFrom('auth.accounts').select('name').where('account_id', '=', accountId)
  return (await rows.executeTakeFirstOrThrow()).name
}

/** The time zone of an account that exists. */
export async function accountTimeZone(db: Db, accountId: string): Promise<string> {
  const [row] = await db.query<Pick<Account, 'time_zone'>>(
    { name: 'auth.account_time_zone', text: 'select time_zone from auth.accounts where account_id = $1' },
    [accountId],
  )
  return row!.time_zone
}

/** Sets the plan of an account; every process knows within a second. Returns false if there is no such account. */
export const setPlan = (tx: Tx, accountId: string, plan: string): Promise<boolean> =>
  setAccount(tx, accountId, { plan })

/** The account as it is, locked until the transaction ends; undefined if there is no such account. */
export const lockAccount = (tx: Tx, accountId: string): Promise<Account | undefined> =>
  tx
    .selectFrom('auth.accounts')
    .selectAll()
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst()

async function setAccount(
  tx: Tx,
  accountId: string,
  change: Partial<Pick<Account, 'name' | 'plan' | 'state'>>,
): Promise<boolean> {
  const done = await tx
    .updateTable('auth.accounts')
    .set(change)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return done.numUpdatedRows === 1n
}

const keyColumns = [
  'account_id',
  'project_id',
  'key_id',
  'name',
  'hint',
  'scopes',
  'models',
  'responses_max_output_tokens',
  'keep_days',
  'origins',
  'expires_at',
  'revoked_at',
  'person_id',
  'management_key_id',
  'created_at',
] as const

/** All accounts, or the given one, oldest first. */
export const accounts = (db: Db, accountId?: string): Promise<Account[]> =>
  db.kysely
    .selectFrom('auth.accounts')
    .selectAll()
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId!))
    .orderBy('created_at')
    .orderBy('account_id')
    .execute()

/** All projects, or those of the given account, oldest first. */
export const projects = (db: Db, accountId?: string): Promise<Project[]> =>
  db.kysely
    .selectFrom('auth.projects')
    .selectAll()
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId!))
    .orderBy('created_at')
    .orderBy('project_id')
    .execute()

/** All API keys, or those of the given project, oldest first; never their hashes. */
export const keys = (db: Db, projectId?: string): Promise<Key[]> =>
  db.kysely
    .selectFrom('auth.keys')
    .select(keyColumns)
    .where('kind', '=', 'api')
    .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId!))
    .orderBy('created_at')
    .orderBy('key_id')
    .execute()

/** A key, with the state of its account that decides whether the key may call. */
export type KeyOfAccount = Pick<
  Key,
  | 'account_id'
  | 'project_id'
  | 'key_id'
  | 'scopes'
  | 'models'
  | 'responses_max_output_tokens'
  | 'keep_days'
  | 'origins'
  | 'expires_at'
  | 'revoked_at'
  | 'person_id'
> &
  Pick<Account, 'plan' | 'state'> & { kind: KeyKind }

const keyOfAccount = `select k.account_id, k.project_id, k.key_id, k.scopes, k.models, k.responses_max_output_tokens, coalesce(k.keep_days, p.keep_days) as keep_days,
    k.origins, k.expires_at, k.revoked_at, k.person_id, k.kind, a.plan, a.state
  from auth.keys k join auth.accounts a using (account_id) join auth.projects p using (account_id, project_id)`

export async function keyByHash(db: Db, hash: Buffer): Promise<KeyOfAccount | undefined> {
  const [row] = await db.query<KeyOfAccount>(
    { name: 'auth.key', text: `${keyOfAccount} where k.hash = $1` },
    [hash],
  )
  return row
}

export async function keyById(db: Db, accountId: string, keyId: string): Promise<KeyOfAccount | undefined> {
  const [row] = await db.query<KeyOfAccount>(
    { name: 'auth.key_by_id', text: `${keyOfAccount} where k.account_id = $1 and k.key_id = $2` },
    [accountId, keyId],
  )
  return row
}

/** Every origin that an unrevoked key of an active account lists, with the time at which the last such key expires; null if one never expires. */
export const originsOfAll = (db: Db): Promise<{ origin: string; ends: Date | null }[]> =>
  db.query(
    {
      name: 'auth.origins',
      text: `select o.origin, case when bool_or(k.expires_at is null) then null else max(k.expires_at) end as ends
        from auth.keys k join auth.accounts a using (account_id) cross join unnest(k.origins) as o(origin)
        where k.revoked_at is null and a.state = 'active' group by o.origin`,
    },
    [],
  )
