/** Clouds as they are listed and shown. */
import { keyOf, listClouds, moveOf, packageOf, packagesOf } from '#cloud/clouds'
import type { RequestContext } from '#platform/http'
import { plainList } from '#platform/lists'
import type { CloudRoutesApp } from '../app.ts'
import { requireCloud } from '../require-cloud.ts'
import { usageOf } from './contents.ts'
import type { CloudContext } from './create.ts'
import type { CloudDetail, CloudListQuery } from './schema.ts'
import { toCloud, toDetail, toPackages } from './show.ts'

export async function list({
  app,
  caller,
  query,
  language,
}: RequestContext<CloudRoutesApp, unknown, CloudListQuery>) {
  const page = await listClouds(app.db, caller, query)
  return {
    ...plainList.answer(page, (row) => toCloud(app, language, row)),
    packages: toPackages(app, language, await packagesOf(app.db.kysely, caller.accountId)),
  }
}

export async function read({
  app,
  caller,
  params,
  language,
}: CloudContext<CloudRoutesApp>): Promise<CloudDetail> {
  const row = await requireCloud(app, caller, params.id)
  const nowMs = app.clock.nowMs()
  const [usage, used, move] = await Promise.all([
    usageOf(app, keyOf(row), nowMs),
    row.plan === 'dedicated' ? packageOf(app.db.kysely, keyOf(row)) : undefined,
    row.plan === 'starter' ? moveOf(app.db.kysely, keyOf(row)) : undefined,
  ])
  return toDetail(app, language, row, { usage, used, move, nowMs })
}
