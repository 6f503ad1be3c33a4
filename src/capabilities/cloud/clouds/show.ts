/** A cloud as the API answers it. */
import type { App } from '#app'
import { type CloudLimits, type CloudRow, limitsOf, problemPhrases, stateOf } from '#engine/clouds'
import { cloudUrl } from '#platform/apps'
import type { Language } from '#platform/errors'
import type { CloudUsage } from './contents.ts'
import { phrases } from './phrases.ts'
import type { Cloud, Limits, Usage } from './schema.ts'

export const toCloud = ({ config }: Pick<App, 'config'>, language: Language, row: CloudRow): Cloud => ({
  object: 'cloud',
  id: row.cloud_id,
  name: row.name,
  plan: row.plan,
  status: stateOf(row),
  error:
    row.error_code === null
      ? null
      : { code: row.error_code, message: problemPhrases(row.error_code)[language] },
  suspended_reason: row.suspended_reason,
  ref: row.ref,
  cloud_url: cloudUrl(config, row.ref),
  limits: toLimits(limitsOf(config.clouds, row.limits)),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

const toLimits = (limits: CloudLimits): Limits => ({
  collections: limits.collections,
  rows: limits.rows,
  row_bytes: limits.rowBytes,
  users: limits.users,
  files: limits.files,
  file_bytes: limits.fileBytes,
  file_total_bytes: limits.fileTotalBytes,
  functions: limits.functions,
  secrets: limits.secrets,
  daily_function_calls: limits.dailyFunctionCalls,
  daily_egress_bytes: limits.dailyEgressBytes,
  daily_mails: limits.dailyMails,
})

/** What a cloud uses of each of its limits. */
export function toUsage(
  { config }: Pick<App, 'config'>,
  row: CloudRow,
  usage: CloudUsage,
  day: string,
): Usage {
  const limits = limitsOf(config.clouds, row.limits)
  const of = (used: number, max: number) => ({ used, max })
  return {
    day,
    collections: of(usage.collections, limits.collections),
    rows: of(usage.rows, limits.rows),
    row_bytes: of(usage.rowBytes, limits.rowBytes),
    users: of(usage.users, limits.users),
    files: of(usage.files, limits.files),
    file_total_bytes: of(usage.fileBytes, limits.fileTotalBytes),
    functions: of(usage.functions, limits.functions),
    secrets: of(usage.secrets, limits.secrets),
    daily_function_calls: of(usage.calls, limits.dailyFunctionCalls),
    daily_egress_bytes: of(usage.egressBytes, limits.dailyEgressBytes),
    daily_mails: of(usage.mails, limits.dailyMails),
    sites: { used: usage.sites },
  }
}

/** What can be created here, with the limits of those that nobody has set others for. */
export const packagesOf = ({ config: { clouds } }: Pick<App, 'config'>, language: Language) => [
  {
    plan: 'starter',
    available: clouds.cloudsPerProject > 0,
    credits: 0,
    per_project: clouds.cloudsPerProject,
    limits: toLimits(limitsOf(clouds)),
    note: phrases.starter[language],
  },
  {
    plan: 'dedicated',
    available: false,
    credits: 0,
    per_project: 0,
    limits: null,
    note: phrases.dedicated[language],
  },
]
