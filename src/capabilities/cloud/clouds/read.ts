/** Clouds as they are listed and shown. */
import { keyOf, listClouds } from '#engine/clouds'
import type { RequestContext } from '#platform/http'
import { plainList } from '#platform/lists'
import { requireCloud } from '../require-cloud.ts'
import { usageOf } from './contents.ts'
import type { CloudContext } from './create.ts'
import type { CloudDetail, ListQuery } from './schema.ts'
import { packagesOf, toCloud, toUsage } from './show.ts'

export async function list({ app, caller, query, language }: RequestContext<unknown, ListQuery>) {
  const page = await listClouds(app.db, caller, query)
  return {
    ...plainList.answer(page, (row) => toCloud(app, language, row)),
    packages: packagesOf(app, language),
  }
}

export async function read({ app, caller, params, language }: CloudContext): Promise<CloudDetail> {
  const row = await requireCloud(app, caller, params.id)
  const day = new Date(app.clock.nowMs()).toISOString().slice(0, 10)
  const usage = await usageOf(app, keyOf(row), day)
  return { ...toCloud(app, language, row), usage: toUsage(app, row, usage, day) }
}
