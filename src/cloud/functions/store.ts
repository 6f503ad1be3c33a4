/** Functions, their versions and secrets. */
import { sql } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import type { Db, Tx } from '#platform/db'
import type { UsedPackage } from './compile/compile.ts'
import type { Mappings } from './compile/source-map.ts'

declare module '#platform/db' {
  interface Tables {
    'functions.functions': FunctionRow
    'functions.versions': VersionRow
    'functions.secrets': SecretRow
  }
}

export interface FunctionRow {
  account_id: string
  cloud_id: string
  name: string
  /** The version that answers. */
  version: number
  newest_version: number
  verify_jwt: boolean
  created_at: Date
  updated_at: Date
}

export interface VersionRow {
  account_id: string
  cloud_id: string
  name: string
  version: number
  code: string
  bundle: string
  mappings: Mappings
  packages: UsedPackage[]
  verify_jwt: boolean
  created_at: Date
}

export interface SecretRow {
  account_id: string
  cloud_id: string
  name: string
  value_sealed: string
  created_at: Date
  updated_at: Date
}

/** A function with the packages of its live version. */
export interface ShownFunction extends FunctionRow {
  packages: UsedPackage[]
}

export interface FunctionKey extends CloudKey {
  name: string
}

const shown = sql`select f.*, v.packages from functions.functions f
  join functions.versions v on v.account_id = f.account_id and v.cloud_id = f.cloud_id and v.name = f.name and v.version = f.version`

/** The functions of a cloud by name; there are few. */
export async function listFunctions(
  kysely: Db['kysely'],
  { accountId, cloudId }: CloudKey,
): Promise<ShownFunction[]> {
  const { rows } =
    await sql<ShownFunction>`${shown} where f.account_id = ${accountId} and f.cloud_id = ${cloudId}
      order by f.name collate "C"`.execute(kysely)
  return rows
}

/** Whether a text can be a name. A path may contain anything, and PostgreSQL takes no text with the character 0. */
const isName = (text: string): boolean => !text.includes('\0')

export async function findFunction(
  kysely: Db['kysely'],
  { accountId, cloudId, name }: FunctionKey,
): Promise<ShownFunction | undefined> {
  if (!isName(name)) return undefined
  const { rows } =
    await sql<ShownFunction>`${shown} where f.account_id = ${accountId} and f.cloud_id = ${cloudId} and f.name = ${name}`.execute(
      kysely,
    )
  return rows[0]
}

/** The versions of a function, newest first, without their code. */
export const versionsOf = (
  kysely: Db['kysely'],
  { accountId, cloudId, name }: FunctionKey,
): Promise<Pick<VersionRow, 'version' | 'verify_jwt' | 'packages' | 'created_at'>[]> =>
  kysely
    .selectFrom('functions.versions')
    .select(['version', 'verify_jwt', 'packages', 'created_at'])
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('name', '=', name)
    .orderBy('version', 'desc')
    .execute()

export const findVersion = (
  kysely: Db['kysely'],
  { accountId, cloudId, name }: FunctionKey,
  version: number,
): Promise<VersionRow | undefined> =>
  kysely
    .selectFrom('functions.versions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('name', '=', name)
    .where('version', '=', version)
    .executeTakeFirst()

export async function countFunctions(
  kysely: Db['kysely'],
  { accountId, cloudId }: CloudKey,
): Promise<number> {
  const { many } = await kysely
    .selectFrom('functions.functions')
    .select((of) => of.fn.countAll<bigint>().as('many'))
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .executeTakeFirstOrThrow()
  return Number(many)
}

/** Inserts a new function, or the next version of one, which answers from the commit on. The cloud is locked. */
export async function insertVersion(
  tx: Tx,
  row: Omit<VersionRow, 'version' | 'created_at'>,
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ version: number }>`insert into functions.functions as f
      (account_id, cloud_id, name, version, newest_version, verify_jwt, created_at, updated_at)
    values (${row.account_id}, ${row.cloud_id}, ${row.name}, 1, 1, ${row.verify_jwt}, ${now}, ${now})
    on conflict (account_id, cloud_id, name) do update set version = f.newest_version + 1,
      newest_version = f.newest_version + 1, verify_jwt = excluded.verify_jwt, updated_at = excluded.updated_at
    returning version`.execute(tx)
  const { version } = rows[0]!
  const packages = JSON.stringify(row.packages) as never
  await tx
    .insertInto('functions.versions')
    .values({ ...row, packages, version, created_at: now })
    .execute()
  return version
}

