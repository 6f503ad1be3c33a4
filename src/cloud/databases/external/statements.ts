/** The statements of a new database, for a server that many of them share. */
import { readFile } from 'node:fs/promises'
import type { DatabaseRole } from '../databases.ts'
import { schemaFiles } from '../schema-files.ts'

/** Nobody logs in as these roles, and nobody can grant them to others, so all databases of a server share them. */
export const sharedRoles = ['anon', 'authenticated', 'service_role', 'supabase_auth_admin'] as const

export const loginRoles: readonly DatabaseRole[] = [
  'authenticator',
  'postgres',
  'app_reader',
  'auth_admin',
  'storage_admin',
  'watcher',
]

/** The name of a role on the server. Roles belong to a whole server, so each cloud has its own under other names. */
export const roleName = (ref: string, role: string): string =>
  role === 'postgres' ? databaseName(ref) : `${databaseName(ref)}_${role}`

export const databaseName = (ref: string): string => `kherad_${ref}`

/** The name of a database while it is being made. */
export const draftName = (ref: string): string => `${databaseName(ref)}_draft`

/**
 * The statements of local databases with the names of this one, without what a server of the operator has for itself: the shared roles, its
 * superuser, backups by replication; and without the developer's right to make schemas beside `public`, since that right includes extensions of the
 * server.
 */
export async function statementsFor(ref: string): Promise<string[]> {
  const texts = await Promise.all(schemaFiles.map((file) => readFile(file, 'utf8')))
  return texts
    .flatMap((text) => text.replaceAll(/^--.*\n/gm, '').split(/;\s*\n\s*\n/))
    .map((statement) => statement.trim().replace(/;$/, ''))
    .filter((statement) => statement !== '' && !localOnlyPattern.test(statement))
    .map((statement) => inNamesOf(ref, statement))
}

const localOnlyPattern = new RegExp(
  [
    `create role (?:${sharedRoles.join('|')})\\b`,
    'create role backup\\b',
    'grant pg_use_reserved_connections to backup\\b',
    'alter role kherad\\b',
    'revoke all on database template1\\b',
  ]
    .map((begin) => `^${begin}`)
    .join('|'),
)

const ownRoles = new RegExp(`\\b(${loginRoles.join('|')})\\b`, 'g')

const inNamesOf = (ref: string, statement: string): string =>
  statement
    .replace(/^grant connect, create, temporary on database/, 'grant connect, temporary on database')
    .replaceAll(/\bdatabase postgres\b/g, `database ${draftName(ref)}`)
    .replaceAll(ownRoles, (role) => roleName(ref, role))
