/** Clouds as they are listed and shown. */
import { listClouds } from '#engine/clouds'
import type { RequestContext } from '#platform/http'
import { plainList } from '#platform/lists'
import { requireCloud } from '../require-cloud.ts'
import type { CloudContext } from './create.ts'
import type { ListQuery } from './schema.ts'
import { packagesOf, toCloud } from './show.ts'

export async function list({ app, caller, query, language }: RequestContext<unknown, ListQuery>) {
  const page = await listClouds(app.db, caller, query)
  return {
    ...plainList.answer(page, (row) => toCloud(app, language, row)),
    packages: packagesOf(app, language),
  }
}

export const read = async ({ app, caller, params, language }: CloudContext) =>
  toCloud(app, language, await requireCloud(app, caller, params.id))
