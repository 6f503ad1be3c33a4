/** Functions as they are listed and shown. */
import { keyOf } from '#cloud/clouds'
import {
  findFunctionVersion,
  listFunctions,
  requireFunction,
  secretsOf,
  versionsOfFunction,
} from '#cloud/functions'
import { bareList } from '#platform/lists'
import type { FunctionRoutesApp } from '../app.ts'
import type { CloudContext } from '../clouds/create.ts'
import { requireCloud } from '../require-cloud.ts'
import type { FunctionContext } from './deploy.ts'
import type { FunctionDetail } from './schema.ts'
import { toFunction, toSecret } from './show.ts'

export async function listAll({ app, caller, params, language }: CloudContext<FunctionRoutesApp>) {
  const cloud = await requireCloud(app, caller, params.id, { ready: true })
  const state = await app.functions.state()
  return {
    ...bareList.answer(await listFunctions(app.db.kysely, keyOf(cloud)), (row) =>
      toFunction(app, cloud, row),
    ),
    runtime: { status: state.kind, reason: state.kind === 'refused' ? state.why[language] : null },
  }
}

export async function readFunction({ app, caller, params }: FunctionContext): Promise<FunctionDetail> {
  const cloud = await requireCloud(app, caller, params.id, { ready: true })
  const functionKey = { ...keyOf(cloud), name: params.name }
  const row = await requireFunction(app.db.kysely, functionKey)
  const live = await findFunctionVersion(app.db.kysely, functionKey, row.version)
  const versions = await versionsOfFunction(app.db.kysely, functionKey)
  return {
    ...toFunction(app, cloud, row),
    code: live?.code ?? '',
    versions: versions.map(({ created_at: created, ...version }) => ({
      ...version,
      live: version.version === row.version,
      created_at: created.toISOString(),
    })),
  }
}

export async function listSecrets({ app, caller, params }: CloudContext<FunctionRoutesApp>) {
  const cloud = await requireCloud(app, caller, params.id, { ready: true })
  return bareList.answer(await secretsOf(app.db.kysely, keyOf(cloud)), toSecret)
}