/** Deletes the versions of a function except the `kept` newest and the live one. */
export async function deleteOldVersions(
  tx: Tx,
  { accountId, cloudId, name }: FunctionKey,
  kept: number,
): Promise<void> {
  await sql`delete from functions.versions v using functions.functions f
    where f.account_id = ${accountId} and f.cloud_id = ${cloudId} and f.name = ${name}
      and v.account_id = f.account_id and v.cloud_id = f.cloud_id and v.name = f.name and v.version <> f.version
      and v.version not in (select version from functions.versions n where n.account_id = f.account_id
        and n.cloud_id = f.cloud_id and n.name = f.name order by version desc limit ${kept})`.execute(tx)
}

export const setVersion = (
  tx: Tx,
  { accountId, cloudId, name }: FunctionKey,
  { version, verify_jwt }: Pick<VersionRow, 'version' | 'verify_jwt'>,
  now: Date,
) =>
  tx
    .updateTable('functions.functions')
    .set({ version, verify_jwt, updated_at: now })
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('name', '=', name)
    .execute()

/** Deletes a function with all its versions and lines. False where there is none. */
export async function deleteFunction(tx: Tx, { accountId, cloudId, name }: FunctionKey): Promise<boolean> {
  if (!isName(name)) return false
  const { numDeletedRows } = await tx
    .deleteFrom('functions.functions')
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** The live versions of all functions of a cloud. */
export async function liveVersions(
  kysely: Db['kysely'],
  { accountId, cloudId }: CloudKey,
): Promise<Pick<VersionRow, 'name' | 'version' | 'bundle' | 'mappings'>[]> {
  const { rows } = await sql<Pick<VersionRow, 'name' | 'version' | 'bundle' | 'mappings'>>`
    select v.name, v.version, v.bundle, v.mappings from functions.functions f
    join functions.versions v on v.account_id = f.account_id and v.cloud_id = f.cloud_id and v.name = f.name and v.version = f.version
    where f.account_id = ${accountId} and f.cloud_id = ${cloudId} order by v.name collate "C"`.execute(kysely)
  return rows
}

/** The secrets of a cloud by name. */
export const secretsOf = (kysely: Db['kysely'], { accountId, cloudId }: CloudKey): Promise<SecretRow[]> =>
  kysely
    .selectFrom('functions.secrets')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .orderBy(sql`name collate "C"`)
    .execute()

export async function countSecrets(kysely: Db['kysely'], { accountId, cloudId }: CloudKey): Promise<number> {
  const { many } = await kysely
    .selectFrom('functions.secrets')
    .select((of) => of.fn.countAll<bigint>().as('many'))
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .executeTakeFirstOrThrow()
  return Number(many)
}

/** Sets or replaces a secret. `isNew`: false where it replaced another value. */
export async function putSecret(
  tx: Tx,
  { accountId, cloudId, name }: FunctionKey,
  valueSealed: string,
  now: Date,
): Promise<{ row: SecretRow; isNew: boolean }> {
  const { rows } = await sql<SecretRow & { is_new: boolean }>`insert into functions.secrets as s
      (account_id, cloud_id, name, value_sealed, created_at, updated_at)
    values (${accountId}, ${cloudId}, ${name}, ${valueSealed}, ${now}, ${now})
    on conflict (account_id, cloud_id, name) do update set value_sealed = excluded.value_sealed, updated_at = excluded.updated_at
    returning s.*, xmax = 0 as is_new`.execute(tx)
  const { is_new: isNew, ...row } = rows[0]!
  return { row, isNew }
}

export async function deleteSecret(tx: Tx, { accountId, cloudId, name }: FunctionKey): Promise<boolean> {
  if (!isName(name)) return false
  const { numDeletedRows } = await tx
    .deleteFrom('functions.secrets')
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** How many functions and secrets a cloud has. */
export const functionCounts = async (
  kysely: Db['kysely'],
  cloud: CloudKey,
): Promise<{ functions: number; secrets: number }> => ({
  functions: await countFunctions(kysely, cloud),
  secrets: await countSecrets(kysely, cloud),
})
