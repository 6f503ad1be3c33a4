/** Writes rows of the audit log. */
import type { Caller } from '#platform/auth'
import type { Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import type { AuditContext } from './app.ts'
import { boundedText, boundedValue } from './bounds.ts'
import { type ActorKind, insertEntry } from './store.ts'

/** Who made a change. A person or a key has an id; the operator's command line and the system itself have none. */
export interface Actor {
  kind: ActorKind
  id: string | null
}

export interface AuditEntry {
  /** Null for a change of the whole installation. */
  accountId: string | null
  projectId?: string | null | undefined
  actor: Actor
  /** The operation of the route, or its name in the same form for a command: `keys.create`. */
  operation: string
  /** What was changed: its kind in one word, and its id or name. */
  target?: AuditTarget | undefined
  /** What the change replaced; absent if it made something. Members in the form of the API, without secrets. */
  before?: object | undefined
  /** What stands there now; absent if the change removed something. */
  after?: object | undefined
  requestId?: string | undefined
  /** The program that the caller names in `User-Agent`. */
  client?: string | undefined
}

export interface AuditTarget {
  kind: string
  id: string
}

const maxClient = 200
const maxTarget = 200

/**
 * Writes one row in the transaction of the change. Strings of `before` and `after` are cut, so that each is at most 8 KB. Throws for a member whose
 * name says that it holds a secret.
 */
export async function audit(tx: Tx, entry: AuditEntry, now: Date): Promise<void> {
  const { accountId, projectId = null, actor, operation, target, before, after } = entry
  await insertEntry(tx, {
    entry_id: uuidv7(now.getTime()),
    account_id: accountId,
    project_id: projectId,
    at: now,
    actor_kind: actor.kind,
    actor_id: actor.id,
    operation,
    target_kind: target?.kind ?? null,
    target_id: target === undefined ? null : boundedText(target.id, maxTarget),
    before: boundedValue(before),
    after: boundedValue(after),
    request_id: entry.requestId ?? null,
    client: entry.client === undefined ? null : boundedText(entry.client, maxClient),
  })
}

/** The actor of a request, its id and its client, as `audit` takes them. Whoever has no credentials yet is the system: the flow names the person. */
export const actorOf = ({
  caller,
  headers,
  requestId,
}: Omit<AuditContext, 'app' | 'operation'>): Pick<AuditEntry, 'actor' | 'requestId' | 'client'> => ({
  actor: actorOfCaller(caller),
  requestId,
  client: headers['user-agent'],
})

function actorOfCaller({ person, keyId, management }: Caller): Actor {
  if (person) return { kind: 'person', id: person.personId }
  if (management) return { kind: 'management_key', id: keyId }
  return keyId === '' ? { kind: 'system', id: null } : { kind: 'key', id: keyId }
}

/**
 * Writes the row of a request to a route with `audited`, in the transaction of the change: account, project and actor are those of the caller, and
 * the operation is that of the route. Throws as `audit` does.
 */
export async function auditRequest(
  tx: Tx,
  context: AuditContext,
  change: Partial<Pick<AuditEntry, 'accountId' | 'projectId'>> &
    Pick<AuditEntry, 'target' | 'before' | 'after'>,
): Promise<void> {
  const { app, caller, operation } = context
  // On routes of people the caller has neither account nor project.
  const place = { accountId: caller.accountId || null, projectId: caller.projectId || null }
  const now = new Date(app.clock.nowMs())
  await audit(tx, { ...place, operation, ...actorOf(context), ...change }, now)
}
