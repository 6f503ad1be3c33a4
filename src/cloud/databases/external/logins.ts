/** How roles of a database log in, and what each of them may take of the server, which only its superuser can set. */
import { createHash, createHmac, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import type pg from 'pg'
import { maxConnectionsOf } from '../connections.ts'
import type { DatabaseRole } from '../databases.ts'
import { type DatabaseSize, temporaryBytesOf } from '../size.ts'
import { loginRoles, roleName } from './statements.ts'

export interface Login {
  role: DatabaseRole
  /** The verifier of its password, which the server keeps. */
  verifier: string
  connections: number
  /** Settings of the role that its sessions cannot change. */
  settings: Readonly<Record<string, string>>
}

/** How many processes of this service may have all connections of a package at once. */
const processes = 4
/** The iterations of SCRAM; PostgreSQL's default. */
const iterations = 4_096

/** The password of a role, which is its own, derived from the one secret of the database. */
export const passwordOf = (secret: string, role: DatabaseRole): string =>
  createHmac('sha256', secret).update(role).digest('base64url')

export const loginsOf = (
  secret: string,
  size: Pick<DatabaseSize, 'diskBytes' | 'connections'>,
): Promise<Login[]> =>
  Promise.all(
    loginRoles.map(async (role) => ({
      role,
      verifier: await verifierOf(secret, role),
      connections: processes * maxConnectionsOf(role, size),
      settings: {
        temp_file_limit: `${Math.round(temporaryBytesOf(size) / 1024)}kB`,
        // Errors that an app raises, and its statements that fail, would fill the log of the server.
        log_min_messages: 'fatal',
        log_min_error_statement: 'panic',
      },
    })),
  )

/** A SCRAM-SHA-256 verifier (RFC 5803), the same each time: a changed password is noticed, and no password is in the log of the server. */
async function verifierOf(secret: string, role: DatabaseRole): Promise<string> {
  const salt = createHmac('sha256', secret).update(`${role} salt`).digest().subarray(0, 16)
  const salted = await promisify(pbkdf2)(passwordOf(secret, role), salt, iterations, 32, 'sha256')
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const serverKey = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

interface RoleRow {
  name: string
  verifier: string | null
  connections: number
  settings: string[]
}

/** Changes the log-ins that differ. Runs as superuser, in a database without anything of an app. */
export async function updateLogins(client: pg.Client, ref: string, logins: readonly Login[]): Promise<void> {
  const { rows } = await client.query<RoleRow>(
    `select rolname as name, rolpassword as verifier, rolconnlimit as connections, coalesce(setconfig, '{}') as settings
      from pg_authid left join pg_db_role_setting on setrole = pg_authid.oid and setdatabase = 0 where rolname = any ($1)`,
    [loginRoles.map((role) => roleName(ref, role))],
  )
  for (const login of logins) {
    const name = roleName(ref, login.role)
    const row = rows.find((one) => one.name === name)
    if (row?.verifier !== login.verifier || row.connections !== login.connections)
      await client.query(
        `alter role ${name} login connection limit ${login.connections} password ${client.escapeLiteral(login.verifier)}`,
      )
    for (const [setting, value] of Object.entries(login.settings))
      if (!row?.settings.includes(`${setting}=${value}`))
        await client.query(`alter role ${name} set ${setting} = ${client.escapeLiteral(value)}`)
  }
}
