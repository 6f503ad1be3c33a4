/** Projects of the account. */
import { auditRequest } from '#account/audit'
import { acceptOnce } from '#core/calls'
import { createProject, setProject } from '#platform/auth'
import { fail } from '#platform/errors'
import type { JsonText } from '#platform/http'
import { changeMeters } from '#platform/ledger'
import { bareList } from '#platform/lists'
import type { KeysContext } from './app.ts'
import { capChange, capsOf, hasCaps } from './given.ts'
import { heldManager, manager, requireLowered } from './member.ts'
import { reasons } from './phrases.ts'
import type { Project, ProjectBody, ProjectPatch } from './schema.ts'
import { projectSettings, shownProject, withLimits } from './shown.ts'
import * as store from './store.ts'

const maxProjects = 200

/** The projects that the person may use, oldest first. */
export async function listProjects(context: KeysContext) {
  const { app } = context
  const { accountId, projectIds } = await manager(app.db, context)
  const now = new Date(app.clock.nowMs())
  return bareList.answer(await store.listProjects(app.db, accountId, projectIds, now), shownProject)
}

/** Makes a project. Whoever is limited to named projects could not use it, and is refused. */
export function makeProject(context: KeysContext<ProjectBody>): Promise<JsonText> {
  const { app, body, caller } = context
  const { accountId } = caller
  const now = new Date(app.clock.nowMs())
  // The receipt of a repeatable request by a management key that names no project is that of the new one.
  const payer = { ...caller }
  const { claim, requestId } = context
  const accept = { endpoint: '/v1/projects', statusCode: 201, now }
  return acceptOnce({ app, claim, requestId, caller: payer }, accept, async (tx) => {
    await store.lockCreations(tx, accountId)
    const own = await heldManager(tx, context, 'projects:write')
    if (own.projectIds !== null) fail('INSUFFICIENT_ROLE', { right: 'projects:write' })
    if ((await store.countProjects(tx, accountId)) >= maxProjects)
      fail('TOO_MANY_PROJECTS', { max: maxProjects })
    const options = { accountId, name: body.name.trim(), caps: capsOf(body), keepDays: body.keep_days }
    const made = await createProject(tx, options, now)
    payer.projectId ||= made.project_id
    const row = (await store.findProject(tx, accountId, made.project_id, now))!
    await auditRequest(tx, context, {
      projectId: made.project_id,
      target: { kind: 'project', id: made.project_id },
      before: undefined,
      after: projectSettings(row),
    })
    return shownProject(row)
  })
}

export async function changeProject(
  context: KeysContext<ProjectPatch, unknown, { id: string }>,
): Promise<Project> {
  const { app, body, params } = context
  if (Object.keys(body).length === 0) fail('INVALID_REQUEST', { why: reasons.nothing })
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const own = await heldManager(tx, context, 'projects:write')
    const { accountId, projectIds } = own
    const id = params.id.toLowerCase()
    const isSeen = projectIds === null || projectIds.includes(id)
    const before = isSeen ? await store.findProject(tx, accountId, id, now) : undefined
    if (!before) return fail('NOT_FOUND', {}, { param: 'id' })
    await setProject(tx, id, {
      ...(body.name !== undefined && { name: body.name.trim() }),
      keepDays: body.keep_days,
    })
    const named = (await store.findProject(tx, accountId, id, now))!
    const change = { scope: 'project', scopeId: id, caps: capsOf(body) } as const
    const [changed] = hasCaps(change) ? await changeMeters(tx, accountId, [change], capChange(app, now)) : []
    const was = changed ? withLimits(before, changed.before) : before
    requireLowered(own, was, change.caps)
    const after = changed ? withLimits(named, changed.after) : named
    await auditRequest(tx, context, {
      projectId: id,
      target: { kind: 'project', id },
      before: projectSettings(was),
      after: projectSettings(after),
    })
    return shownProject(after)
  })
}
