/** `GET /rest/v1/`: the collections in the form of OpenAPI 2.0, which common tools read. */

import { collectionsOf } from '#cloud/collections'
import { refuse } from '#cloud/tables'
import type { AppCall, AppReply } from '../area.ts'
import { refusals } from './refusals.ts'

const row = {
  type: 'object',
  required: ['id', 'created_at', 'updated_at'],
  properties: {
    id: { type: 'string', format: 'uuid', description: 'Note:\nThis is a Primary Key.<pk/>' },
    owner_id: { type: 'string', format: 'uuid' },
    created_at: { type: 'string', format: 'timestamp with time zone' },
    updated_at: { type: 'string', format: 'timestamp with time zone' },
  },
  additionalProperties: true,
}

/** Answers with all collections for the service key; for other callers those that everybody may read. */
export async function describe(call: AppCall): Promise<AppReply> {
  const { app, cloud, caller, method } = call
  if (method !== 'GET' && method !== 'HEAD') refuse(refusals.method(method))
  const all = await app.collections.query(cloud, (run) => collectionsOf(run, cloud))
  const names = all
    .filter(({ public_read }) => public_read || caller.role === 'service')
    .map(({ name }) => name)
  const operation = (name: string) => ({
    tags: [name],
    responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${name}` } } },
  })
  return openApiReply(
    call,
    Object.fromEntries(
      names.map((name) => [
        `/${name}`,
        { get: operation(name), post: operation(name), patch: operation(name), delete: operation(name) },
      ]),
    ),
    Object.fromEntries(names.map((name) => [name, row])),
  )
}

export function openApiReply({ cloud, baseUrl }: AppCall, paths: object, definitions: object): AppReply {
  const address = new URL(baseUrl)
  return {
    status: 200,
    headers: { 'content-type': 'application/openapi+json; charset=utf-8' },
    body: Buffer.from(
      JSON.stringify({
        swagger: '2.0',
        info: { title: cloud.name, version: '1', description: '' },
        host: address.host,
        basePath: `${address.pathname.replace(/\/$/, '')}/rest/v1`,
        schemes: [address.protocol.replace(':', '')],
        consumes: ['application/json'],
        produces: ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'],
        paths,
        definitions,
      }),
    ),
  }
}
