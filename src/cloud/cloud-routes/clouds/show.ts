/** A cloud as the API answers it. */
import {
  type CloudLimits,
  type CloudRow,
  cloudUrl,
  limitsOf,
  type MoveRow,
  type PackageRow,
  packageState,
  problemPhrases,
  readOnlyReason,
  stateOf,
} from '#cloud/clouds'
import type { Language } from '#platform/errors'
import type { CloudRoutesApp } from '../app.ts'
import type { CloudUsage } from './contents.ts'
import { phrases } from './phrases.ts'
import type { Cloud, CloudDetail, Limits, Package, Usage } from './schema.ts'

export const toCloud = (
  { config }: Pick<CloudRoutesApp, 'config'>,
  language: Language,
  row: CloudRow,
): Cloud => ({
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
  package: row.offer,
  limits: toLimits(limitsOf(config.clouds, row), row.plan),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

const toLimits = (limits: CloudLimits, plan: CloudRow['plan']): Limits => ({
  ...(plan === 'starter'
    ? { collections: limits.collections, rows: limits.rows, row_bytes: limits.rowBytes }
    : {
        disk_bytes: limits.diskBytes,
        awake_hours: limits.awakeHours,
        memory_bytes: limits.memoryBytes,
        connections: limits.connections,
      }),
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

interface CloudDetailData {
  usage: CloudUsage
  /** The package that a dedicated cloud uses. */
  used: PackageRow | undefined
  move: MoveRow | undefined
  nowMs: number
}

export const toDetail = (
  app: Pick<CloudRoutesApp, 'config'>,
  language: Language,
  row: CloudRow,
  { usage, used, move, nowMs }: CloudDetailData,
): CloudDetail => ({
  ...toCloud(app, language, row),
  read_only: readOnlyReason(app.config.clouds, row, used, nowMs),
  move: move === undefined ? null : move.state === 'failed' ? 'failed' : 'moving',
  paid_until: used?.paid_until?.toISOString() ?? null,
  usage: toUsage(app, row, usage, new Date(nowMs).toISOString().slice(0, 10)),
})

/** What a cloud uses of each of its limits. */
function toUsage(
  { config }: Pick<CloudRoutesApp, 'config'>,
  row: CloudRow,
  usage: CloudUsage,
  day: string,
): Usage {
  const limits = limitsOf(config.clouds, row)
  const usedAndMax = (used: number, max: number) => ({ used, max })
  return {
    day,
    ...(row.plan === 'starter'
      ? {
          collections: usedAndMax(usage.collections, limits.collections),
          rows: usedAndMax(usage.rows, limits.rows),
          row_bytes: usedAndMax(usage.rowBytes, limits.rowBytes),
        }
      : {
          rows: { used: usage.rows },
          disk_bytes: usedAndMax(usage.diskBytes, limits.diskBytes),
          awake_hours: usedAndMax(usage.awakeHours, limits.awakeHours),
        }),
    users: usedAndMax(usage.users, limits.users),
    files: usedAndMax(usage.files, limits.files),
    file_total_bytes: usedAndMax(usage.fileBytes, limits.fileTotalBytes),
    functions: usedAndMax(usage.functions, limits.functions),
    secrets: usedAndMax(usage.secrets, limits.secrets),
    daily_function_calls: usedAndMax(usage.calls, limits.dailyFunctionCalls),
    daily_egress_bytes: usedAndMax(usage.egressBytes, limits.dailyEgressBytes),
    daily_mails: usedAndMax(usage.mails, limits.dailyMails),
    sites: { used: usage.sites },
  }
}

/** Returns what can be created here, with the limits where nobody has set others, and how many free packages the account has. */
export const toPackages = (
  { config: { clouds }, clock }: Pick<CloudRoutesApp, 'config' | 'clock'>,
  language: Language,
  owned: readonly PackageRow[],
): Package[] => [
  {
    plan: 'starter',
    package: null,
    name: 'Starter',
    available: clouds.cloudsPerProject > 0,
    free: null,
    credits: 0,
    per_project: clouds.cloudsPerProject,
    limits: toLimits(limitsOf(clouds), 'starter'),
    note: phrases.starter[language],
  },
  ...clouds.packages.map((offer): Package => {
    const free = owned.filter(
      (row) =>
        row.offer === offer.id && row.cloud_id === null && packageState(row, clock.nowMs()) === 'active',
    )
    return {
      plan: 'dedicated',
      package: offer.id,
      name: offer.name[language],
      available: free.length > 0,
      free: free.length,
      credits: 0,
      per_project: null,
      limits: toLimits(limitsOf(clouds, { offer: offer.id, limits: {} }), 'dedicated'),
      note: (offer.description ?? phrases.dedicated)[language],
    }
  }),
]
