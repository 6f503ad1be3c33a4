import { userInfo } from 'node:os'
import { type AuditEntry, audit } from '#account/audit'
import type { Tx } from '#platform/db'
import { release } from '#platform/release'
import type { Session } from './command.ts'

/** Writes the row of a command that changes access, money or settings, in the transaction of the change. */
export const auditCommand = (
  tx: Tx,
  { clock }: Pick<Session, 'clock'>,
  change: Omit<AuditEntry, 'actor' | 'requestId' | 'client'>,
): Promise<void> => audit(tx, { ...change, ...operatorActor() }, new Date(clock.nowMs()))

/** Who runs the command, as rows of the audit log name them. */
export const operatorActor = (): Pick<AuditEntry, 'actor' | 'client'> => ({
  actor: { kind: 'operator', id: null },
  client: `kherad/${release} (${userOfMachine()})`,
})

/** The name of the user who runs the command on this machine; a user without an entry of its own has a number. */
function userOfMachine(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
