/** Reads the audit log of an account, and that of the installation. */
import { type AuditFilter, type EntryRow, listAudit } from '#account/audit'
import { membership, requireOperator } from '#account/people'
import { fail, type Language } from '#platform/errors'
import { type RequestContext, requirePerson } from '#platform/http'
import { plainList } from '#platform/lists'
import type { AuditRoutesApp } from './app.ts'
import { deletedName, reasons } from './phrases.ts'
import type { AuditEntry, AuditQuery } from './schema.ts'
import { type NameEntry, namesIn } from './store.ts'

type AuditReadContext = RequestContext<AuditRoutesApp, unknown, AuditQuery>

/** Beginnings of the operations about money, which are all that the role billing sees. */
const aboutMoney = ['credits.', 'account.caps', 'payments.']

/** The rows of the account. Members of some projects see the rows of these alone; a management key sees all. */
export async function readAudit(context: AuditReadContext) {
  const { app, caller } = context
  const { accountId } = caller
  if (caller.management) return answer(context, { accountId })
  const { personId, role } = requirePerson(context)
  const own = await membership(app.db, accountId, personId)
  return answer(context, {
    accountId,
    ...(role === 'billing' && { operations: aboutMoney }),
    // A membership that ended a moment ago shows nothing.
    ...(own?.projectIds !== null && { projectIds: own?.projectIds ?? [] }),
  })
}

/** The rows of the installation, which belong to no account. */
export async function readInstallationAudit(context: AuditReadContext) {
  requireOperator(context)
  return answer(context, { accountId: null })
}

async function answer({ app, query, language }: AuditReadContext, whose: AuditFilter) {
  const page = await listAudit(
    app.db,
    {
      ...whose,
      actorKind: query.actor_kind,
      actorId: query.actor_id,
      targetId: query.target_id,
      operation: query.operation,
      from: timeOf(query, 'from'),
      to: timeOf(query, 'to'),
    },
    query,
  )
  const names = await namesIn(app.db, page.rows)
  return plainList.answer(page, (row) => toEntry(row, names, language))
}

function timeOf(query: AuditQuery, param: 'from' | 'to'): Date | undefined {
  const text = query[param]
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) fail('INVALID_REQUEST', { why: reasons.time(param) }, { param })
  return time
}

export function toEntry(
  row: EntryRow,
  names: ReadonlyMap<string, NameEntry>,
  language: Language,
): AuditEntry {
  const nameOf = (id: string | null): string | null => {
    const found = id === null ? undefined : names.get(id)
    return found?.isDeleted ? deletedName[language] : (found?.name ?? null)
  }
  const { actor_id: actorId, target_kind: kind, target_id: targetId } = row
  return {
    object: 'audit.entry',
    id: row.entry_id,
    at: row.at.toISOString(),
    project_id: row.project_id,
    actor: {
      kind: row.actor_kind,
      id: actorId,
      name: nameOf(actorId),
      deleted: actorId !== null && (names.get(actorId)?.isDeleted ?? false),
    },
    operation: row.operation,
    target: kind === null || targetId === null ? null : { kind, id: targetId, name: nameOf(targetId) },
    before: row.before as AuditEntry['before'],
    after: row.after as AuditEntry['after'],
    request_id: row.request_id,
    client: row.client,
  }
}
