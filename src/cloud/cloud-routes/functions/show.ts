import { type CloudRow, cloudUrl } from '#cloud/clouds'
import type { FunctionRow, SecretRow, ShownFunction, StoredLine } from '#cloud/functions'
import type { FunctionRoutesApp } from '../app.ts'
import type { CloudFunction, LogEntry, Secret } from './schema.ts'

export const urlOf = (
  { config }: Pick<FunctionRoutesApp, 'config'>,
  { ref }: Pick<CloudRow, 'ref'>,
  { name }: Pick<FunctionRow, 'name'>,
): string => `${cloudUrl(config, ref)}/functions/v1/${name}`

export const toFunction = (
  app: Pick<FunctionRoutesApp, 'config'>,
  cloud: Pick<CloudRow, 'ref'>,
  row: ShownFunction,
): CloudFunction => ({
  object: 'cloud.function',
  name: row.name,
  version: row.version,
  verify_jwt: row.verify_jwt,
  url: urlOf(app, cloud, row),
  packages: row.packages,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export const toSecret = ({ name, created_at: created, updated_at: updated }: SecretRow): Secret => ({
  object: 'cloud.secret',
  name,
  created_at: created.toISOString(),
  updated_at: updated.toISOString(),
})

export const toEntry = ({ line_id: id, level, message, request_id: request, at }: StoredLine): LogEntry => ({
  id: String(id),
  level,
  message,
  request_id: request,
  at: at.toISOString(),
})
